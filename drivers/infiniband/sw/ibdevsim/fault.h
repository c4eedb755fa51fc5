/* SPDX-License-Identifier: GPL-2.0 */
/* Faults made on purpose: which packet is lost, which call fails. */
#ifndef _IBDS_FAULT_H
#define _IBDS_FAULT_H

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* Classes of packets, in the order of their names in fault.c. */
enum ibds_class {
	IBDS_CLASS_UD,
	IBDS_CLASS_RC,
	IBDS_CLASS_UC,
	IBDS_CLASS_SMP,
	IBDS_CLASS_SA,
	IBDS_CLASS_CM,
	IBDS_CLASS_COUNT
};

#define IBDS_VICTIM_MAX		32

enum ibds_verdict {
	IBDS_PASS,
	IBDS_DROP,
	IBDS_DUP,
	IBDS_DELAY,
	IBDS_GARBLE,
	IBDS_ANSWER,
};

/**
 * struct ibds_faults - faults on the links
 * @armed: one of the rates or LIDs is not 0; read without the lock
 * @lock: protects @random, so that the sequence of verdicts is one, @victim, and changes
 *	of @armed
 * @seed: what @random started from
 * @random: state of the generator, never 0
 * @delay_usec: how long a delayed packet waits
 * @drop: lost packets of each class, in ppm
 * @drop_dlid: LID all packets to which are lost, of each class, 0 for none
 * @dup: packets sent twice, in ppm
 * @delay: packets that wait, in ppm
 * @garble: packets that arrive altered, in ppm; of datagrams only
 * @garbled: how many were
 * @sls: service levels that pass, a bit for each
 * @wire_usec: how long datagrams, and answers to packets of connections, are on the way
 * @victim: module whose calls fail, "" for all but the RDMA core; @lock
 */
struct ibds_faults {
	bool armed;
	spinlock_t lock;	/* random, armed, victim */
	u64 seed;
	u64 random;
	u32 delay_usec;
	u32 drop[IBDS_CLASS_COUNT];
	u32 drop_dlid[IBDS_CLASS_COUNT];
	u32 dup[IBDS_CLASS_COUNT];
	u32 delay[IBDS_CLASS_COUNT];
	u32 garble[IBDS_CLASS_COUNT];
	atomic_t garbled;
	u32 sls;
	u32 wire_usec;
	char victim[IBDS_VICTIM_MAX];
};

void ibds_faults_init(struct ibds_faults *faults);
void ibds_faults_seed(struct ibds_faults *faults, u64 seed);
void ibds_faults_rearm(struct ibds_faults *faults);
u64 ibds_faults_random(struct ibds_faults *faults);
const char *ibds_class_name(enum ibds_class class);

enum ibds_verdict __ibds_fault_packet(struct ibds_faults *faults,
				      enum ibds_class class, u16 dlid);
bool ibds_fault_lost(struct ibds_faults *faults, enum ibds_class class);
void ibds_fault_aim(struct ibds_faults *faults, const char *victim);
bool ibds_fault_meant(struct ibds_faults *faults, const char *consumer);
void ibds_fault_count_io(struct ibds_faults *faults, atomic_t *with_io, const char *consumer);
bool __ibds_fault_hits(struct ibds_faults *faults, atomic_t *countdown,
		       const char *consumer);
int ibds_fault_blame(const char *consumer, const char *what, int err);

/*
 * ibds_fault_hits() says whether this is the call that fails. @countdown is how many there are
 * until then, 0 for never, -1 for each.
 */
static inline bool ibds_fault_hits(struct ibds_faults *faults, atomic_t *countdown,
				   const char *consumer)
{
	return unlikely(atomic_read(countdown)) &&
	       __ibds_fault_hits(faults, countdown, consumer);
}

static inline enum ibds_verdict ibds_fault_packet(struct ibds_faults *faults,
						  enum ibds_class class,
						  u16 dlid)
{
	if (likely(!READ_ONCE(faults->armed)))
		return IBDS_PASS;
	return __ibds_fault_packet(faults, class, dlid);
}

#endif /* _IBDS_FAULT_H */
