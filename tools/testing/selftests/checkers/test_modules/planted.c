// SPDX-License-Identifier: GPL-2.0
/*
 * Commits a fault of the kind that a kernel which checks itself has to find, as
 * it is loaded with fault=NAME. After most of them the machine is good for nothing.
 * Each function is called as its fault is: a report has to name it.
 */

#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/platform_device.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <net/net_debug.h>

static char *fault = "";
module_param(fault, charp, 0444);
MODULE_PARM_DESC(fault, "the fault to commit");

static ulong function;
module_param(function, ulong, 0444);
MODULE_PARM_DESC(function, "address of a function, which is called with 0");

struct object {
	struct rcu_head rcu;
	struct timer_list timer;
	struct work_struct work;
	refcount_t ref;
	char bytes[40];
};

static struct object *new_object(void)
{
	return kzalloc(sizeof(struct object), GFP_KERNEL | __GFP_NOFAIL);
}

/* What the compiler does not know it neither warns about nor leaves out. */
static void *unknown(void *value)
{
	OPTIMIZER_HIDE_VAR(value);
	return value;
}

static int unknown_int(int value)
{
	OPTIMIZER_HIDE_VAR(value);
	return value;
}

static noinline void use_after_free(void)
{
	struct object *obj = new_object();
	struct object *freed = unknown(obj);

	kfree(obj);
	WRITE_ONCE(freed->bytes[0], 1);
}

static noinline void out_of_bounds(void)
{
	struct object *obj = new_object();
	struct object *next = unknown(obj + 1);

	WRITE_ONCE(*(char *)next, 1);
	kfree(obj);
}

static noinline void double_free(void)
{
	struct object *obj = new_object();
	struct object *freed = unknown(obj);

	kfree(obj);
	kfree(freed);
}

static noinline void null_dereference(void)
{
	struct object *none = unknown(NULL);

	WRITE_ONCE(none->bytes[0], 1);
}

/* Several, for some stack may by chance still point to one. */
static noinline void leak(void)
{
	int i;

	for (i = 0; i < 10; i++)
		unknown(new_object());
}

static DEFINE_MUTEX(first_lock);
static DEFINE_MUTEX(second_lock);

static noinline void lock_inversion(void)
{
	mutex_lock(&first_lock);
	mutex_lock(&second_lock);
	mutex_unlock(&second_lock);
	mutex_unlock(&first_lock);

	mutex_lock(&second_lock);
	mutex_lock(&first_lock);
	mutex_unlock(&first_lock);
	mutex_unlock(&second_lock);
}

static DEFINE_SPINLOCK(lock);
static bool timer_ran;

static void take_lock(struct timer_list *unused)
{
	spin_lock(&lock);
	spin_unlock(&lock);
	WRITE_ONCE(timer_ran, true);
}

static DEFINE_TIMER(timer, take_lock);

/* The timer may come while the lock is held, and then waits for ever. */
static noinline void softirq_unsafe(void)
{
	mod_timer(&timer, jiffies);
	while (!READ_ONCE(timer_ran))
		msleep(20);
	spin_lock(&lock);
	spin_unlock(&lock);
}

/* The kernel says this once a second at most, and checkers/verbs may just have had it do so. */
static noinline void sleep_in_atomic(void)
{
	msleep(1100);
	spin_lock(&lock);
	kfree(new_object());
	spin_unlock(&lock);
}

static noinline void rcu_unbalanced(void)
{
	rcu_read_lock();
}

static struct object __rcu *published;

static noinline void rcu_unprotected(void)
{
	if (rcu_dereference(published))
		pr_info("published\n");
}

static void no_rcu(struct rcu_head *unused)
{
}

static noinline void rcu_queued_twice(void)
{
	struct object *obj = new_object();

	call_rcu(&obj->rcu, no_rcu);
	call_rcu(&obj->rcu, no_rcu);
	rcu_barrier();
	kfree(obj);
}

static void no_timer(struct timer_list *unused)
{
}

static noinline void timer_freed(void)
{
	struct object *obj = new_object();

	timer_setup(&obj->timer, no_timer, 0);
	mod_timer(&obj->timer, jiffies + 1000 * HZ);
	kfree(obj);
}

static void long_work(struct work_struct *unused)
{
	msleep(10000);
}

static void no_work(struct work_struct *unused)
{
}

/* It waits for the one before. */
static noinline void work_freed(void)
{
	struct workqueue_struct *wq = alloc_ordered_workqueue("planted", 0);
	static DECLARE_WORK(first, long_work);
	struct object *obj = new_object();

	INIT_WORK(&obj->work, no_work);
	queue_work(wq, &first);
	queue_work(wq, &obj->work);
	kfree(obj);
}

static noinline void refcount_revived(void)
{
	struct object *obj = new_object();

	refcount_inc(&obj->ref);
	kfree(obj);
}

static noinline void shift_too_far(void)
{
	pr_info("%d\n", 1 << unknown_int(40));
}

static noinline void index_too_large(void)
{
	static int table[4];

	pr_info("%d\n", table[unknown_int(4)]);
}

/* Memory that nobody has written to holds no bool. */
static noinline void not_a_bool(void)
{
	struct object *obj = new_object();

	obj->bytes[0] = 0x6b;
	if (*(bool *)unknown(obj->bytes))
		pr_info("true\n");
	kfree(obj);
}

/* planted0 will wait for ever to be let go of. */
static noinline void netdev_held(void)
{
	static netdevice_tracker tracker;
	struct net_device *dev = dev_get_by_name(&init_net, "planted0");

	if (dev) {
		netdev_hold(dev, &tracker, GFP_KERNEL);
		dev_put(dev);
	}
}

static noinline void dma_not_mapped(void)
{
	struct platform_device *pdev = platform_device_register_simple("planted", -1, NULL, 0);

	if (IS_ERR(pdev))
		return;
	dma_unmap_single(&pdev->dev, 0x1000, 64, DMA_TO_DEVICE);
	platform_device_unregister(pdev);
}

static noinline void preemptible_cpu(void)
{
	pr_info("CPU %d\n", smp_processor_id());
}

static noinline void net_warning(void)
{
	DEBUG_NET_WARN_ON_ONCE(unknown_int(1));
}

static noinline void dies(void)
{
	if (unknown_int(1))
		__builtin_trap();
}

static noinline void panics(void)
{
	panic("planted");
}

static int counter;

static int count(void *unused)
{
	while (!kthread_should_stop()) {
		counter++;
		cond_resched();
	}
	return 0;
}

static noinline void racing(void)
{
	struct task_struct *one, *two;

	one = kthread_run(count, NULL, "count1");
	two = kthread_run(count, NULL, "count2");
	msleep(10000);
	if (!IS_ERR(one))
		kthread_stop(one);
	if (!IS_ERR(two))
		kthread_stop(two);
}

static noinline void call(void)
{
	((void (*)(int))function)(0);
}

static const struct {
	const char *name;
	void (*commit)(void);
} faults[] = {
	{ "use_after_free", use_after_free },
	{ "out_of_bounds", out_of_bounds },
	{ "double_free", double_free },
	{ "null_dereference", null_dereference },
	{ "leak", leak },
	{ "lock_inversion", lock_inversion },
	{ "softirq_unsafe", softirq_unsafe },
	{ "sleep_in_atomic", sleep_in_atomic },
	{ "rcu_unbalanced", rcu_unbalanced },
	{ "rcu_unprotected", rcu_unprotected },
	{ "rcu_queued_twice", rcu_queued_twice },
	{ "timer_freed", timer_freed },
	{ "work_freed", work_freed },
	{ "refcount_revived", refcount_revived },
	{ "shift_too_far", shift_too_far },
	{ "index_too_large", index_too_large },
	{ "not_a_bool", not_a_bool },
	{ "netdev_held", netdev_held },
	{ "dma_not_mapped", dma_not_mapped },
	{ "preemptible_cpu", preemptible_cpu },
	{ "net_warning", net_warning },
	{ "dies", dies },
	{ "panics", panics },
	{ "racing", racing },
	{ "call", call },
};

static int __init planted_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (!strcmp(faults[i].name, fault)) {
			faults[i].commit();
			return 0;
		}
	}
	pr_err("no fault %s\n", fault);
	return -EINVAL;
}
module_init(planted_init);

/* Where a fault did no harm, it can be loaded for another one. */
static void __exit planted_exit(void)
{
}
module_exit(planted_exit);

MODULE_DESCRIPTION("Faults for checkers to find");
MODULE_LICENSE("GPL");
