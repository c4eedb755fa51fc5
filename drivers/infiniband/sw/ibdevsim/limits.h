/* SPDX-License-Identifier: GPL-2.0 */
/* How many objects an HCA can hold: what it tells is what it keeps. */
#ifndef _IBDS_LIMITS_H
#define _IBDS_LIMITS_H

#include <linux/atomic.h>
#include <linux/types.h>

/* Objects that are counted, in the order of the names in limits.c. */
enum ibds_object {
	IBDS_OBJ_PD,
	IBDS_OBJ_CQ,
	IBDS_OBJ_QP,
	IBDS_OBJ_SRQ,
	IBDS_OBJ_AH,
	IBDS_OBJ_GROUP,		/* multicast groups that queue pairs are attached to */
	IBDS_OBJECTS
};

/**
 * struct ibds_limits - the objects of an HCA
 * @max: as many as there may be; a fault knob changes it
 * @used: as many as there are
 */
struct ibds_limits {
	u32 max[IBDS_OBJECTS];
	atomic_t used[IBDS_OBJECTS];
};

void ibds_limits_init(struct ibds_limits *limits);
const char *ibds_object_name(enum ibds_object what);
int ibds_take(struct ibds_limits *limits, enum ibds_object what);
void ibds_give(struct ibds_limits *limits, enum ibds_object what);

#endif /* _IBDS_LIMITS_H */
