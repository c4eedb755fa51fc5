/* SPDX-License-Identifier: GPL-2.0 */
/* MCMemberRecord with a member for each field of IBTA 15.2.5.17. */
#ifndef _FUZZ_RDMA_IB_SA_H
#define _FUZZ_RDMA_IB_SA_H

#include <rdma/ib_verbs.h>

/* IBTA 15.2.2 and 15.2.5: methods, attributes. */
#define IB_SA_CLASS_VERSION		2
#define IB_SA_METHOD_GET_TABLE		0x12
#define IB_SA_ATTR_NOTICE		0x02
#define IB_SA_ATTR_INFORM_INFO		0x03
#define IB_SA_ATTR_MC_MEMBER_REC	0x38

/* Which fields of a record are meant, IBTA 15.4.4: bit N is the N-th field. */
#define IB_SA_COMP_MASK(n)		cpu_to_be64(1ull << (n))
#define IB_SA_MCMEMBER_REC_MGID		IB_SA_COMP_MASK(0)
#define IB_SA_MCMEMBER_REC_PORT_GID	IB_SA_COMP_MASK(1)
#define IB_SA_MCMEMBER_REC_PKEY		IB_SA_COMP_MASK(7)

struct ib_sa_mcmember_rec {
	union ib_gid mgid;
	union ib_gid port_gid;
	__be32 qkey;
	__be16 mlid;
	u8 mtu_selector;
	u8 mtu;
	u8 traffic_class;
	__be16 pkey;
	u8 rate_selector;
	u8 rate;
	u8 packet_life_time_selector;
	u8 packet_life_time;
	u8 sl;
	__be32 flow_label;
	u8 hop_limit;
	u8 scope;
	u8 join_state;
	u8 proxy_join;
};

#endif /* _FUZZ_RDMA_IB_SA_H */
