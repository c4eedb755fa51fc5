/* SPDX-License-Identifier: GPL-2.0 */
/* Address vectors: of address handles, and of connected queue pairs. */
#ifndef _IBDS_AH_H
#define _IBDS_AH_H

#include <linux/atomic.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

struct ibds_port;

/**
 * struct ibds_av - where packets go
 * @dlid: destination LID
 * @path_bits: added to the port's base LID make the source LID
 * @sl: service level
 * @has_grh: @grh is sent
 * @sgid_index: where the source GID stands in the port's table; it may change there
 * @grh: header, its length left out
 */
struct ibds_av {
	u16 dlid;
	u8 path_bits;
	u8 sl;
	bool has_grh;
	u8 sgid_index;
	struct ib_grh grh;
};

/**
 * struct ibds_ah - an address handle
 * @ibah: the core's part; the core makes and frees the whole
 * @av: where it leads; constant but for ibds_modify_ah()
 * @attr: as it was made, for queries
 * @node: entry of the HCA's list
 * @sends: posted, and not done, that refer to it
 */
struct ibds_ah {
	struct ib_ah ibah;
	struct ibds_av av;
	struct rdma_ah_attr attr;
	struct list_head node;
	atomic_t sends;
};

static inline struct ibds_ah *to_ibds_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct ibds_ah, ibah);
}

int ibds_av_init(struct ibds_av *av, const struct ibds_port *port,
		 const struct rdma_ah_attr *attr);
void ibds_av_source(struct ib_grh *grh, const struct ibds_av *av,
		    const struct ibds_port *port);
int ibds_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		   struct ib_udata *udata);
int ibds_modify_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int ibds_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int ibds_destroy_ah(struct ib_ah *ibah, u32 flags);

#endif /* _IBDS_AH_H */
