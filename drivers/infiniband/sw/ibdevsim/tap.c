// SPDX-License-Identifier: GPL-2.0
#include "tap.h"

#include <linux/crc32.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "packet.h"
#include "wire.h"

#define RING_BYTES	(4 << 20)	/* of each listener; power of two */
#define LINKTYPE_INFINIBAND	247
#define HEADERS_MAX	(8 + IBDS_GRH_BYTES + 12 + 8 + 4)
#define LNH_LOCAL	2		/* link next header: BTH */
#define LNH_GLOBAL	3		/* link next header: GRH */

DEFINE_STATIC_KEY_FALSE(ibds_tap_open);

/*
 * A capture file begins with a struct pcap_file, and each packet in it with a struct pcap_record.
 */
struct pcap_file {
	u32 magic;
	u16 major;
	u16 minor;
	u32 zone;
	u32 sigfigs;
	u32 snaplen;
	u32 linktype;
};

struct pcap_record {
	u32 sec;
	u32 nsec;
	u32 caplen;
	u32 len;
};

/**
 * struct listener - one reader of the device
 * @node: entry of the list of listeners, RCU
 * @lock: protects @head and the writing of @ring
 * @read_lock: protects @tail, serialises readers
 * @head: octets ever written
 * @tail: octets ever read
 * @lost: packets for which there was no room
 * @wait: readers that wait for a packet
 * @ring: octets not read yet
 *
 * Made by open, freed by release after a grace period.
 */
struct listener {
	struct list_head node;
	spinlock_t lock;	/* head, ring */
	struct mutex read_lock;	/* tail */
	u32 head;
	u32 tail;
	u32 lost;
	wait_queue_head_t wait;
	u8 *ring;
};

static LIST_HEAD(listeners);
static DEFINE_MUTEX(listeners_lock);	/* listeners */

static void ring_put(struct listener *l, const void *data, u32 len)
{
	u32 at = l->head & (RING_BYTES - 1);
	u32 n = min_t(u32, len, RING_BYTES - at);

	memcpy(l->ring + at, data, n);
	memcpy(l->ring, data + n, len - n);
	/* Pairs with readable(), which takes no lock. */
	smp_store_release(&l->head, l->head + len);
}

static u8 *put_be16(u8 *to, u16 value)
{
	*to++ = value >> 8;
	*to++ = value;
	return to;
}

static u8 *put_be32(u8 *to, u32 value)
{
	return put_be16(put_be16(to, value >> 16), value);
}

static bool has_imm(u8 opcode)
{
	opcode &= 0x1f;
	return opcode == IBDS_OP_SEND_ONLY_IMM || opcode == IBDS_OP_SEND_LAST_IMM;
}

/* make_headers() writes LRH to the last extension header, and returns how long they are. */
static u32 make_headers(const struct ibds_packet *pkt, u8 *buf)
{
	bool ud = ibds_packet_is_ud(pkt);
	bool imm = has_imm(pkt->opcode), ack = pkt->opcode == IBDS_OP_ACK;
	u32 pad = -pkt->len & 3;
	u32 after_grh = 12 + (ud ? 8 : 0) + (imm || ack ? 4 : 0) + pkt->len + pad;
	u32 lrh_len = 8 + (pkt->grh ? IBDS_GRH_BYTES : 0) + after_grh + 4;
	u8 vl = pkt->dqpn ? 0 : 15;
	u8 *p = buf;

	*p++ = vl << 4;
	*p++ = pkt->sl << 4 | (pkt->grh ? LNH_GLOBAL : LNH_LOCAL);
	p = put_be16(p, pkt->dlid);
	p = put_be16(p, lrh_len / 4);
	p = put_be16(p, pkt->slid);
	if (pkt->grh) {
		memcpy(p, pkt->grh, IBDS_GRH_BYTES);
		put_be16(p + 4, after_grh + 4);
		p += IBDS_GRH_BYTES;
	}

	*p++ = pkt->opcode;
	/* Solicited event, MigReq, pad count. */
	*p++ = pkt->solicited << 7 | !pkt->armed << 6 | pad << 4;
	p = put_be16(p, pkt->pkey);
	p = put_be32(p, pkt->dqpn);
	p = put_be32(p, (u32)pkt->ack_req << 31 | pkt->psn);
	if (ud) {
		p = put_be32(p, pkt->qkey);
		p = put_be32(p, pkt->sqpn);
	}
	if (ack)
		p = put_be32(p, pkt->aeth);
	if (imm) {
		memcpy(p, &pkt->imm, 4);
		p += 4;
	}
	return p - buf;
}

/* IBTA 7.8.1: a CRC over what no switch or router changes. */
static u32 invariant_crc(const struct ibds_packet *pkt, const u8 *headers,
			 u32 len)
{
	u8 masked[HEADERS_MAX];
	struct ibds_cursor at = pkt->payload;
	u32 left = pkt->len, crc;
	u8 *bth = masked + 8;

	memcpy(masked, headers, len);
	if (pkt->grh) {
		/* Class, flow label and hop limit become ones, and the LRH. */
		memset(masked, 0xff, 8);
		masked[8] |= 0x0f;
		masked[9] = 0xff;
		masked[10] = 0xff;
		masked[11] = 0xff;
		masked[15] = 0xff;
		bth += IBDS_GRH_BYTES;
	} else {
		masked[0] |= 0xf0;
	}
	bth[4] = 0xff;

	crc = crc32_le(~0, masked, len);
	while (left) {
		u32 n = min(at.sge->length - at.off, left);

		crc = crc32_le(crc, ibds_sge_ptr(at.sge) + at.off, n);
		left -= n;
		at.sge++;
		at.off = 0;
	}
	return ~crc32_le(crc, "\0\0\0", -pkt->len & 3);
}

static void ring_put_payload(struct listener *l, const struct ibds_packet *pkt)
{
	struct ibds_cursor at = pkt->payload;
	u32 left = pkt->len;

	while (left) {
		u32 n = min(at.sge->length - at.off, left);

		ring_put(l, ibds_sge_ptr(at.sge) + at.off, n);
		left -= n;
		at.sge++;
		at.off = 0;
	}
	ring_put(l, "\0\0\0", -pkt->len & 3);
}

/**
 * __ibds_tap - show a packet to everybody who listens
 * @pkt: packet that is sent
 *
 * Context: Any but hard interrupt. The payload is still there.
 */
void __ibds_tap(const struct ibds_packet *pkt)
{
	u8 headers[HEADERS_MAX], trailer[6] = { 0 };
	u32 len = make_headers(pkt, headers);
	u32 crc = invariant_crc(pkt, headers, len);
	struct timespec64 now;
	struct pcap_record rec;
	struct listener *l;

	/* The bits of a CRC go out in the order in which they were made. */
	trailer[0] = crc;
	trailer[1] = crc >> 8;
	trailer[2] = crc >> 16;
	trailer[3] = crc >> 24;

	ktime_get_real_ts64(&now);
	rec.sec = now.tv_sec;
	rec.nsec = now.tv_nsec;
	rec.len = len + pkt->len + (-pkt->len & 3) + sizeof(trailer);
	rec.caplen = rec.len;

	rcu_read_lock();
	list_for_each_entry_rcu(l, &listeners, node) {
		unsigned long flags;

		spin_lock_irqsave(&l->lock, flags);
		if (RING_BYTES - (l->head - READ_ONCE(l->tail)) <
		    sizeof(rec) + rec.len) {
			l->lost++;
		} else {
			ring_put(l, &rec, sizeof(rec));
			ring_put(l, headers, len);
			ring_put_payload(l, pkt);
			ring_put(l, trailer, sizeof(trailer));
		}
		spin_unlock_irqrestore(&l->lock, flags);
		wake_up_interruptible(&l->wait);
	}
	rcu_read_unlock();
}

static int tap_fop_open(struct inode *inode, struct file *file)
{
	static const struct pcap_file start = {
		.magic = 0xa1b23c4d,	/* nanoseconds */
		.major = 2,
		.minor = 4,
		.snaplen = 65536,
		.linktype = LINKTYPE_INFINIBAND,
	};
	struct listener *l = kzalloc(sizeof(*l), GFP_KERNEL);

	if (!l)
		return -ENOMEM;
	l->ring = vmalloc(RING_BYTES);
	if (!l->ring) {
		kfree(l);
		return -ENOMEM;
	}
	spin_lock_init(&l->lock);
	mutex_init(&l->read_lock);
	init_waitqueue_head(&l->wait);
	ring_put(l, &start, sizeof(start));

	mutex_lock(&listeners_lock);
	list_add_rcu(&l->node, &listeners);
	mutex_unlock(&listeners_lock);
	static_branch_inc(&ibds_tap_open);

	file->private_data = l;
	return nonseekable_open(inode, file);
}

static int tap_fop_release(struct inode *inode, struct file *file)
{
	struct listener *l = file->private_data;

	static_branch_dec(&ibds_tap_open);
	mutex_lock(&listeners_lock);
	list_del_rcu(&l->node);
	mutex_unlock(&listeners_lock);
	synchronize_rcu();

	if (l->lost)
		pr_info("ibdevsim: a listener lost %u packets\n", l->lost);
	vfree(l->ring);
	kfree(l);
	return 0;
}

static bool readable(struct listener *l)
{
	/* The acquire pairs with the release in ring_put(): the octets are there. */
	return smp_load_acquire(&l->head) != READ_ONCE(l->tail);
}

static ssize_t tap_fop_read(struct file *file, char __user *to, size_t size,
			    loff_t *pos)
{
	struct listener *l = file->private_data;
	u32 at, n, head;
	int err;

	mutex_lock(&l->read_lock);
	/* Another reader may take what this one was woken for. */
	while (!readable(l)) {
		mutex_unlock(&l->read_lock);
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		err = wait_event_interruptible(l->wait, readable(l));
		if (err)
			return err;
		mutex_lock(&l->read_lock);
	}
	spin_lock_irq(&l->lock);
	head = l->head;
	spin_unlock_irq(&l->lock);
	at = l->tail & (RING_BYTES - 1);
	n = min3((u32)min_t(size_t, size, RING_BYTES), head - l->tail,
		 (u32)RING_BYTES - at);
	err = copy_to_user(to, l->ring + at, n) ? -EFAULT : 0;
	if (!err)
		WRITE_ONCE(l->tail, l->tail + n);
	mutex_unlock(&l->read_lock);
	return err ?: n;
}

static __poll_t tap_fop_poll(struct file *file, struct poll_table_struct *wait)
{
	struct listener *l = file->private_data;

	poll_wait(file, &l->wait, wait);
	return readable(l) ? EPOLLIN | EPOLLRDNORM : 0;
}

static const struct file_operations tap_fops = {
	.owner		= THIS_MODULE,
	.open		= tap_fop_open,
	.release	= tap_fop_release,
	.read		= tap_fop_read,
	.poll		= tap_fop_poll,
};

static struct miscdevice tap_device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "ibdevsim_tap",
	.fops	= &tap_fops,
	.mode	= 0400,
};

/**
 * ibds_tap_init - make the device
 *
 * Return: 0 or a negative errno.
 * Context: Process context, module initialisation.
 */
int ibds_tap_init(void)
{
	return misc_register(&tap_device);
}

/**
 * ibds_tap_exit - remove the device
 *
 * Context: Process context, module exit; the device is not open.
 */
void ibds_tap_exit(void)
{
	misc_deregister(&tap_device);
}
