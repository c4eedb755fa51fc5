/* SPDX-License-Identifier: GPL-2.0 */
/* A port of an HCA or of the switch: what its agents tell of it. */
#ifndef _IBDS_PORT_H
#define _IBDS_PORT_H

#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#define IBDS_PKEYS	128	/* of any port; see @npkeys */
#define IBDS_GUIDS	32
#define IBDS_LMC_MAX	3

/* Physical port states, as PortInfo has them. */
enum ibds_phys {
	IBDS_PHYS_POLLING	= 2,
	IBDS_PHYS_DISABLED	= 3,
	IBDS_PHYS_LINK_UP	= 5,
};

/**
 * enum ibds_counter - what is counted at a port
 * @IBDS_XMIT_BYTES: octets sent, without VCRC
 * @IBDS_XMIT_PACKETS: packets sent
 * @IBDS_XMIT_MCAST: to groups among them
 * @IBDS_RCV_BYTES: octets received, without VCRC
 * @IBDS_RCV_PACKETS: packets received
 * @IBDS_RCV_MCAST: to groups among them
 * @IBDS_XMIT_DISCARDS: not sent, the link or port was not active
 * @IBDS_RCV_ERRORS: lost on the link
 * @IBDS_RCV_RELAY: no way on from this port
 * @IBDS_RCV_CONSTRAINT: P_Key of no partition
 * @IBDS_VL15_DROPPED: no room for an SMP
 * @IBDS_LINK_DOWNED: times the link went down
 */
enum ibds_counter {
	IBDS_XMIT_BYTES,
	IBDS_XMIT_PACKETS,
	IBDS_XMIT_MCAST,
	IBDS_RCV_BYTES,
	IBDS_RCV_PACKETS,
	IBDS_RCV_MCAST,
	IBDS_XMIT_DISCARDS,
	IBDS_RCV_ERRORS,
	IBDS_RCV_RELAY,
	IBDS_RCV_CONSTRAINT,
	IBDS_VL15_DROPPED,
	IBDS_LINK_DOWNED,
};

#define IBDS_COUNTERS	(IBDS_LINK_DOWNED + 1)

/**
 * struct ibds_counters - a set of counters
 * @n: by enum ibds_counter
 */
struct ibds_counters {
	u64 n[IBDS_COUNTERS];
};

/**
 * struct ibds_port - one port
 * @lock: the fabric's; protects everything here unless noted. Data packets
 *	are handled under no lock and read fields with READ_ONCE()
 * @num: number at its node, 0 is the switch itself
 * @is_switch: belongs to the switch
 * @cabled: the fault knob has not pulled the cable
 * @guid: port GUID
 * @gid_prefix: subnet prefix
 * @guids: GUID table, entry 0 is @guid
 * @pkeys: P_Key table, zeros from @npkeys on
 * @npkeys: entries that it has; constant
 * @lid: base LID, 0 while it has none
 * @lmc: LID mask control
 * @sm_lid: LID of the master SM
 * @sm_sl: SL to it
 * @state: enum ib_port_state
 * @phys: enum ibds_phys
 * @mtu_cap: largest MTU, enum opa_mtu; survives a reset
 * @mtu: NeighborMTU, enum opa_mtu
 * @cap_mask: capability mask
 * @mkey: management key
 * @mkey_lease: lease period of it; kept, never expires
 * @mkey_prot: protection level
 * @subnet_timeout: SubnetTimeOut
 * @width_enabled: LinkWidthEnabled
 * @speed_enabled: LinkSpeedEnabled
 * @link_down_default: LinkDownDefaultState
 * @vl_hoq: VLStallCount and HOQLife
 * @vl_ops: OperationalVLs and enforcement bits
 * @vl_high_limit: kept for the SM
 * @error_limits: LocalPhyErrors and OverrunErrors
 * @mkey_violations: SMPs with a wrong M_Key
 * @pkey_violations: packets with a wrong P_Key
 * @qkey_violations: packets with a wrong Q_Key
 * @counters: traffic, per CPU, counted without the lock
 * @base: what the counters were when they were last reset
 */
struct ibds_port {
	spinlock_t *lock;	/* the fabric's: all below */
	u8 num;
	bool is_switch;
	bool cabled;
	u64 guid;
	u64 gid_prefix;
	u64 guids[IBDS_GUIDS];
	u16 pkeys[IBDS_PKEYS];
	u16 npkeys;
	u16 lid;
	u8 lmc;
	u16 sm_lid;
	u8 sm_sl;
	u8 state;
	u8 phys;
	u8 mtu_cap;
	u8 mtu;
	u32 cap_mask;
	u64 mkey;
	u16 mkey_lease;
	u8 mkey_prot;
	u8 subnet_timeout;
	u8 width_enabled;
	u8 speed_enabled;
	u8 link_down_default;
	u8 vl_hoq;
	u8 vl_ops;
	u8 vl_high_limit;
	u8 error_limits;
	u16 mkey_violations;
	u16 pkey_violations;
	u16 qkey_violations;
	struct ibds_counters __percpu *counters;
	struct ibds_counters base;
};

int ibds_port_init(struct ibds_port *port, spinlock_t *lock, u8 num,
		   bool is_switch, u64 guid, u16 npkeys, u16 mtu);
void ibds_port_exit(struct ibds_port *port);
void ibds_port_reset(struct ibds_port *port);
const char *ibds_counter_name(enum ibds_counter what);
void ibds_port_read(const struct ibds_port *port, struct ibds_counters *sum);

/* Preemption is off for all that count. */
static inline void ibds_count(const struct ibds_port *port,
			      enum ibds_counter what)
{
	__this_cpu_inc(port->counters->n[what]);
}

static inline void ibds_count_xmit(const struct ibds_port *port, u32 len,
				   bool mcast)
{
	__this_cpu_inc(port->counters->n[IBDS_XMIT_PACKETS]);
	__this_cpu_add(port->counters->n[IBDS_XMIT_BYTES], len);
	if (mcast)
		__this_cpu_inc(port->counters->n[IBDS_XMIT_MCAST]);
}

static inline void ibds_count_rcv(const struct ibds_port *port, u32 len,
				  bool mcast)
{
	__this_cpu_inc(port->counters->n[IBDS_RCV_PACKETS]);
	__this_cpu_add(port->counters->n[IBDS_RCV_BYTES], len);
	if (mcast)
		__this_cpu_inc(port->counters->n[IBDS_RCV_MCAST]);
}

/* ibds_port_owns() says whether the port takes packets for this LID. */
static inline bool ibds_port_owns(const struct ibds_port *port, u16 lid)
{
	u16 own = READ_ONCE(port->lid);

	return own && lid >> READ_ONCE(port->lmc) == own >> READ_ONCE(port->lmc);
}

bool ibds_port_has_gid(const struct ibds_port *port, const union ib_gid *gid);

static inline bool ibds_port_active(const struct ibds_port *port)
{
	return READ_ONCE(port->state) == IB_PORT_ACTIVE;
}

/* The source LID of a packet; the low bits are the sender's choice. */
static inline u16 ibds_port_slid(const struct ibds_port *port, u8 path_bits)
{
	u16 mask = (1 << READ_ONCE(port->lmc)) - 1;

	return (READ_ONCE(port->lid) & ~mask) | (path_bits & mask);
}

/* Octets of payload that pass */
static inline u32 ibds_port_mtu(const struct ibds_port *port)
{
	return opa_mtu_enum_to_int(READ_ONCE(port->mtu));
}

/* ibds_port_up() says whether management packets of VL15 may pass. */
static inline bool ibds_port_up(const struct ibds_port *port)
{
	return READ_ONCE(port->state) >= IB_PORT_INIT;
}

#endif /* _IBDS_PORT_H */
