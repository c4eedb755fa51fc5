// SPDX-License-Identifier: GPL-2.0
/*
 * ibdevsim_loop: messages from one RDMA device to another with nothing but
 * kernel verbs. Shows that a fabric carries them, and what that costs before
 * a driver adds its share.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/hex.h>
#include <linux/inet.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "loop_cases.h"
#include "loop_ends.h"
#include "loop_inject.h"
#include "loop_tcp.h"

#define SIZE_MAX_LOOP	65536
#define WORDS_MAX	448

/**
 * struct run - what is asked for, and what came of it
 * @pair: both ends
 * @size: octets of a message
 * @count: messages
 * @sent: sends that completed well
 * @received: messages that came
 * @bad: among them, with wrong content or out of order
 * @errors: completions with an error
 * @next: number that the next message should have; of TCP it is counted in octets of data
 * @migrations: ends that have gone over to the alternate path
 * @data: octets of data in a packet, if messages are of TCP, otherwise 0
 * @packets: what the HCA makes of a message
 * @cut: the HCA makes them by cutting it, and takes the headers from @header
 * @header: of the message
 */
struct run {
	struct loop_pair pair;
	u32 size;
	u32 count;
	u32 sent;
	u32 received;
	u32 bad;
	u32 errors;
	u32 next;
	u32 migrations;
	u32 data;
	u32 packets;
	bool cut;
	struct loop_tcp header;
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

static int post_recv(struct run *run, u32 slot)
{
	return loop_post_recv(&run->pair, slot, run->pair.to.stride);
}

static u8 *message(struct run *run, u32 slot)
{
	return run->pair.from.buf + slot * run->pair.from.stride;
}

/* Headers are written before the run, so that what it costs is not what they do. */
static void write_headers(struct run *run)
{
	u32 i;

	if (run->cut)
		loop_tcp_header(&run->header, 0, run->size);
	else if (run->data)
		for (i = 0; i < LOOP_DEPTH; i++)
			loop_tcp_header((struct loop_tcp *)message(run, i), 0, run->data);
}

static int post_tcp(struct run *run, u32 slot, u32 number)
{
	__be32 seq = htonl(number * run->packets * run->data);

	if (run->cut) {
		run->header.tcp.seq = seq;
		return loop_post_lso(&run->pair, slot, run->size, &run->header,
				     sizeof(run->header), run->data);
	}
	((struct loop_tcp *)message(run, slot))->tcp.seq = seq;
	return loop_post_send(&run->pair, slot, run->size, IB_SEND_IP_CSUM);
}

static int post_send(struct run *run, u32 number)
{
	u32 slot = number % LOOP_DEPTH;
	u8 *data = message(run, slot);

	if (run->data)
		return post_tcp(run, slot, number);
	memcpy(data, &number, sizeof(number));
	if (run->size > sizeof(number))
		data[run->size - 1] = number;
	return loop_post_send(&run->pair, slot, run->size, 0);
}

static bool tcp_is_right(struct run *run, const struct ib_wc *wc, const struct loop_tcp *packet)
{
	u32 number = ntohl(packet->tcp.seq);
	bool late = (s32)(number - run->next) < 0;

	run->next = number + run->data;
	return !late && wc->byte_len == LOOP_GRH_BYTES + sizeof(*packet) + run->data &&
	       wc->wc_flags & IB_WC_IP_CSUM_OK;
}

static bool is_right(struct run *run, const struct ib_wc *wc, const u8 *data, u32 grh)
{
	bool late;
	u32 number;

	memcpy(&number, data, sizeof(number));
	late = (s32)(number - run->next) < 0;
	run->next = number + 1;
	return !late && wc->byte_len == run->size + grh &&
	       (run->size <= sizeof(number) || data[run->size - 1] == (u8)number);
}

static void look_at(struct run *run, const struct ib_wc *wc)
{
	u32 slot = wc->wr_id & ~LOOP_RECV_ID;
	u32 grh = run->pair.how.type == IB_QPT_UD ? LOOP_GRH_BYTES : 0;
	const u8 *data;

	if (wc->status != IB_WC_SUCCESS) {
		run->errors++;
		return;
	}
	if (!(wc->wr_id & LOOP_RECV_ID)) {
		run->sent++;
		return;
	}
	data = loop_received(&run->pair, slot) + grh;
	if (run->data ? !tcp_is_right(run, wc, (const struct loop_tcp *)data) :
			!is_right(run, wc, data, grh))
		run->bad++;
	run->received++;
	if (post_recv(run, slot))
		run->errors++;
}

static bool poll(struct run *run)
{
	struct ib_wc wc[LOOP_DEPTH];
	int i, n, m;

	/*
	 * The sender's queue is polled first, so that all that were sent have buffers again
	 * before more are sent.
	 */
	n = ib_poll_cq(run->pair.from.cq, LOOP_DEPTH, wc);
	for (i = 0; i < n; i++)
		look_at(run, &wc[i]);
	m = ib_poll_cq(run->pair.to.cq, LOOP_DEPTH, wc);
	for (i = 0; i < m; i++)
		look_at(run, &wc[i]);
	return n > 0 || m > 0;
}

static int pump(struct run *run)
{
	unsigned long end = jiffies + LOOP_PATIENCE * HZ;
	u32 most = LOOP_DEPTH / run->packets;
	u32 posted = 0;
	int err, i;

	for (i = 0; i < LOOP_DEPTH; i++) {
		err = post_recv(run, i);
		if (err)
			return err;
	}
	while (run->sent < run->count && !run->errors) {
		if (fatal_signal_pending(current))
			return -EINTR;
		while (posted < run->count && posted - run->sent < most) {
			err = post_send(run, posted);
			if (err)
				return err;
			posted++;
		}
		if (poll(run))
			end = jiffies + LOOP_PATIENCE * HZ;
		else if (time_after(jiffies, end))
			return -ETIMEDOUT;
		cond_resched();
	}
	/* Messages that a fault knob holds back may still come. */
	end = jiffies + HZ / 5;
	while (run->received < run->count * run->packets && time_before(jiffies, end)) {
		poll(run);
		usleep_range(100, 200);
	}
	poll(run);
	return 0;
}

static int go(struct run *run)
{
	struct loop_pair *pair = &run->pair;
	int err = loop_connect(pair);

	if (!err) {
		write_headers(run);
		err = pump(run);
	}
	run->migrations = atomic_read(&pair->from.events[IB_EVENT_PATH_MIG]) +
			  atomic_read(&pair->to.events[IB_EVENT_PATH_MIG]);
	loop_free(pair);
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

/* Messages are packets of TCP of which the HCA makes the sums, or which it cuts. */
static int parse_tcp(struct run *run, bool cut)
{
	u32 header = sizeof(struct loop_tcp);

	run->pair.how.type = IB_QPT_UD;
	run->pair.how.lso = true;
	run->cut = cut;
	if (!cut) {
		run->data = run->size - header;
		return run->size > header ? 0 : -EINVAL;
	}
	run->data = LOOP_TCP_MSS;
	run->packets = run->size / LOOP_TCP_MSS;
	/* The receiver has room for one message. */
	return run->size % LOOP_TCP_MSS || run->packets > LOOP_DEPTH ||
	       run->count > U32_MAX / run->packets ? -EINVAL : 0;
}

static int parse_type(const char *type, struct run *run)
{
	if (!strcmp(type, "sum") || !strcmp(type, "lso"))
		return parse_tcp(run, !strcmp(type, "lso"));
	if (!strcmp(type, "ud"))
		run->pair.how.type = IB_QPT_UD;
	else if (!strcmp(type, "rc"))
		run->pair.how.type = IB_QPT_RC;
	else if (!strcmp(type, "uc"))
		run->pair.how.type = IB_QPT_UC;
	else
		return -EINVAL;
	return 0;
}

static int parse(const char *words, struct run *run)
{
	char type[4], from[IB_DEVICE_NAME_MAX], to[IB_DEVICE_NAME_MAX];
	struct loop_pair *pair = &run->pair;
	char option[12] = "";
	int err;

	if (sscanf(words, "%3s %63s %63s %u %u %11s", type, from, to,
		   &run->size, &run->count, option) < 5)
		return -EINVAL;
	pair->how.alternate = !strcmp(option, "alternate");
	if (*option && !pair->how.alternate)
		return -EINVAL;
	if (run->size < sizeof(u32) || run->size > SIZE_MAX_LOOP || !run->count)
		return -EINVAL;
	run->packets = 1;
	err = parse_type(type, run);
	if (err)
		return err;
	pair->how.size = run->size;
	pair->how.retries = 7;
	pair->how.rnr_retries = 7;
	pair->from.dev = device_named(from);
	pair->to.dev = device_named(to);
	return pair->from.dev && pair->to.dev ? 0 : -ENODEV;
}

/* get_words() reads what a user has written into a terminated string. */
static int get_words(char words[WORDS_MAX], const char __user *from, size_t len)
{
	if (len >= WORDS_MAX)
		return -EINVAL;
	if (copy_from_user(words, from, len))
		return -EFAULT;
	words[len] = '\0';
	return 0;
}

/* "ud|rc|uc|sum|lso FROM TO SIZE COUNT [alternate]" */
static ssize_t run_write(struct file *file, const char __user *buf, size_t len,
			 loff_t *pos)
{
	char words[WORDS_MAX];
	int err = get_words(words, buf, len);

	if (err)
		return err;
	mutex_lock(&lock);
	memset(&last, 0, sizeof(last));
	err = parse(words, &last) ?: go(&last);
	mutex_unlock(&lock);
	return err ?: len;
}

/* "CASE FROM TO" */
static ssize_t case_write(struct file *file, const char __user *buf, size_t len,
			  loff_t *pos)
{
	char name[32], from[IB_DEVICE_NAME_MAX], to[IB_DEVICE_NAME_MAX];
	struct ib_device *a, *b;
	char words[WORDS_MAX];
	int err = get_words(words, buf, len);

	if (err)
		return err;
	if (sscanf(words, "%31s %63s %63s", name, from, to) != 3)
		return -EINVAL;
	mutex_lock(&lock);
	a = device_named(from);
	b = device_named(to);
	err = a && b ? loop_case(name, a, b) : -ENODEV;
	mutex_unlock(&lock);
	return err ?: len;
}

/* An IPv6 address, or "-" for none */
static int parse_gid(const char *word, union ib_gid *gid)
{
	if (!strcmp(word, "-"))
		return 0;
	return in6_pton(word, -1, gid->raw, -1, NULL) ? 0 : -EINVAL;
}

static int parse_datagram(char *words, char *from, struct loop_datagram *d)
{
	char gid[INET6_ADDRSTRLEN], hex[2 * sizeof(d->data) + 2] = "";
	int n;

	if (sscanf(words, "%63s %hi %47s %i %x %u %u %257s", from, &d->dlid, gid,
		   &d->qpn, &d->qkey, &d->count, &d->len, hex) < 7)
		return -EINVAL;
	n = strlen(hex);
	if (n % 2 || n > 2 * sizeof(d->data))
		return -EINVAL;
	return parse_gid(gid, &d->dgid) ?: hex2bin(d->data, hex, n / 2);
}

/* "FROM DLID DGID|- QPN QKEY COUNT LEN [HEX]" */
static ssize_t inject_write(struct file *file, const char __user *buf,
			    size_t len, loff_t *pos)
{
	char words[WORDS_MAX], from[IB_DEVICE_NAME_MAX];
	struct loop_datagram d = { };
	struct ib_device *dev;
	int err = get_words(words, buf, len) ?:
		  parse_datagram(words, from, &d);

	if (err)
		return err;
	mutex_lock(&lock);
	dev = device_named(from);
	err = dev ? loop_inject(dev, &d) : -ENODEV;
	mutex_unlock(&lock);
	return err ?: len;
}

static int run_show(struct seq_file *seq, void *unused)
{
	mutex_lock(&lock);
	seq_printf(seq, "sent %u\nreceived %u\nbad %u\nerrors %u\nmigrations %u\n",
		   last.sent, last.received, last.bad, last.errors,
		   last.migrations);
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

static const struct file_operations case_fops = {
	.owner		= THIS_MODULE,
	.open		= simple_open,
	.write		= case_write,
	.llseek		= noop_llseek,
};

static const struct file_operations inject_fops = {
	.owner		= THIS_MODULE,
	.open		= simple_open,
	.write		= inject_write,
	.llseek		= noop_llseek,
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

	/* The lock waits for a run to end. */
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
	debugfs_create_file("case", 0200, dir, NULL, &case_fops);
	debugfs_create_file("inject", 0200, dir, NULL, &inject_fops);
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
