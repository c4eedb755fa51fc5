// SPDX-License-Identifier: GPL-2.0
#include "event.h"

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
