/* SPDX-License-Identifier: GPL-2.0 */
/* ipoib_cmpeer: peers of RFC 4755 that do what a test tells them. */
#ifndef _IPOIB_CMPEER_H
#define _IPOIB_CMPEER_H

#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <rdma/ib_cm.h>
#include <rdma/ib_sa.h>

#include "../conn_wire.h"

/* Connections and listeners of all devices together. */
#define CMPEER_MAX		8192

/* Receive buffers and sends on their way, of a connection. */
#define CMPEER_RECVS		32
#define CMPEER_SENDS		16

/* The longest message. */
#define CMPEER_BUF		65536

/* Octets of private data that are kept of what comes. */
#define CMPEER_SHOWN		8

/**
 * enum cmpeer_state - what has become of a connection
 * @CMPEER_NEW: nothing yet
 * @CMPEER_LISTENING: it is none; others come of it
 * @CMPEER_REQ_SENT: our REQ is on its way
 * @CMPEER_REP_RCVD: a REP came, and we have not said RTU
 * @CMPEER_REQ_RCVD: a REQ came, and we have not answered
 * @CMPEER_REP_SENT: our REP is on its way
 * @CMPEER_ESTABLISHED: it is established
 * @CMPEER_DREQ_SENT: we have sent a DREQ
 * @CMPEER_REFUSED: one side said REJ; this and what follows is final
 * @CMPEER_FAILED: no answer came, or no QP could be made
 * @CMPEER_ENDED: the other side said DREQ
 * @CMPEER_CLOSED: our DREQ was answered, or nobody answers it
 * @CMPEER_VANISHED: the QP is gone, and nobody was told
 */
enum cmpeer_state {
	CMPEER_NEW,
	CMPEER_LISTENING,
	CMPEER_REQ_SENT,
	CMPEER_REP_RCVD,
	CMPEER_REQ_RCVD,
	CMPEER_REP_SENT,
	CMPEER_ESTABLISHED,
	CMPEER_DREQ_SENT,
	CMPEER_REFUSED,
	CMPEER_FAILED,
	CMPEER_ENDED,
	CMPEER_CLOSED,
	CMPEER_VANISHED,
};

#define CMPEER_STATES	(CMPEER_VANISHED + 1)

/**
 * enum cmpeer_answer - what a peer says to a REQ, or to a REP
 * @CMPEER_ACCEPT: REP, or RTU
 * @CMPEER_SILENT: nothing
 * @CMPEER_REJECT: REJ
 */
enum cmpeer_answer {
	CMPEER_ACCEPT,
	CMPEER_SILENT,
	CMPEER_REJECT,
};

/* Bits of cmpeer_conn.came. */
enum cmpeer_came {
	CMPEER_CAME_REQ,
	CMPEER_CAME_REP,
	CMPEER_CAME_RTU,
	CMPEER_CAME_REJ,
	CMPEER_CAME_DREQ,
	CMPEER_CAME_DREP,
	CMPEER_CAME_TIMEOUT,
};

#define CMPEER_CAMES	(CMPEER_CAME_TIMEOUT + 1)

/**
 * struct cmpeer_options - the words of a command
 * @dev: dev=NAME, RDMA device
 * @to: to=XX:XX:..., link-layer address of who is asked
 * @as: as=XX:XX:..., link-layer address in whose name that is, another than that of the
 *	port; all zero: none
 * @service: service=rfc|linux|0x...
 * @raw_service: the last of these
 * @transport: transport=rc|uc|xrc
 * @answer: answer=rtu|rep|silent|rej:REASON
 * @reason: that reason
 * @data: data=HEX|none, private data, or start of a message
 * @data_len: octets of it; -1: as RFC 4755 has it
 * @port: port=N
 * @pkey: pkey=N
 * @qpn: qpn=N, UD QPN that is pretended, of the first one
 * @mtu: mtu=N, in private data
 * @count: count=N, connections or messages
 * @recv: recv=N, receive buffers that are posted; 0: those only that it is told to take
 * @rnr: rnr=N, retries that are asked for when there is none
 * @retries: retries=N, of CM messages
 * @timeout: timeout=N, 4.096 us * 2^N until the other side sends its REP again
 * @fake: fake=1: no QP, only a number that looks like one
 * @mute: mute=1: a DREQ is not answered
 * @size: size=N, octets of a message
 * @id: id=N: only this connection; 0: all, or none
 * @attr: attr=N, attribute of a CM message
 */
struct cmpeer_options {
	char dev[IB_DEVICE_NAME_MAX];
	struct ipoib_hwaddr to;
	struct ipoib_hwaddr as;
	enum ipoib_service service;
	u64 raw_service;
	enum ib_qp_type transport;
	enum cmpeer_answer answer;
	u32 reason;
	u8 data[IB_CM_REQ_PRIVATE_DATA_SIZE];
	int data_len;
	u32 port;
	u32 pkey;
	u32 qpn;
	u32 mtu;
	u32 count;
	u32 recv;
	u32 rnr;
	u32 retries;
	u32 timeout;
	u32 fake;
	u32 mute;
	u32 size;
	u32 id;
	u32 attr;
};

/**
 * struct cmpeer_dev - an RDMA device
 * @list: entry of the list of devices
 * @ibdev: the device
 * @pd: protection domain
 * @in: all that comes is written here, whatever was here
 * @out: all that is sent is read from here
 * @out_len: how many were given
 * @in_dma: DMA address of @in, CMPEER_BUF octets
 * @out_dma: DMA address of @out, CMPEER_BUF octets
 *
 * Lives from the ib_client's add to its remove.
 */
struct cmpeer_dev {
	struct list_head list;
	struct ib_device *ibdev;
	struct ib_pd *pd;
	void *in;
	void *out;
	unsigned int out_len;
	u64 in_dma;
	u64 out_dma;
};

/**
 * struct cmpeer_conn - a connection, or a listener
 * @list: entry of the list of all
 * @id: its number; constant
 * @dev: its device; constant
 * @opt: what the test wants of it
 * @service: service ID; constant
 * @type: transport; constant
 * @asked: the other side asked for it; constant
 * @lock: protects what follows up to @reason
 * @state: what has become of it
 * @cm_id: the CM's idea of it
 * @qp: its QP, or NULL
 * @cq: completions of @qp
 * @came: bits of enum cmpeer_came
 * @reason: of the last REJ
 * @got: first octets of the last private data that came
 * @ring_lock: protects what follows
 * @stopped: nothing may be posted any more
 * @to_send: messages that are still to be posted
 * @flying: messages that were posted and are not done
 * @buffers: those that were posted for messages, and have none yet
 * @size: octets of each
 * @sent: messages that were sent
 * @received: messages that came
 * @bytes: their octets
 * @errors: completions with an error, those of flushed requests left out
 * @recv_cqe: of all receive buffers
 * @send_cqe: of all sends
 * @end: frees it
 *
 * Made by a command or by a REQ that came, freed by a command, or with the
 * device or the module.
 */
struct cmpeer_conn {
	struct list_head list;
	u32 id;
	struct cmpeer_dev *dev;
	struct cmpeer_options opt;
	u64 service;
	enum ib_qp_type type;
	bool asked;

	struct mutex lock;	/* state, cm_id, qp, cq, came, reason, got */
	enum cmpeer_state state;
	struct ib_cm_id *cm_id;
	struct ib_qp *qp;
	struct ib_cq *cq;
	unsigned long came;
	u32 reason;
	u8 got[CMPEER_SHOWN];

	spinlock_t ring_lock;	/* stopped and counters */
	bool stopped;
	u32 to_send;
	u32 flying;
	u32 buffers;
	u32 size;
	u64 sent;
	u64 received;
	u64 bytes;
	u64 errors;
	struct ib_cqe recv_cqe;
	struct ib_cqe send_cqe;

	struct work_struct end;
};

/**
 * struct cmpeer_path - the way to a port
 * @rec: what the CM wants to know
 * @sgid_attr: our GID, referenced
 */
struct cmpeer_path {
	struct sa_path_rec rec;
	const struct ib_gid_attr *sgid_attr;
};

/**
 * struct cmpeer_ids - what the CMs of both sides call a connection
 * @ours: as ours does; 0: there is none
 * @theirs: as the other does
 */
struct cmpeer_ids {
	__be32 ours;
	__be32 theirs;
};

int cmpeer_path_find(struct ib_device *ibdev, u32 port,
		     const struct ipoib_hwaddr *to, struct cmpeer_path *path);
void cmpeer_path_put(struct cmpeer_path *path);
void cmpeer_path_init(void);
void cmpeer_path_exit(void);

/* The list of connections, cmpeer.c */
struct cmpeer_conn *cmpeer_conn_new(struct cmpeer_dev *dev,
				    const struct cmpeer_options *opt,
				    struct ib_cm_id *cm_id);

int cmpeer_mad_say(struct cmpeer_dev *dev, const struct cmpeer_options *opt,
		   const struct cmpeer_path *path, const struct cmpeer_ids *ids);

int cmpeer_ask(struct cmpeer_conn *conn, const struct cmpeer_path *path);
int cmpeer_listen(struct cmpeer_conn *conn);
int cmpeer_reply(struct cmpeer_conn *conn, enum cmpeer_answer answer,
		 u32 reason);
void cmpeer_ids(struct cmpeer_conn *conn, struct cmpeer_ids *ids);
void cmpeer_close(struct cmpeer_conn *conn);
void cmpeer_vanish(struct cmpeer_conn *conn);
void cmpeer_send(struct cmpeer_conn *conn, u32 count, u32 size);
void cmpeer_take(struct cmpeer_conn *conn, u32 count);
void cmpeer_end(struct cmpeer_conn *conn);
void cmpeer_recv_done(struct ib_cq *cq, struct ib_wc *wc);
void cmpeer_send_done(struct ib_cq *cq, struct ib_wc *wc);
const char *cmpeer_state_name(enum cmpeer_state state);

#endif /* _IPOIB_CMPEER_H */
