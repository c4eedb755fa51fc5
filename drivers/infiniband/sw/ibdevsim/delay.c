// SPDX-License-Identifier: GPL-2.0
#include "delay.h"

#include <linux/hrtimer.h>
#include <linux/slab.h>

#include "fabric.h"
#include "packet.h"
#include "ud_tx.h"
#include "vector.h"

/* All links together hold so many packets. A sender does not feel how many there are. */
#define DELAYED_MAX	4096

/**
 * struct delayed - a packet that waits, with a copy of all it refers to
 * @node: entry of the fabric's list; whoever takes it off decides
 * @timer: the wait
 * @from: HCA that sends it
 * @pkt: the packet
 * @sge: its payload, @data
 * @grh: its GRH
 * @data: its payload
 */
struct delayed {
	struct list_head node;
	struct hrtimer timer;
	struct ibds_hca *from;
	struct ibds_packet pkt;
	struct ib_sge sge;
	struct ib_grh grh;
	u8 data[];
};

static enum hrtimer_restart wait_done(struct hrtimer *timer)
{
	struct delayed *d = container_of(timer, struct delayed, timer);
	struct ibds_fabric *fab = d->from->fab;
	struct ibds_batch batch = { };
	bool ours;

	/* ibds_delay_flush() waits for this reader. */
	rcu_read_lock();
	spin_lock(&fab->delayed_lock);
	ours = !list_empty(&d->node);
	list_del_init(&d->node);
	WRITE_ONCE(fab->ndelayed, fab->ndelayed - ours);
	spin_unlock(&fab->delayed_lock);
	if (ours) {
		ibds_ud_tx_launch(d->from, &d->pkt, &batch);
		ibds_batch_finish(&batch);
		kfree(d);
	}
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

/**
 * ibds_delay - launch a datagram later
 * @from: HCA that sends it
 * @pkt: the datagram; copied
 * @usec: how much later
 *
 * Without memory, or when links hold very many, it is lost.
 *
 * Context: Softirq or bottom halves off.
 */
void ibds_delay(struct ibds_hca *from, const struct ibds_packet *pkt, u32 usec)
{
	struct ibds_fabric *fab = from->fab;
	struct delayed *d = NULL;

	if (READ_ONCE(fab->ndelayed) < DELAYED_MAX)
		d = kzalloc(struct_size(d, data, pkt->len), GFP_ATOMIC);
	if (!d) {
		ibds_count(&from->port, IBDS_XMIT_DISCARDS);
		return;
	}
	d->from = from;
	d->pkt = *pkt;
	d->pkt.payload = (struct ibds_cursor) { .sge = &d->sge };
	d->sge.addr = (uintptr_t)d->data;
	d->sge.length = pkt->len;
	d->sge.lkey = IBDS_LKEY_OWN;
	ibds_sg_read(pkt->payload, d->data, pkt->len);
	if (pkt->grh) {
		d->grh = *pkt->grh;
		d->pkt.grh = &d->grh;
	}
	hrtimer_setup(&d->timer, wait_done, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);

	spin_lock(&fab->delayed_lock);
	list_add_tail(&d->node, &fab->delayed);
	WRITE_ONCE(fab->ndelayed, fab->ndelayed + 1);
	hrtimer_start(&d->timer, ns_to_ktime(usec * 1000ULL),
		      HRTIMER_MODE_REL_SOFT);
	spin_unlock(&fab->delayed_lock);
}

/**
 * ibds_delay_flush - lose what an HCA has been made to hold back
 * @from: HCA that sends nothing any more
 *
 * Context: Process context, may sleep.
 */
void ibds_delay_flush(struct ibds_hca *from)
{
	struct ibds_fabric *fab = from->fab;
	struct delayed *d, *next;
	LIST_HEAD(ours);

	spin_lock_bh(&fab->delayed_lock);
	list_for_each_entry_safe(d, next, &fab->delayed, node)
		if (d->from == from)
			list_move(&d->node, &ours);
	spin_unlock_bh(&fab->delayed_lock);

	while (!list_empty(&ours)) {
		spin_lock_bh(&fab->delayed_lock);
		d = list_first_entry_or_null(&ours, struct delayed, node);
		if (d) {
			list_del_init(&d->node);
			WRITE_ONCE(fab->ndelayed, fab->ndelayed - 1);
		}
		spin_unlock_bh(&fab->delayed_lock);
		if (!d)
			break;
		hrtimer_cancel(&d->timer);
		kfree(d);
	}
	synchronize_rcu_expedited();
}
