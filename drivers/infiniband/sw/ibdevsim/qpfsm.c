// SPDX-License-Identifier: GPL-2.0
#include "qpfsm.h"

#include <linux/kernel.h>
#include <rdma/ib_verbs.h>

static const unsigned int rights[] = {
	[IB_QPS_RESET]	= 0,
	[IB_QPS_INIT]	= IBDS_QP_POST_RECV,
	[IB_QPS_RTR]	= IBDS_QP_POST_RECV | IBDS_QP_RECEIVE,
	[IB_QPS_RTS]	= IBDS_QP_POST_RECV | IBDS_QP_POST_SEND |
			  IBDS_QP_RECEIVE | IBDS_QP_SEND,
	[IB_QPS_SQD]	= IBDS_QP_POST_RECV | IBDS_QP_POST_SEND |
			  IBDS_QP_RECEIVE,
	[IB_QPS_SQE]	= IBDS_QP_POST_RECV | IBDS_QP_POST_SEND |
			  IBDS_QP_RECEIVE | IBDS_QP_FLUSH_SEND,
	[IB_QPS_ERR]	= IBDS_QP_POST_RECV | IBDS_QP_POST_SEND |
			  IBDS_QP_FLUSH_SEND | IBDS_QP_FLUSH_RECV,
};

/**
 * ibds_qp_rights - what a state permits
 * @state: enum ib_qp_state
 *
 * Return: a mask of enum ibds_qp_right.
 */
unsigned int ibds_qp_rights(unsigned int state)
{
	return state < ARRAY_SIZE(rights) ? rights[state] : 0;
}
