// SPDX-License-Identifier: GPL-2.0
#include "vf.h"

#include <linux/if_link.h>
#include <linux/seq_file.h>
#include <rdma/ib_verbs.h>

#include "fabric.h"
#include "hca.h"

static unsigned int count(const struct ibds_hca *hca)
{
	return min_t(u32, READ_ONCE(hca->fab->vfs), IBDS_VFS_MAX);
}

/* find() returns NULL if there is no virtual function of that number. */
static struct ibds_vf *find(struct ib_device *ibdev, int vf)
{
	struct ibds_hca *hca = to_ibds_hca(ibdev);

	return vf >= 0 && vf < count(hca) ? &hca->vfs[vf] : NULL;
}

static int set_vf_link_state(struct ib_device *ibdev, int vf, u32 port, int state)
{
	struct ibds_vf *it = find(ibdev, vf);

	if (!it)
		return -EINVAL;
	WRITE_ONCE(it->state, state);
	return 0;
}

static int get_vf_config(struct ib_device *ibdev, int vf, u32 port, struct ifla_vf_info *info)
{
	const struct ibds_vf *it = find(ibdev, vf);

	if (!it)
		return -EINVAL;
	memset(info, 0, sizeof(*info));
	info->linkstate = READ_ONCE(it->state);
	return 0;
}

/*
 * Nothing is behind a virtual function that could send: get_vf_stats() has numbers by which a
 * test can tell one from the next.
 */
static int get_vf_stats(struct ib_device *ibdev, int vf, u32 port, struct ifla_vf_stats *stats)
{
	if (!find(ibdev, vf))
		return -EINVAL;
	memset(stats, 0, sizeof(*stats));
	stats->rx_packets = 10 * (vf + 1);
	stats->rx_bytes = 1000 * (vf + 1);
	return 0;
}

static int get_vf_guid(struct ib_device *ibdev, int vf, u32 port, struct ifla_vf_guid *node,
		       struct ifla_vf_guid *port_guid)
{
	const struct ibds_vf *it = find(ibdev, vf);

	if (!it)
		return -EINVAL;
	node->guid = READ_ONCE(it->node_guid);
	port_guid->guid = READ_ONCE(it->port_guid);
	return 0;
}

static int set_vf_guid(struct ib_device *ibdev, int vf, u32 port, u64 guid, int type)
{
	struct ibds_vf *it = find(ibdev, vf);

	if (!it)
		return -EINVAL;
	if (type == IFLA_VF_IB_NODE_GUID)
		WRITE_ONCE(it->node_guid, guid);
	else
		WRITE_ONCE(it->port_guid, guid);
	return 0;
}

/*
 * A device that has virtual functions has these operations, too; how many it has is a knob of the
 * fabric.
 */
const struct ib_device_ops ibds_vf_ops = {
	.set_vf_link_state	= set_vf_link_state,
	.get_vf_config		= get_vf_config,
	.get_vf_stats		= get_vf_stats,
	.get_vf_guid		= get_vf_guid,
	.set_vf_guid		= set_vf_guid,
};

/**
 * ibds_vf_show - print what is set of each virtual function
 * @hca: the HCA
 * @seq: where to
 *
 * Context: Process context.
 */
void ibds_vf_show(struct ibds_hca *hca, struct seq_file *seq)
{
	unsigned int i;

	for (i = 0; i < count(hca); i++)
		seq_printf(seq, "%u node 0x%016llx port 0x%016llx state %d\n", i,
			   READ_ONCE(hca->vfs[i].node_guid), READ_ONCE(hca->vfs[i].port_guid),
			   READ_ONCE(hca->vfs[i].state));
}
