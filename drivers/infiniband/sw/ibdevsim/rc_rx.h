/* SPDX-License-Identifier: GPL-2.0 */
/* The receiving side of connected queue pairs. */
#ifndef _IBDS_RC_RX_H
#define _IBDS_RC_RX_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct ibds_batch;
struct ibds_packet;
struct ibds_qp;

/* AETH syndromes; kind in the upper three bits. NONE is none of them. */
enum ibds_syndrome {
	IBDS_ACK		= 0x1f,
	IBDS_RNR		= 0x20,
	IBDS_NAK_SEQUENCE	= 0x60,
	IBDS_NAK_INVALID	= 0x61,
	IBDS_NAK_ACCESS		= 0x62,
	IBDS_NAK_OPERATION	= 0x63,
	IBDS_NONE		= 0xff,
};

/**
 * struct ibds_answer - what the responder says to a packet
 * @syndrome: enum ibds_syndrome, the timer in an RNR one's lower bits
 * @psn: last packet that is acknowledged, or the one that is refused
 * @msn: messages completed
 * @slid: LID that it comes from
 * @dlid: LID that it goes to
 * @dqpn: queue pair that it is for
 * @sl: service level
 * @armed: its MigReq is 0
 * @has_grh: there is a header
 * @grh: the header, a copy: the path may be another one when it is sent
 */
struct ibds_answer {
	u8 syndrome;
	u32 psn;
	u32 msn;
	u16 slid;
	u16 dlid;
	u32 dqpn;
	u8 sl;
	bool armed;
	bool has_grh;
	struct ib_grh grh;
};

void ibds_rc_rx(struct ibds_qp *qp, const struct ibds_packet *pkt,
		struct ibds_answer *answer, struct ibds_batch *batch);
void ibds_uc_rx(struct ibds_qp *qp, const struct ibds_packet *pkt,
		struct ibds_batch *batch);

#endif /* _IBDS_RC_RX_H */
