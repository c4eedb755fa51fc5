/* SPDX-License-Identifier: GPL-2.0 */
/* A packet on its way: headers as values, the payload where the sender has it. */
#ifndef _IBDS_PACKET_H
#define _IBDS_PACKET_H

#include <rdma/ib_mad.h>

#include "sg.h"

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

#endif /* _IBDS_PACKET_H */
