/* SPDX-License-Identifier: GPL-2.0 */
/* Datagrams of any content, to anybody: what a driver has to be safe from. */
#ifndef _LOOP_INJECT_H
#define _LOOP_INJECT_H

#include <rdma/ib_verbs.h>

#define LOOP_INJECT_MAX	4096

/**
 * struct loop_datagram - what is sent
 * @dlid: LID to send to, of a port or a group
 * @dgid: GID to send to, for a GRH; all zero for none
 * @qpn: queue pair to send to
 * @qkey: Q_Key to send with
 * @count: how often
 * @len: octets
 * @data: those of them that are not zero
 */
struct loop_datagram {
	u16 dlid;
	union ib_gid dgid;
	u32 qpn;
	u32 qkey;
	u32 count;
	u32 len;
	u8 data[128];
};

int loop_inject(struct ib_device *dev, const struct loop_datagram *d);

#endif /* _LOOP_INJECT_H */
