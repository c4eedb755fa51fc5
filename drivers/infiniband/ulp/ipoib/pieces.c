// SPDX-License-Identifier: GPL-2.0
#include "pieces.h"

#include <linux/gfp.h>
#include <linux/skbuff_ref.h>

/* Most octets of a piece that is made: memory of a higher order is not always there at once. */
#define PIECE_LEN	(32 * 1024)

/* A packet of 64 KiB, and its header */
#define PIECES_MAX	3

/*
 * first_to_merge() returns the first of the last fragments, as few as possible, that have to be
 * merged so that there are @most; or the number of fragments if that is too few.
 */
static unsigned int first_to_merge(const struct sk_buff *skb, unsigned int most)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);
	unsigned int i, n, len = 0;

	for (i = shinfo->nr_frags; i--;) {
		len += skb_frag_size(&shinfo->frags[i]);
		n = DIV_ROUND_UP(len, PIECE_LEN);
		if (n > PIECES_MAX)
			break;
		if (i + n <= most)
			return i;
	}
	return shinfo->nr_frags;
}

/* copy_end() copies the last @len octets of a packet, and returns the number of pieces, or 0. */
static unsigned int copy_end(const struct sk_buff *skb, unsigned int len,
			     struct page *pages[PIECES_MAX])
{
	unsigned int i, n, part, at = skb->len - len;

	for (n = 0; len; n++, at += part, len -= part) {
		part = min_t(unsigned int, len, PIECE_LEN);
		pages[n] = alloc_pages(GFP_ATOMIC | __GFP_NOWARN | __GFP_COMP, get_order(part));
		if (!pages[n] || skb_copy_bits(skb, at, page_address(pages[n]), part))
			break;
	}
	if (!len)
		return n;

	for (i = 0; i <= n; i++)
		if (pages[i])
			put_page(pages[i]);
	return 0;
}

static bool merge_from(struct sk_buff *skb, unsigned int first)
{
	struct skb_shared_info *shinfo = skb_shinfo(skb);
	struct page *pages[PIECES_MAX] = {};
	unsigned int i, n, len = 0;

	for (i = first; i < shinfo->nr_frags; i++)
		len += skb_frag_size(&shinfo->frags[i]);
	n = copy_end(skb, len, pages);
	if (!n && len)
		return false;

	for (i = first; i < shinfo->nr_frags; i++)
		skb_frag_unref(skb, i);
	for (i = 0; i < n; i++, len -= min_t(unsigned int, len, PIECE_LEN))
		__skb_fill_page_desc(skb, first + i, pages[i], 0,
				     min_t(unsigned int, len, PIECE_LEN));
	shinfo->nr_frags = first + n;
	return true;
}

/**
 * ipoib_pieces_merge - have a packet in fewer fragments
 * @skb: packet in more than @most fragments, without a list of further packets
 * @most: how many there may be
 *
 * sendfile() and the like give a packet of 64 KiB in 17 pages, of which some HCAs gather fewer. In
 * one piece it is memory of an order that is seldom there when there is no time to wait. So the
 * last fragments become pieces of 32 KiB at most, and what comes before them is not copied.
 *
 * The truesize stays that of the packet as it came: a socket takes off what it was charged.
 *
 * Return: false if there is no memory.
 * Context: Any but hard interrupt; the packet is the caller's.
 */
bool ipoib_pieces_merge(struct sk_buff *skb, unsigned int most)
{
	unsigned int first;

	/* The list of fragments may be that of a clone, which the socket sends again. */
	if (skb_unclone(skb, GFP_ATOMIC))
		return false;
	/* Of fragments that io_uring manages, none would be given back, those made here neither. */
	skb_zcopy_downgrade_managed(skb);
	first = first_to_merge(skb, most);
	if (first == skb_shinfo(skb)->nr_frags)
		return !skb_linearize(skb);
	return merge_from(skb, first);
}
