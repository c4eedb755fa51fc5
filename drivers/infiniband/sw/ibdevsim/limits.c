// SPDX-License-Identifier: GPL-2.0
#include "limits.h"

#include <linux/compiler.h>
#include <linux/errno.h>

static const struct {
	const char *name;
	u32 max;
} objects[IBDS_OBJECTS] = {
	[IBDS_OBJ_PD]		= { "pd", 65536 },
	[IBDS_OBJ_CQ]		= { "cq", 65536 },
	[IBDS_OBJ_QP]		= { "qp", 65536 },
	[IBDS_OBJ_SRQ]		= { "srq", 65536 },
	[IBDS_OBJ_AH]		= { "ah", 1 << 20 },
	[IBDS_OBJ_GROUP]	= { "mcast_grp", 8192 },
};

/**
 * ibds_limits_init - an HCA without objects
 * @limits: result, zeroed
 */
void ibds_limits_init(struct ibds_limits *limits)
{
	int i;

	for (i = 0; i < IBDS_OBJECTS; i++)
		limits->max[i] = objects[i].max;
}

/**
 * ibds_object_name - the name of a kind of objects
 * @what: which
 *
 * Return: a constant string.
 */
const char *ibds_object_name(enum ibds_object what)
{
	return objects[what].name;
}

/**
 * ibds_take - one object more
 * @limits: of the HCA
 * @what: which kind
 *
 * Return: 0, or -ENOMEM if there are as many as the HCA can hold.
 * Context: Any.
 */
int ibds_take(struct ibds_limits *limits, enum ibds_object what)
{
	if (atomic_inc_return(&limits->used[what]) <= READ_ONCE(limits->max[what]))
		return 0;
	atomic_dec(&limits->used[what]);
	return -ENOMEM;
}

/**
 * ibds_give - one object less
 * @limits: of the HCA
 * @what: which kind
 *
 * Context: Any.
 */
void ibds_give(struct ibds_limits *limits, enum ibds_object what)
{
	atomic_dec(&limits->used[what]);
}
