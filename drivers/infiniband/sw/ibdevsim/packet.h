/* SPDX-License-Identifier: GPL-2.0 */
/* A packet on its way: headers as values, the payload where the sender has it. */
#ifndef _IBDS_PACKET_H
#define _IBDS_PACKET_H

#include <rdma/ib_mad.h>

#include "port.h"
#include "sg.h"
#include "wire.h"

/**
 * struct ibds_packet - one packet
 * @slid: source LID
 * @dlid: destination LID
 * @pkey: P_Key
 * @sl: service level
 * @opcode: of the BTH, class and operation
 * @solicited: the solicited event bit
 * @ack_req: an acknowledgment is asked for
 * @armed: MigReq is 0: the sender has another path ready
 * @dqpn: destination QPN
 * @sqpn: source QPN; on the wire with datagrams only
 * @qkey: datagrams only
 * @psn: sequence number
 * @imm: immediate data, if the opcode says so
 * @aeth: syndrome and sequence number, if the opcode is an acknowledgment
 * @len: octets of payload
 * @payload: where they begin
 * @grh: header whose length field is not filled in; NULL if there is none
 *
 * Lives on the stack of whoever sends it.
 */
struct ibds_packet {
	u16 slid;
	u16 dlid;
	u16 pkey;
	u8 sl;
	u8 opcode;
	bool solicited;
	bool ack_req;
	bool armed;
	u32 dqpn;
	u32 sqpn;
	u32 qkey;
	u32 psn;
	__be32 imm;
	u32 aeth;
	u32 len;
	struct ibds_cursor payload;
	const struct ib_grh *grh;
};

static inline bool ibds_packet_is_ud(const struct ibds_packet *pkt)
{
	return (pkt->opcode & IBDS_OP_CLASS) == IBDS_OP_UD;
}

/* Octets on the wire, for the counters; the AETH is the payload of an acknowledgment. */
static inline u32 ibds_wire_bytes(const struct ibds_packet *pkt)
{
	u32 around = ibds_packet_is_ud(pkt) ? IBDS_OVERHEAD_UD : IBDS_OVERHEAD_RC;

	return around + (pkt->grh ? IBDS_GRH_BYTES : 0) + ALIGN(pkt->len, 4) +
	       (pkt->opcode == IBDS_OP_ACK ? 4 : 0);
}

/*
 * ibds_packet_fits() says whether a packet fits through this port. IBTA 7.9.2: a node drops it if
 * not.
 */
static inline bool ibds_packet_fits(const struct ibds_packet *pkt,
				    const struct ibds_port *port)
{
	return pkt->len <= ibds_port_mtu(port);
}

#endif /* _IBDS_PACKET_H */
