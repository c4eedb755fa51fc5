/* SPDX-License-Identifier: GPL-2.0 */
/* The fabric: one switch, HCAs cabled to it, and the way between them. */
#ifndef _IBDS_FABRIC_H
#define _IBDS_FABRIC_H

#include <linux/bitmap.h>
#include <linux/mutex.h>

#include "fault.h"
#include "hca.h"
#include "node.h"
#include "packet.h"
#include "port.h"
#include "rule.h"
#include "wire.h"

#define IBDS_PORTS_MAX	254
#define IBDS_LFT_LEN	0xc000		/* every unicast LID */
#define IBDS_LFT_NONE	255
#define IBDS_MFT_LEN	1024
#define IBDS_MFT_WORDS	16		/* of 16 ports each */

/**
 * enum ibds_link - what became of a link
 * @IBDS_LINK_SAME: nothing
 * @IBDS_LINK_CAME: it is up now
 * @IBDS_LINK_LOST: it is or has been down
 */
enum ibds_link {
	IBDS_LINK_SAME,
	IBDS_LINK_CAME,
	IBDS_LINK_LOST,
};

/**
 * struct ibds_switch - the switch
 * @node: what its management agent knows
 * @info: SwitchInfo, as the subnet manager reads and writes it; the fabric's
 *	lock
 * @lft: port for each LID; READ_ONCE() suffices, entries are octets
 * @mft: ports of each multicast LID; likewise
 */
struct ibds_switch {
	struct ibds_node node;
	struct ibds_switch_info info;
	u8 *lft;
	u16 (*mft)[IBDS_MFT_WORDS];
};

/**
 * struct ibds_fabric - all there is
 * @lock: protects what subnet managers see: ports, nodes, switch. BH off.
 *	Nothing is delivered or dispatched under it
 * @topology: serialises adding and removing HCAs
 * @hcas: HCA at each port of the switch, RCU; changed under @topology and
 *	@lock
 * @sw: the switch
 * @faults: faults on the links
 * @rules: what happens to which MADs
 * @delayed: packets that wait
 * @ndelayed: how many
 * @delayed_lock: protects both
 * @no_srq: HCAs made from now on have no shared receive queues
 * @vfs: how many virtual functions each HCA has; a knob of a test
 * @debugfs: the module's directory
 *
 * There is one, as long as the module is there.
 */
struct ibds_fabric {
	spinlock_t lock;	/* ports, nodes, switch */
	struct mutex topology;
	struct ibds_hca __rcu *hcas[IBDS_PORTS_MAX + 1];
	struct ibds_switch sw;
	struct ibds_faults faults;
	struct ibds_rules rules;
	struct list_head delayed;
	unsigned int ndelayed;
	spinlock_t delayed_lock;	/* delayed, ndelayed */
	bool no_srq;
	u32 vfs;
	struct dentry *debugfs;
};

/*
 * ibds_sl_passes() says whether there is a lane for the service level of the packet. Where there
 * is none, a port drops the packet (IBTA 7.6.6).
 */
static inline bool ibds_sl_passes(const struct ibds_fabric *fab,
				  const struct ibds_packet *pkt)
{
	return likely(READ_ONCE(fab->faults.sls) & BIT(pkt->sl));
}

struct ibds_fabric *ibds_fabric_new(u8 ports);
void ibds_fabric_free(struct ibds_fabric *fab);

void ibds_fabric_cable(struct ibds_hca *hca);
void ibds_fabric_unplug(struct ibds_hca *hca);
enum ibds_link ibds_link_update(struct ibds_fabric *fab, u8 num, bool retrain);
void ibds_link_changed(struct ibds_fabric *fab, u8 num, enum ibds_link how);
void ibds_hca_event(struct ibds_hca *hca, enum ib_event_type type);

struct ibds_hca *ibds_route(struct ibds_hca *from, const struct ibds_packet *pkt,
			    bool *to_switch);
struct ibds_hca *ibds_route_from_switch(struct ibds_fabric *fab,
					const struct ibds_packet *pkt, bool vl15);
struct ibds_hca *ibds_route_vl15(struct ibds_hca *from,
				 const struct ibds_packet *pkt, bool *to_switch);

static inline struct ibds_port *ibds_switch_port(const struct ibds_fabric *fab,
						 u8 num)
{
	return fab->sw.node.ports[num];
}

#endif /* _IBDS_FABRIC_H */
