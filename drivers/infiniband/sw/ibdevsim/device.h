/* SPDX-License-Identifier: GPL-2.0 */
/* Birth and death of HCAs. */
#ifndef _IBDS_DEVICE_H
#define _IBDS_DEVICE_H

#include <linux/types.h>

struct device;
struct ibds_fabric;
struct ibds_hca;
struct ibds_profile;

int ibds_device_new(struct ibds_fabric *fab, struct device *parent,
		    const struct ibds_profile *profile);
int ibds_device_del(struct ibds_fabric *fab, u8 index);
void ibds_device_del_all(struct ibds_fabric *fab);

#endif /* _IBDS_DEVICE_H */
