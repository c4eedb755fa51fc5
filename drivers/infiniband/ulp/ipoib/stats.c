// SPDX-License-Identifier: GPL-2.0
#include "stats.h"

#include <linux/percpu.h>
#include <linux/skbuff.h>

#include "trace.h"

#define DROP_NAME(_upper, _lower)	#_lower,
static const char * const drop_names[IPOIB_DROP_COUNT] = {
	IPOIB_DROP_REASONS(DROP_NAME)
};

static const char * const object_names[IPOIB_OBJECTS] = {
	[IPOIB_OBJ_DEV]		= "dev",
	[IPOIB_OBJ_QP]		= "qp",
	[IPOIB_OBJ_AH]		= "ah",
	[IPOIB_OBJ_PEER]	= "peer",
	[IPOIB_OBJ_CONN]	= "conn",
	[IPOIB_OBJ_MCAST]	= "mcast",
	[IPOIB_OBJ_REQUEST]	= "request",
	[IPOIB_OBJ_RXPAGE]	= "rxpage",
	[IPOIB_OBJ_CONN_SET]	= "conn_set",
	[IPOIB_OBJ_CM_ID]	= "cm_id",
};

/* Counted per module, so that a leaked object is still counted when its owner has gone. */
static struct {
	atomic64_t created;
	atomic64_t destroyed;
} objects[IPOIB_OBJECTS];

/**
 * ipoib_drops_init - allocate the drop counters of an interface
 * @drops: result
 * @name: name of the interface; has to outlive @drops
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context, may sleep.
 */
int ipoib_drops_init(struct ipoib_drops *drops, const char *name)
{
	drops->name = name;
	drops->cpu = netdev_alloc_pcpu_stats(struct ipoib_drops_cpu);
	return drops->cpu ? 0 : -ENOMEM;
}

/**
 * ipoib_drops_exit - free the drop counters of an interface
 * @drops: counters, which no context updates any more
 */
void ipoib_drops_exit(struct ipoib_drops *drops)
{
	free_percpu(drops->cpu);
}

/* Add @n counters that are written in one context to what they are in others. */
static void add_counters(const u64_stats_t *count, unsigned int n,
			 const struct u64_stats_sync *syncp, u64 *sum)
{
	unsigned int start, i;
	u64 value;

	for (i = 0; i < n; i++) {
		do {
			start = u64_stats_fetch_begin(syncp);
			value = u64_stats_read(&count[i]);
		} while (u64_stats_fetch_retry(syncp, start));
		sum[i] += value;
	}
}

/**
 * ipoib_drops_read - add up the drop counters of all CPUs
 * @drops: counters
 * @sum: result, indexed by enum ipoib_drop_reason
 *
 * Context: Any.
 */
void ipoib_drops_read(const struct ipoib_drops *drops,
		      u64 sum[IPOIB_DROP_COUNT])
{
	int cpu;

	memset(sum, 0, IPOIB_DROP_COUNT * sizeof(*sum));
	for_each_possible_cpu(cpu) {
		const struct ipoib_drops_cpu *one = per_cpu_ptr(drops->cpu, cpu);

		add_counters(one->count, IPOIB_DROP_COUNT, &one->syncp, sum);
	}
}

/**
 * ipoib_tx_stats_add - add the counters of a send queue to those of others
 * @stats: counters
 * @sum: the sum of all, indexed by enum ipoib_tx_counter
 *
 * Context: Any.
 */
void ipoib_tx_stats_add(const struct ipoib_tx_stats *stats, u64 sum[IPOIB_TX_COUNTS])
{
	add_counters(stats->count, IPOIB_TX_COUNTS, &stats->syncp, sum);
}

/**
 * ipoib_rx_stats_add - add the counters of a receive queue to those of others
 * @stats: counters
 * @sum: the sum of all, indexed by enum ipoib_rx_counter
 *
 * Context: Any.
 */
void ipoib_rx_stats_add(const struct ipoib_rx_stats *stats, u64 sum[IPOIB_RX_COUNTS])
{
	add_counters(stats->count, IPOIB_RX_COUNTS, &stats->syncp, sum);
}

/**
 * ipoib_rx_stats_add_cpus - add receive counters of all CPUs to those of others
 * @stats: counters, one set per CPU
 * @sum: the sum of all, indexed by enum ipoib_rx_counter
 *
 * Context: Any.
 */
void ipoib_rx_stats_add_cpus(const struct ipoib_rx_stats __percpu *stats,
			     u64 sum[IPOIB_RX_COUNTS])
{
	int cpu;

	for_each_possible_cpu(cpu)
		ipoib_rx_stats_add(per_cpu_ptr(stats, cpu), sum);
}

/**
 * ipoib_drop_name - the name of a drop reason
 * @reason: below IPOIB_DROP_COUNT
 *
 * Return: a constant string, which ethtool -S shows after "drop_".
 */
const char *ipoib_drop_name(enum ipoib_drop_reason reason)
{
	return drop_names[reason];
}

static void count_drops(struct ipoib_drops *drops, enum ipoib_drop_reason reason,
			unsigned int packets, unsigned int len)
{
	struct ipoib_drops_cpu *cpu = get_cpu_ptr(drops->cpu);
	unsigned long flags;

	flags = u64_stats_update_begin_irqsave(&cpu->syncp);
	u64_stats_add(&cpu->count[reason], packets);
	u64_stats_update_end_irqrestore(&cpu->syncp, flags);
	put_cpu_ptr(drops->cpu);

	trace_ipoib_drop(drops->name, drop_names[reason], len);
}

/**
 * ipoib_drop - count and trace a packet that is dropped
 * @drops: counters of the interface
 * @reason: reason of the drop
 * @len: length of the packet, octets; 0 if it is not known
 *
 * Every drop of the driver is counted here or in ipoib_drop_skb() and nowhere else.
 *
 * Context: Any but hard interrupt.
 */
void ipoib_drop(struct ipoib_drops *drops, enum ipoib_drop_reason reason,
		unsigned int len)
{
	count_drops(drops, reason, 1, len);
}

/**
 * ipoib_drop_skb - count, trace and free a packet that is dropped
 * @drops: counters of the interface
 * @reason: reason of the drop
 * @skb: the packet; consumed. One that would have been sent in segments counts as these
 *
 * Context: Any but hard interrupt.
 */
void ipoib_drop_skb(struct ipoib_drops *drops, enum ipoib_drop_reason reason,
		    struct sk_buff *skb)
{
	count_drops(drops, reason, ipoib_skb_packets(skb), skb->len);
	dev_kfree_skb_any(skb);
}

/**
 * ipoib_object_created - count an object that has been made
 * @kind: kind of the object
 *
 * Context: Any.
 */
void ipoib_object_created(enum ipoib_object kind)
{
	atomic64_inc(&objects[kind].created);
}

/**
 * ipoib_object_destroyed - count an object that has been freed
 * @kind: kind of the object
 *
 * Context: Any.
 */
void ipoib_object_destroyed(enum ipoib_object kind)
{
	atomic64_inc(&objects[kind].destroyed);
}

/**
 * ipoib_objects_add - count objects that their owner has counted itself
 * @kind: kind of the objects
 * @created: number of objects that the owner has made
 * @destroyed: number of objects that the owner has freed or handed over
 *
 * For objects of the fast path, where updating a shared counter for each would be too slow.
 *
 * Context: Any.
 */
void ipoib_objects_add(enum ipoib_object kind, u64 created, u64 destroyed)
{
	atomic64_add(created, &objects[kind].created);
	atomic64_add(destroyed, &objects[kind].destroyed);
}

/**
 * ipoib_objects_read - read the counts of objects of a kind
 * @kind: kind of the objects
 * @name: result: name of the kind, a constant string
 * @created: result: objects made since the module was loaded
 * @destroyed: result: objects freed since the module was loaded
 *
 * Context: Any.
 */
void ipoib_objects_read(enum ipoib_object kind, const char **name,
			u64 *created, u64 *destroyed)
{
	*name = object_names[kind];
	*destroyed = atomic64_read(&objects[kind].destroyed);
	*created = atomic64_read(&objects[kind].created);
}

/**
 * ipoib_objects_exit - log objects that were made and not freed
 *
 * Called when the module exits, because the counters cannot be read after that.
 *
 * Context: Any; no object is made or freed any more.
 */
void ipoib_objects_exit(void)
{
	u64 created, destroyed;
	const char *name;
	int i;

	for (i = 0; i < IPOIB_OBJECTS; i++) {
		ipoib_objects_read(i, &name, &created, &destroyed);
		if (created != destroyed)
			pr_err(KBUILD_MODNAME ": of %llu %s objects were not freed: %lld\n",
			       created, name, (s64)(created - destroyed));
	}
}
