/* SPDX-License-Identifier: GPL-2.0 */
/* What the targets that read answers of the SA have in common. */
#ifndef _SA_FUZZ_H
#define _SA_FUZZ_H

#include "fuzz.h"

#include "sa_wire.c"

/* The first segment is never longer than a MAD. */
static inline struct ib_sa_mad *first_segment(const u8 *data, size_t len)
{
	return exact(data, len < sizeof(struct ib_sa_mad) ? len : sizeof(struct ib_sa_mad));
}

static inline bool is_known(int error)
{
	switch (error) {
	case 0:
	case -EACCES:
	case -EADDRNOTAVAIL:
	case -EBUSY:
	case -EINVAL:
	case -ENOBUFS:
	case -ENOENT:
	case -EOPNOTSUPP:
	case -EPROTO:
	case -E2BIG:
		return true;
	default:
		return false;
	}
}

/* Is it an answer, and does it say that all is well? */
static inline bool is_good(const struct ib_sa_mad *request, const struct ib_sa_mad *answer,
			   size_t len)
{
	u16 status;
	int error;

	error = ipoib_sa_wire_check(request, answer, len, &status);
	expect(is_known(error));
	expect(error == 0 || error == -EPROTO || status != 0);
	if (error)
		return false;
	expect(status == 0 && len >= IB_MGMT_SA_HDR);
	expect(answer->mad_hdr.method & 0x80);
	expect(answer->mad_hdr.attr_id == request->mad_hdr.attr_id);
	return true;
}

static inline bool group_is_sane(const struct ib_sa_mcmember_rec *rec)
{
	u16 mlid = be16_to_cpu(rec->mlid);

	return rec->mgid.raw[0] == 0xff && mlid >= 0xc000 && mlid < 0xffff;
}

#endif /* _SA_FUZZ_H */
