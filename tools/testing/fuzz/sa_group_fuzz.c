// SPDX-License-Identifier: GPL-2.0
/* The SA's answer to the question for a group. Input: the MGID asked for, the answer. */
#include "sa_fuzz.h"

int fuzz_one(const u8 *data, size_t len)
{
	struct ib_sa_mcmember_rec rec;
	struct ib_sa_mad request, *answer;
	union ib_gid mgid;

	take(&data, &len, &mgid, sizeof(mgid));
	ipoib_sa_wire_get_group(&request, &mgid);
	answer = first_segment(data, len);
	if (is_good(&request, answer, len) &&
	    !ipoib_sa_wire_group(answer, len, &mgid, &rec)) {
		expect(len >= IB_MGMT_SA_HDR + 52);
		expect(!memcmp(&rec.mgid, &mgid, sizeof(mgid)));
		expect(!memcmp(answer->data, &mgid, sizeof(mgid)));
		expect(group_is_sane(&rec));
	}
	free(answer);
	return 0;
}
