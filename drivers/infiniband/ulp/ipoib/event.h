/* SPDX-License-Identifier: GPL-2.0 */
/* Which events make the driver query a port or ask for paths anew, and what reports lead to. */
#ifndef _IPOIB_EVENT_H
#define _IPOIB_EVENT_H

#include <rdma/ib_verbs.h>

#include "fabric.h"
#include "wire.h"

struct ipoib_dev;

bool ipoib_event_of_port(const struct ib_event *event, u32 port);
bool ipoib_event_of_paths(const struct ib_event *event);
bool ipoib_event_of_lower(unsigned long event);

void ipoib_event_report(struct ipoib_dev *idev, enum ipoib_report report,
			const union ib_gid *gid);
void ipoib_event_heard(void *ctx, const struct ipoib_hwaddr *addr, u32 slid,
		       bool from_there);

#endif /* _IPOIB_EVENT_H */
