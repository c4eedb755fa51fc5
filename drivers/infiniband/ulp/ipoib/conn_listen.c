// SPDX-License-Identifier: GPL-2.0
#include "conn_listen.h"

#include <rdma/ib_cache.h>

#include "connset.h"
#include "hwaddr.h"

/* For so long after a REP a REQ of the peer's counts as sent before it. */
#define CROSSING_TIME	HZ

static const enum ipoib_service services[IPOIB_LISTENS] = {
	IPOIB_SERVICE_RFC,
	IPOIB_SERVICE_LINUX,
};

/*
 * On RoCE all links of a port, VLANs for instance, share its P_Key and may share
 * the GID: what tells them apart is the entry of the GID table.
 */
static bool came_by_link(const struct ipoib_connset *set,
			 const struct ib_cm_req_event_param *req)
{
	const struct ipoib_fabric *fabric = set->config.fabric;

	if (req->port != fabric->port ||
	    (be16_to_cpu(req->primary_path->pkey) | IPOIB_PKEY_FULL) !=
	    set->config.pkey)
		return false;
	return !fabric->lower ||
	       (req->ppath_sgid_attr &&
		req->ppath_sgid_attr->index == set->config.gid_index);
}

static enum ib_cm_rej_reason check_req(struct ipoib_connset *set,
				       const struct ib_cm_event *event,
				       struct ipoib_cm_peer *theirs)
{
	const struct ib_cm_req_event_param *req = &event->param.req_rcvd;
	unsigned int need = req->qp_type == IB_QPT_RC ? IPOIB_OFFER_RC :
						       IPOIB_OFFER_UC;

	if (!came_by_link(set, req))
		return IB_CM_REJ_INVALID_SERVICE_ID;
	if ((req->qp_type != IB_QPT_RC && req->qp_type != IB_QPT_UC) ||
	    !(set->config.offer & need))
		return IB_CM_REJ_INVALID_TRANSPORT_TYPE;
	if (!ipoib_cm_unpack(event->private_data, IB_CM_REQ_PRIVATE_DATA_SIZE,
			     theirs))
		return IB_CM_REJ_CONSUMER_DEFINED;
	return 0;
}

/*
 * Is our request still under way, or was until just now? The CM sees to messages on
 * several CPUs: it may tell of the REP before it tells of the REQ that came first.
 * One that has failed, or that is about to end, would never come: it crosses nothing.
 */
static bool may_cross(const struct ipoib_conn *conn)
{
	static const unsigned long ends = BIT(IPOIB_CONN_NEWS_CLOSE) |
					  BIT(IPOIB_CONN_NEWS_ASKED) |
					  BIT(IPOIB_CONN_NEWS_TOLD);

	if (!conn->committed || READ_ONCE(conn->err) ||
	    (READ_ONCE(conn->news) & ends))
		return false;

	/* Pairs with conn_step(). */
	switch (smp_load_acquire(&conn->state)) {
	case IPOIB_CONN_ASKED:
		return !(READ_ONCE(conn->news) & BIT(IPOIB_CONN_NEWS_LATE));
	case IPOIB_CONN_LIVE:
		return time_in_range(jiffies, conn->accepted_at,
				     conn->accepted_at + CROSSING_TIME);
	default:
		return false;
	}
}

/*
 * What there is already with that peer: a request of our own that crosses
 * theirs, or a connection that it has forgotten. Ours that was not sent yet has
 * crossed nothing. Returns false if theirs is not to be accepted.
 */
static bool settle(struct ipoib_connset *set, enum ipoib_service service,
		   const struct ipoib_hwaddr *addr)
{
	struct ipoib_conn *conn;

	lockdep_assert_held(&set->lock);

	if (service == IPOIB_SERVICE_LINUX) {
		conn = ipoib_connset_find_theirs(set, addr);
	} else {
		conn = ipoib_connset_find(set, addr);
		if (conn && conn->service != IPOIB_SERVICE_RFC)
			conn = NULL;
	}
	if (!conn)
		return true;
	if (may_cross(conn) && !ipoib_cm_yields(&set->config.self, addr))
		return false;
	ipoib_connset_leave(set, conn);
	return true;
}

/* Takes the caller's reference of @conn if it returns 0. */
static int take(struct ipoib_connset *set, struct ipoib_conn *conn)
{
	lockdep_assert_held(&set->lock);

	if (ipoib_connset_is_full(set))
		return -EUSERS;
	if (!settle(set, conn->service, &conn->addr))
		return -EALREADY;
	return ipoib_connset_add(set, conn);
}

static int accept_req(struct ipoib_connset *set, struct ipoib_conn *conn,
		      struct ib_cm_id *cm_id,
		      const struct ib_cm_req_event_param *req,
		      const struct ipoib_cm_peer *theirs)
{
	int err;

	spin_lock_bh(&set->lock);
	err = take(set, conn);
	if (!err) {
		conn->theirs = *theirs;
		conn->spare = req->alternate_path &&
			      ipoib_conn_path_fits(conn, req->primary_path,
						   req->alternate_path);
		conn->no_spare = req->alternate_path && !conn->spare;
		conn->cm_id = cm_id;
		cm_id->context = conn;
		cm_id->cm_handler = ipoib_conn_event;
		ipoib_conn_kick(conn, IPOIB_CONN_NEWS_REQ);
	}
	spin_unlock_bh(&set->lock);
	return err;
}

static int req_came(struct ipoib_connset *set, struct ib_cm_id *cm_id,
		    enum ipoib_service service,
		    const struct ib_cm_event *event)
{
	const struct ib_cm_req_event_param *req = &event->param.req_rcvd;
	enum ib_cm_rej_reason reason;
	struct ipoib_cm_peer theirs;
	struct ipoib_hwaddr addr;
	struct ipoib_conn *conn;
	int err;

	reason = check_req(set, event, &theirs);
	if (reason)
		goto refuse;

	ipoib_hwaddr_set(&addr, 0, theirs.qpn, &req->primary_path->dgid);
	reason = IB_CM_REJ_CONSUMER_DEFINED;
	if (!ipoib_hwaddr_is_unicast(&addr))
		goto refuse;

	reason = IB_CM_REJ_NO_RESOURCES;
	conn = ipoib_conn_new(set, &addr, req->qp_type, service, false);
	if (!conn)
		goto refuse;

	err = accept_req(set, conn, cm_id, req, &theirs);
	if (!err)
		return 0;
	if (err == -EALREADY)
		reason = IB_CM_REJ_CONSUMER_DEFINED;
	ipoib_conn_put(conn);
refuse:
	ipoib_connset_refuse(set, cm_id, reason);
	/* The CM destroys the identifier. */
	return -ECONNREFUSED;
}

static int listen_event(struct ib_cm_id *cm_id, const struct ib_cm_event *event)
{
	struct ipoib_connset *set = cm_id->context;
	u32 qpn;

	if (event->event != IB_CM_REQ_RECEIVED)
		return 0;
	return req_came(set, cm_id, ipoib_service_parse(cm_id->service_id, &qpn),
			event);
}

/**
 * ipoib_conn_listen - take requests
 * @set: the set
 *
 * Return: 0 or a negative errno; ipoib_conn_listen_no_more() is due then, too.
 * Context: Process context, may sleep.
 */
int ipoib_conn_listen(struct ipoib_connset *set)
{
	struct ib_cm_id *cm_id;
	int i, err;

	for (i = 0; i < IPOIB_LISTENS; i++) {
		cm_id = ib_create_cm_id(set->config.pd->device, listen_event,
					set);
		if (IS_ERR(cm_id))
			return PTR_ERR(cm_id);
		err = ib_cm_listen(cm_id, ipoib_service_id(services[i],
							   set->config.qpn));
		if (err) {
			ib_destroy_cm_id(cm_id);
			return err;
		}
		set->listens[i] = cm_id;
	}
	return 0;
}

/**
 * ipoib_conn_listen_no_more - take no requests
 * @set: the set
 *
 * When it returns none is being looked at any more.
 *
 * Context: Process context, may sleep.
 */
void ipoib_conn_listen_no_more(struct ipoib_connset *set)
{
	int i;

	for (i = 0; i < IPOIB_LISTENS; i++) {
		if (set->listens[i])
			ib_destroy_cm_id(set->listens[i]);
		set->listens[i] = NULL;
	}
}
