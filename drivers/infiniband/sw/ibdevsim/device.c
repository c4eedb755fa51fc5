// SPDX-License-Identifier: GPL-2.0
#include "device.h"

#include <linux/delay.h>
#include <linux/dma-mapping.h>

#include "debugfs.h"
#include "delay.h"
#include "engine.h"
#include "fabric.h"
#include "qp.h"
#include "sg.h"
#include "smp.h"
#include "trap.h"
#include "verbs.h"
#include "vf.h"

#define HCA_GUID	0x0269620000000000ULL

static struct ibds_hca *hca_at(struct ibds_fabric *fab, u8 index)
{
	return rcu_dereference_protected(fab->hcas[index],
					 lockdep_is_held(&fab->topology));
}

static int init_node(struct ibds_hca *hca)
{
	struct ibds_node *node = &hca->node;

	node->guid = HCA_GUID + hca->index * 0x100;
	node->nports = 1;
	node->ports = hca->ports;
	node->ports[1] = &hca->port;
	node->lock = &hca->fab->lock;
	node->send = ibds_smp_send_hca;
	snprintf(node->desc, sizeof(node->desc), "ibdevsim HCA %u", hca->index);
	ibds_trap_init(node);
	return ibds_port_init(&hca->port, &hca->fab->lock, 1, false,
			      node->guid + 1, hca->profile->pkeys,
			      hca->profile->mtu);
}

static void init_ibdev(struct ibds_hca *hca, struct device *parent)
{
	struct ib_device *ibdev = &hca->ibdev;

	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->phys_port_cnt = 1;
	ibdev->num_comp_vectors = min_t(unsigned int, num_possible_cpus(),
					hca->profile->vectors);
	ibds_vectors_init(hca->vectors, ibdev->num_comp_vectors);
	ibdev->local_dma_lkey = IBDS_LKEY + hca->index;
	ibdev->node_guid = cpu_to_be64(hca->node.guid);
	ibdev->dev.parent = parent;
	memcpy(ibdev->node_desc, hca->node.desc, sizeof(hca->node.desc));
	ib_set_device_ops(ibdev, &ibds_device_ops);
	ib_set_device_ops(ibdev, &ibds_vf_ops);
	if (!hca->profile->mcast) {
		ibdev->ops.attach_mcast = NULL;
		ibdev->ops.detach_mcast = NULL;
	}
	if (!hca->profile->moderation)
		ibdev->ops.modify_cq = NULL;
}

/* init_dma() sets what a PCI device has: consumers have to map what they want sent or filled. */
static int init_dma(struct ibds_hca *hca)
{
	struct device *dev = &hca->ibdev.dev;

	dev->dma_parms = &hca->dma_parms;
	dma_set_max_seg_size(dev, UINT_MAX);
	return dma_coerce_mask_and_coherent(dev, DMA_BIT_MASK(64));
}

static u8 free_index(struct ibds_fabric *fab)
{
	unsigned int i;

	for (i = 1; i <= fab->sw.node.nports; i++)
		if (!hca_at(fab, i))
			return i;
	return 0;
}

/* The RDMA core does not know the HCA, or not any more; a consumer may have used the HCA. */
static void unmake(struct ibds_hca *hca)
{
	/* No packet gets here any more, nor an SMP, nor is one held back. */
	ibds_fabric_unplug(hca);
	ibds_delay_flush(hca);
	ibds_trap_exit(&hca->node);
	ibds_engine_exit(hca);

	/* Nobody knows the HCA now. */
	ibds_port_exit(&hca->port);
	ib_dealloc_device(&hca->ibdev);
}

/**
 * ibds_device_new - make an HCA and cable it to the first free port
 * @fab: the fabric
 * @parent: parent of the RDMA device
 * @profile: what kind of HCA
 *
 * Return: port of the switch that it is at, or a negative errno; -ENOSPC if
 * none is free.
 * Context: Process context, may sleep; the topology mutex is held.
 */
int ibds_device_new(struct ibds_fabric *fab, struct device *parent,
		    const struct ibds_profile *profile)
{
	char name[IB_DEVICE_NAME_MAX];
	struct ibds_hca *hca;
	u8 index;
	int err;

	lockdep_assert_held(&fab->topology);

	index = free_index(fab);
	if (!index)
		return -ENOSPC;
	hca = ib_alloc_device(ibds_hca, ibdev);
	if (!hca)
		return -ENOMEM;
	hca->fab = fab;
	hca->profile = profile;
	hca->index = index;
	hca->next_qpn = ibds_first_qpn(index);
	hca->no_srq = READ_ONCE(fab->no_srq);
	hca->faults.send_status = IB_WC_LOC_QP_OP_ERR;
	spin_lock_init(&hca->table_lock);
	INIT_LIST_HEAD(&hca->srqs);
	INIT_LIST_HEAD(&hca->ahs);
	spin_lock_init(&hca->ah_lock);
	ibds_limits_init(&hca->limits);
	ibds_engine_init(hca);
	err = init_dma(hca) ?: init_node(hca);
	if (err) {
		ib_dealloc_device(&hca->ibdev);
		return err;
	}
	init_ibdev(hca, parent);

	/* A constant name for each port, whatever came and went before. */
	snprintf(name, sizeof(name), "ibdevsim%u", index - 1);
	err = ib_register_device(&hca->ibdev, name, &hca->ibdev.dev);
	if (err) {
		unmake(hca);
		return err;
	}

	/* The cable last: all that comes over it is told of. */
	WRITE_ONCE(hca->registered, true);
	ibds_fabric_cable(hca);
	ibds_debugfs_add(hca);
	return index;
}

/**
 * ibds_hang - wait as if for firmware that gives no answer
 * @hca: the HCA
 * @hangs: knob of a test, waited for until it is false
 *
 * Context: Process context, sleeps until the HCA goes at the latest.
 */
void ibds_hang(struct ibds_hca *hca, const bool *hangs)
{
	if (!READ_ONCE(*hangs))
		return;
	atomic_inc(&hca->faults.hanging);
	while (READ_ONCE(*hangs))
		msleep(20);
	atomic_dec(&hca->faults.hanging);
}

/**
 * ibds_command - ask the firmware for something
 * @hca: the HCA
 *
 * Each verb begins with this that is a command to the firmware. It is looked at only whether
 * there is an answer; those that end objects do without, for they do not fail.
 *
 * Return: 0, or -EIO if the HCA is dead or a test wants that.
 * Context: Process context; sleeps for as long as a test wants.
 */
int ibds_command(struct ibds_hca *hca)
{
	struct ibds_hca_faults *faults = &hca->faults;
	u32 usec = READ_ONCE(faults->command_usec);

	might_sleep();
	if (usec)
		fsleep(usec);
	ibds_hang(hca, &faults->commands_hang);
	return READ_ONCE(faults->commands_fail) ? -EIO : ibds_answers(hca);
}

static void del(struct ibds_hca *hca)
{
	ibds_debugfs_del(hca);
	/* Nobody could tell it to go on any more, and step 2 waits for whoever asks it. */
	WRITE_ONCE(hca->faults.commands_hang, false);
	WRITE_ONCE(hca->faults.attach_hangs, false);

	/* 1. Consumers that are about to go get no more events. */
	WRITE_ONCE(hca->registered, false);
	synchronize_rcu_expedited();

	/* 2. Consumers go, and all they have made with them. */
	ib_unregister_device(&hca->ibdev);

	unmake(hca);
}

/**
 * ibds_device_del - unplug an HCA and destroy it
 * @fab: the fabric
 * @index: port of the switch that it is at
 *
 * Return: 0, or -ENODEV if none is there.
 * Context: Process context, may sleep; the topology mutex is held.
 */
int ibds_device_del(struct ibds_fabric *fab, u8 index)
{
	struct ibds_hca *hca;

	lockdep_assert_held(&fab->topology);

	hca = index && index <= fab->sw.node.nports ? hca_at(fab, index) : NULL;
	if (!hca)
		return -ENODEV;
	del(hca);
	return 0;
}

/**
 * ibds_device_del_all - destroy all HCAs
 * @fab: the fabric
 *
 * The last one first: a subnet manager is at the first one as a rule, and who
 * leaves a group without one waits for its answer, some seconds long.
 *
 * Context: Process context, may sleep; the topology mutex is held.
 */
void ibds_device_del_all(struct ibds_fabric *fab)
{
	unsigned int i;

	for (i = fab->sw.node.nports; i; i--)
		ibds_device_del(fab, i);
}
