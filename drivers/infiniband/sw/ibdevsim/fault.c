// SPDX-License-Identifier: GPL-2.0
#include "fault.h"

#include <linux/err.h>
#include <linux/math64.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>

static const char * const class_names[IBDS_CLASS_COUNT] = {
	"ud", "rc", "uc", "smp", "sa", "cm",
};

/**
 * ibds_class_name - the name of a class of packets
 * @class: which
 *
 * Return: a constant string.
 */
const char *ibds_class_name(enum ibds_class class)
{
	return class_names[class];
}

/**
 * ibds_faults_init - no faults
 * @faults: result, zeroed
 */
void ibds_faults_init(struct ibds_faults *faults)
{
	spin_lock_init(&faults->lock);
	faults->delay_usec = 1000;
	faults->sls = U16_MAX;
	ibds_faults_seed(faults, 1);
}

/**
 * ibds_faults_seed - start the sequence of verdicts anew
 * @faults: the faults
 * @seed: the same seed gives the same verdicts in the same order
 *
 * Context: Any.
 */
void ibds_faults_seed(struct ibds_faults *faults, u64 seed)
{
	unsigned long flags;

	spin_lock_irqsave(&faults->lock, flags);
	faults->seed = seed;
	/* xorshift stays at 0 for ever. */
	faults->random = seed * 0x9e3779b97f4a7c15ULL ?: 1;
	spin_unlock_irqrestore(&faults->lock, flags);
}

/**
 * ibds_faults_rearm - a rate or a LID was changed
 * @faults: the faults
 *
 * Context: Any.
 */
void ibds_faults_rearm(struct ibds_faults *faults)
{
	bool armed = false;
	unsigned long flags;
	int i;

	/* If two users write at once, the second one sees what the first one has changed. */
	spin_lock_irqsave(&faults->lock, flags);
	for (i = 0; i < IBDS_CLASS_COUNT; i++)
		armed |= faults->drop[i] || faults->drop_dlid[i] ||
			 faults->dup[i] || faults->delay[i] || faults->garble[i];
	WRITE_ONCE(faults->armed, armed);
	spin_unlock_irqrestore(&faults->lock, flags);
}

/**
 * ibds_faults_random - what follows from the seed
 * @faults: the faults
 *
 * Return: the next number of the sequence, each bit of it as likely as not.
 * Context: Any.
 */
u64 ibds_faults_random(struct ibds_faults *faults)
{
	unsigned long flags;
	u64 x;

	spin_lock_irqsave(&faults->lock, flags);
	x = faults->random;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	faults->random = x;
	spin_unlock_irqrestore(&faults->lock, flags);

	return x * 0x2545f4914f6cdd1dULL;
}

static u32 next_ppm(struct ibds_faults *faults)
{
	return mul_u64_u32_shr(ibds_faults_random(faults) >> 32, 1000000, 32);
}

/**
 * __ibds_fault_packet - what happens to a packet
 * @faults: the faults, armed
 * @class: what kind of packet it is
 * @dlid: where to
 *
 * Return: the verdict.
 * Context: Any.
 */
enum ibds_verdict __ibds_fault_packet(struct ibds_faults *faults,
				      enum ibds_class class, u16 dlid)
{
	u32 broken = READ_ONCE(faults->drop_dlid[class]);
	u32 drop = READ_ONCE(faults->drop[class]);
	u32 dup = READ_ONCE(faults->dup[class]);
	u32 delay = READ_ONCE(faults->delay[class]);
	u32 garble = READ_ONCE(faults->garble[class]);
	u32 dice;

	if (broken && broken == dlid)
		return IBDS_DROP;
	/* A class without faults leaves the sequence of the others alone. */
	if (!drop && !dup && !delay && !garble)
		return IBDS_PASS;

	dice = next_ppm(faults);
	if (dice < drop)
		return IBDS_DROP;
	if (dice - drop < dup)
		return IBDS_DUP;
	if (dice - drop - dup < delay)
		return IBDS_DELAY;
	if (dice - drop - dup - delay < garble)
		return IBDS_GARBLE;
	return IBDS_PASS;
}

/**
 * ibds_fault_lost - does a link lose a packet?
 * @faults: the faults
 * @class: what kind of packet it is
 *
 * For links past the first one: each to which a datagram for a group is copied, and those
 * of the switch's own packets.
 *
 * Return: true if it does.
 * Context: Any.
 */
bool ibds_fault_lost(struct ibds_faults *faults, enum ibds_class class)
{
	u32 drop = READ_ONCE(faults->drop[class]);

	return unlikely(drop) && next_ppm(faults) < drop;
}

/**
 * ibds_fault_aim - say whose calls fail
 * @faults: the faults
 * @victim: name of a module, "" for all but the RDMA core's own
 *
 * Context: Any.
 */
void ibds_fault_aim(struct ibds_faults *faults, const char *victim)
{
	unsigned long flags;

	spin_lock_irqsave(&faults->lock, flags);
	strscpy(faults->victim, victim, sizeof(faults->victim));
	spin_unlock_irqrestore(&faults->lock, flags);
}

/**
 * ibds_fault_meant - are the faults for this consumer?
 * @faults: the faults
 * @consumer: name of its module, as the core knows it
 *
 * The core's own are QP0 and QP1, and what subnet managers, SA and CM ask through them:
 * which of all calls is the Nth would be theirs to say.
 *
 * Return: true if they are.
 * Context: Any.
 */
bool ibds_fault_meant(struct ibds_faults *faults, const char *consumer)
{
	unsigned long flags;
	bool meant;

	if (!consumer)
		return false;
	spin_lock_irqsave(&faults->lock, flags);
	meant = *faults->victim ? !strcmp(faults->victim, consumer) :
				  strcmp("ib_core", consumer);
	spin_unlock_irqrestore(&faults->lock, flags);
	return meant;
}

/**
 * ibds_fault_count_io - count an object for which pages may have to be written
 * @faults: the faults
 * @with_io: how many there are
 * @consumer: who makes it, in this context
 *
 * The driver of an HCA allocates for it with GFP_KERNEL. Only works are looked at: what a system
 * call waits for is its caller's to know.
 *
 * Context: Any.
 */
void ibds_fault_count_io(struct ibds_faults *faults, atomic_t *with_io, const char *consumer)
{
	if ((current->flags & PF_WQ_WORKER) && !(current->flags & PF_MEMALLOC_NOIO) &&
	    ibds_fault_meant(faults, consumer))
		atomic_inc(with_io);
}

/**
 * __ibds_fault_hits - is this the call that fails?
 * @faults: the faults
 * @countdown: how many calls until then; below 0 for each
 * @consumer: whose call it is
 *
 * Return: true once, when the count reaches 0, or always.
 * Context: Any.
 */
bool __ibds_fault_hits(struct ibds_faults *faults, atomic_t *countdown,
		       const char *consumer)
{
	return ibds_fault_meant(faults, consumer) &&
	       (atomic_read(countdown) < 0 || atomic_dec_if_positive(countdown) == 0);
}

/**
 * ibds_fault_blame - a consumer has posted what no queue takes, and no knob is why
 * @consumer: whose queue it is
 * @what: of it, for people
 * @err: what it is told
 *
 * A driver may get over that, and its tests would not notice that it counts wrong. So the log
 * says BUG, as that of mlx5 has a warning. For ibdevsim_loop it is what is tried.
 *
 * Return: @err.
 * Context: Any.
 */
int ibds_fault_blame(const char *consumer, const char *what, int err)
{
	if (strcmp(consumer, "ibdevsim_loop"))
		pr_err_ratelimited("ibdevsim: BUG: %s posts %s that no queue takes: %pe\n",
				   consumer, what, ERR_PTR(err));
	return err;
}
