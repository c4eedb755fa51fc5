// SPDX-License-Identifier: GPL-2.0
#include "verbs.h"

#include <linux/delay.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "ah.h"
#include "cq.h"
#include "fabric.h"
#include "mad.h"
#include "mcast.h"
#include "qp.h"
#include "rq.h"
#include "sg.h"
#include "trap.h"
#include "wire.h"

/**
 * struct ibds_pd - a protection domain: of address handles only, for the one key of an
 *	HCA is the same in all of them
 * @ibpd: the core's part; the core makes and frees the whole
 */
struct ibds_pd {
	struct ib_pd ibpd;
};

static int query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			struct ib_udata *udata)
{
	struct ibds_hca *hca = to_ibds_hca(ibdev);
	const struct ibds_profile *profile = hca->profile;
	const struct ibds_limits *limits = &hca->limits;

	memset(attr, 0, sizeof(*attr));
	attr->sys_image_guid = cpu_to_be64(hca->node.guid);
	attr->max_mr_size = ~0ULL;
	attr->page_size_cap = PAGE_SIZE;
	attr->vendor_id = 0x026962;
	attr->vendor_part_id = 0x1bde;
	attr->hw_ver = 1;
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY;
	if (profile->block_loopback)
		attr->kernel_cap_flags |= IBK_BLOCK_MULTICAST_LOOPBACK;
	if (profile->tso)
		attr->kernel_cap_flags |= IBK_UD_TSO;
	attr->device_cap_flags = IB_DEVICE_BAD_PKEY_CNTR |
				 IB_DEVICE_BAD_QKEY_CNTR |
				 IB_DEVICE_AUTO_PATH_MIG |
				 IB_DEVICE_CURR_QP_STATE_MOD |
				 IB_DEVICE_PORT_ACTIVE_EVENT |
				 IB_DEVICE_SYS_IMAGE_GUID |
				 IB_DEVICE_RC_RNR_NAK_GEN;
	if (profile->csum)
		attr->device_cap_flags |= IB_DEVICE_UD_IP_CSUM;
	attr->max_qp = limits->max[IBDS_OBJ_QP];
	attr->max_qp_wr = IBDS_WR_MAX;
	attr->max_send_sge = profile->sges;
	attr->max_recv_sge = profile->sges;
	attr->max_sge_rd = profile->sges;
	attr->max_cq = limits->max[IBDS_OBJ_CQ];
	attr->max_cqe = IBDS_CQE_MAX;
	attr->max_mr = 65536;
	attr->max_pd = limits->max[IBDS_OBJ_PD];
	attr->max_ah = limits->max[IBDS_OBJ_AH];
	if (profile->srq && !hca->no_srq) {
		attr->max_srq = limits->max[IBDS_OBJ_SRQ];
		attr->max_srq_wr = IBDS_WR_MAX;
		attr->max_srq_sge = profile->sges;
	}
	if (profile->mcast) {
		attr->max_mcast_grp = limits->max[IBDS_OBJ_GROUP];
		attr->max_mcast_qp_attach = profile->group_qps;
		attr->max_total_mcast_qp_attach = attr->max_mcast_grp *
						  attr->max_mcast_qp_attach;
	}
	attr->max_pkeys = profile->pkeys;
	attr->max_qp_rd_atom = IBDS_RD_ATOMIC;
	attr->max_res_rd_atom = IBDS_RD_ATOMIC;
	attr->max_qp_init_rd_atom = IBDS_RD_ATOMIC;
	attr->local_ca_ack_delay = 8;
	if (profile->moderation) {
		attr->cq_caps.max_cq_moderation_count = U16_MAX;
		attr->cq_caps.max_cq_moderation_period = U16_MAX;
	}
	return 0;
}

static int query_port(struct ib_device *ibdev, u32 num,
		      struct ib_port_attr *attr)
{
	struct ibds_hca *hca = to_ibds_hca(ibdev);
	bool at_hand = hca->profile->port_at_hand;
	struct ibds_port *port = &hca->port;
	int err = at_hand ? ibds_answers(hca) : ibds_command(hca);
	unsigned long flags;

	if (err)
		return err;
	if (READ_ONCE(hca->faults.query_fails))
		return -EIO;

	/* Where the port is at hand the caller may have interrupts off. */
	spin_lock_irqsave(port->lock, flags);
	attr->subnet_prefix = port->gid_prefix;
	attr->state = port->state;
	attr->max_mtu = min_t(u8, port->mtu_cap, IB_MTU_4096);
	attr->active_mtu = min_t(u8, port->mtu, IB_MTU_4096);
	attr->phys_mtu = opa_mtu_enum_to_int(port->mtu_cap);
	attr->gid_tbl_len = IBDS_GUIDS;
	attr->port_cap_flags = port->cap_mask;
	attr->max_msg_sz = IBDS_MESSAGE_MAX;
	attr->bad_pkey_cntr = port->pkey_violations;
	attr->qkey_viol_cntr = port->qkey_violations;
	attr->pkey_tbl_len = port->npkeys;
	attr->sm_lid = port->sm_lid;
	attr->lid = port->lid;
	attr->lmc = port->lmc;
	attr->max_vl_num = 1;
	attr->sm_sl = port->sm_sl;
	attr->subnet_timeout = port->subnet_timeout;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_QDR;
	attr->phys_state = port->phys;
	spin_unlock_irqrestore(port->lock, flags);
	return 0;
}

static int get_port_immutable(struct ib_device *ibdev, u32 num,
			      struct ib_port_immutable *immutable)
{
	const struct ibds_hca *hca = to_ibds_hca(ibdev);

	immutable->pkey_tbl_len = hca->port.npkeys;
	immutable->gid_tbl_len = IBDS_GUIDS;
	if (hca->profile->opa) {
		immutable->core_cap_flags = RDMA_CORE_PORT_INTEL_OPA |
					    RDMA_CORE_CAP_OPA_AH;
		immutable->max_mad_size = OPA_MGMT_MAD_SIZE;
	} else {
		immutable->core_cap_flags = RDMA_CORE_PORT_IBA_IB;
		immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	}
	return 0;
}

static enum rdma_link_layer get_link_layer(struct ib_device *ibdev, u32 num)
{
	return IB_LINK_LAYER_INFINIBAND;
}

static int modify_device(struct ib_device *ibdev, int mask,
			 struct ib_device_modify *modify)
{
	struct ibds_hca *hca = to_ibds_hca(ibdev);
	int err = ibds_command(hca);

	if (err)
		return err;
	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	spin_lock_bh(hca->node.lock);
	memcpy(hca->node.desc, modify->node_desc, sizeof(hca->node.desc));
	memcpy(ibdev->node_desc, modify->node_desc, sizeof(hca->node.desc));
	spin_unlock_bh(hca->node.lock);
	ibds_trap_raise(&hca->node, IBDS_TRAP_CAP_MASK,
			&(struct ibds_violation){ .changes = IBDS_CHANGE_NODE_DESC });
	return 0;
}

static int modify_port(struct ib_device *ibdev, u32 num, int mask,
		       struct ib_port_modify *modify)
{
	struct ibds_hca *hca = to_ibds_hca(ibdev);
	struct ibds_port *port = &hca->port;
	int err = ibds_command(hca);
	bool changed;
	u32 old;

	if (err)
		return err;
	if (mask & ~IB_PORT_RESET_QKEY_CNTR)
		return -EOPNOTSUPP;

	spin_lock_bh(port->lock);
	if (mask & IB_PORT_RESET_QKEY_CNTR)
		port->qkey_violations = 0;
	old = port->cap_mask;
	port->cap_mask |= modify->set_port_cap_mask;
	port->cap_mask &= ~modify->clr_port_cap_mask;
	changed = port->cap_mask != old;
	spin_unlock_bh(port->lock);
	if (changed)
		ibds_trap_raise(&hca->node, IBDS_TRAP_CAP_MASK, NULL);
	return 0;
}

static int query_gid(struct ib_device *ibdev, u32 num, int index,
		     union ib_gid *gid)
{
	struct ibds_port *port = &to_ibds_hca(ibdev)->port;
	int err = ibds_command(to_ibds_hca(ibdev));
	u64 guid;

	if (err)
		return err;
	if (index < 0 || index >= IBDS_GUIDS)
		return -EINVAL;
	memset(gid, 0, sizeof(*gid));
	guid = READ_ONCE(port->guids[index]);
	/* An entry without a GUID is none. */
	if (!guid)
		return 0;
	gid->global.subnet_prefix = cpu_to_be64(READ_ONCE(port->gid_prefix));
	gid->global.interface_id = cpu_to_be64(guid);
	return 0;
}

static int query_pkey(struct ib_device *ibdev, u32 num, u16 index, u16 *pkey)
{
	struct ibds_port *port = &to_ibds_hca(ibdev)->port;
	int err = ibds_command(to_ibds_hca(ibdev));

	if (err)
		return err;
	if (index >= port->npkeys)
		return -EINVAL;
	*pkey = READ_ONCE(port->pkeys[index]);
	return 0;
}

static int alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	struct ibds_hca *hca = to_ibds_hca(pd->device);

	return ibds_command(hca) ?: ibds_take(&hca->limits, IBDS_OBJ_PD);
}

static int dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	might_sleep();
	ibds_give(&to_ibds_hca(pd->device)->limits, IBDS_OBJ_PD);
	return 0;
}

static struct ib_mr *get_dma_mr(struct ib_pd *pd, int access)
{
	struct ib_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);

	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->lkey = pd->device->local_dma_lkey;
	mr->rkey = mr->lkey;
	return mr;
}

/*
 * There are no user space verbs, but the core takes a device without this one
 * for one that the kernel's own consumers cannot use either.
 */
static struct ib_mr *reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
				 u64 virt_addr, int access, COMPAT_DMAH_ARG
				 struct ib_udata *udata)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static int dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	might_sleep();
	kfree(mr);
	return 0;
}

/*
 * Programs in user space cannot use the device. But the RDMA core moves a device to another
 * network namespace only if it can take the device from them.
 */
static void disassociate_ucontext(struct ib_ucontext *unused)
{
}

static int post_srq_recv(struct ib_srq *srq, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad_wr)
{
	struct ibds_hca *hca = to_ibds_hca(srq->device);

	*bad_wr = wr;
	if (unlikely(READ_ONCE(hca->faults.dead)))
		return -EIO;
	return ibds_rq_post(&to_ibds_srq(srq)->rq, srq->pd, wr, bad_wr);
}

static int create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
		     COMPAT_CREATE_CQ_ARG unused)
{
	return ibds_cq_create(cq, attr);
}

/*
 * A command that an HCA gives its firmware may sleep, and so the simulator says that it might
 * wherever one of those drivers does, whether or not anything here would. Such commands of a dead
 * HCA fail; those that end an object do not, for its memory is the host's again.
 */
const struct ib_device_ops ibds_device_ops = {
	.owner			= THIS_MODULE,
	.driver_id		= RDMA_DRIVER_UNKNOWN,

	.query_device		= query_device,
	.modify_device		= modify_device,
	.query_port		= query_port,
	.modify_port		= modify_port,
	.get_port_immutable	= get_port_immutable,
	.get_link_layer		= get_link_layer,
	.query_gid		= query_gid,
	.query_pkey		= query_pkey,
	.process_mad		= ibds_process_mad,

	.alloc_pd		= alloc_pd,
	.dealloc_pd		= dealloc_pd,
	.disassociate_ucontext	= disassociate_ucontext,
	.get_dma_mr		= get_dma_mr,
	.reg_user_mr		= reg_user_mr,
	.dereg_mr		= dereg_mr,

	.create_ah		= ibds_create_ah,
	.modify_ah		= ibds_modify_ah,
	.query_ah		= ibds_query_ah,
	.destroy_ah		= ibds_destroy_ah,

	.create_cq		= create_cq,
	.modify_cq		= ibds_modify_cq,
	.destroy_cq		= ibds_destroy_cq,
	.poll_cq		= ibds_poll_cq,
	.req_notify_cq		= ibds_req_notify_cq,

	.create_srq		= ibds_create_srq,
	.modify_srq		= ibds_modify_srq,
	.query_srq		= ibds_query_srq,
	.destroy_srq		= ibds_destroy_srq,
	.post_srq_recv		= post_srq_recv,

	.create_qp		= ibds_create_qp,
	.modify_qp		= ibds_modify_qp,
	.query_qp		= ibds_query_qp,
	.destroy_qp		= ibds_destroy_qp,
	.post_send		= ibds_post_send,
	.post_recv		= ibds_post_recv,
	.attach_mcast		= ibds_attach_mcast,
	.detach_mcast		= ibds_detach_mcast,

	INIT_RDMA_OBJ_SIZE(ib_ah, ibds_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, ibds_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_pd, ibds_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, ibds_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, ibds_srq, ibsrq),
};
