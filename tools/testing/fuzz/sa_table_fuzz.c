// SPDX-License-Identifier: GPL-2.0
/*
 * A table of groups. Input: four octets that say how it is cut, the header of the answer,
 * the records.
 *
 * On the wire all segments but the last one are full. Here they are also of any length,
 * and begin where else they would end: that must not make a difference.
 */
#include "sa_fuzz.h"

/* The table that is read, and the same as it ought to be read */
struct reading {
	struct ipoib_sa_table table;
	const u8 *data;
	size_t len;
	size_t stride;
	size_t records;
};

/* The next record that there ought to be */
static void is_next(struct reading *reading, int got, const struct ib_sa_mcmember_rec *rec)
{
	const u8 *at = reading->data + reading->records * reading->stride;
	struct ib_sa_mcmember_rec want;
	struct ipoib_sa_group wire;

	expect(reading->records * reading->stride + sizeof(wire) <= reading->len);
	memcpy(&wire, at, sizeof(wire));
	ipoib_sa_group_unpack(&wire, &want);
	expect(!memcmp(rec, &want, sizeof(want)));
	expect(got == (group_is_sane(&want) ? 1 : -EPROTO));
	reading->records++;
}

/* One segment, of which the first @pos octets are nobody's */
static void read_segment(struct reading *reading, const u8 *segment, unsigned int pos,
			 size_t n)
{
	const size_t left = reading->table.left, until = pos + n;
	struct ib_sa_mcmember_rec rec;
	int got;

	while ((got = ipoib_sa_table_next(&reading->table, segment, &pos, &rec)) != 0) {
		expect(pos <= until && pos <= IPOIB_SA_SEGMENT);
		is_next(reading, got, &rec);
	}
	expect(pos == until && reading->table.left == left - n);
}

static void is_complete(const struct reading *reading)
{
	size_t n = reading->records;

	expect(reading->table.left == 0);
	expect(n <= reading->len / reading->stride + 1);
	expect(n * reading->stride + sizeof(struct ipoib_sa_group) > reading->len);
}

static void read_as_sent(struct reading reading)
{
	size_t at, n;
	u8 *segment;

	for (at = 0; at < reading.len; at += n) {
		n = min(reading.len - at, (size_t)IPOIB_SA_SEGMENT);
		segment = exact(reading.data + at, n);
		read_segment(&reading, segment, 0, n);
		free(segment);
	}
	is_complete(&reading);
}

static void read_in_pieces(struct reading reading, u32 cut)
{
	u8 segment[IPOIB_SA_SEGMENT];
	size_t at, n;

	for (at = 0; at < reading.len; at += n) {
		cut = cut * 1664525 + 1013904223;
		n = min(reading.len - at, (size_t)(1 + (cut >> 16) % IPOIB_SA_SEGMENT));
		memset(segment, 0xff, sizeof(segment));
		memcpy(segment + sizeof(segment) - n, reading.data + at, n);
		read_segment(&reading, segment, sizeof(segment) - n, n);
	}
	is_complete(&reading);
}

int fuzz_one(const u8 *data, size_t len)
{
	struct ib_sa_mad request, *answer;
	struct reading reading = {};
	u32 cut;

	take(&data, &len, &cut, sizeof(cut));
	ipoib_sa_wire_list_groups(&request, 0xffff);
	answer = first_segment(data, len);
	if (is_good(&request, answer, len) &&
	    !ipoib_sa_table_init(&reading.table, answer, len) && answer->sa_hdr.attr_offset) {
		reading.stride = be16_to_cpu(answer->sa_hdr.attr_offset) * 8u;
		reading.data = data + IB_MGMT_SA_HDR;
		reading.len = len - IB_MGMT_SA_HDR;
		expect(reading.table.left == reading.len);
		read_as_sent(reading);
		read_in_pieces(reading, cut);
	}
	free(answer);
	return 0;
}
