/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scatter/gather lists. An address in a consumer's list is what its mapping for DMA gave:
 * that of memory as the bus sees it, which without an IOMMU is where memory is. What was not
 * mapped, or not handed over, is read here as hardware would read it.
 */
#ifndef _IBDS_SG_H
#define _IBDS_SG_H

#include <linux/io.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

/* Each HCA has one key of all memory: this one and the number of the HCA. */
#define IBDS_LKEY	0x1bde5100
/*
 * IBDS_LKEY_OWN is the key of lists that the simulator makes itself: an address is a pointer. No
 * consumer has the key.
 */
#define IBDS_LKEY_OWN	0

/**
 * struct ibds_cursor - a place in a list
 * @sge: element; the caller sees to it that nothing is moved past the end
 * @off: octets of @sge that are done
 */
struct ibds_cursor {
	const struct ib_sge *sge;
	u32 off;
};

static inline void *ibds_sge_ptr(const struct ib_sge *sge)
{
	if (sge->lkey == IBDS_LKEY_OWN)
		return (void *)(uintptr_t)sge->addr;
	return phys_to_virt(sge->addr);
}

static inline void ibds_sg_skip(struct ibds_cursor *at, u32 len)
{
	while (len >= at->sge->length - at->off) {
		len -= at->sge->length - at->off;
		at->off = 0;
		if (!len) {
			at->sge++;
			return;
		}
		at->sge++;
	}
	at->off += len;
}

/* ibds_sg_copy() makes the only copy that a packet sees. Both lists hold @len octets more. */
static inline void ibds_sg_copy(struct ibds_cursor *dst,
				struct ibds_cursor *src, u32 len)
{
	while (len) {
		u32 n = min3(dst->sge->length - dst->off,
			     src->sge->length - src->off, len);

		memcpy(ibds_sge_ptr(dst->sge) + dst->off,
		       ibds_sge_ptr(src->sge) + src->off, n);
		len -= n;
		dst->off += n;
		src->off += n;
		if (dst->off == dst->sge->length) {
			dst->sge++;
			dst->off = 0;
		}
		if (src->off == src->sge->length) {
			src->sge++;
			src->off = 0;
		}
	}
}

/* ibds_sg_read() copies @len octets out of a list. */
static inline void ibds_sg_read(struct ibds_cursor src, void *to, u32 len)
{
	while (len) {
		u32 n = min(src.sge->length - src.off, len);

		memcpy(to, ibds_sge_ptr(src.sge) + src.off, n);
		to += n;
		len -= n;
		src.sge++;
		src.off = 0;
	}
}

#endif /* _IBDS_SG_H */
