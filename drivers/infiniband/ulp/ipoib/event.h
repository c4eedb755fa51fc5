/* SPDX-License-Identifier: GPL-2.0 */
/* Which events are a reason to look at a port again. */
#ifndef _IPOIB_EVENT_H
#define _IPOIB_EVENT_H

#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

bool ipoib_event_of_port(const struct ib_event *event, u32 port);
bool ipoib_event_of_lower(unsigned long event);

#endif /* _IPOIB_EVENT_H */
