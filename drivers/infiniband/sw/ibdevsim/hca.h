/* SPDX-License-Identifier: GPL-2.0 */
/* One HCA: an RDMA device with one port, cabled to the switch. */
#ifndef _IBDS_HCA_H
#define _IBDS_HCA_H

#include <linux/atomic.h>
#include <linux/device.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/llist.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "limits.h"
#include "node.h"
#include "port.h"
#include "profile.h"
#include "vector.h"
#include "vf.h"

#define IBDS_QP_HASH	1024
#define IBDS_MCAST_HASH	64

struct ibds_fabric;

/**
 * struct ibds_hca_faults - calls that are going to fail
 * @post_send: calls until the one that fails, 0 for never, -1 for each
 * @post_recv: likewise
 * @create_ah: likewise
 * @create_qp: likewise
 * @modify_qp: likewise
 * @attach_mcast: likewise
 * @detach_mcast: likewise
 * @rnr: so many messages find no receive buffer
 * @send_error: the signaled or unsignaled work request that completes with
 *	@send_status, counted down; 0 for never
 * @send_status: enum ib_wc_status
 * @query_fails: queries of the port fail
 * @commands_fail: no command does what it should
 * @commands_hang: or returns
 * @attach_hangs: none returns that attaches a queue pair to a group
 * @hanging: how many do not
 * @command_usec: how long each takes
 * @reset_fails: queue pairs do not enter the reset state
 * @init_refused: nor the init state, as that of no state that they are in
 * @cq_delay_usec: completions can be polled so much later than they happen
 * @cq_at_arming: completions that happen while their queue is not armed can be polled
 *	once it is
 * @csum_lies: what it says of the sums in packets
 * @with_io: queue pairs, completion queues and address handles that works have made which may
 *	wait for pages to be written
 * @stalled: nothing is done for numbered queue pairs, nor received by them
 * @dead: its firmware has died; for good
 */
struct ibds_hca_faults {
	atomic_t post_send;
	atomic_t post_recv;
	atomic_t create_ah;
	atomic_t create_qp;
	atomic_t modify_qp;
	atomic_t attach_mcast;
	atomic_t detach_mcast;
	atomic_t rnr;
	atomic_t send_error;
	u32 send_status;
	bool query_fails;
	bool commands_fail;
	bool commands_hang;
	bool attach_hangs;
	atomic_t hanging;
	u32 command_usec;
	bool reset_fails;
	bool init_refused;
	u32 cq_delay_usec;
	bool cq_at_arming;
	u32 csum_lies;
	atomic_t with_io;
	bool stalled;
	bool dead;
};

/**
 * struct ibds_hca - one HCA
 * @ibdev: the core's part
 * @fab: fabric; outlives it
 * @profile: what kind it is
 * @index: port of the switch that it is cabled to, from 1
 * @registered: the core wants to hear of events
 * @node: what its management agent knows
 * @ports: what @node.ports points to
 * @port: the port
 * @table_lock: protects changes of @qps, @special, @mcast and @next_qpn, and
 *	@srqs
 * @qps: queue pairs by number, RCU
 * @special: QP0 and QP1, RCU
 * @mcast: group members by MGID, RCU
 * @next_qpn: number that the next queue pair gets if it is free
 * @srqs: shared receive queues
 * @ahs: address handles
 * @ah_lock: protects @ahs; innermost, any context
 * @ready: queue pairs with something to do
 * @stuck: those among them that @faults.stalled keeps
 * @engine: runs them
 * @vectors: completion vectors
 * @faults: calls that are going to fail
 * @limits: how many objects of each kind it holds
 * @dma_parms: it takes segments of any length
 * @vfs: virtual functions, as many as the fabric says
 * @no_srq: it has no shared receive queues; constant
 * @debugfs: directory
 *
 * Made by ibds_device_new(), which cables it; unplugged and freed by
 * ibds_device_del() after a grace period. The data path finds it under RCU.
 */
struct ibds_hca {
	struct ib_device ibdev;
	struct ibds_fabric *fab;
	const struct ibds_profile *profile;
	u8 index;
	bool registered;
	struct ibds_node node;
	struct ibds_port *ports[2];
	struct ibds_port port;
	spinlock_t table_lock;	/* changes of the next five */
	struct hlist_head qps[IBDS_QP_HASH];
	struct ibds_qp __rcu *special[2];
	struct hlist_head mcast[IBDS_MCAST_HASH];
	u32 next_qpn;
	struct list_head srqs;
	struct list_head ahs;
	spinlock_t ah_lock;	/* ahs */
	struct llist_head ready;
	struct llist_head stuck;
	struct tasklet_struct engine;
	struct ibds_vector vectors[IBDS_VECTORS_MAX];
	struct ibds_hca_faults faults;
	struct ibds_limits limits;
	struct device_dma_parameters dma_parms;
	struct ibds_vf vfs[IBDS_VFS_MAX];
	bool no_srq;
	struct dentry *debugfs;
};

static inline struct ibds_hca *to_ibds_hca(struct ib_device *ibdev)
{
	return container_of(ibdev, struct ibds_hca, ibdev);
}

/* An HCA that has died answers nothing any more. */
static inline int ibds_answers(const struct ibds_hca *hca)
{
	return READ_ONCE(hca->faults.dead) ? -EIO : 0;
}

int ibds_command(struct ibds_hca *hca);
void ibds_hang(struct ibds_hca *hca, const bool *hangs);

/* Do its connections change paths? A fault knob changes what the core has read. */
static inline bool ibds_hca_migrates(const struct ibds_hca *hca)
{
	return READ_ONCE(hca->ibdev.attrs.device_cap_flags) &
	       IB_DEVICE_AUTO_PATH_MIG;
}

#endif /* _IBDS_HCA_H */
