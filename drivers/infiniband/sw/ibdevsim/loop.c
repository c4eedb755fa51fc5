// SPDX-License-Identifier: GPL-2.0
/*
 * ibdevsim_loop: messages from one RDMA device to another with nothing but
 * kernel verbs. Shows that a fabric carries them, and what that costs before
 * a driver adds its share.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/ib_verbs.h>

#define DEPTH		16
#define GRH_BYTES	40
#define SIZE_MAX_LOOP	65536
#define QKEY		0x1bde0001
#define PATIENCE	(5 * HZ)
#define RECV_ID		BIT(31)

/**
 * struct end - one end of a run
 * @dev: device
 * @lid: of its port
 * @pd: protection domain
 * @cq: completions of both queues; polled
 * @qp: queue pair
 * @buf: DEPTH buffers, @stride apart
 * @stride: octets of a buffer, GRH included
 * @dma: where the device finds @buf
 */
struct end {
	struct ib_device *dev;
	u16 lid;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	u8 *buf;
	u32 stride;
	u64 dma;
};

/**
 * struct run - what is asked for, and what came of it
 * @type: of the queue pairs
 * @size: octets of a message
 * @count: messages
 * @from: sender
 * @to: receiver
 * @ah: datagrams: the way
 * @sent: sends that completed well
 * @received: messages that came
 * @bad: among them, with wrong content or out of order
 * @errors: completions with an error
 * @next: number that the next message should have
 */
struct run {
	enum ib_qp_type type;
	u32 size;
	u32 count;
	struct end from;
	struct end to;
	struct ib_ah *ah;
	u32 sent;
	u32 received;
	u32 bad;
	u32 errors;
	u32 next;
};

/**
 * struct known - a device that may be named
 * @list: entry of the list
 * @dev: the device
 */
struct known {
	struct list_head list;
	struct ib_device *dev;
};

static DEFINE_MUTEX(lock);	/* devices, last, and a run at a time */
static LIST_HEAD(devices);
static struct run last;
static struct dentry *dir;

static void end_exit(struct end *e)
{
	if (e->qp)
		ib_destroy_qp(e->qp);
	if (e->buf && e->dma)
		ib_dma_unmap_single(e->dev, e->dma, e->stride * DEPTH,
				    DMA_BIDIRECTIONAL);
	kfree(e->buf);
	if (e->cq)
		ib_destroy_cq(e->cq);
	if (e->pd)
		ib_dealloc_pd(e->pd);
}

static int end_init(struct end *e, const struct run *run)
{
	struct ib_cq_init_attr cq_attr = { .cqe = 4 * DEPTH };
	struct ib_qp_init_attr attr = {
		.qp_type = run->type,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.cap = {
			.max_send_wr = DEPTH,
			.max_recv_wr = DEPTH,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};
	struct ib_port_attr port;
	int err = ib_query_port(e->dev, 1, &port);

	if (err)
		return err;
	e->lid = port.lid;
	e->stride = ALIGN(run->size + GRH_BYTES, 64);
	e->buf = kzalloc(e->stride * DEPTH, GFP_KERNEL);
	if (!e->buf)
		return -ENOMEM;
	e->dma = ib_dma_map_single(e->dev, e->buf, e->stride * DEPTH,
				   DMA_BIDIRECTIONAL);
	e->pd = ib_alloc_pd(e->dev, 0);
	if (IS_ERR(e->pd)) {
		err = PTR_ERR(e->pd);
		e->pd = NULL;
		return err;
	}
	e->cq = ib_create_cq(e->dev, NULL, NULL, NULL, &cq_attr);
	if (IS_ERR(e->cq)) {
		err = PTR_ERR(e->cq);
		e->cq = NULL;
		return err;
	}
	attr.send_cq = e->cq;
	attr.recv_cq = e->cq;
	e->qp = ib_create_qp(e->pd, &attr);
	if (IS_ERR(e->qp)) {
		err = PTR_ERR(e->qp);
		e->qp = NULL;
		return err;
	}
	return 0;
}

static int to_init(struct end *e, const struct run *run)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qkey = QKEY,
	};
	int mask = IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT;

	return ib_modify_qp(e->qp, &attr, mask | (run->type == IB_QPT_UD ?
				IB_QP_QKEY : IB_QP_ACCESS_FLAGS));
}

static int to_rtr(struct end *e, const struct end *peer, const struct run *run)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.path_mtu = IB_MTU_2048,
		.dest_qp_num = peer->qp->qp_num,
		.min_rnr_timer = 1,
	};
	int mask = IB_QP_STATE;

	if (run->type != IB_QPT_UD)
		mask |= IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
			IB_QP_RQ_PSN;
	if (run->type == IB_QPT_RC)
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	attr.ah_attr.type = rdma_ah_find_type(e->dev, 1);
	rdma_ah_set_port_num(&attr.ah_attr, 1);
	rdma_ah_set_dlid(&attr.ah_attr, peer->lid);
	return ib_modify_qp(e->qp, &attr, mask);
}

static int to_rts(struct end *e, const struct run *run)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.timeout = 10,
		.retry_cnt = 7,
		.rnr_retry = 7,
	};
	int mask = IB_QP_STATE | IB_QP_SQ_PSN;

	if (run->type == IB_QPT_RC)
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			IB_QP_MAX_QP_RD_ATOMIC;
	return ib_modify_qp(e->qp, &attr, mask);
}

static int connect_ends(struct run *run)
{
	struct rdma_ah_attr attr = { };
	int err;

	err = to_init(&run->from, run) ?: to_init(&run->to, run) ?:
	      to_rtr(&run->from, &run->to, run) ?:
	      to_rtr(&run->to, &run->from, run) ?:
	      to_rts(&run->from, run) ?: to_rts(&run->to, run);
	if (err || run->type != IB_QPT_UD)
		return err;

	attr.type = rdma_ah_find_type(run->from.dev, 1);
	rdma_ah_set_port_num(&attr, 1);
	rdma_ah_set_dlid(&attr, run->to.lid);
	run->ah = rdma_create_ah(run->from.pd, &attr, 0);
	return PTR_ERR_OR_ZERO(run->ah);
}

static int post_recv(struct run *run, u32 slot)
{
	struct end *e = &run->to;
	struct ib_sge sge = {
		.addr = e->dma + slot * e->stride,
		.length = e->stride,
		.lkey = e->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = {
		.wr_id = RECV_ID | slot,
		.sg_list = &sge,
		.num_sge = 1,
	};
	const struct ib_recv_wr *bad;

	return ib_post_recv(e->qp, &wr, &bad);
}

static int post_send(struct run *run, u32 number)
{
	struct end *e = &run->from;
	u32 slot = number % DEPTH;
	u8 *data = e->buf + slot * e->stride;
	struct ib_sge sge = {
		.addr = e->dma + slot * e->stride,
		.length = run->size,
		.lkey = e->pd->local_dma_lkey,
	};
	struct ib_ud_wr wr = {
		.wr = {
			.wr_id = slot,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = IB_WR_SEND,
		},
		.ah = run->ah,
		.remote_qpn = run->to.qp->qp_num,
		.remote_qkey = QKEY,
	};
	const struct ib_send_wr *bad;
	int err;

	memcpy(data, &number, sizeof(number));
	data[run->size - 1] = number;
	/* What it schedules runs at once and not in a thread of its own. */
	local_bh_disable();
	err = ib_post_send(e->qp, &wr.wr, &bad);
	local_bh_enable();
	return err;
}

static void look_at(struct run *run, const struct ib_wc *wc)
{
	u32 slot = wc->wr_id & ~RECV_ID, number;
	u32 grh = run->type == IB_QPT_UD ? GRH_BYTES : 0;
	const u8 *data = run->to.buf + slot * run->to.stride + grh;

	if (wc->status != IB_WC_SUCCESS) {
		run->errors++;
		return;
	}
	if (!(wc->wr_id & RECV_ID)) {
		run->sent++;
		return;
	}
	memcpy(&number, data, sizeof(number));
	if (wc->byte_len != run->size + grh ||
	    (run->size > sizeof(number) && data[run->size - 1] != (u8)number) ||
	    (s32)(number - run->next) < 0)
		run->bad++;
	run->next = number + 1;
	run->received++;
	if (post_recv(run, slot))
		run->errors++;
}

static bool poll(struct run *run)
{
	struct ib_wc wc[DEPTH];
	int i, n, m;

	n = ib_poll_cq(run->to.cq, DEPTH, wc);
	for (i = 0; i < n; i++)
		look_at(run, &wc[i]);
	m = ib_poll_cq(run->from.cq, DEPTH, wc);
	for (i = 0; i < m; i++)
		look_at(run, &wc[i]);
	return n > 0 || m > 0;
}

static int pump(struct run *run)
{
	unsigned long end = jiffies + PATIENCE;
	u32 posted = 0;
	int err, i;

	for (i = 0; i < DEPTH; i++) {
		err = post_recv(run, i);
		if (err)
			return err;
	}
	while (run->sent < run->count && !run->errors) {
		while (posted < run->count && posted - run->sent < DEPTH) {
			err = post_send(run, posted);
			if (err)
				return err;
			posted++;
		}
		if (poll(run))
			end = jiffies + PATIENCE;
		else if (time_after(jiffies, end))
			return -ETIMEDOUT;
		cond_resched();
	}
	/* What a fault knob holds back may still come. */
	end = jiffies + HZ / 5;
	while (run->received < run->count && time_before(jiffies, end)) {
		poll(run);
		usleep_range(100, 200);
	}
	poll(run);
	return 0;
}

static int go(struct run *run)
{
	int err;

	err = end_init(&run->from, run) ?: end_init(&run->to, run) ?:
	      connect_ends(run);
	if (!err)
		err = pump(run);
	if (!IS_ERR_OR_NULL(run->ah))
		rdma_destroy_ah(run->ah, 0);
	end_exit(&run->from);
	end_exit(&run->to);
	return err;
}

static struct ib_device *device_named(const char *name)
{
	struct known *k;

	lockdep_assert_held(&lock);

	list_for_each_entry(k, &devices, list)
		if (!strcmp(dev_name(&k->dev->dev), name))
			return k->dev;
	return NULL;
}

static int parse(char *words, struct run *run)
{
	char type[4], from[IB_DEVICE_NAME_MAX], to[IB_DEVICE_NAME_MAX];

	if (sscanf(words, "%3s %63s %63s %u %u", type, from, to, &run->size,
		   &run->count) != 5)
		return -EINVAL;
	if (run->size < sizeof(u32) || run->size > SIZE_MAX_LOOP || !run->count)
		return -EINVAL;
	if (!strcmp(type, "ud"))
		run->type = IB_QPT_UD;
	else if (!strcmp(type, "rc"))
		run->type = IB_QPT_RC;
	else if (!strcmp(type, "uc"))
		run->type = IB_QPT_UC;
	else
		return -EINVAL;
	run->from.dev = device_named(from);
	run->to.dev = device_named(to);
	return run->from.dev && run->to.dev ? 0 : -ENODEV;
}

/* "ud|rc|uc FROM TO SIZE COUNT" */
static ssize_t run_write(struct file *file, const char __user *buf, size_t len,
			 loff_t *pos)
{
	char words[192];
	int err;

	if (len >= sizeof(words))
		return -EINVAL;
	if (copy_from_user(words, buf, len))
		return -EFAULT;
	words[len] = '\0';

	mutex_lock(&lock);
	memset(&last, 0, sizeof(last));
	err = parse(words, &last);
	if (!err)
		err = go(&last);
	mutex_unlock(&lock);
	return err ?: len;
}

static int run_show(struct seq_file *seq, void *unused)
{
	mutex_lock(&lock);
	seq_printf(seq, "sent %u\nreceived %u\nbad %u\nerrors %u\n",
		   last.sent, last.received, last.bad, last.errors);
	mutex_unlock(&lock);
	return 0;
}

static int run_open(struct inode *inode, struct file *file)
{
	return single_open(file, run_show, NULL);
}

static const struct file_operations run_fops = {
	.owner		= THIS_MODULE,
	.open		= run_open,
	.read		= seq_read,
	.write		= run_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int add_one(struct ib_device *dev)
{
	struct known *k = kzalloc(sizeof(*k), GFP_KERNEL);

	if (!k)
		return -ENOMEM;
	k->dev = dev;
	mutex_lock(&lock);
	list_add(&k->list, &devices);
	mutex_unlock(&lock);
	return 0;
}

static void remove_one(struct ib_device *dev, void *data)
{
	struct known *k, *next;

	/* Waits for a run to end. */
	mutex_lock(&lock);
	list_for_each_entry_safe(k, next, &devices, list) {
		if (k->dev != dev)
			continue;
		list_del(&k->list);
		kfree(k);
	}
	mutex_unlock(&lock);
}

static struct ib_client client = {
	.name	= "ibdevsim_loop",
	.add	= add_one,
	.remove	= remove_one,
};

static int __init loop_init(void)
{
	int err = ib_register_client(&client);

	if (err)
		return err;
	dir = debugfs_create_dir("ibdevsim_loop", NULL);
	debugfs_create_file("run", 0600, dir, NULL, &run_fops);
	return 0;
}

static void __exit loop_exit(void)
{
	debugfs_remove_recursive(dir);
	ib_unregister_client(&client);
}

module_init(loop_init);
module_exit(loop_exit);

MODULE_DESCRIPTION("Messages between RDMA devices by kernel verbs");
MODULE_LICENSE("GPL");
