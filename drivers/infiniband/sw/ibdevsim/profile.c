// SPDX-License-Identifier: GPL-2.0
#include "profile.h"

#include <linux/kernel.h>
#include <linux/string.h>

/*
 * What a provider takes from its firmware is what usual cards say. Where it is in the
 * kernel, below drivers/infiniband/hw, of Linux 6.1:
 *
 * mlx4: main.c mlx4_ib_query_device(), cq.c mlx4_ib_arm_cq(), mlx4_ib_poll_one()
 * mlx5: main.c mlx5_ib_query_device(), cq.c mlx5_ib_arm_cq(), mlx5_poll_one()
 * mthca: mthca_provider.c mthca_register_device() (one vector), mthca_create_qp()
 * qib: qib_verbs.c, with what sw/rdmavt does for it
 * hfi1: verbs.c query_port(), hfi1_register_ib_device(), hfi1_notify_new_ah(), qp.c
 * get_pmtu_from_attr(), hfi1_setup_wqe(); likewise
 * The port's state is at hand in rvt_query_port(), and with it in those two.
 * irdma: verbs.c irdma_query_device(), irdma_modify_qp_roce(), user.h; its RoCE on links that it
 * does not have
 * Dead ones: mlx4_ib_poll_sw_comp() and mlx5_ib_poll_sw_comp(). Addresses: set_datagram_seg()
 * of both and rvt_post_one_wr() copy them, set_tavor_ud_seg() of mthca does not.
 * bnxt_re: main.c bnxt_re_dev_ops without attach_mcast, ib_verbs.c
 */
static const struct ibds_profile profiles[] = {
	{
		.name = "plain",
		.mtu = 4096,
		.sges = 32, .pkeys = 64, .vectors = 16,
		.srq = true, .uc = true, .mcast = true, .block_loopback = true,
		.moderation = true,
		.group_qps = 8192,
	}, {
		.name = "mlx4",
		.mtu = 4096,
		.sges = 31, .pkeys = 128, .vectors = 16,
		.srq = true, .uc = true, .mcast = true, .block_loopback = true,
		.arm_event = true, .slot_at_poll = true,
		.csum = true, .tso = true, .moderation = true,
		.ah_by_value = true, .flush_dead = true, .group_qps = 248,
	}, {
		.name = "mlx5",
		.mtu = 4096,
		.sges = 30, .pkeys = 128, .vectors = 16,
		.srq = true, .uc = true, .mcast = true, .block_loopback = true,
		.arm_event = true, .slot_at_poll = true,
		.csum = true, .tso = true, .moderation = true, .max_inline = 512,
		.ah_by_value = true, .flush_dead = true, .group_qps = 256,
	}, {
		.name = "mthca",
		.mtu = 4096,
		.sges = 30, .pkeys = 64, .vectors = 1,
		.srq = true, .uc = true, .mcast = true,
		.arm_event = true, .slot_at_poll = true,
		.csum = true,
		.group_qps = 8,
	}, {
		.name = "qib",
		.mtu = 4096,
		.sges = 32, .pkeys = 16, .vectors = 1,
		.srq = true, .uc = true, .mcast = true,
		.port_at_hand = true,
		.ah_by_value = true, .keeps_completions = true,
		.group_qps = 16, .group_lid = true, .group_alive = true,
	}, {
		.name = "hfi1",
		.mtu = 10240,
		.sges = 32, .pkeys = 16, .vectors = 16,
		.srq = true, .uc = true, .mcast = true, .opa = true,
		.port_at_hand = true,
		.ah_by_value = true, .keeps_completions = true,
		.group_qps = 16, .group_lid = true, .group_alive = true,
	}, {
		.name = "irdma",
		.mtu = 4096,
		.sges = 13, .pkeys = 1, .vectors = 16,
		.mcast = true, .slot_at_poll = true,
		.max_inline = 101,
		.one_life = true,
		.group_qps = 256,
	}, {
		.name = "bnxt_re",
		.mtu = 4096,
		.sges = 6, .pkeys = 1, .vectors = 16,
		.srq = true, .slot_at_poll = true,
		.max_inline = 96,
	},
};

/**
 * ibds_profile_find - a kind of HCA by its name
 * @name: the name
 *
 * Return: the profile, or NULL if there is none.
 */
const struct ibds_profile *ibds_profile_find(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(profiles); i++)
		if (!strcmp(profiles[i].name, name))
			return &profiles[i];
	return NULL;
}
