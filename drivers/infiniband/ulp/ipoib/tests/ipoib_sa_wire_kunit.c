// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>

#include "../sa_wire.c"

static const union ib_gid broadcast = {
	.raw = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff,
		 [12] = 0xff, 0xff, 0xff, 0xff },
};

/* The broadcast group as OpenSM tells it. */
static const u8 broadcast_wire[] = {
	0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x0b, 0x1b,		/* Q_Key */
	0xc0, 0x00, 0x85, 0x21,		/* MLID, = 4096, traffic class */
	0xff, 0xff, 0x87, 0x92,		/* P_Key, = 40 Gbit/s, = 18 */
	0x31, 0x23, 0x45, 0x06,		/* SL 3, flow label, hop limit 6 */
	0x21, 0x80, 0x00, 0x00,		/* link-local, full member, proxy */
};

static void fill_answer(struct ib_sa_mad *answer,
			const struct ib_sa_mad *request, u16 status)
{
	*answer = *request;
	answer->mad_hdr.method = request->mad_hdr.method == 0x12 ? 0x92 : 0x81;
	answer->mad_hdr.status = cpu_to_be16(status);
}

static void requests_name_what_they_ask_for_and_nothing_else(struct kunit *test)
{
	static const struct {
		const char *what;
		u8 header[4];	/* version, class SA, its version 2, method */
		u16 attr_id;
		u64 comp_mask;
		u8 data[IPOIB_SA_SEGMENT];
	} want[] = {
		{ "group", { 1, 3, 2, 0x01 }, 0x38, 0x1, {
			0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [12] = 0xff, 0xff, 0xff, 0xff,
		} },
		{ "member", { 1, 3, 2, 0x01 }, 0x38, 0x3, {
			0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [12] = 0xff, 0xff, 0xff, 0xff,
			[16] = 0xfe, [31] = 9,		/* GID of the port */
		} },
		{ "groups of a P_Key", { 1, 3, 2, 0x12 }, 0x38, 0x80, { [40] = 0x80, 0x01 } },
		{ "trap of any port", { 1, 3, 2, 0x02 }, 0x3, 0x10f2, {
			[16] = 0xff, 0xff,		/* any LID */
			[22] = 1, 1,			/* generic, subscribe */
			[24] = 0xff, 0xff, 0, 66,	/* any type, trap */
			[28] = 0, 0, 1, 18,		/* QPN, response time */
			[32] = 0, 0xff, 0xff, 0xff,	/* any producer */
		} },
	};
	static const union ib_gid port = { .raw = { 0xfe, [15] = 9 } };
	static struct ib_sa_mad mads[ARRAY_SIZE(want)];
	unsigned int i;

	/* What was there before must not show through. */
	memset(mads, 0xa5, sizeof(mads));
	ipoib_sa_wire_get_group(&mads[0], &broadcast);
	ipoib_sa_wire_get_member(&mads[1], &broadcast, &port);
	ipoib_sa_wire_list_groups(&mads[2], 0x8001);
	ipoib_sa_wire_inform(&mads[3], IPOIB_SA_GROUP_CREATED, true);
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		const struct ib_sa_mad *mad = &mads[i];

		KUNIT_EXPECT_EQ_MSG(test, memcmp(mad, want[i].header, sizeof(want[i].header)), 0,
				    "%s", want[i].what);
		KUNIT_EXPECT_EQ_MSG(test, be16_to_cpu(mad->mad_hdr.attr_id), want[i].attr_id,
				    "%s", want[i].what);
		KUNIT_EXPECT_EQ_MSG(test, be64_to_cpu(mad->sa_hdr.comp_mask), want[i].comp_mask,
				    "%s", want[i].what);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(mad->data, want[i].data, sizeof(mad->data)), 0,
				    "%s", want[i].what);
	}
}

/* The SA looks for a subscription that is the same in every octet. */
static void ending_a_subscription_differs_in_one_octet(struct kunit *test)
{
	struct ib_sa_mad on, off;
	int trap;

	for (trap = IPOIB_SA_TRAP_FIRST; trap <= IPOIB_SA_TRAP_LAST; trap++) {
		ipoib_sa_wire_inform(&on, trap, true);
		ipoib_sa_wire_inform(&off, trap, false);
		KUNIT_EXPECT_EQ(test, on.data[23], 1);
		KUNIT_EXPECT_EQ(test, off.data[23], 0);
		off.data[23] = 1;
		KUNIT_EXPECT_EQ(test, memcmp(&on, &off, sizeof(on)), 0);
	}
}

static void record_is_read(struct kunit *test)
{
	struct ib_sa_mcmember_rec rec;

	ipoib_sa_group_unpack((const struct ipoib_sa_group *)broadcast_wire,
			      &rec);
	KUNIT_EXPECT_EQ(test, memcmp(&rec.mgid, &broadcast, 16), 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(rec.qkey), 0xb1bu);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(rec.mlid), 0xc000);
	KUNIT_EXPECT_EQ(test, rec.mtu_selector, IB_SA_EQ);
	KUNIT_EXPECT_EQ(test, (int)rec.mtu, IB_MTU_4096);
	KUNIT_EXPECT_EQ(test, rec.traffic_class, 0x21);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(rec.pkey), 0xffff);
	KUNIT_EXPECT_EQ(test, rec.rate_selector, IB_SA_EQ);
	KUNIT_EXPECT_EQ(test, (int)rec.rate, IB_RATE_40_GBPS);
	KUNIT_EXPECT_EQ(test, rec.packet_life_time_selector, IB_SA_EQ);
	KUNIT_EXPECT_EQ(test, rec.packet_life_time, 18);
	KUNIT_EXPECT_EQ(test, rec.sl, 3);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(rec.flow_label), 0x12345u);
	KUNIT_EXPECT_EQ(test, rec.hop_limit, 6);
	KUNIT_EXPECT_EQ(test, rec.scope, 2);
	KUNIT_EXPECT_EQ(test, rec.join_state, 1);
	KUNIT_EXPECT_EQ(test, rec.proxy_join, 1);
}

static void fields_of_a_record_end_where_others_begin(struct kunit *test)
{
	struct ib_sa_mcmember_rec rec;
	struct ipoib_sa_group wire;

	memset(&wire, 0xff, sizeof(wire));
	wire.mtu = 0x7f;
	wire.rate = 0xbf;
	wire.life_time = 0xc0;
	wire.sl_flow_hop = cpu_to_be32(0x800001fe);
	wire.scope_state = 0x5a;
	wire.proxy = 0x7f;
	ipoib_sa_group_unpack(&wire, &rec);
	KUNIT_EXPECT_EQ(test, rec.mtu_selector, 1);
	KUNIT_EXPECT_EQ(test, (int)rec.mtu, 0x3f);
	KUNIT_EXPECT_EQ(test, rec.rate_selector, 2);
	KUNIT_EXPECT_EQ(test, (int)rec.rate, 0x3f);
	KUNIT_EXPECT_EQ(test, rec.packet_life_time_selector, 3);
	KUNIT_EXPECT_EQ(test, rec.packet_life_time, 0);
	KUNIT_EXPECT_EQ(test, rec.sl, 8);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(rec.flow_label), 1u);
	KUNIT_EXPECT_EQ(test, rec.hop_limit, 0xfe);
	KUNIT_EXPECT_EQ(test, rec.scope, 5);
	KUNIT_EXPECT_EQ(test, rec.join_state, 10);
	KUNIT_EXPECT_EQ(test, rec.proxy_join, 0);
	memset(&wire, 0xff, sizeof(wire));
	ipoib_sa_group_unpack(&wire, &rec);
	KUNIT_EXPECT_EQ(test, memcmp(&rec.port_gid, wire.port_gid, sizeof(rec.port_gid)), 0);
	KUNIT_EXPECT_EQ(test, rec.sl, 15);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(rec.flow_label), 0xfffffu);
	KUNIT_EXPECT_EQ(test, rec.scope, 15);
}

static void statuses_become_errors(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_status(0), 0);
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_status(0x0100), -ENOBUFS);
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_status(0x0200), -EINVAL);
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_status(0x0300), -ENOENT);
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_status(0x0400), -E2BIG);
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_status(0x0500), -EADDRNOTAVAIL);
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_status(0x0600), -EINVAL);
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_status(0x0700), -EACCES);
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_status(0x0001), -EBUSY);
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_status(0x000c), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_status(0x001c), -EINVAL);
}

static void every_status_but_0_is_an_error(struct kunit *test)
{
	int status;

	for (status = 1; status <= U16_MAX; status++)
		KUNIT_ASSERT_LT_MSG(test, ipoib_sa_wire_status(status), 0,
				    "status %04x", status);
}

static void answer_is_told_from_nonsense(struct kunit *test)
{
	struct ib_sa_mad request, answer;
	u16 status = 1;

	ipoib_sa_wire_get_group(&request, &broadcast);
	fill_answer(&answer, &request, 0);
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_check(&request, &answer, 256,
						  &status), 0);
	KUNIT_EXPECT_EQ(test, status, 0);

	fill_answer(&answer, &request, 0x0300);
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_check(&request, &answer, 256,
						  &status), -ENOENT);
	KUNIT_EXPECT_EQ(test, status, 0x0300);

	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_check(&request, &answer, 55,
						  &status), -EPROTO);
	KUNIT_EXPECT_EQ(test, status, 0);
	/* A refusal has nothing else to say. */
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_check(&request, &answer, 56,
						  &status), -ENOENT);

	answer.mad_hdr.attr_id = cpu_to_be16(0x35);
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_check(&request, &answer, 256,
						  &status), -EPROTO);
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_check(&request, &request, 256,
						  &status), -EPROTO);
	fill_answer(&answer, &request, 0);
	answer.mad_hdr.class_version = 1;
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_check(&request, &answer, 256,
						  &status), -EPROTO);
}

static void answers_to_set_and_to_lists_have_their_methods(struct kunit *test)
{
	struct ib_sa_mad request, answer;
	u16 status;

	ipoib_sa_wire_inform(&request, IPOIB_SA_GID_OUT, true);
	fill_answer(&answer, &request, 0);
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_check(&request, &answer, 256,
						  &status), 0);
	ipoib_sa_wire_list_groups(&request, 0xffff);
	fill_answer(&answer, &request, 0);
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_check(&request, &answer, 256,
						  &status), 0);
	answer.mad_hdr.method = 0x81;
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_check(&request, &answer, 256,
						  &status), -EPROTO);
}

static void group_has_to_be_the_one_asked_for(struct kunit *test)
{
	struct ib_sa_mcmember_rec rec;
	struct ib_sa_mad mad = {};
	union ib_gid other = broadcast;

	memcpy(mad.data, broadcast_wire, sizeof(broadcast_wire));
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_group(&mad, 256, &broadcast, &rec),
			0);
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_group(&mad, 56 + 52, &broadcast,
						  &rec), 0);
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_group(&mad, 56 + 51, &broadcast,
						  &rec), -EPROTO);
	other.raw[15] = 0;
	KUNIT_EXPECT_EQ(test, ipoib_sa_wire_group(&mad, 256, &other, &rec),
			-EPROTO);
}

static void group_without_an_mlid_is_nonsense(struct kunit *test)
{
	static const struct {
		u16 mlid;
		int want;
	} cases[] = {
		{ 0, -EPROTO }, { 0xbfff, -EPROTO }, { 0xc000, 0 },
		{ 0xfffe, 0 }, { 0xffff, -EPROTO },
	};
	struct ib_sa_mcmember_rec rec;
	struct ib_sa_mad mad = {};
	int i;

	memcpy(mad.data, broadcast_wire, sizeof(broadcast_wire));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		mad.data[36] = cases[i].mlid >> 8;
		mad.data[37] = cases[i].mlid & 0xff;
		KUNIT_EXPECT_EQ_MSG(test,
				    ipoib_sa_wire_group(&mad, 256, &broadcast,
							&rec),
				    cases[i].want, "MLID %04x", cases[i].mlid);
	}
}

/* A table of @count groups, numbered, in segments as the MAD layer has them. */
struct table {
	struct ib_sa_mad first;
	size_t len;
	u8 data[20][IPOIB_SA_SEGMENT];
};

static void table_make(struct table *table, unsigned int stride,
		       unsigned int count)
{
	unsigned int i;
	u8 *p;

	memset(table, 0xa5, sizeof(*table));
	memset(&table->first, 0, sizeof(table->first));
	table->first.sa_hdr.attr_offset = cpu_to_be16(stride / 8);
	table->first.rmpp_hdr.rmpp_rtime_flags = IB_MGMT_RMPP_FLAG_ACTIVE;
	for (i = 0; i < count; i++) {
		p = (u8 *)table->data + i * stride;
		memcpy(p, broadcast_wire, sizeof(broadcast_wire));
		p[37] = i;
	}
	table->len = IB_MGMT_SA_HDR + count * stride;
}

static int table_read(const struct table *wire, unsigned int *count)
{
	struct ib_sa_mcmember_rec rec;
	struct ipoib_sa_table table;
	unsigned int segment, pos;
	int ret;

	*count = 0;
	ret = ipoib_sa_table_init(&table, &wire->first, wire->len);
	for (segment = 0; !ret && segment < ARRAY_SIZE(wire->data); segment++) {
		pos = 0;
		while ((ret = ipoib_sa_table_next(&table, wire->data[segment],
						  &pos, &rec)) == 1) {
			if (be16_to_cpu(rec.mlid) != 0xc000 + *count)
				return -EILSEQ;
			++*count;
		}
	}
	return ret;
}

static void list_is_read_across_segments(struct kunit *test)
{
	struct table *wire = kunit_kzalloc(test, sizeof(*wire), GFP_KERNEL);
	unsigned int stride, n, count;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, wire);
	for (stride = 56; stride <= 208; stride += 8) {
		for (n = 0; n * stride <= sizeof(wire->data); n++) {
			table_make(wire, stride, n);
			KUNIT_ASSERT_EQ(test, table_read(wire, &count), 0);
			KUNIT_ASSERT_EQ_MSG(test, count, n, "stride %u",
					    stride);
		}
	}
}

/* Its padding, that is. */
static void last_record_of_a_list_may_be_short(struct kunit *test)
{
	struct table *wire = kunit_kzalloc(test, sizeof(*wire), GFP_KERNEL);
	unsigned int count;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, wire);
	table_make(wire, 56, 10);
	wire->len -= 4;
	KUNIT_EXPECT_EQ(test, table_read(wire, &count), 0);
	KUNIT_EXPECT_EQ(test, count, 10u);
	wire->len--;
	KUNIT_EXPECT_EQ(test, table_read(wire, &count), 0);
	KUNIT_EXPECT_EQ(test, count, 9u);
}

static void empty_list_says_nothing_of_its_records(struct kunit *test)
{
	struct ipoib_sa_table table;
	struct ib_sa_mad mad = {};

	KUNIT_EXPECT_EQ(test, ipoib_sa_table_init(&table, &mad, 256), 0);
	KUNIT_EXPECT_EQ(test, table.left, (size_t)0);
}

static void list_without_an_end_is_nonsense(struct kunit *test)
{
	struct ipoib_sa_table table;
	struct ib_sa_mad mad = {};

	mad.sa_hdr.attr_offset = cpu_to_be16(7);
	KUNIT_EXPECT_EQ(test, ipoib_sa_table_init(&table, &mad, 256), -EPROTO);
	mad.rmpp_hdr.rmpp_rtime_flags = IB_MGMT_RMPP_FLAG_ACTIVE;
	KUNIT_EXPECT_EQ(test, ipoib_sa_table_init(&table, &mad, 256), 0);
	KUNIT_EXPECT_EQ(test, ipoib_sa_table_init(&table, &mad, 55), -EPROTO);
	mad.sa_hdr.attr_offset = cpu_to_be16(6);
	KUNIT_EXPECT_EQ(test, ipoib_sa_table_init(&table, &mad, 256), -EPROTO);
}

static void list_ends_at_a_record_that_is_no_group(struct kunit *test)
{
	struct table *wire = kunit_kzalloc(test, sizeof(*wire), GFP_KERNEL);
	unsigned int count;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, wire);
	table_make(wire, 56, 10);
	((u8 *)wire->data)[4 * 56] = 0xfe;
	KUNIT_EXPECT_EQ(test, table_read(wire, &count), -EPROTO);
	KUNIT_EXPECT_EQ(test, count, 4u);
}

/* Each segment is one group, and its padding. */
static void list_without_measure_ends(struct kunit *test)
{
	struct table *wire = kunit_kzalloc(test, sizeof(*wire), GFP_KERNEL);
	unsigned int segments, pos, count = 0;
	struct ib_sa_mcmember_rec rec;
	struct ipoib_sa_table table;
	int ret;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, wire);
	table_make(wire, IPOIB_SA_SEGMENT, 1);
	ret = ipoib_sa_table_init(&table, &wire->first, SIZE_MAX);
	for (segments = 0; !ret && segments < 20000; segments++) {
		pos = 0;
		while ((ret = ipoib_sa_table_next(&table, wire->data[0], &pos, &rec)) == 1)
			count++;
	}
	KUNIT_EXPECT_EQ(test, ret, -E2BIG);
	KUNIT_EXPECT_EQ(test, count, 16384u);
}

static void fill_report(struct ib_sa_mad *mad, u16 trap)
{
	memset(mad, 0, sizeof(*mad));
	mad->mad_hdr.base_version = 1;
	mad->mad_hdr.mgmt_class = 0x03;
	mad->mad_hdr.class_version = 2;
	mad->mad_hdr.method = 0x06;
	mad->mad_hdr.tid = cpu_to_be64(0x02dab001);
	mad->mad_hdr.attr_id = cpu_to_be16(0x0002);
	mad->data[0] = 0x83;	/* generic, of the subnet management */
	mad->data[3] = 4;	/* by a class manager */
	mad->data[4] = trap >> 8;
	mad->data[5] = trap & 0xff;
	memcpy(mad->data + 16, &broadcast, sizeof(broadcast));
}

static void report_names_trap_and_gid(struct kunit *test)
{
	enum ipoib_sa_trap trap;
	struct ib_sa_mad mad;
	union ib_gid gid;

	fill_report(&mad, 66);
	KUNIT_EXPECT_TRUE(test, ipoib_sa_wire_report(&mad, 256, &trap, &gid));
	KUNIT_EXPECT_EQ(test, (int)trap, IPOIB_SA_GROUP_CREATED);
	KUNIT_EXPECT_EQ(test, memcmp(&gid, &broadcast, sizeof(gid)), 0);
}

static void other_reports_are_ignored(struct kunit *test)
{
	enum ipoib_sa_trap trap;
	struct ib_sa_mad mad;
	union ib_gid gid;
	int number;

	for (number = 0; number <= U16_MAX; number++) {
		fill_report(&mad, number);
		KUNIT_ASSERT_EQ(test, ipoib_sa_wire_report(&mad, 256, &trap,
							   &gid),
				number >= 64 && number <= 67);
	}

	/* The number is a device's then. */
	fill_report(&mad, 66);
	mad.data[0] = 0x03;
	KUNIT_EXPECT_FALSE(test, ipoib_sa_wire_report(&mad, 256, &trap, &gid));
}

static void what_is_no_report_is_ignored(struct kunit *test)
{
	enum ipoib_sa_trap trap;
	struct ib_sa_mad mad;
	union ib_gid gid;

	fill_report(&mad, 66);
	KUNIT_EXPECT_FALSE(test, ipoib_sa_wire_report(&mad, 135, &trap, &gid));
	KUNIT_EXPECT_TRUE(test, ipoib_sa_wire_report(&mad, 136, &trap, &gid));
	mad.mad_hdr.method = 0x05;
	KUNIT_EXPECT_FALSE(test, ipoib_sa_wire_report(&mad, 256, &trap, &gid));
	fill_report(&mad, 66);
	mad.mad_hdr.attr_id = cpu_to_be16(0x0003);
	KUNIT_EXPECT_FALSE(test, ipoib_sa_wire_report(&mad, 256, &trap, &gid));
}

static void report_is_confirmed_by_its_copy(struct kunit *test)
{
	struct ib_sa_mad report, answer;

	fill_report(&report, 67);
	report.mad_hdr.status = cpu_to_be16(0x0300);
	report.rmpp_hdr.rmpp_rtime_flags = IB_MGMT_RMPP_FLAG_ACTIVE;
	ipoib_sa_wire_report_answer(&answer, &report);
	KUNIT_EXPECT_EQ(test, answer.mad_hdr.method, 0x86);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(answer.mad_hdr.status), 0);
	KUNIT_EXPECT_EQ(test, answer.rmpp_hdr.rmpp_rtime_flags, 0);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(answer.mad_hdr.tid), 0x02dab001ull);
	KUNIT_EXPECT_EQ(test, memcmp(answer.data, report.data,
				     sizeof(answer.data)), 0);
}

static struct kunit_case ipoib_sa_wire_cases[] = {
	KUNIT_CASE(requests_name_what_they_ask_for_and_nothing_else),
	KUNIT_CASE(ending_a_subscription_differs_in_one_octet),
	KUNIT_CASE(record_is_read),
	KUNIT_CASE(fields_of_a_record_end_where_others_begin),
	KUNIT_CASE(statuses_become_errors),
	KUNIT_CASE(every_status_but_0_is_an_error),
	KUNIT_CASE(answer_is_told_from_nonsense),
	KUNIT_CASE(answers_to_set_and_to_lists_have_their_methods),
	KUNIT_CASE(group_has_to_be_the_one_asked_for),
	KUNIT_CASE(group_without_an_mlid_is_nonsense),
	KUNIT_CASE(list_is_read_across_segments),
	KUNIT_CASE(last_record_of_a_list_may_be_short),
	KUNIT_CASE(empty_list_says_nothing_of_its_records),
	KUNIT_CASE(list_without_an_end_is_nonsense),
	KUNIT_CASE(list_ends_at_a_record_that_is_no_group),
	KUNIT_CASE(list_without_measure_ends),
	KUNIT_CASE(report_names_trap_and_gid),
	KUNIT_CASE(other_reports_are_ignored),
	KUNIT_CASE(what_is_no_report_is_ignored),
	KUNIT_CASE(report_is_confirmed_by_its_copy),
	{}
};

static struct kunit_suite ipoib_sa_wire_suite = {
	.name = "ipoib_sa_wire",
	.test_cases = ipoib_sa_wire_cases,
};

kunit_test_suite(ipoib_sa_wire_suite);

MODULE_DESCRIPTION("Tests of what is said to the SA and what it says");
MODULE_LICENSE("GPL");
