/* SPDX-License-Identifier: GPL-2.0 */
/* Moderation of a completion queue: how long, and for how many, it waits before it interrupts. */
#ifndef _IPOIB_MODER_H
#define _IPOIB_MODER_H

#include <linux/compiler.h>
#include <linux/dim.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

/**
 * struct ipoib_coalesce - what the user wants of the queues of one direction
 * @usecs: longest time that a completion waits for an interrupt, microseconds; 0: none waits
 * @frames: this many completions interrupt at once; 0: as many as @usecs allows
 * @adaptive: net_dim() chooses both by the load, whatever they are set to
 *
 * A part of the interface. RTNL; any context reads it.
 */
struct ipoib_coalesce {
	u16 usecs;
	u16 frames;
	bool adaptive;
};

/**
 * struct ipoib_moder - moderation of one completion queue
 * @coalesce: what the user wants; constant
 * @tx: the queue is of sends; constant
 * @lock: protects @cq from being destroyed while it is set, and @profile
 * @cq: the queue; NULL while there is none
 * @profile: what net_dim() has chosen last
 * @usecs: what @cq has been set to; written under @lock
 * @frames: likewise
 * @adaptive: net_dim() chooses; written under @lock
 * @applied: moder_work() has applied what net_dim() has chosen, which may measure again
 * @events: polls that found the queue empty, about as many as interrupts
 * @packets: packets so far, and all that follows belongs to the NAPI instance that polls @cq
 * @bytes: octets of them
 * @dim: what net_dim() knows; @dim.profile_ix does not change until @applied is set
 *
 * Lives in whatever has the queue, and longer than that. Its owner calls ipoib_moder_exit().
 */
struct ipoib_moder {
	const struct ipoib_coalesce *coalesce;
	bool tx;
	struct mutex lock;	/* cq, profile */
	struct ib_cq *cq;
	u8 profile;
	u16 usecs;
	u16 frames;
	bool adaptive;
	bool applied;

	u16 events;
	u32 packets;
	u64 bytes;
	struct dim dim;
};

bool ipoib_moder_possible(const struct ib_device *ibdev);
void ipoib_moder_init(struct ipoib_moder *moder, const struct ipoib_coalesce *coalesce, bool tx);
void ipoib_moder_exit(struct ipoib_moder *moder);
void ipoib_moder_set_cq(struct ipoib_moder *moder, struct ib_cq *cq);
int ipoib_moder_apply(struct ipoib_moder *moder);
void ipoib_moder_sample(struct ipoib_moder *moder, unsigned int packets, u64 bytes, bool ended);

/* Has a poll to call ipoib_moder_sample() at its end? */
static inline bool ipoib_moder_adapts(const struct ipoib_moder *moder)
{
	return unlikely(READ_ONCE(moder->adaptive));
}

#endif /* _IPOIB_MODER_H */
