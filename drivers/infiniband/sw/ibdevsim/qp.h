/* SPDX-License-Identifier: GPL-2.0 */
/* Queue pairs: their queues, states and lives. */
#ifndef _IBDS_QP_H
#define _IBDS_QP_H

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/refcount.h>
#include <rdma/ib_verbs.h>

#include "ah.h"
#include "hca.h"
#include "offload.h"
#include "qpfsm.h"
#include "rq.h"
#include "sg.h"

struct ibds_batch;

/**
 * struct ibds_path - one of the ways to the other end of a connection
 * @av: where it leads
 * @attr: that as the consumer said it
 * @pkey_index: P_Key
 * @timeout: Local ACK Timeout
 */
struct ibds_path {
	struct ibds_av av;
	struct rdma_ah_attr attr;
	u16 pkey_index;
	u8 timeout;
};

/**
 * struct ibds_paths - the ways to the other end
 * @path: the one in use, and perhaps another; written under the queue pair's
 *	lock and the responder's, read under either
 * @now: which one is in use; written under the responder's lock, read under
 *	it or with READ_ONCE()
 * @state: enum ib_mig_state, likewise
 * @spare: the other one has been loaded, likewise
 */
struct ibds_paths {
	struct ibds_path path[2];
	u8 now;
	u8 state;
	bool spare;
};

/**
 * struct ibds_sqe - a posted send
 * @wr_id: the consumer's
 * @len: octets of all elements
 * @imm: immediate data
 * @has_imm: @imm is sent
 * @signaled: complete it also when it succeeds
 * @solicited: ask for a solicited event
 * @fault: enum ib_wc_status that it is bound to fail with: an element has a wrong key,
 *	the address handle is of another domain. IB_WC_SUCCESS if there is none
 * @first_psn: of its first packet, once that has been sent
 * @last_psn: of its last one
 * @ah: datagrams: handle that counts this send until it is done; NULL where the profile
 *	lets it go at once
 * @av: datagrams: where it goes
 * @qpn: datagrams: to which queue pair
 * @qkey: datagrams: with which Q_Key
 * @pkey_index: GSI: with which P_Key
 * @sge: elements
 */
struct ibds_sqe {
	u64 wr_id;
	u32 len;
	__be32 imm;
	bool has_imm;
	bool signaled;
	bool solicited;
	u8 fault;
	struct ibds_ah *ah;
	union {
		struct {
			u32 first_psn;
			u32 last_psn;
		};
		struct {
			struct ibds_av av;
			u32 qpn;
			u32 qkey;
			u16 pkey_index;
		};
	};
	struct ib_sge sge[];
};

/**
 * struct ibds_sq - a send queue
 * @lock: serialises posting
 * @ring: work requests, @stride apart
 * @stride: octets of an entry
 * @mask: length of the ring less 1; a power of two less 1
 * @room: entries that it holds, exactly as many as were asked for
 * @max_sge: elements that an entry can hold
 * @extra: it has a struct ibds_extra behind them
 * @max_inline: octets that can be in the entry itself
 * @head: ever posted; written under @lock
 * @cur: being sent; the queue pair's lock
 * @fresh: have no sequence numbers yet from here on; the queue pair's lock
 * @tail: ever completed; written under the queue pair's lock
 * @polled: those before it make room: @tail of the last completion that was polled;
 *	profiles whose slots are free when they are done do not use it
 */
struct ibds_sq {
	spinlock_t lock;	/* posting: head and entries past it */
	void *ring;
	u32 stride;
	u32 mask;
	u32 room;
	u32 max_sge;
	bool extra;
	u32 max_inline;
	u32 head;
	u32 cur;
	u32 fresh;
	u32 tail;
	u32 polled;
};

#define IBDS_ANSWERS	32	/* to one requester, on the way */

/**
 * struct ibds_late_answer - an answer that is on its way to a requester
 * @due: when it arrives
 * @psn: as in struct ibds_answer
 * @syndrome: likewise
 */
struct ibds_late_answer {
	ktime_t due;
	u32 psn;
	u8 syndrome;
};

/**
 * struct ibds_requester - the sending side of a connected queue pair
 * @psn: next packet
 * @una: oldest packet that is not acknowledged
 * @retries: left until the connection is given up
 * @rnr_retries: left for a receiver that is not ready; 7 is for ever
 * @waiting: sends nothing until @timer expires
 * @delayed: the fault knob has held back the next packet, once
 * @timing: @timer runs, or nobody has looked yet
 * @timed_una: @una when @timer was started
 * @path: path that @retries and @rnr_retries are counted on
 * @timer: the time to wait for, or until an acknowledgment is missed
 * @answers: those that are on their way, a ring
 * @answer_head: ever sent
 * @answer_tail: ever arrived
 * @answer_timer: when the next one arrives
 */
struct ibds_requester {
	u32 psn;
	u32 una;
	u8 retries;
	u8 rnr_retries;
	bool waiting;
	bool delayed;
	bool timing;
	u32 timed_una;
	u8 path;
	struct hrtimer timer;
	struct ibds_late_answer answers[IBDS_ANSWERS];
	u32 answer_head;
	u32 answer_tail;
	struct hrtimer answer_timer;
};

/**
 * struct ibds_responder - the receiving side of a queue pair
 * @lock: protects what follows, which only connected ones use, and the order
 *	of the receive queue; nests inside a requester's lock
 * @psn: packet that is expected
 * @msn: messages completed
 * @nak_sent: the gap has been told of; once is enough
 * @established: IB_EVENT_COMM_EST has been told of; once is enough, too
 * @failed: something has been completed with an error: nothing is received until the
 *	engine has entered the error state, and flushed
 * @have_rqe: @rqe has been taken off the queue and is not completed
 * @in_message: @rqe is being filled, the next packet continues a message
 * @off: octets of @rqe that are filled
 * @at: where to go on
 * @rqe: the buffer
 */
struct ibds_responder {
	spinlock_t lock;	/* all below, and the state of the QP */
	u32 psn;
	u32 msn;
	bool nak_sent;
	bool established;
	bool failed;
	bool have_rqe;
	bool in_message;
	u32 off;
	struct ibds_cursor at;
	struct ibds_rqe_taken rqe;
};

/* Things for the engine to see to, bits of @todo. */
enum ibds_todo {
	IBDS_TODO_QUEUED,	/* is on its HCA's ready list */
	IBDS_TODO_SRQ_LIMIT,	/* IB_EVENT_SRQ_LIMIT_REACHED of its SRQ */
	/* The ones that follow are of no interest any more after a reset. */
	IBDS_TODO_ERROR,	/* go to the error state */
	IBDS_TODO_TIMER,	/* the requester's timer has run out */
	IBDS_TODO_FATAL,	/* IB_EVENT_QP_FATAL */
	IBDS_TODO_LAST_WQE,	/* IB_EVENT_QP_LAST_WQE_REACHED */
	IBDS_TODO_COMM_EST,	/* IB_EVENT_COMM_EST */
	IBDS_TODO_ACCESS,	/* IB_EVENT_QP_REQ_ERR */
	IBDS_TODO_SQ_DRAINED,	/* IB_EVENT_SQ_DRAINED */
	IBDS_TODO_PATH_MIG,	/* IB_EVENT_PATH_MIG */
	IBDS_TODO_PATH_MIG_ERR,	/* IB_EVENT_PATH_MIG_ERR */
	IBDS_TODOS
};

/* RDMA reads and atomic operations that are under way at a time, as mlx5 has them */
#define IBDS_RD_ATOMIC	16

/**
 * struct ibds_qp - a queue pair
 * @ibqp: the core's part; the core makes and frees the whole
 * @hca: its HCA
 * @hash: entry of the HCA's table, RCU
 * @refs: one of the creation, one of being on the ready list
 * @released: the last reference is gone
 * @todo: enum ibds_todo, atomic
 * @ready: entry of the HCA's ready list
 * @modifying: one ib_modify_qp() at a time
 * @lock: the engine's and ib_modify_qp()'s: protects the requester. Outermost
 *	of the spinlocks of a queue pair
 * @state: enum ib_qp_state; written under @lock and the responder's, read
 *	under either or with READ_ONCE()
 * @spent: it was reset, or has failed; @lock
 * @attr: attributes as the consumer set them, but for those of @paths; @lock
 * @sig_all: each send completes
 * @block_loopback: own datagrams to a group do not come back
 * @lso: it cuts TCP segments
 * @checks_sums: it tells of received packets whose sums are right
 * @mtu_shift: connected: binary logarithm of the path MTU
 * @paths: connected: the ways to the other end
 * @sq: send queue
 * @rq: receive queue unless it has a shared one
 * @recv: the receive queue that it uses
 * @req: sending side, @lock
 * @rsp: receiving side
 *
 * Destruction unhashes it, stops the engine for it, and waits until the ready
 * list has let go of it and no other engine can have seen it.
 */
struct ibds_qp {
	struct ib_qp ibqp;
	struct ibds_hca *hca;
	struct hlist_node hash;
	refcount_t refs;
	struct completion released;
	unsigned long todo;
	struct llist_node ready;
	struct mutex modifying;	/* ib_modify_qp(), all of it */
	spinlock_t lock;	/* attr, req, sq->cur/fresh/tail; state */
	u8 state;
	bool spent;
	struct ib_qp_attr attr;
	bool sig_all;
	bool block_loopback;
	bool lso;
	bool checks_sums;
	u8 mtu_shift;
	struct ibds_paths paths;
	struct ibds_sq sq;
	struct ibds_rq rq;
	struct ibds_rq *recv;
	struct ibds_requester req;
	struct ibds_responder rsp;
};

static inline struct ibds_qp *to_ibds_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct ibds_qp, ibqp);
}

/* The path in use; under the queue pair's lock or its responder's */
static inline const struct ibds_path *ibds_qp_path(const struct ibds_qp *qp)
{
	return &qp->paths.path[READ_ONCE(qp->paths.now)];
}

static inline bool ibds_qp_may(const struct ibds_qp *qp, unsigned int right)
{
	return ibds_qp_rights(READ_ONCE(qp->state)) & right;
}

static inline struct ibds_sqe *ibds_sqe_at(const struct ibds_sq *sq, u32 index)
{
	return sq->ring + (index & sq->mask) * sq->stride;
}

/*
 * ibds_sqe_extra() returns what lies behind the elements; NULL if the queue has no offloads and
 * nothing inline.
 */
static inline struct ibds_extra *ibds_sqe_extra(const struct ibds_sq *sq,
						const struct ibds_sqe *sqe)
{
	return sq->extra ? (struct ibds_extra *)&sqe->sge[sq->max_sge] : NULL;
}

/* Nobody will look at its address any more. */
static inline void ibds_sqe_done(const struct ibds_sqe *sqe)
{
	if (sqe->ah)
		atomic_dec(&sqe->ah->sends);
}

/*
 * ibds_qp_stuck() says whether the HCA leaves the queue pair alone, by a fault knob. The RDMA
 * core waits for what it has sent by QP0 and QP1 without end, so those go on; and one that is
 * reset has nothing to do.
 */
static inline bool ibds_qp_stuck(const struct ibds_qp *qp)
{
	return unlikely(READ_ONCE(qp->hca->faults.stalled)) &&
	       qp->ibqp.qp_num > 1 && READ_ONCE(qp->state) != IB_QPS_RESET;
}

int ibds_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		   struct ib_udata *udata);
int ibds_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_udata *udata);
int ibds_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init);
int ibds_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);
int ibds_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		   const struct ib_send_wr **bad_wr);
int ibds_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		   const struct ib_recv_wr **bad_wr);

u32 ibds_first_qpn(u8 index);
struct ibds_qp *ibds_qp_find(struct ibds_hca *hca, u32 qpn);
void ibds_qp_kick(struct ibds_qp *qp);
void ibds_qp_put(struct ibds_qp *qp);
void ibds_qp_unheard(struct ibds_qp *qp);
void ibds_qp_todo(struct ibds_qp *qp, enum ibds_todo todo);
void ibds_qp_set_state(struct ibds_qp *qp, enum ib_qp_state state);

#endif /* _IBDS_QP_H */
