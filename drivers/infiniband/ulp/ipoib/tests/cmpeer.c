// SPDX-License-Identifier: GPL-2.0
/*
 * ipoib_cmpeer: peers of RFC 4755 that speak ib_cm by rules that a test
 * dictates. Neither interfaces nor UD QPs belong to them, only QPNs that they
 * claim to have.
 *
 * /sys/kernel/debug/ipoib_cmpeer/command takes one command at a time, a word
 * and options, see struct cmpeer_options:
 *
 *	open	REQs, count= of them, each from the next UD QPN
 *	listen	wait for REQs to the QPN, and answer them
 *	reply	answer now what was left unanswered
 *	send	messages by established connections
 *	take	count= messages, if there were no buffers for any, recv=0
 *	say	any CM message attr= whose body goes on with data=, as of connection
 *		id=, or of none
 *	close	DREQ
 *	vanish	destroy QPs, and tell nobody
 *	forget	free connections and listeners
 *
 * reply, send, take, close, vanish and forget are for all connections, or for id=N.
 * connections has a line for each.
 */
#include "cmpeer.h"

#include <linux/debugfs.h>
#include <linux/hex.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#define WORDS_MAX	512

static DEFINE_MUTEX(commands);	/* one at a time, devices, ends of conns */
static LIST_HEAD(devices);

static DEFINE_MUTEX(conns_lock);	/* conns, count, last_id */
static LIST_HEAD(conns);
static unsigned int count;
static u32 last_id;

/* To destroy a QP takes a grace period: a thousand go side by side. */
static struct workqueue_struct *enders;

static struct dentry *dir;

/* ---- connections ---------------------------------------------------------- */

/**
 * cmpeer_conn_new - make a connection or a listener
 * @dev: its device
 * @opt: what is wanted of it
 * @cm_id: identifier of the REQ that it is made for, in the CM's callback;
 *	otherwise NULL
 *
 * From here on a command may free it: that waits for the callbacks of @cm_id.
 *
 * Return: the connection, in the list, or an ERR_PTR().
 * Context: Process context, may sleep.
 */
struct cmpeer_conn *cmpeer_conn_new(struct cmpeer_dev *dev,
				    const struct cmpeer_options *opt,
				    struct ib_cm_id *cm_id)
{
	struct cmpeer_conn *conn = kzalloc(sizeof(*conn), GFP_KERNEL);

	if (!conn)
		return ERR_PTR(-ENOMEM);
	conn->dev = dev;
	conn->opt = *opt;
	conn->type = opt->transport;
	conn->cm_id = cm_id;
	mutex_init(&conn->lock);
	spin_lock_init(&conn->ring_lock);
	conn->recv_cqe.done = cmpeer_recv_done;
	conn->send_cqe.done = cmpeer_send_done;

	mutex_lock(&conns_lock);
	if (count >= CMPEER_MAX) {
		mutex_unlock(&conns_lock);
		kfree(conn);
		return ERR_PTR(-EUSERS);
	}
	count++;
	conn->id = ++last_id;
	list_add_tail(&conn->list, &conns);
	mutex_unlock(&conns_lock);
	return conn;
}

static bool meant(const struct cmpeer_conn *conn, const struct cmpeer_dev *dev,
		  u32 id)
{
	return (!dev || conn->dev == dev) && (!id || conn->id == id);
}

/* The first of them, which is in the list no more. */
static struct cmpeer_conn *take(const struct cmpeer_dev *dev, u32 id,
				bool listening)
{
	struct cmpeer_conn *conn, *taken = NULL;

	mutex_lock(&conns_lock);
	list_for_each_entry(conn, &conns, list) {
		if (!meant(conn, dev, id) ||
		    (listening && READ_ONCE(conn->state) != CMPEER_LISTENING))
			continue;
		taken = conn;
		list_del(&conn->list);
		count--;
		break;
	}
	mutex_unlock(&conns_lock);
	return taken;
}

static void end_work(struct work_struct *work)
{
	struct cmpeer_conn *conn = container_of(work, struct cmpeer_conn, end);

	cmpeer_end(conn);
	kfree(conn);
}

static void free_all(const struct cmpeer_dev *dev, u32 id, bool listening)
{
	struct cmpeer_conn *conn;

	while ((conn = take(dev, id, listening))) {
		INIT_WORK(&conn->end, end_work);
		queue_work(enders, &conn->end);
	}
	flush_workqueue(enders);
}

/* Listeners first: then no connection is added any more. */
static void forget(const struct cmpeer_dev *dev, u32 id)
{
	lockdep_assert_held(&commands);

	free_all(dev, id, true);
	free_all(dev, id, false);
}

/* ---- options -------------------------------------------------------------- */

/**
 * struct number - an option that is one
 * @name: what stands before the =
 * @offset: where it goes in struct cmpeer_options
 * @min: smallest value
 * @max: largest value
 */
struct number {
	const char *name;
	size_t offset;
	u32 min;
	u32 max;
};

#define NUMBER(_name, _min, _max) \
	{ #_name, offsetof(struct cmpeer_options, _name), _min, _max }

static const struct number numbers[] = {
	NUMBER(port, 1, 255),
	NUMBER(pkey, 0, 0xffff),
	NUMBER(qpn, 0, IPOIB_QPN_MASK),
	NUMBER(mtu, 0, U32_MAX),
	NUMBER(count, 1, 1000000),
	NUMBER(recv, 0, CMPEER_RECVS),
	NUMBER(rnr, 0, 7),
	NUMBER(retries, 0, 15),
	NUMBER(timeout, 0, 31),
	NUMBER(fake, 0, 1),
	NUMBER(mute, 0, 1),
	NUMBER(size, 0, CMPEER_BUF),
	NUMBER(id, 1, U32_MAX),
	NUMBER(attr, 0, 0xffff),
};

static int set_number(struct cmpeer_options *opt, const struct number *number,
		      const char *value)
{
	u32 *to = (void *)opt + number->offset;

	if (kstrtou32(value, 0, to) || *to < number->min || *to > number->max)
		return -EINVAL;
	return 0;
}

/* With colons between octets, as ip prints it. */
static int set_address(struct ipoib_hwaddr *addr, const char *value)
{
	u8 *to = (u8 *)addr;
	int i;

	for (i = 0; i < sizeof(*addr); i++, value += 3) {
		if (strnlen(value, 2) < 2 || hex2bin(&to[i], value, 1) ||
		    value[2] != (i + 1 < sizeof(*addr) ? ':' : '\0'))
			return -EINVAL;
	}
	return 0;
}

static int set_to(struct cmpeer_options *opt, const char *value)
{
	return set_address(&opt->to, value);
}

static int set_as(struct cmpeer_options *opt, const char *value)
{
	if (set_address(&opt->as, value))
		return -EINVAL;
	opt->qpn = be32_to_cpu(opt->as.flags_qpn) & IPOIB_QPN_MASK;
	return 0;
}

static int set_service(struct cmpeer_options *opt, const char *value)
{
	if (!strcmp(value, "rfc"))
		opt->service = IPOIB_SERVICE_RFC;
	else if (!strcmp(value, "linux"))
		opt->service = IPOIB_SERVICE_LINUX;
	else
		opt->service = IPOIB_SERVICE_NONE;
	return opt->service != IPOIB_SERVICE_NONE ? 0 :
	       kstrtou64(value, 0, &opt->raw_service);
}

static int set_transport(struct cmpeer_options *opt, const char *value)
{
	if (!strcmp(value, "rc"))
		opt->transport = IB_QPT_RC;
	else if (!strcmp(value, "uc"))
		opt->transport = IB_QPT_UC;
	else if (!strcmp(value, "xrc"))
		opt->transport = IB_QPT_XRC_INI;
	else
		return -EINVAL;
	return 0;
}

static int set_answer(struct cmpeer_options *opt, const char *value)
{
	if (!strcmp(value, "rep") || !strcmp(value, "rtu")) {
		opt->answer = CMPEER_ACCEPT;
		return 0;
	}
	if (!strcmp(value, "silent")) {
		opt->answer = CMPEER_SILENT;
		return 0;
	}
	opt->answer = CMPEER_REJECT;
	return strncmp(value, "rej:", 4) ? -EINVAL :
	       kstrtou32(value + 4, 0, &opt->reason);
}

static int set_data(struct cmpeer_options *opt, const char *value)
{
	size_t len = strlen(value);

	opt->data_len = 0;
	if (!strcmp(value, "none"))
		return 0;
	if (len % 2 || len > 2 * sizeof(opt->data) ||
	    hex2bin(opt->data, value, len / 2))
		return -EINVAL;
	opt->data_len = len / 2;
	return 0;
}

static int set_dev(struct cmpeer_options *opt, const char *value)
{
	return strscpy(opt->dev, value, sizeof(opt->dev)) < 0 ? -EINVAL : 0;
}

static int set_option(struct cmpeer_options *opt, const char *name,
		      const char *value)
{
	static const struct {
		const char *name;
		int (*set)(struct cmpeer_options *opt, const char *value);
	} words[] = {
		{ "dev", set_dev },
		{ "to", set_to },
		{ "as", set_as },
		{ "service", set_service },
		{ "transport", set_transport },
		{ "answer", set_answer },
		{ "data", set_data },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].name, name))
			return words[i].set(opt, value);
	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!strcmp(numbers[i].name, name))
			return set_number(opt, &numbers[i], value);
	return -EINVAL;
}

static int parse(char *words, struct cmpeer_options *opt)
{
	char *word, *name;
	int err;

	while ((word = strsep(&words, " "))) {
		if (!*word)
			continue;
		name = strsep(&word, "=");
		err = word ? set_option(opt, name, word) : -EINVAL;
		if (err)
			return err;
	}
	return 0;
}

/* ---- commands ------------------------------------------------------------- */

static struct cmpeer_dev *device_named(const char *name)
{
	struct cmpeer_dev *dev;

	lockdep_assert_held(&commands);

	list_for_each_entry(dev, &devices, list)
		if (!strcmp(dev_name(&dev->ibdev->dev), name))
			return dev;
	return NULL;
}

static u64 service_id(const struct cmpeer_options *opt, u32 qpn)
{
	static const u64 prefixes[] = {
		[IPOIB_SERVICE_RFC]	= 0x0100000000000000ull,
		[IPOIB_SERVICE_LINUX]	= 0x1000000000000000ull,
	};

	if (opt->service == IPOIB_SERVICE_NONE)
		return opt->raw_service;
	return prefixes[opt->service] | qpn;
}

static struct cmpeer_dev *device_of(const struct cmpeer_options *opt)
{
	struct cmpeer_dev *dev = device_named(opt->dev);

	return dev && rdma_is_port_valid(dev->ibdev, opt->port) ? dev : NULL;
}

static int open_one(struct cmpeer_dev *dev, const struct cmpeer_options *opt,
		    const struct cmpeer_path *path, u32 number)
{
	struct cmpeer_conn *conn;

	conn = cmpeer_conn_new(dev, opt, NULL);
	if (IS_ERR(conn))
		return PTR_ERR(conn);
	mutex_lock(&conn->lock);
	conn->opt.qpn = (opt->qpn + number) & IPOIB_QPN_MASK;
	conn->service = service_id(opt, be32_to_cpu(opt->to.flags_qpn) &
				   IPOIB_QPN_MASK);
	mutex_unlock(&conn->lock);
	return cmpeer_ask(conn, path);
}

static int do_open(const struct cmpeer_options *opt)
{
	struct cmpeer_dev *dev = device_of(opt);
	struct cmpeer_path path;
	int err;
	u32 i;

	if (!dev)
		return -ENODEV;
	if (opt->count > CMPEER_MAX ||
	    (opt->transport == IB_QPT_XRC_INI && !opt->fake))
		return -EINVAL;
	err = cmpeer_path_find(dev->ibdev, opt->port, &opt->to, &path);
	if (err)
		return err;
	for (i = 0; i < opt->count && !err; i++) {
		err = open_one(dev, opt, &path, i);
		cond_resched();
	}
	cmpeer_path_put(&path);
	return err;
}

static int do_listen(const struct cmpeer_options *opt)
{
	struct cmpeer_dev *dev = device_of(opt);
	struct cmpeer_conn *conn;
	int err;

	if (!dev)
		return -ENODEV;
	conn = cmpeer_conn_new(dev, opt, NULL);
	if (IS_ERR(conn))
		return PTR_ERR(conn);
	mutex_lock(&conn->lock);
	conn->service = service_id(opt, opt->qpn);
	mutex_unlock(&conn->lock);
	err = cmpeer_listen(conn);
	if (err)
		forget(dev, conn->id);
	return err;
}

static void tell_all(const struct cmpeer_options *opt,
		     void (*fn)(struct cmpeer_conn *conn,
				const struct cmpeer_options *opt))
{
	struct cmpeer_conn *conn;

	mutex_lock(&conns_lock);
	list_for_each_entry(conn, &conns, list)
		if (meant(conn, NULL, opt->id))
			fn(conn, opt);
	mutex_unlock(&conns_lock);
}

static void reply_one(struct cmpeer_conn *conn, const struct cmpeer_options *opt)
{
	cmpeer_reply(conn, opt->answer, opt->reason);
}

static int do_reply(const struct cmpeer_options *opt)
{
	tell_all(opt, reply_one);
	return 0;
}

static void send_one(struct cmpeer_conn *conn, const struct cmpeer_options *opt)
{
	cmpeer_send(conn, opt->count, opt->size);
}

/* What was sent before may still be on its way: the same again leaves it as it is. */
static void write_out(struct cmpeer_dev *dev, const void *data, unsigned int len)
{
	if (dev->out_len == len && !memcmp(dev->out, data, len))
		return;
	memset(dev->out, 0, CMPEER_BUF);
	memcpy(dev->out, data, len);
	dev->out_len = len;
	ib_dma_sync_single_for_device(dev->ibdev, dev->out_dma, CMPEER_BUF,
				      DMA_TO_DEVICE);
}

static int do_send(const struct cmpeer_options *opt)
{
	static const struct ipoib_hdr ipv4 = {
		.proto = cpu_to_be16(ETH_P_IP),
	};
	struct cmpeer_dev *dev;

	list_for_each_entry(dev, &devices, list) {
		if (opt->data_len >= 0)
			write_out(dev, opt->data, opt->data_len);
		else
			write_out(dev, &ipv4, sizeof(ipv4));
	}
	tell_all(opt, send_one);
	return 0;
}

static void take_one(struct cmpeer_conn *conn, const struct cmpeer_options *opt)
{
	cmpeer_take(conn, opt->count);
}

static int do_take(const struct cmpeer_options *opt)
{
	if (opt->count > CMPEER_RECVS)
		return -EINVAL;
	tell_all(opt, take_one);
	return 0;
}

static void ids_of(u32 id, struct cmpeer_ids *ids)
{
	struct cmpeer_conn *conn;

	mutex_lock(&conns_lock);
	list_for_each_entry(conn, &conns, list)
		if (id && conn->id == id)
			cmpeer_ids(conn, ids);
	mutex_unlock(&conns_lock);
}

static int do_say(const struct cmpeer_options *opt)
{
	struct cmpeer_dev *dev = device_of(opt);
	struct cmpeer_ids ids = {};
	struct cmpeer_path path;
	int err;

	if (!dev)
		return -ENODEV;
	err = cmpeer_path_find(dev->ibdev, opt->port, &opt->to, &path);
	if (err)
		return err;
	ids_of(opt->id, &ids);
	err = cmpeer_mad_say(dev, opt, &path, &ids);
	cmpeer_path_put(&path);
	return err;
}

static void close_one(struct cmpeer_conn *conn, const struct cmpeer_options *opt)
{
	cmpeer_close(conn);
}

static int do_close(const struct cmpeer_options *opt)
{
	tell_all(opt, close_one);
	return 0;
}

static void vanish_one(struct cmpeer_conn *conn, const struct cmpeer_options *opt)
{
	cmpeer_vanish(conn);
}

static int do_vanish(const struct cmpeer_options *opt)
{
	tell_all(opt, vanish_one);
	return 0;
}

static int do_forget(const struct cmpeer_options *opt)
{
	forget(NULL, opt->id);
	return 0;
}

static int run(char *words)
{
	static const struct {
		const char *name;
		int (*run)(const struct cmpeer_options *opt);
	} known[] = {
		{ "open", do_open },
		{ "listen", do_listen },
		{ "reply", do_reply },
		{ "send", do_send },
		{ "take", do_take },
		{ "say", do_say },
		{ "close", do_close },
		{ "vanish", do_vanish },
		{ "forget", do_forget },
	};
	struct cmpeer_options opt = {
		.service	= IPOIB_SERVICE_RFC,
		.transport	= IB_QPT_RC,
		.data_len	= -1,
		.port		= 1,
		.pkey		= 0xffff,
		.mtu		= 65524,
		.count		= 1,
		.recv		= CMPEER_RECVS,
		.rnr		= 7,
		.retries	= 5,
		.timeout	= 18,
		.size		= 1000,
	};
	char *name = strsep(&words, " ");
	int i, err;

	err = parse(words, &opt);
	if (err)
		return err;
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(known[i].name, name))
			continue;
		mutex_lock(&commands);
		err = known[i].run(&opt);
		mutex_unlock(&commands);
		return err;
	}
	return -EINVAL;
}

static ssize_t command_write(struct file *file, const char __user *buf,
			     size_t len, loff_t *pos)
{
	char words[WORDS_MAX];
	int err;

	if (len >= WORDS_MAX)
		return -EINVAL;
	if (copy_from_user(words, buf, len))
		return -EFAULT;
	words[len] = '\0';
	err = run(strim(words));
	return err ?: len;
}

static const struct file_operations command_fops = {
	.owner		= THIS_MODULE,
	.open		= simple_open,
	.write		= command_write,
	.llseek		= noop_llseek,
};

/* ---- what there is -------------------------------------------------------- */

static void show_one(struct seq_file *seq, struct cmpeer_conn *conn)
{
	static const char * const names[CMPEER_CAMES] = {
		[CMPEER_CAME_REQ]	= "req",
		[CMPEER_CAME_REP]	= "rep",
		[CMPEER_CAME_RTU]	= "rtu",
		[CMPEER_CAME_REJ]	= "rej",
		[CMPEER_CAME_DREQ]	= "dreq",
		[CMPEER_CAME_DREP]	= "drep",
		[CMPEER_CAME_TIMEOUT]	= "timeout",
	};
	int i;

	seq_printf(seq, "id=%u dev=%s asked_by=%s service=0x%016llx transport=%s qpn=0x%06x state=%s reason=%u data=%*phN",
		   conn->id, dev_name(&conn->dev->ibdev->dev),
		   conn->asked ? "other" : "us", conn->service,
		   conn->type == IB_QPT_RC ? "RC" :
		   conn->type == IB_QPT_UC ? "UC" : "other",
		   conn->opt.qpn, cmpeer_state_name(conn->state), conn->reason,
		   CMPEER_SHOWN, conn->got);
	for (i = 0; i < CMPEER_CAMES; i++)
		if (conn->came & BIT(i))
			seq_printf(seq, " came=%s", names[i]);
	spin_lock(&conn->ring_lock);
	seq_printf(seq, " sent=%llu received=%llu bytes=%llu errors=%llu\n",
		   conn->sent, conn->received, conn->bytes, conn->errors);
	spin_unlock(&conn->ring_lock);
}

static int connections_show(struct seq_file *seq, void *unused)
{
	struct cmpeer_conn *conn;

	mutex_lock(&conns_lock);
	list_for_each_entry(conn, &conns, list) {
		mutex_lock(&conn->lock);
		show_one(seq, conn);
		mutex_unlock(&conn->lock);
	}
	mutex_unlock(&conns_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(connections);

/* ---- devices -------------------------------------------------------------- */

static int buffer_new(struct ib_device *ibdev, enum dma_data_direction dir,
		      void **buf, u64 *dma)
{
	*buf = kzalloc(CMPEER_BUF, GFP_KERNEL);
	if (!*buf)
		return -ENOMEM;
	*dma = ib_dma_map_single(ibdev, *buf, CMPEER_BUF, dir);
	if (!ib_dma_mapping_error(ibdev, *dma))
		return 0;
	kfree(*buf);
	*buf = NULL;
	return -ENOMEM;
}

static void buffer_free(struct ib_device *ibdev, enum dma_data_direction dir,
			void *buf, u64 dma)
{
	if (!buf)
		return;
	ib_dma_unmap_single(ibdev, dma, CMPEER_BUF, dir);
	kfree(buf);
}

static void dev_free(struct cmpeer_dev *dev)
{
	if (!IS_ERR_OR_NULL(dev->pd))
		ib_dealloc_pd(dev->pd);
	buffer_free(dev->ibdev, DMA_TO_DEVICE, dev->out, dev->out_dma);
	buffer_free(dev->ibdev, DMA_FROM_DEVICE, dev->in, dev->in_dma);
	kfree(dev);
}

static int add_one(struct ib_device *ibdev)
{
	struct cmpeer_dev *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	int err;

	if (!dev)
		return -ENOMEM;
	dev->ibdev = ibdev;
	err = buffer_new(ibdev, DMA_FROM_DEVICE, &dev->in, &dev->in_dma) ?:
	      buffer_new(ibdev, DMA_TO_DEVICE, &dev->out, &dev->out_dma);
	if (!err) {
		dev->pd = ib_alloc_pd(ibdev, 0);
		err = PTR_ERR_OR_ZERO(dev->pd);
	}
	if (err) {
		dev_free(dev);
		return err;
	}
	mutex_lock(&commands);
	list_add_tail(&dev->list, &devices);
	mutex_unlock(&commands);
	return 0;
}

static void remove_one(struct ib_device *ibdev, void *data)
{
	struct cmpeer_dev *dev, *next;

	mutex_lock(&commands);
	list_for_each_entry_safe(dev, next, &devices, list) {
		if (dev->ibdev != ibdev)
			continue;
		forget(dev, 0);
		list_del(&dev->list);
		dev_free(dev);
	}
	mutex_unlock(&commands);
}

static struct ib_client client = {
	.name	= "ipoib_cmpeer",
	.add	= add_one,
	.remove	= remove_one,
};

static int __init cmpeer_init(void)
{
	int err;

	enders = alloc_workqueue("ipoib_cmpeer", WQ_UNBOUND, 0);
	if (!enders)
		return -ENOMEM;
	cmpeer_path_init();
	err = ib_register_client(&client);
	if (err) {
		cmpeer_path_exit();
		destroy_workqueue(enders);
		return err;
	}
	dir = debugfs_create_dir("ipoib_cmpeer", NULL);
	debugfs_create_file("command", 0200, dir, NULL, &command_fops);
	debugfs_create_file("connections", 0400, dir, NULL, &connections_fops);
	return 0;
}

static void __exit cmpeer_exit(void)
{
	/* 1. No commands. 2. Connections, with their devices. */
	debugfs_remove_recursive(dir);
	ib_unregister_client(&client);
	cmpeer_path_exit();
	destroy_workqueue(enders);
}

module_init(cmpeer_init);
module_exit(cmpeer_exit);

MODULE_DESCRIPTION("Peers of IPoIB connected mode, for tests");
MODULE_LICENSE("GPL");
