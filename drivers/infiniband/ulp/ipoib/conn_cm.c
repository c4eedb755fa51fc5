// SPDX-License-Identifier: GPL-2.0
#include "conn_set.h"

#include <rdma/ib_cache.h>

#include "addr.h"
#include "device.h"

/* For this long after the REP to our REQ, a REQ of the peer counts as crossing ours. */
#define CROSSING_TIME	HZ

/* A connection by which the peer was heard of this recently still exists at the peer. */
#define PROVEN_TIME	(3 * HZ)

/* contest() asks a peer that sends REQs although it has a proven connection at least this old. */
#define CONTEST_AGE	(10 * HZ)

/* ---- REQs of peers -------------------------------------------------------- */

/*
 * Has the REQ come for this interface? On RoCE all interfaces of a port, VLANs for instance,
 * share its P_Key and may share the GID: the index of the GID table entry tells them apart.
 */
static bool came_by_link(const struct ipoib_conn_set *set,
			 const struct ib_cm_req_event_param *req)
{
	const struct ipoib_fabric *fabric = &set->idev->fabric;

	/* The REQ names what its sender says; the HCA has looked at what the REQ came with. */
	if (req->port != fabric->port ||
	    (be16_to_cpu(req->primary_path->pkey) | IPOIB_PKEY_FULL) != set->pkey ||
	    (!fabric->lower && (req->bth_pkey | IPOIB_PKEY_FULL) != set->pkey))
		return false;
	return !fabric->lower ||
	       (req->ppath_sgid_attr &&
		req->ppath_sgid_attr->index == set->gid_index);
}

/*
 * Is the kind of connection one that we take? ib_ipoib goes by the address, which says that we
 * take RC, and sends no datagrams instead: so its RC is taken even if the user wants none.
 * ipoib_conn_peer_check() has a look at who asks.
 */
static bool is_offered(const struct ipoib_conn_set *set, enum ib_qp_type type,
		       enum ipoib_service service)
{
	switch (type) {
	case IB_QPT_RC:
		return (set->offer & IPOIB_OFFER_RC) || service == IPOIB_SERVICE_LINUX;
	case IB_QPT_UC:
		return set->offer & IPOIB_OFFER_UC;
	default:
		return false;
	}
}

/* check_req() fills in @theirs and @addr, the address of the sender as the REQ has it. */
static int check_req(struct ipoib_conn_set *set, enum ipoib_service service,
		     const struct ib_cm_event *event,
		     struct ipoib_cm_peer *theirs, struct ipoib_hwaddr *addr)
{
	const struct ib_cm_req_event_param *req = &event->param.req_rcvd;

	if (!came_by_link(set, req))
		return -EXDEV;
	if (!is_offered(set, req->qp_type, service))
		return -EPROTOTYPE;
	if (!ipoib_cm_unpack(event->private_data, IB_CM_REQ_PRIVATE_DATA_SIZE,
			     theirs))
		return -EBADMSG;
	/* mlx4 and mlx5 write to the log what they think of an MTU that is none. */
	if (rdma_mtu_enum_to_int(set->idev->fabric.ibdev, req->port, req->primary_path->mtu) <= 0)
		return -EBADMSG;
	ipoib_hwaddr_set(addr, 0, theirs->qpn, &req->primary_path->dgid);
	return ipoib_hwaddr_is_unicast(addr) ? 0 : -EBADMSG;
}

/* The connection has failed, or one of the pending events will end it. */
static bool is_ending(const struct ipoib_conn *conn)
{
	static const unsigned long ends = BIT(IPOIB_CONN_PENDING_CLOSE) |
					  BIT(IPOIB_CONN_PENDING_DREQ) |
					  BIT(IPOIB_CONN_PENDING_DISCONNECTED);

	return READ_ONCE(conn->err) || (READ_ONCE(conn->pending) & ends);
}

static bool is_proven(const struct ipoib_conn *conn)
{
	return ipoib_conn_is_established(conn) && !is_ending(conn) &&
	       time_before(jiffies, READ_ONCE(conn->alive) + PROVEN_TIME);
}

/*
 * Is our REQ still under way, or was it until a moment ago? The CM handles messages on several
 * CPUs, so it may report the REP of the peer before the REQ that the peer sent first. A
 * connection that has failed or is about to end will not be established by its REQ: it crosses
 * nothing.
 */
static bool may_cross(const struct ipoib_conn *conn)
{
	if (!conn->active || is_ending(conn))
		return false;

	/* Pairs with the release in conn_step(). */
	switch (smp_load_acquire(&conn->state)) {
	case IPOIB_CONN_REQ_SENT:
		return !(READ_ONCE(conn->pending) & BIT(IPOIB_CONN_PENDING_LATE));
	case IPOIB_CONN_ESTABLISHED:
		return time_in_range(jiffies, conn->accepted_at,
				     conn->accepted_at + CROSSING_TIME);
	default:
		return false;
	}
}

/*
 * The REQ may be from the peer, and the connection that exists may have been opened by another
 * program on the same port in the name of the peer. Nothing here tells them apart. But our own
 * REQ reaches the peer itself, so open a connection from this end.
 */
static void contest(struct ipoib_conn_set *set, struct ipoib_conn *conn)
{
	if (conn->active || time_before(jiffies, conn->since + CONTEST_AGE))
		return;
	ipoib_conn_set_leave(set, conn, 0);
	ipoib_conn_peer_ask(conn);
}

/*
 * @theirs is one by which only the peer will send. Another one that is proven stays, and is no
 * reason to refuse @theirs, for nothing of what is for the peer goes by either: one may be the
 * peer's, and the other one of a program on its port. If @theirs is known to come from the
 * peer's port, one that leads elsewhere is neither.
 */
static int admit_theirs(struct ipoib_conn_set *set, const struct ipoib_conn *theirs)
{
	struct ipoib_conn *found[IPOIB_CONN_THEIRS];
	unsigned int i, n, proven = 0;

	n = ipoib_conn_set_find_theirs(set, theirs, found);
	for (i = 0; i < n; i++) {
		if (theirs->from_peer && !ipoib_conn_same_way(found[i], theirs))
			ipoib_conn_set_leave(set, found[i], -EHOSTUNREACH);
		else if (is_proven(found[i]))
			proven++;
		else
			ipoib_conn_set_leave(set, found[i], 0);
	}
	return proven < IPOIB_CONN_THEIRS ? 0 : -ESTALE;
}

/*
 * Compare the REQ of @theirs with what exists already with that peer: a REQ of our own that
 * crosses it, a connection that the peer has, or one that it has forgotten. One of ours whose
 * REQ was not sent yet has crossed nothing. Returns 0 if @theirs may be accepted, -EALREADY if
 * ours stands, -ESTALE if the peer has a connection, or two by which it sends alone, or is
 * contested.
 */
static int admit(struct ipoib_conn_set *set, const struct ipoib_conn *theirs)
{
	const struct ipoib_hwaddr *addr = &theirs->addr;
	struct ipoib_conn *conn;

	lockdep_assert_held(&set->lock);

	if (!ipoib_conn_set_sends_by(theirs))
		return admit_theirs(set, theirs);
	if (ipoib_conn_peer_is_contested(theirs))
		return -ESTALE;
	conn = ipoib_conn_set_find(set, addr);
	if (!conn || conn->service != IPOIB_SERVICE_RFC)
		return 0;
	if (may_cross(conn) && !ipoib_cm_yields(&set->self, addr))
		return -EALREADY;
	if (is_proven(conn)) {
		contest(set, conn);
		return -ESTALE;
	}
	ipoib_conn_set_leave(set, conn, 0);
	return 0;
}

/* take() takes over the caller's reference of @conn if it returns 0. */
static int take(struct ipoib_conn_set *set, struct ipoib_conn *conn)
{
	lockdep_assert_held(&set->lock);

	if (ipoib_conn_set_is_full(set, conn))
		return -EUSERS;
	if (!ipoib_conn_set_has_share(set, conn))
		return -EDQUOT;
	return admit(set, conn) ?: ipoib_conn_set_add(set, conn);
}

static int accept_req(struct ipoib_conn_set *set, struct ipoib_conn *conn,
		      struct ib_cm_id *cm_id,
		      const struct ib_cm_req_event_param *req,
		      const struct ipoib_cm_peer *theirs)
{
	int err;

	conn->path = *req->primary_path;
	err = ipoib_conn_peer_check(conn);
	if (err)
		return err;

	spin_lock_bh(&set->lock);
	err = take(set, conn);
	if (!err) {
		conn->theirs = *theirs;
		if (req->alternate_path)
			conn->alt_state = ipoib_conn_can_migrate(conn, req->primary_path,
								 req->alternate_path) ?
					  IPOIB_CONN_ALT_LOADED : IPOIB_CONN_ALT_REFUSED;
		conn->cm_id = cm_id;
		cm_id->context = conn;
		cm_id->cm_handler = ipoib_conn_event;
		ipoib_object_created(IPOIB_OBJ_CM_ID);
		ipoib_conn_kick(conn, IPOIB_CONN_PENDING_REQ);
	}
	spin_unlock_bh(&set->lock);
	return err;
}

/* The reason that the REJ gives. Counts the refusal for ethtool. */
static enum ib_cm_rej_reason reason_of(struct ipoib_conn_set *set, int err)
{
	struct ipoib_refused *refused = &set->idev->refused;

	switch (err) {
	case -EALREADY:
		/* REQs have crossed: nothing is wrong, and the peer is connected by ours. */
		return IB_CM_REJ_CONSUMER_DEFINED;
	case -EBADMSG:
		atomic_inc(&refused->malformed);
		return IB_CM_REJ_CONSUMER_DEFINED;
	case -EXDEV:
		atomic_inc(&refused->foreign);
		return IB_CM_REJ_INVALID_SERVICE_ID;
	case -EPROTONOSUPPORT:
		atomic_inc(&refused->kind);
		return IB_CM_REJ_INVALID_SERVICE_ID;
	case -EPROTOTYPE:
		atomic_inc(&refused->kind);
		return IB_CM_REJ_INVALID_TRANSPORT_TYPE;
	case -ESTALE:
		atomic_inc(&refused->stale);
		return IB_CM_REJ_STALE_CONN;
	case -EHOSTUNREACH:
		atomic_inc(&refused->elsewhere);
		return IB_CM_REJ_INVALID_GID;
	case -EDQUOT:
	case -EUSERS:
		atomic_inc(&refused->full);
		fallthrough;
	default:
		return IB_CM_REJ_NO_RESOURCES;
	}
}

static int req_came(struct ipoib_conn_set *set, struct ib_cm_id *cm_id,
		    enum ipoib_service service,
		    const struct ib_cm_event *event)
{
	const struct ib_cm_req_event_param *req = &event->param.req_rcvd;
	struct ipoib_cm_peer theirs;
	struct ipoib_hwaddr addr;
	struct ipoib_conn *conn;
	int err;

	err = check_req(set, service, event, &theirs, &addr);
	if (err)
		goto refuse;

	err = -ENOMEM;
	conn = ipoib_conn_new(set, &addr, req->qp_type, service, false);
	if (!conn)
		goto refuse;

	err = accept_req(set, conn, cm_id, req, &theirs);
	if (!err)
		return 0;
	ipoib_conn_put(conn);
refuse:
	ipoib_conn_set_refuse(set, cm_id, reason_of(set, err));
	/* The CM destroys the identifier when the handler returns an error. */
	return -ECONNREFUSED;
}

static int listen_event(struct ib_cm_id *cm_id, const struct ib_cm_event *event)
{
	struct ipoib_conn_set *set = cm_id->context;
	u32 qpn;

	/*
	 * The other event of a listening identifier is a SIDR_REQ, which opens no connection.
	 * Because of the error the CM rejects it and frees its identifier, which nobody would
	 * do otherwise.
	 */
	if (event->event != IB_CM_REQ_RECEIVED)
		return -EOPNOTSUPP;
	return req_came(set, cm_id, ipoib_service_parse(cm_id->service_id, &qpn),
			event);
}

/* ipoib_conn_unlisten() has to be called even if ipoib_conn_listen() has failed. */
int ipoib_conn_listen(struct ipoib_conn_set *set)
{
	struct ib_cm_id *cm_id;
	int i, err;

	for (i = 0; i < IPOIB_SERVICE_NONE; i++) {
		cm_id = ib_create_cm_id(set->idev->config.pd->device, listen_event,
					set);
		if (IS_ERR(cm_id))
			return PTR_ERR(cm_id);
		set->listens[i] = cm_id;
		ipoib_object_created(IPOIB_OBJ_CM_ID);
		err = ib_cm_listen(cm_id, ipoib_service_id(i, set->qpn));
		if (err)
			return err;
	}
	return 0;
}

/* When ipoib_conn_unlisten() returns, no REQ is being handled any more. */
void ipoib_conn_unlisten(struct ipoib_conn_set *set)
{
	int i;

	for (i = 0; i < IPOIB_SERVICE_NONE; i++) {
		if (!set->listens[i])
			continue;
		ib_destroy_cm_id(set->listens[i]);
		set->listens[i] = NULL;
		ipoib_object_destroyed(IPOIB_OBJ_CM_ID);
	}
}

/* ---- answers to ours, and what ends a connection --------------------------- */

static void rep_came(struct ipoib_conn *conn, struct ib_cm_id *cm_id,
		     const struct ib_cm_event *event)
{
	struct ipoib_cm_peer theirs;

	if (!ipoib_cm_unpack(event->private_data, IB_CM_REP_PRIVATE_DATA_SIZE,
			     &theirs) ||
	    theirs.qpn != ipoib_hwaddr_qpn(&conn->addr)) {
		ipoib_conn_set_refuse(conn->set, cm_id,
				      IB_CM_REJ_CONSUMER_DEFINED);
		ipoib_conn_close(conn, -EPROTO);
		return;
	}
	conn->theirs.qpn = theirs.qpn;
	conn->theirs.link_sums = theirs.link_sums;
	WRITE_ONCE(conn->theirs.mtu, theirs.mtu);
	if (event->param.rep_rcvd.failover_accepted)
		WRITE_ONCE(conn->alt_state, IPOIB_CONN_ALT_NONE);
	ipoib_conn_kick(conn, IPOIB_CONN_PENDING_REP);
}

static int refusal(const struct ib_cm_event *event)
{
	switch (event->param.rej_rcvd.reason) {
	case IB_CM_REJ_INVALID_SERVICE_ID:
		return -EPROTONOSUPPORT;
	case IB_CM_REJ_INVALID_TRANSPORT_TYPE:
		return -EPROTOTYPE;
	case IB_CM_REJ_CONSUMER_DEFINED:
		return -ECONNREFUSED;
	case IB_CM_REJ_STALE_CONN:
		return -ESTALE;
	case IB_CM_REJ_NO_RESOURCES:
		/*
		 * The error is not -ECONNABORTED, after which another_way() may send another REQ
		 * at once: a peer without resources must not be burdened again.
		 */
		return -EBUSY;
	default:
		return -ECONNABORTED;
	}
}

/*
 * Has the peer rejected our REQ because its own crossed it? Then it has the larger address, and
 * its REJ has private data that names it. The CM, which may send a REJ of this reason by
 * itself, adds none.
 */
static bool yields(const struct ipoib_conn *conn,
		   const struct ib_cm_event *event)
{
	struct ipoib_cm_peer theirs;

	return refusal(event) == -ECONNREFUSED && conn->active &&
	       !ipoib_conn_set_one_way(conn->set, conn->type, conn->service) &&
	       ipoib_cm_yields(&conn->set->self, &conn->addr) &&
	       ipoib_cm_unpack(event->private_data, IB_CM_REJ_PRIVATE_DATA_SIZE,
			       &theirs) &&
	       theirs.qpn == ipoib_hwaddr_qpn(&conn->addr);
}

/*
 * Will the peer accept another REQ in a second? Either it has to notice first that its older
 * connection is dead; or it prefers its own REQ, which admit() refuses while the peer is
 * contested.
 */
static bool is_early(const struct ipoib_conn *conn, const struct ib_cm_event *event)
{
	int err = refusal(event);

	return err == -ESTALE ||
	       (err == -ECONNREFUSED && conn->active &&
		conn->service == IPOIB_SERVICE_RFC &&
		ipoib_conn_peer_is_contested(conn));
}

static void rej_came(struct ipoib_conn *conn, const struct ib_cm_event *event)
{
	if (is_early(conn, event))
		ipoib_conn_kick(conn, IPOIB_CONN_PENDING_STALE);
	else if (yields(conn, event))
		ipoib_conn_kick(conn, IPOIB_CONN_PENDING_YIELD);
	else
		ipoib_conn_close(conn, refusal(event));
}

/**
 * ipoib_conn_event - take note of an event of the CM
 * @cm_id: identifier of a connection, which is its context
 * @event: the event
 *
 * Return: 0, always: only the connection's work destroys the identifier.
 * Context: Process context; the CM makes one call at a time for an identifier.
 */
int ipoib_conn_event(struct ib_cm_id *cm_id, const struct ib_cm_event *event)
{
	struct ipoib_conn *conn = cm_id->context;

	switch (event->event) {
	case IB_CM_REP_RECEIVED:
		rep_came(conn, cm_id, event);
		break;
	case IB_CM_RTU_RECEIVED:
	case IB_CM_USER_ESTABLISHED:
		ipoib_conn_kick(conn, IPOIB_CONN_PENDING_RTU);
		break;
	case IB_CM_REJ_RECEIVED:
		rej_came(conn, event);
		break;
	case IB_CM_REQ_ERROR:
	case IB_CM_REP_ERROR:
		ipoib_conn_close(conn, -ETIMEDOUT);
		break;
	case IB_CM_DREQ_RECEIVED:
		ipoib_conn_kick(conn, IPOIB_CONN_PENDING_DREQ);
		break;
	/* The CM disconnects by itself when the peer has forgotten the connection. */
	case IB_CM_DREP_RECEIVED:
	case IB_CM_DREQ_ERROR:
	case IB_CM_TIMEWAIT_EXIT:
		ipoib_conn_kick(conn, IPOIB_CONN_PENDING_DISCONNECTED);
		break;
	default:
		break;
	}
	return 0;
}
