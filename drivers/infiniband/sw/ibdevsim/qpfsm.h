/* SPDX-License-Identifier: GPL-2.0 */
/* The state of a queue pair says what is permitted (IBTA table 91). */
#ifndef _IBDS_QPFSM_H
#define _IBDS_QPFSM_H

/* Rights say what may be done in a state, or what is done in it. */
enum ibds_qp_right {
	IBDS_QP_POST_RECV	= 1 << 0,
	IBDS_QP_POST_SEND	= 1 << 1,
	IBDS_QP_RECEIVE		= 1 << 2,
	IBDS_QP_SEND		= 1 << 3,
	IBDS_QP_FLUSH_SEND	= 1 << 4,
	IBDS_QP_FLUSH_RECV	= 1 << 5,
};

unsigned int ibds_qp_rights(unsigned int state);

#endif /* _IBDS_QPFSM_H */
