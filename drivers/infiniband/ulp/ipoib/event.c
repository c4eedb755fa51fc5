// SPDX-License-Identifier: GPL-2.0
#include "event.h"

#include "dev_conns.h"
#include "device.h"

/* ipoib_event_heard() asks anew only for paths that were answered longer ago than this. */
#define HEARD_AGE	HZ

/**
 * ipoib_event_of_port - may an event have changed the state of a port
 * @event: asynchronous event of the RDMA device
 * @port: port number
 *
 * The driver does not trust an event to say what has changed: it queries the port, and acts
 * on the result of the query. So events may come late, twice or together.
 *
 * Return: true if the port has to be queried.
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
 * A new subnet manager may have assigned other LIDs and service levels.
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
 * ipoib_event_of_lower - may an event have changed the state of a RoCE port
 * @event: netdevice notifier event of its Ethernet device
 *
 * NETDEV_CHANGEMTU is among them because soft-RoCE raises no event of its own when the MTU
 * of its Ethernet device changes.
 *
 * Return: true if the port has to be queried.
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
 * ipoib_event_report - handle a report of the fabric
 * @idev: an interface
 * @report: what happened
 * @gid: group or port that the report is about; unused for IPOIB_REPORT_MISSED
 *
 * Context: Process context; no lock of the driver is held but ipoib_sa_subscribers.mutex. Must not
 * wait for the interface.
 */
void ipoib_event_report(struct ipoib_dev *idev, enum ipoib_report report,
			const union ib_gid *gid)
{
	if (report != IPOIB_REPORT_NODE) {
		ipoib_mcast_set_report(&idev->mcast, report, gid);
		return;
	}
	ipoib_peertable_doubt(&idev->peers, gid);
	ipoib_dev_conns_refresh(idev, gid, 0);
}

/**
 * ipoib_event_heard - a packet of ARP or neighbour discovery names its sender
 * @ctx: the interface
 * @addr: link-layer address that the packet says its sender has; not verified
 * @slid: LID that the packet came from; 0 on RoCE
 * @from_there: the packet came from the GID in @addr
 *
 * No SM tells us that another port has got a new LID, and packets to the old LID are lost
 * without an error. So if the packet came from another LID than the path to the peer leads
 * to, the path is asked for anew. RFC 4391 section 9.1.1: a node is named by its GID, not
 * by its LID.
 *
 * Context: NAPI.
 */
void ipoib_event_heard(void *ctx, const struct ipoib_hwaddr *addr, u32 slid,
		       bool from_there)
{
	struct ipoib_dev *idev = ctx;
	struct ipoib_peer *peer;
	struct ipoib_ah *ah;

	if (from_there)
		ipoib_fabric_heard(&idev->fabric, addr->gid);

	rcu_read_lock();
	peer = ipoib_peertable_find(&idev->peers, addr);
	ah = peer ? rcu_dereference(peer->ah) : NULL;
	/*
	 * If the LMC of the ports has just changed, this may ask for a path without need, or
	 * not ask for one until the next such packet: neither does harm.
	 */
	if (ah && !ipoib_fabric_same_port(&idev->fabric, ah->dlid, slid))
		ipoib_peer_refresh(peer, HEARD_AGE);
	rcu_read_unlock();
}
