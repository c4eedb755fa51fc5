// SPDX-License-Identifier: GPL-2.0
#include "sa_wire.h"

#include <asm/byteorder.h>
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

/* IBTA table 195: the unit of an attribute offset, octets. */
#define SA_OFFSET_UNIT		8

/* IBTA 13.4.8.3: wildcards of an InformInfo, and the bits of its component mask. */
#define INFORM_ANY_LID		0xffff
#define INFORM_ANY_TYPE		0xffff
#define INFORM_ANY_PRODUCER	0xffffff
#define INFORM_LID_BEGIN	IB_SA_COMP_MASK(1)
#define INFORM_IS_GENERIC	IB_SA_COMP_MASK(4)
#define INFORM_SUBSCRIBE	IB_SA_COMP_MASK(5)
#define INFORM_TYPE		IB_SA_COMP_MASK(6)
#define INFORM_TRAP		IB_SA_COMP_MASK(7)
#define INFORM_PRODUCER		IB_SA_COMP_MASK(12)

/*
 * An InformInfo that unsubscribes must match the one that subscribed. The SA stores the QPN that
 * the InformInfo came from, so that QPN has to be given here. The response time tells the SA
 * that reports are answered within 4.096 us * 2^18, about a second.
 */
#define INFORM_QPN		1
#define INFORM_RESP_TIME	18

#define NOTICE_GENERIC		0x80

/* IBTA 15.4.6: the class specific half of a MAD's status. */
#define SA_STATUS_NO_RESOURCES		1
#define SA_STATUS_INVALID		2
#define SA_STATUS_NO_RECORDS		3
#define SA_STATUS_TOO_MANY		4
#define SA_STATUS_INVALID_GID		5
#define SA_STATUS_INSUFFICIENT		6
#define SA_STATUS_DENIED		7

/* IBTA 13.4.7: the bits of the other half that name an invalid field. */
#define MAD_STATUS_FIELD		0x1c

#define MLID_FIRST			0xc000
#define MLID_LAST			0xfffe

#define SELECTOR			GENMASK(7, 6)
#define VALUE				GENMASK(5, 0)
#define SL				GENMASK(31, 28)
#define FLOW_LABEL			GENMASK(27, 8)
#define HOP_LIMIT			GENMASK(7, 0)
#define SCOPE				GENMASK(7, 4)
#define JOIN_STATE			GENMASK(3, 0)
#define PROXY_JOIN			BIT(7)

/**
 * ipoib_sa_group_unpack - decode a MCMemberRecord
 * @wire: the encoded record
 * @rec: result
 *
 * Context: Any; pure.
 */
void ipoib_sa_group_unpack(const struct ipoib_sa_group *wire,
			   struct ib_sa_mcmember_rec *rec)
{
	u32 sl_flow_hop = be32_to_cpu(wire->sl_flow_hop);

	memset(rec, 0, sizeof(*rec));
	memcpy(rec->mgid.raw, wire->mgid, sizeof(wire->mgid));
	memcpy(rec->port_gid.raw, wire->port_gid, sizeof(wire->port_gid));
	rec->qkey = wire->qkey;
	rec->mlid = wire->mlid;
	rec->mtu_selector = FIELD_GET(SELECTOR, wire->mtu);
	rec->mtu = FIELD_GET(VALUE, wire->mtu);
	rec->traffic_class = wire->traffic_class;
	rec->pkey = wire->pkey;
	rec->rate_selector = FIELD_GET(SELECTOR, wire->rate);
	rec->rate = FIELD_GET(VALUE, wire->rate);
	rec->packet_life_time_selector = FIELD_GET(SELECTOR, wire->life_time);
	rec->packet_life_time = FIELD_GET(VALUE, wire->life_time);
	rec->sl = FIELD_GET(SL, sl_flow_hop);
	rec->flow_label = cpu_to_be32(FIELD_GET(FLOW_LABEL, sl_flow_hop));
	rec->hop_limit = FIELD_GET(HOP_LIMIT, sl_flow_hop);
	rec->scope = FIELD_GET(SCOPE, wire->scope_state);
	rec->join_state = FIELD_GET(JOIN_STATE, wire->scope_state);
	rec->proxy_join = FIELD_GET(PROXY_JOIN, wire->proxy);
}

/* Fill in a MAD except for its transaction ID. @len is the size of @attr in octets. */
static void fill_request(struct ib_sa_mad *mad, u8 method, u16 attr_id,
			 ib_sa_comp_mask mask, const void *attr, size_t len)
{
	memset(mad, 0, sizeof(*mad));
	mad->mad_hdr.base_version = IB_MGMT_BASE_VERSION;
	mad->mad_hdr.mgmt_class = IB_MGMT_CLASS_SUBN_ADM;
	mad->mad_hdr.class_version = IB_SA_CLASS_VERSION;
	mad->mad_hdr.method = method;
	mad->mad_hdr.attr_id = cpu_to_be16(attr_id);
	mad->sa_hdr.comp_mask = mask;
	memcpy(mad->data, attr, len);
}

/**
 * ipoib_sa_wire_get_group - make a query for one group
 * @mad: result, without transaction ID
 * @mgid: MGID of the group
 *
 * Context: Any; pure.
 */
void ipoib_sa_wire_get_group(struct ib_sa_mad *mad, const union ib_gid *mgid)
{
	struct ipoib_sa_group wire = {};

	memcpy(wire.mgid, mgid, sizeof(wire.mgid));
	fill_request(mad, IB_MGMT_METHOD_GET, IB_SA_ATTR_MC_MEMBER_REC,
		     IB_SA_MCMEMBER_REC_MGID, &wire, sizeof(wire));
}

/**
 * ipoib_sa_wire_get_member - make a query for one group, as far as a port is in it
 * @mad: result
 * @mgid: MGID of the group
 * @port_gid: GID with which the port has joined
 *
 * The answer is read as that to ipoib_sa_wire_get_group(): there is no record if the group does
 * not have that member.
 *
 * Context: Any; pure.
 */
void ipoib_sa_wire_get_member(struct ib_sa_mad *mad, const union ib_gid *mgid,
			      const union ib_gid *port_gid)
{
	struct ipoib_sa_group wire = {};

	memcpy(wire.mgid, mgid, sizeof(wire.mgid));
	memcpy(wire.port_gid, port_gid, sizeof(wire.port_gid));
	fill_request(mad, IB_MGMT_METHOD_GET, IB_SA_ATTR_MC_MEMBER_REC,
		     IB_SA_MCMEMBER_REC_MGID | IB_SA_MCMEMBER_REC_PORT_GID, &wire, sizeof(wire));
}

/**
 * ipoib_sa_wire_list_groups - make a query for all groups of a partition
 * @mad: result, without transaction ID
 * @pkey: P_Key of the partition, as it stands in the groups' records
 *
 * Context: Any; pure.
 */
void ipoib_sa_wire_list_groups(struct ib_sa_mad *mad, u16 pkey)
{
	const struct ipoib_sa_group wire = { .pkey = cpu_to_be16(pkey) };

	fill_request(mad, IB_SA_METHOD_GET_TABLE, IB_SA_ATTR_MC_MEMBER_REC,
		     IB_SA_MCMEMBER_REC_PKEY, &wire, sizeof(wire));
}

/**
 * ipoib_sa_wire_inform - make an InformInfo that subscribes to a trap or unsubscribes
 * @mad: result, without transaction ID
 * @trap: the trap
 * @subscribe: false ends a subscription
 *
 * Context: Any; pure.
 */
void ipoib_sa_wire_inform(struct ib_sa_mad *mad, enum ipoib_sa_trap trap,
			  bool subscribe)
{
	const struct ipoib_sa_inform wire = {
		.lid_begin	= cpu_to_be16(INFORM_ANY_LID),
		.is_generic	= 1,
		.subscribe	= subscribe,
		.type		= cpu_to_be16(INFORM_ANY_TYPE),
		.trap		= cpu_to_be16(trap),
		.qpn_resp_time	= cpu_to_be32(INFORM_QPN << 8 |
					      INFORM_RESP_TIME),
		.producer	= cpu_to_be32(INFORM_ANY_PRODUCER),
	};

	fill_request(mad, IB_MGMT_METHOD_SET, IB_SA_ATTR_INFORM_INFO,
		     INFORM_LID_BEGIN | INFORM_IS_GENERIC | INFORM_SUBSCRIBE |
		     INFORM_TYPE | INFORM_TRAP | INFORM_PRODUCER,
		     &wire, sizeof(wire));
}

/**
 * ipoib_sa_wire_status - translate the status of an answer of the SA into an error
 * @status: status of the answer
 *
 * Return: 0; -EBUSY or -ENOBUFS if the SA may answer later; -ENOENT if there is no such
 * record; -EACCES if the SA denies access; -E2BIG if there are too many records; -EINVAL or
 * -EADDRNOTAVAIL if the query or a GID in it is invalid; -EOPNOTSUPP if the SA does not support
 * the query, or the node is no SA any more; -EPROTO for any other status.
 * Context: Any; pure.
 */
int ipoib_sa_wire_status(u16 status)
{
	static const int errors[] = {
		[SA_STATUS_NO_RESOURCES]	= -ENOBUFS,
		[SA_STATUS_INVALID]		= -EINVAL,
		[SA_STATUS_NO_RECORDS]		= -ENOENT,
		[SA_STATUS_TOO_MANY]		= -E2BIG,
		[SA_STATUS_INVALID_GID]		= -EADDRNOTAVAIL,
		[SA_STATUS_INSUFFICIENT]	= -EINVAL,
		[SA_STATUS_DENIED]		= -EACCES,
	};
	unsigned int specific = status >> 8;

	if (!status)
		return 0;
	if (status & IB_MGMT_MAD_STATUS_BUSY)
		return -EBUSY;
	if (status & IB_MGMT_MAD_STATUS_REDIRECT_REQD)
		return -EOPNOTSUPP;
	if ((status & MAD_STATUS_FIELD) ==
	    IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE)
		return -EINVAL;
	if (status & MAD_STATUS_FIELD)
		return -EOPNOTSUPP;
	if (specific && specific < ARRAY_SIZE(errors))
		return errors[specific];
	return -EPROTO;
}

static u8 method_of_answer(u8 method)
{
	if (method == IB_MGMT_METHOD_SET)
		method = IB_MGMT_METHOD_GET;
	return method | IB_MGMT_METHOD_RESP;
}

static bool header_ok(const struct ib_sa_mad *mad, size_t len, u8 method,
		      __be16 attr_id)
{
	return len >= IB_MGMT_SA_HDR &&
	       mad->mad_hdr.base_version == IB_MGMT_BASE_VERSION &&
	       mad->mad_hdr.mgmt_class == IB_MGMT_CLASS_SUBN_ADM &&
	       mad->mad_hdr.class_version == IB_SA_CLASS_VERSION &&
	       mad->mad_hdr.method == method &&
	       mad->mad_hdr.attr_id == attr_id;
}

/**
 * ipoib_sa_wire_check - check that a MAD answers a query, and read its status
 * @request: the query
 * @answer: first segment of the answer
 * @len: length of all segments, counting one header, octets
 * @status: result: the SA's status; 0 if @answer does not answer @request
 *
 * Return: see ipoib_sa_wire_status(); -EPROTO if @answer does not answer @request.
 * Context: Any; pure.
 */
int ipoib_sa_wire_check(const struct ib_sa_mad *request,
			const struct ib_sa_mad *answer, size_t len,
			u16 *status)
{
	*status = 0;
	if (!header_ok(answer, len, method_of_answer(request->mad_hdr.method),
		       request->mad_hdr.attr_id))
		return -EPROTO;

	*status = be16_to_cpu(answer->mad_hdr.status);
	return ipoib_sa_wire_status(*status);
}

/* Without a multicast GID and a multicast LID no packet could be sent to the group. */
static bool group_sane(const struct ib_sa_mcmember_rec *rec)
{
	u16 mlid = be16_to_cpu(rec->mlid);

	return rec->mgid.raw[0] == 0xff && mlid >= MLID_FIRST &&
	       mlid <= MLID_LAST;
}

/**
 * ipoib_sa_wire_group - read the answer to ipoib_sa_wire_get_group()
 * @answer: the answer; ipoib_sa_wire_check() has returned 0
 * @len: length of the answer, octets
 * @mgid: MGID of the group that was queried
 * @rec: result
 *
 * Return: 0 or -EPROTO.
 * Context: Any; pure.
 */
int ipoib_sa_wire_group(const struct ib_sa_mad *answer, size_t len,
			const union ib_gid *mgid,
			struct ib_sa_mcmember_rec *rec)
{
	struct ipoib_sa_group wire;

	if (len < IB_MGMT_SA_HDR + sizeof(wire))
		return -EPROTO;

	memcpy(&wire, answer->data, sizeof(wire));
	ipoib_sa_group_unpack(&wire, rec);
	if (memcmp(&rec->mgid, mgid, sizeof(*mgid)) || !group_sane(rec))
		return -EPROTO;
	return 0;
}

/**
 * ipoib_sa_table_init - start to read a table of groups
 * @table: result
 * @answer: first segment of the answer; ipoib_sa_wire_check() has returned 0
 * @len: length of all segments, counting one header, octets
 *
 * Return: 0 or -EPROTO.
 * Context: Any; pure.
 */
int ipoib_sa_table_init(struct ipoib_sa_table *table,
			const struct ib_sa_mad *answer, size_t len)
{
	const u8 flags = answer->rmpp_hdr.rmpp_rtime_flags;

	memset(table, 0, sizeof(*table));
	table->stride = be16_to_cpu(answer->sa_hdr.attr_offset) *
			SA_OFFSET_UNIT;
	/* IBTA 15.4.8: the attribute offset is 0 if the table has no records. */
	if (!table->stride)
		return 0;

	/* Without RMPP the length of the table is not known. */
	if (!(flags & IB_MGMT_RMPP_FLAG_ACTIVE) || len < IB_MGMT_SA_HDR ||
	    table->stride < sizeof(table->wire))
		return -EPROTO;
	table->left = len - IB_MGMT_SA_HDR;
	return 0;
}

/**
 * ipoib_sa_table_next - read the next group of a table
 * @table: the table
 * @segment: the current segment
 * @pos: octets of @segment that have been read; the caller sets it to 0 for a new segment
 * @rec: result
 *
 * A record may begin in one segment and end in the next.
 *
 * Return: 1 if @rec is the next group; 0 at the end of the segment or of the table; -EPROTO
 * if the record is not that of a valid group; -E2BIG after IPOIB_SA_TABLE_MAX groups.
 * Context: Any; pure.
 */
int ipoib_sa_table_next(struct ipoib_sa_table *table,
			const u8 segment[IPOIB_SA_SEGMENT], unsigned int *pos,
			struct ib_sa_mcmember_rec *rec)
{
	while (table->left && *pos < IPOIB_SA_SEGMENT) {
		bool padding;
		size_t n;

		if (table->have == table->stride)
			table->have = 0;
		padding = table->have >= sizeof(table->wire);
		n = (padding ? table->stride : sizeof(table->wire)) -
		    table->have;
		n = min3(n, table->left, (size_t)IPOIB_SA_SEGMENT - *pos);
		if (!padding)
			memcpy((u8 *)&table->wire + table->have,
			       segment + *pos, n);
		table->have += n;
		table->left -= n;
		*pos += n;

		if (!padding && table->have == sizeof(table->wire)) {
			if (table->count++ == IPOIB_SA_TABLE_MAX)
				return -E2BIG;
			ipoib_sa_group_unpack(&table->wire, rec);
			return group_sane(rec) ? 1 : -EPROTO;
		}
	}
	return 0;
}

/**
 * ipoib_sa_wire_report - read a report
 * @mad: any MAD of the class
 * @len: length of the MAD, octets
 * @trap: result: the trap that is reported
 * @gid: result: GID of the port or MGID of the group that the trap is about
 *
 * Return: false if @mad is not a report, or reports a trap that is not in enum ipoib_sa_trap.
 * Context: Any; pure.
 */
bool ipoib_sa_wire_report(const struct ib_sa_mad *mad, size_t len,
			  enum ipoib_sa_trap *trap, union ib_gid *gid)
{
	struct ipoib_sa_notice notice;
	u16 number;

	if (len < IB_MGMT_SA_HDR + sizeof(notice) ||
	    !header_ok(mad, len, IB_MGMT_METHOD_REPORT,
		       cpu_to_be16(IB_SA_ATTR_NOTICE)))
		return false;

	memcpy(&notice, mad->data, sizeof(notice));
	number = be16_to_cpu(notice.trap);
	if (!(notice.generic_type & NOTICE_GENERIC) ||
	    number < IPOIB_SA_TRAP_FIRST || number > IPOIB_SA_TRAP_LAST)
		return false;

	*trap = number;
	memcpy(gid->raw, notice.gid, sizeof(gid->raw));
	return true;
}

/**
 * ipoib_sa_wire_report_answer - make the answer to a report
 * @answer: result
 * @report: any MAD with the method Report
 *
 * The SA repeats a report that is not answered, IBTA 13.4.9.
 *
 * Context: Any; pure.
 */
void ipoib_sa_wire_report_answer(struct ib_sa_mad *answer,
				 const struct ib_sa_mad *report)
{
	*answer = *report;
	answer->mad_hdr.method = IB_MGMT_METHOD_REPORT_RESP;
	answer->mad_hdr.status = 0;
	memset(&answer->rmpp_hdr, 0, sizeof(answer->rmpp_hdr));
}
