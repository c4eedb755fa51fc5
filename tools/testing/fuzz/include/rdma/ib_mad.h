/* SPDX-License-Identifier: GPL-2.0 */
/* Management datagrams: IBTA 13.4.2 (header), 13.6.2.1 (RMPP), 15.2.1.1 (SA). */
#ifndef _FUZZ_RDMA_IB_MAD_H
#define _FUZZ_RDMA_IB_MAD_H

#include <rdma/ib_verbs.h>

#define IB_MGMT_BASE_VERSION	1
#define IB_MGMT_CLASS_SUBN_ADM	0x03

#define IB_MGMT_METHOD_GET	0x01
#define IB_MGMT_METHOD_SET	0x02
#define IB_MGMT_METHOD_REPORT	0x06
#define IB_MGMT_METHOD_RESP	0x80
#define IB_MGMT_METHOD_REPORT_RESP	0x86

#define IB_MGMT_MAD_STATUS_BUSY			0x0001
#define IB_MGMT_MAD_STATUS_REDIRECT_REQD	0x0002
#define IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE	0x001c

#define IB_MGMT_RMPP_FLAG_ACTIVE	1

#define IB_MGMT_MAD_SIZE	256
#define IB_MGMT_SA_HDR		56
#define IB_MGMT_SA_DATA		200

struct ib_mad_hdr {
	u8 base_version;
	u8 mgmt_class;
	u8 class_version;
	u8 method;
	__be16 status;
	__be16 class_specific;
	__be64 tid;
	__be16 attr_id;
	__be16 resv;
	__be32 attr_mod;
};

struct ib_rmpp_hdr {
	u8 rmpp_version;
	u8 rmpp_type;
	u8 rmpp_rtime_flags;
	u8 rmpp_status;
	__be32 seg_num;
	__be32 paylen_newwin;
};

typedef u64 ib_sa_comp_mask;

/* 64 bits that stand where 32 bits would be aligned */
struct ib_sa_hdr {
	__be64 sm_key;
	__be16 attr_offset;
	__be16 reserved;
	ib_sa_comp_mask comp_mask;
} __packed __aligned(4);

struct ib_sa_mad {
	struct ib_mad_hdr mad_hdr;
	struct ib_rmpp_hdr rmpp_hdr;
	struct ib_sa_hdr sa_hdr;
	u8 data[IB_MGMT_SA_DATA];
} __packed __aligned(8);

#endif /* _FUZZ_RDMA_IB_MAD_H */
