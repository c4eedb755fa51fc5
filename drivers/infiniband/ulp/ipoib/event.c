// SPDX-License-Identifier: GPL-2.0
#include "event.h"

#include "device.h"

/* A path younger than this is not doubted because of where a packet came from. */
#define HEARD_AGE	HZ

/**
 * ipoib_event_of_port - may an event have changed what a port can do
 * @event: asynchronous event of the RDMA device
 * @port: port number
 *
 * No event is trusted to say what has changed: the port is looked at, and the
 * look decides. So events may come late, twice or together.
 *
 * Return: true if the port has to be looked at.
 * Context: Any.
 */
bool ipoib_event_of_port(const struct ib_event *event, u32 port)
{
	switch (event->event) {
	case IB_EVENT_DEVICE_FATAL:
		return true;
	case IB_EVENT_PORT_ACTIVE:
	case IB_EVENT_PORT_ERR:
	case IB_EVENT_LID_CHANGE:
	case IB_EVENT_PKEY_CHANGE:
	case IB_EVENT_SM_CHANGE:
	case IB_EVENT_CLIENT_REREGISTER:
	case IB_EVENT_GID_CHANGE:
		return event->element.port_num == port;
	default:
		return false;
	}
}

/**
 * ipoib_event_of_paths - may an event have changed where paths lead
 * @event: asynchronous event of the RDMA device
 *
 * A new subnet manager may have given LIDs and service levels of its own.
 *
 * Return: true if paths have to be asked for anew.
 * Context: Any.
 */
bool ipoib_event_of_paths(const struct ib_event *event)
{
	switch (event->event) {
	case IB_EVENT_LID_CHANGE:
	case IB_EVENT_SM_CHANGE:
	case IB_EVENT_CLIENT_REREGISTER:
		return true;
	default:
		return false;
	}
}

/**
 * ipoib_event_of_lower - may an event have changed what a RoCE port can do
 * @event: netdevice notifier event of its Ethernet device
 *
 * soft-RoCE tells nobody when the MTU of its Ethernet device changes.
 *
 * Return: true if the port has to be looked at.
 * Context: Any.
 */
bool ipoib_event_of_lower(unsigned long event)
{
	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGEMTU:
	case NETDEV_CHANGEADDR:
		return true;
	default:
		return false;
	}
}

/**
 * ipoib_event_report - the fabric told of itself
 * @ctx: the interface
 * @report: what happened
 * @gid: group or port that it is about; unused for IPOIB_REPORT_MISSED
 *
 * Context: Process context; no lock of the driver is held.
 */
void ipoib_event_report(void *ctx, enum ipoib_report report,
			const union ib_gid *gid)
{
	struct ipoib_dev *idev = ctx;

	if (report == IPOIB_REPORT_NODE)
		ipoib_dev_refresh(idev, gid, 0);
	else
		ipoib_mcastset_report(&idev->mcast, report, gid);
}

/**
 * ipoib_event_heard - a node told its address
 * @ctx: the interface
 * @addr: the address that it has, or so it says
 * @slid: LID that the packet came from
 *
 * No SM tells us that another port has got a new LID, and what is sent to the
 * old one is lost without a trace. So when address resolution brings the node
 * back from elsewhere, the path is asked for anew. RFC 4391 section 9.1.1: a
 * node is named by its GID, not by its LID.
 *
 * Context: NAPI.
 */
void ipoib_event_heard(void *ctx, const struct ipoib_hwaddr *addr, u32 slid)
{
	struct ipoib_dev *idev = ctx;
	/* A hint: an old one asks for one path too many, or too few. */
	u16 lids = ~0u << data_race(idev->fabric.link.lmc);
	struct ipoib_peer *peer;
	struct ipoib_ah *ah;

	rcu_read_lock();
	peer = ipoib_peertable_find(&idev->peers, addr);
	ah = peer ? rcu_dereference(peer->ah) : NULL;
	if (ah && ((ah->dlid ^ slid) & lids))
		ipoib_peer_refresh(peer, HEARD_AGE);
	rcu_read_unlock();
}
