/* SPDX-License-Identifier: GPL-2.0 */
/* The UD QP of an interface and its two completion queues. */
#ifndef _IPOIB_QP_H
#define _IPOIB_QP_H

#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

/**
 * struct ipoib_qp_config - arguments of ipoib_qp_init()
 * @pd: protection domain of the port
 * @port: port number
 * @send_wr: depth of the send queue
 * @recv_wr: depth of the receive queue
 * @max_send_sge: scatter/gather entries of a send
 * @recv_sge: scatter/gather entries of a receive buffer
 * @send_napi: scheduled when sends have completed
 * @recv_napi: scheduled when packets have been received
 * @failed: up-call: the QP went to the error state; process or interrupt context
 * @cq_failed: up-call: a CQ takes no completion any more; process or interrupt context
 * @failed_ctx: context of @failed and @cq_failed
 */
struct ipoib_qp_config {
	struct ib_pd *pd;
	u32 port;
	u32 send_wr;
	u32 recv_wr;
	u32 max_send_sge;
	u32 recv_sge;
	struct napi_struct *send_napi;
	struct napi_struct *recv_napi;
	void (*failed)(void *ctx);
	void (*cq_failed)(void *ctx);
	void *failed_ctx;
};

/**
 * struct ipoib_qp - UD QP with its CQs
 * @ib: the QP. Its number is part of the link-layer address, so the QP lives as long as the
 *	interface, unless ipoib_qp_renew() has to replace it
 * @qpn: number of the QP
 * @pd: protection domain
 * @send_cq: completions of sends
 * @recv_cq: completions of receives
 * @send_napi: scheduled by @send_cq
 * @recv_napi: scheduled by @recv_cq
 * @port: port number
 * @failed: up-call for an asynchronous error of the QP
 * @cq_failed: up-call for an asynchronous error of a CQ
 * @failed_ctx: context of @failed and @cq_failed
 *
 * Made in ndo_init and destroyed with the net_device. The device changes its state, under the
 * device's lock.
 */
struct ipoib_qp {
	struct ib_qp *ib;
	u32 qpn;
	struct ib_pd *pd;
	struct ib_cq *send_cq;
	struct ib_cq *recv_cq;
	struct napi_struct *send_napi;
	struct napi_struct *recv_napi;
	u32 port;
	void (*failed)(void *ctx);
	void (*cq_failed)(void *ctx);
	void *failed_ctx;
};

u32 ipoib_qp_vector(const struct ib_device *ibdev);
bool ipoib_qp_type_works(struct ib_pd *pd, enum ib_qp_type type);
int ipoib_qp_init(struct ipoib_qp *qp, const struct ipoib_qp_config *config);
int ipoib_qp_renew(struct ipoib_qp *qp, const struct ipoib_qp_config *config);
void ipoib_qp_exit(struct ipoib_qp *qp);

int ipoib_qp_arm(struct ipoib_qp *qp, u16 pkey_index);
int ipoib_qp_start(struct ipoib_qp *qp, u16 pkey_index, u32 qkey);
bool ipoib_qp_only_sends_failed(struct ipoib_qp *qp);
int ipoib_qp_resume(struct ipoib_qp *qp);
int ipoib_qp_error(struct ipoib_qp *qp);
int ipoib_qp_reset(struct ipoib_qp *qp);

int ipoib_qp_attach(struct ipoib_qp *qp, union ib_gid *mgid, u16 mlid);
int ipoib_qp_detach(struct ipoib_qp *qp, union ib_gid *mgid, u16 mlid);

#endif /* _IPOIB_QP_H */
