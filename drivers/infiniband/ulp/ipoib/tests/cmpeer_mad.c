// SPDX-License-Identifier: GPL-2.0
#include "cmpeer.h"

#include <linux/completion.h>
#include <rdma/ib_mad.h>

/* The agents of each other's CMs are on that queue pair. */
#define CM_QPN	1

/* IBTA 12.6: of nearly all messages */
struct cm_mad {
	struct ib_mad_hdr hdr;
	__be32 local_id;
	__be32 remote_id;
	u8 data[IB_MGMT_MAD_DATA - 2 * sizeof(__be32)];
} __packed;

static void said(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	complete(agent->context);
}

static void fill(struct cm_mad *mad, const struct cmpeer_options *opt,
		 const struct cmpeer_ids *ids)
{
	mad->hdr.base_version = IB_MGMT_BASE_VERSION;
	mad->hdr.mgmt_class = IB_MGMT_CLASS_CM;
	mad->hdr.class_version = 2;
	mad->hdr.method = IB_MGMT_METHOD_SEND;
	mad->hdr.attr_id = cpu_to_be16(opt->attr);
	mad->local_id = ids->ours;
	mad->remote_id = ids->theirs;
	if (opt->data_len > 0)
		memcpy(mad->data, opt->data, opt->data_len);
}

static int send(struct ib_mad_agent *agent, struct completion *done,
		struct ib_ah *ah, const struct cmpeer_options *opt,
		const struct cmpeer_ids *ids)
{
	struct ib_mad_send_buf *msg;
	int err;

	msg = ib_create_send_mad(agent, CM_QPN, 0, 0, IB_MGMT_MAD_HDR,
				 IB_MGMT_MAD_DATA, GFP_KERNEL,
				 IB_MGMT_BASE_VERSION);
	if (IS_ERR(msg))
		return PTR_ERR(msg);
	fill(msg->mad, opt, ids);
	msg->ah = ah;
	err = ib_post_send_mad(msg, NULL);
	/* It is one datagram, and a device that goes flushes it. */
	if (!err)
		wait_for_completion(done);
	ib_free_send_mad(msg);
	return err;
}

/**
 * cmpeer_mad_say - send a message that the CM of ours would not
 * @dev: the device
 * @opt: which one it is, and how its body goes on
 * @path: to whom
 * @ids: of which connection
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep.
 */
int cmpeer_mad_say(struct cmpeer_dev *dev, const struct cmpeer_options *opt,
		   const struct cmpeer_path *path, const struct cmpeer_ids *ids)
{
	struct sa_path_rec rec = path->rec;
	struct ib_mad_agent *agent;
	struct rdma_ah_attr attr = {};
	struct completion done;
	struct ib_ah *ah;
	int err;

	init_completion(&done);
	/* Nothing is received by it: the CM has the class. */
	agent = ib_register_mad_agent(dev->ibdev, opt->port, IB_QPT_GSI, NULL,
				      0, said, NULL, &done, 0);
	if (IS_ERR(agent))
		return PTR_ERR(agent);
	err = ib_init_ah_attr_from_path(dev->ibdev, opt->port, &rec, &attr,
					path->sgid_attr);
	if (err)
		goto unregister;
	ah = rdma_create_ah(agent->qp->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	rdma_destroy_ah_attr(&attr);
	err = PTR_ERR_OR_ZERO(ah);
	if (err)
		goto unregister;
	err = send(agent, &done, ah, opt, ids);
	rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
unregister:
	ib_unregister_mad_agent(agent);
	return err;
}
