/* SPDX-License-Identifier: GPL-2.0 */
/* These formats travel on the links and have no definition in the kernel's headers. */
#ifndef _IBDS_WIRE_H
#define _IBDS_WIRE_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>

#define IBDS_LID_PERMISSIVE	0xffff
#define IBDS_LID_MCAST		0xc000	/* first multicast LID */
/* Those below are special, or kept for it. */
#define IBDS_QPN_LEAST		0x40
#define IBDS_QPN_MCAST		0xffffff
#define IBDS_QPN_MASK		0xffffff
#define IBDS_QKEY_GSI		0x80010000
#define IBDS_LRH_BYTES		8
#define IBDS_GRH_BYTES		40
#define IBDS_MAD_BYTES		256
#define IBDS_MTU_MAX		10240	/* of Omni-Path */
#define IBDS_MESSAGE_MAX	BIT(30)

/* Octets around the payload of a packet, ICRC counted and VCRC not. */
#define IBDS_OVERHEAD_RC	(IBDS_LRH_BYTES + 12 + 4)
#define IBDS_OVERHEAD_UD	(IBDS_LRH_BYTES + 12 + 8 + 4)

/* BTH opcodes: class in the upper three bits, operation below. */
enum ibds_opcode {
	IBDS_OP_SEND_FIRST	= 0x00,
	IBDS_OP_SEND_MIDDLE	= 0x01,
	IBDS_OP_SEND_LAST	= 0x02,
	IBDS_OP_SEND_LAST_IMM	= 0x03,
	IBDS_OP_SEND_ONLY	= 0x04,
	IBDS_OP_SEND_ONLY_IMM	= 0x05,
	IBDS_OP_ACK		= 0x11,
	IBDS_OP_RC		= 0x00,
	IBDS_OP_UC		= 0x20,
	IBDS_OP_UD		= 0x60,
	IBDS_OP_CLASS		= 0xe0,
};

/* The SwitchInfo attribute. */
struct ibds_switch_info {
	__be16 lft_cap;
	__be16 rft_cap;
	__be16 mft_cap;
	__be16 lft_top;
	u8 default_port;
	u8 default_mcast_primary;
	u8 default_mcast_other;
	u8 life_change;		/* 5 bits life time, 1 PortStateChange, 2 */
	__be16 lids_per_port;
	__be16 enforcement_cap;
	u8 flags;
	u8 reserved;
	__be16 mft_top;
};

static_assert(sizeof(struct ibds_switch_info) == 20);

#define IBDS_SWITCH_STATE_CHANGE	0x04
#define IBDS_SWITCH_LIFE_TIME		0xf8

/* Status of a MAD: the attribute or method is not supported here. */
#define IBDS_MAD_BAD_METHOD	0x0008
#define IBDS_MAD_BAD_ATTR	0x000c
#define IBDS_MAD_BAD_FIELD	0x001c

#endif /* _IBDS_WIRE_H */
