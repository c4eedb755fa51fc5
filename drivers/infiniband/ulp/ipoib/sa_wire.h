/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages to and from the subnet administrator (SA), IBTA 13.4.8, 13.4.9 and 15.2. What the SA
 * sends is checked in sa_wire.c and nowhere else.
 */
#ifndef _IPOIB_SA_WIRE_H
#define _IPOIB_SA_WIRE_H

#include <linux/build_bug.h>
#include <linux/types.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_sa.h>

#include "wire.h"

/* Octets of attribute data in one segment of an RMPP transfer. */
#define IPOIB_SA_SEGMENT	IB_MGMT_SA_DATA

/* MCMemberRecord, IBTA 15.2.5.17. */
struct ipoib_sa_group {
	u8 mgid[16];
	u8 port_gid[16];
	__be32 qkey;
	__be16 mlid;
	u8 mtu;			/* selector 2, MTU 6 */
	u8 traffic_class;
	__be16 pkey;
	u8 rate;		/* selector 2, rate 6 */
	u8 life_time;		/* selector 2, life time 6 */
	__be32 sl_flow_hop;	/* SL 4, flow label 20, hop limit 8 */
	u8 scope_state;		/* scope 4, join state 4 */
	u8 proxy;		/* proxy join 1, reserved 7 */
	u8 reserved[2];
};

static_assert(offsetof(struct ipoib_sa_group, qkey) == 32);
static_assert(offsetof(struct ipoib_sa_group, pkey) == 40);
static_assert(offsetof(struct ipoib_sa_group, sl_flow_hop) == 44);
static_assert(sizeof(struct ipoib_sa_group) == 52);

/* InformInfo about a generic trap, IBTA 13.4.8.3. */
struct ipoib_sa_inform {
	u8 gid[16];
	__be16 lid_begin;
	__be16 lid_end;
	__be16 reserved;
	u8 is_generic;
	u8 subscribe;
	__be16 type;
	__be16 trap;
	__be32 qpn_resp_time;	/* QPN 24, reserved 3, response time 5 */
	__be32 producer;	/* reserved 8, producer type 24 */
};

static_assert(offsetof(struct ipoib_sa_inform, is_generic) == 22);
static_assert(offsetof(struct ipoib_sa_inform, trap) == 26);
static_assert(offsetof(struct ipoib_sa_inform, producer) == 32);
static_assert(sizeof(struct ipoib_sa_inform) == 36);

/* Notice of the generic traps 64 to 67, IBTA 13.4.8.2 and 14.2.5.1. */
struct ipoib_sa_notice {
	u8 generic_type;	/* generic 1, type 7 */
	u8 producer[3];
	__be16 trap;
	__be16 issuer_lid;
	__be16 toggle_count;
	u8 reserved[6];
	u8 gid[16];
	u8 padding[32];
	u8 issuer_gid[16];
};

static_assert(offsetof(struct ipoib_sa_notice, trap) == 4);
static_assert(offsetof(struct ipoib_sa_notice, gid) == 16);
static_assert(offsetof(struct ipoib_sa_notice, issuer_gid) == 64);
static_assert(sizeof(struct ipoib_sa_notice) == 80);

/* Each attribute has to fit into one MAD. */
static_assert(sizeof(struct ipoib_sa_notice) <= IPOIB_SA_SEGMENT);
static_assert(offsetof(struct ib_sa_mad, data) == IB_MGMT_SA_HDR);
static_assert(sizeof(struct ib_sa_mad) == IB_MGMT_MAD_SIZE);

/* Most groups that a table may contain: all MLIDs that there are (IBTA 4.1.1). */
#define IPOIB_SA_TABLE_MAX	16384

/**
 * struct ipoib_sa_table - state of reading a table of groups segment by segment
 * @left: octets of the table that have not been read yet
 * @stride: distance from one record to the next, octets
 * @have: octets of the current record and its padding that have been read
 * @count: groups that have been read
 * @wire: the current record, as far as it has been read
 */
struct ipoib_sa_table {
	size_t left;
	unsigned int stride;
	unsigned int have;
	unsigned int count;
	struct ipoib_sa_group wire;
};

void ipoib_sa_wire_get_group(struct ib_sa_mad *mad, const union ib_gid *mgid);
void ipoib_sa_wire_get_member(struct ib_sa_mad *mad, const union ib_gid *mgid,
			      const union ib_gid *port_gid);
void ipoib_sa_wire_list_groups(struct ib_sa_mad *mad, u16 pkey);
void ipoib_sa_wire_inform(struct ib_sa_mad *mad, enum ipoib_sa_trap trap,
			  bool subscribe);

int ipoib_sa_wire_status(u16 status);
int ipoib_sa_wire_check(const struct ib_sa_mad *request,
			const struct ib_sa_mad *answer, size_t len,
			u16 *status);
int ipoib_sa_wire_group(const struct ib_sa_mad *answer, size_t len,
			const union ib_gid *mgid,
			struct ib_sa_mcmember_rec *rec);

int ipoib_sa_table_init(struct ipoib_sa_table *table,
			const struct ib_sa_mad *answer, size_t len);
int ipoib_sa_table_next(struct ipoib_sa_table *table,
			const u8 segment[IPOIB_SA_SEGMENT], unsigned int *pos,
			struct ib_sa_mcmember_rec *rec);

bool ipoib_sa_wire_report(const struct ib_sa_mad *mad, size_t len,
			  enum ipoib_sa_trap *trap, union ib_gid *gid);
void ipoib_sa_wire_report_answer(struct ib_sa_mad *answer,
				 const struct ib_sa_mad *report);

void ipoib_sa_group_unpack(const struct ipoib_sa_group *wire,
			   struct ib_sa_mcmember_rec *rec);

#endif /* _IPOIB_SA_WIRE_H */
