/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Indices of a power-of-two ring with one producer and one consumer. The indices are never
 * reduced to the size of the ring and wrap at 2^32; a slot number is an index masked with
 * @mask.
 */
#ifndef _IPOIB_RING_H
#define _IPOIB_RING_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/types.h>

/**
 * struct ipoib_ring - producer and consumer index
 * @mask: slots - 1; constant while the ring is not empty
 * @head: slots ever filled; written by the producer
 * @tail: slots ever emptied; written by the consumer
 */
struct ipoib_ring {
	u32 mask;
	u32 head ____cacheline_aligned_in_smp;
	u32 tail ____cacheline_aligned_in_smp;
};

static inline void ipoib_ring_init(struct ipoib_ring *ring, u32 slots)
{
	ring->mask = slots - 1;
	ring->head = 0;
	ring->tail = 0;
}

/* Give an empty ring, which nobody uses now, another number of slots. */
static inline void ipoib_ring_resize(struct ipoib_ring *ring, u32 slots)
{
	ring->mask = slots - 1;
}

static inline u32 ipoib_ring_size(const struct ipoib_ring *ring)
{
	return ring->mask + 1;
}

static inline u32 ipoib_ring_slot(const struct ipoib_ring *ring, u32 index)
{
	return index & ring->mask;
}

/*
 * Number of filled slots. The other side may change it meanwhile; the producer never reads too
 * few and the consumer never too many. For any other context it is only a hint.
 */
static inline u32 ipoib_ring_used(const struct ipoib_ring *ring)
{
	return READ_ONCE(ring->head) - READ_ONCE(ring->tail);
}

/* Producer: number of free slots. */
static inline u32 ipoib_ring_space(const struct ipoib_ring *ring)
{
	/* Pairs with ipoib_ring_pop(): the consumer has finished with every free slot. */
	u32 tail = smp_load_acquire(&ring->tail);

	return ipoib_ring_size(ring) - (ring->head - tail);
}

/* Producer: publish @n slots that have been filled. */
static inline void ipoib_ring_push(struct ipoib_ring *ring, u32 n)
{
	/* Pairs with ipoib_ring_ready(): a slot is filled before the consumer can see it. */
	smp_store_release(&ring->head, ring->head + n);
}

/*
 * Producer: take the last @n slots back. The caller knows that the consumer has not touched
 * them, because the HCA never got their work requests.
 */
static inline void ipoib_ring_unpush(struct ipoib_ring *ring, u32 n)
{
	WRITE_ONCE(ring->head, ring->head - n);
}

/* Consumer: number of filled slots. Their contents may be read after this call. */
static inline u32 ipoib_ring_ready(const struct ipoib_ring *ring)
{
	/* Pairs with ipoib_ring_push(). */
	return smp_load_acquire(&ring->head) - ring->tail;
}

/* Consumer: give @n emptied slots back. */
static inline void ipoib_ring_pop(struct ipoib_ring *ring, u32 n)
{
	/* Pairs with ipoib_ring_space(). */
	smp_store_release(&ring->tail, ring->tail + n);
}

#endif /* _IPOIB_RING_H */
