/* SPDX-License-Identifier: GPL-2.0 */
/* Kinds of HCAs: what each can do, and where drivers can tell it from others. */
#ifndef _IBDS_PROFILE_H
#define _IBDS_PROFILE_H

#include <linux/types.h>

/**
 * struct ibds_profile - one kind
 * @name: of the kernel's driver for what it is like
 * @mtu: largest MTU of its port, in octets
 * @sges: elements of a send, and of a receive buffer
 * @pkeys: entries of the P_Key table
 * @vectors: completion vectors, as far as there are CPUs
 * @srq: it has shared receive queues
 * @uc: it has unreliable connections
 * @mcast: queue pairs can be attached to groups
 * @block_loopback: a queue pair can ask not to hear its own multicast; where it cannot,
 *	asking is an error
 * @opa: its port is one of Omni-Path: LIDs are of 32 bits for consumers, and verbs know no
 *	MTU above 4096, so that the port tells no more, and the true one beside that; an address
 *	has its MTU as a power of two, and longer datagrams are refused
 * @port_at_hand: its driver knows the state of the port, so that to query it is no command.
 *	ib_sa_path_rec_get() relies on that for Omni-Path: it may be called in atomic context
 * @csum: it makes and checks the sums of IP, TCP and UDP in datagrams
 * @tso: and cuts long TCP segments into packets
 * @moderation: completion queues can be had to notify less often
 * @max_inline: octets of a send that can be in the work request
 * @arm_event: arming a completion queue that is not empty raises an event, instead of
 *	being answered
 * @slot_at_poll: a send is off its queue when its completion has been polled, or that of
 *	a later one, and not when it is done; a receive when its own has been
 * @ah_by_value: a send takes a copy of its address, so that the handle may go at once
 * @flush_dead: work comes back flushed when the HCA has died, and not never
 * @keeps_completions: those of a queue pair that is reset can still be polled
 * @one_life: a queue pair that was reset, or has failed, cannot be used again; and one fails of
 *	which a send has, even without acknowledgements
 * @group_qps: queue pairs that can be attached to one group
 * @group_lid: the LID of a group counts, too: all queue pairs have to be attached with the same
 *	one, packets to another one are for nobody, and it is detached with the same one, too
 * @group_alive: a queue pair in the reset state cannot be attached
 */
struct ibds_profile {
	const char *name;
	u16 mtu;
	u16 sges;
	u16 pkeys;
	u16 vectors;
	bool srq;
	bool uc;
	bool mcast;
	bool block_loopback;
	bool opa;
	bool port_at_hand;
	bool csum;
	bool tso;
	bool moderation;
	u16 max_inline;
	bool arm_event;
	bool slot_at_poll;
	bool ah_by_value;
	bool flush_dead;
	bool keeps_completions;
	bool one_life;
	u16 group_qps;
	bool group_lid;
	bool group_alive;
};

const struct ibds_profile *ibds_profile_find(const char *name);

#endif /* _IBDS_PROFILE_H */
