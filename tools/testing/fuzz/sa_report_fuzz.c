// SPDX-License-Identifier: GPL-2.0
/* A report of the SA, or its answer to a subscription. Input: the MAD. */
#include "sa_fuzz.h"

/* Whatever it is, it is confirmed by the same with another method. */
static void is_confirmed(const u8 *data, size_t len)
{
	struct ib_sa_mad report, answer;

	take(&data, &len, &report, sizeof(report));
	ipoib_sa_wire_report_answer(&answer, &report);
	expect(answer.mad_hdr.method == 0x86 && answer.mad_hdr.status == 0);
	expect(answer.mad_hdr.tid == report.mad_hdr.tid);
	expect(answer.mad_hdr.attr_id == report.mad_hdr.attr_id);
	expect(!memcmp(answer.data, report.data, sizeof(report.data)));
}

/* The answer to one subscription is none to a question. */
static void is_of_one_question(const struct ib_sa_mad *mad, size_t len)
{
	struct ib_sa_mad inform, list;

	ipoib_sa_wire_inform(&inform, IPOIB_SA_GID_IN, true);
	ipoib_sa_wire_list_groups(&list, 0xffff);
	expect(!is_good(&inform, mad, len) || !is_good(&list, mad, len));
}

int fuzz_one(const u8 *data, size_t len)
{
	enum ipoib_sa_trap trap, again;
	struct ib_sa_mad *mad;
	union ib_gid gid;

	is_confirmed(data, len);
	mad = first_segment(data, len);
	is_of_one_question(mad, len);
	if (ipoib_sa_wire_report(mad, len, &trap, &gid)) {
		expect(len >= IB_MGMT_SA_HDR + 80);
		expect(trap >= 64 && trap <= 67);
		expect(mad->mad_hdr.method == 0x06 && mad->mad_hdr.mgmt_class == 0x03);
		expect(!memcmp(&gid, mad->data + 16, sizeof(gid)));
		expect(mad->data[0] & 0x80);
		/* Shorter than a notice it is none. */
		expect(!ipoib_sa_wire_report(mad, IB_MGMT_SA_HDR + 79, &again, &gid));
	}
	free(mad);
	return 0;
}
