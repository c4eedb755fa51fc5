/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ipoib

#if !defined(_IPOIB_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _IPOIB_TRACE_H

#include <linux/if.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

/* Length of the arrays that hold names. The macros of __string() differ between kernels. */
#define IPOIB_TRACE_WORD	20

TRACE_EVENT(ipoib_drop,
	TP_PROTO(const char *dev, const char *reason, unsigned int len),
	TP_ARGS(dev, reason, len),
	TP_STRUCT__entry(
		__array(char, dev, IFNAMSIZ)
		__array(char, reason, IPOIB_TRACE_WORD)
		__field(unsigned int, len)
	),
	TP_fast_assign(
		strscpy(__entry->dev, dev, IFNAMSIZ);
		strscpy(__entry->reason, reason, IPOIB_TRACE_WORD);
		__entry->len = len;
	),
	TP_printk("dev=%s reason=%s len=%u",
		  __entry->dev, __entry->reason, __entry->len)
);

TRACE_EVENT(ipoib_dev_state,
	TP_PROTO(const char *dev, const char *from, const char *to),
	TP_ARGS(dev, from, to),
	TP_STRUCT__entry(
		__array(char, dev, IFNAMSIZ)
		__array(char, from, IPOIB_TRACE_WORD)
		__array(char, to, IPOIB_TRACE_WORD)
	),
	TP_fast_assign(
		strscpy(__entry->dev, dev, IFNAMSIZ);
		strscpy(__entry->from, from, IPOIB_TRACE_WORD);
		strscpy(__entry->to, to, IPOIB_TRACE_WORD);
	),
	TP_printk("dev=%s %s -> %s", __entry->dev, __entry->from, __entry->to)
);

/* State of a port's subscription to reports of the subnet administrator. */
TRACE_EVENT(ipoib_sa_state,
	TP_PROTO(const char *ibdev, u32 port, const char *from,
		 const char *to),
	TP_ARGS(ibdev, port, from, to),
	TP_STRUCT__entry(
		__array(char, ibdev, IB_DEVICE_NAME_MAX)
		__field(u32, port)
		__array(char, from, IPOIB_TRACE_WORD)
		__array(char, to, IPOIB_TRACE_WORD)
	),
	TP_fast_assign(
		strscpy(__entry->ibdev, ibdev, IB_DEVICE_NAME_MAX);
		__entry->port = port;
		strscpy(__entry->from, from, IPOIB_TRACE_WORD);
		strscpy(__entry->to, to, IPOIB_TRACE_WORD);
	),
	TP_printk("ibdev=%s port=%u %s -> %s", __entry->ibdev, __entry->port,
		  __entry->from, __entry->to)
);

/* Change of state of a group, named by its MGID, or of a peer or connection, named by its GID. */
DECLARE_EVENT_CLASS(ipoib_gid_state,
	TP_PROTO(const char *dev, const u8 *gid, const char *from,
		 const char *to),
	TP_ARGS(dev, gid, from, to),
	TP_STRUCT__entry(
		__array(char, dev, IFNAMSIZ)
		__array(u8, gid, 16)
		__array(char, from, IPOIB_TRACE_WORD)
		__array(char, to, IPOIB_TRACE_WORD)
	),
	TP_fast_assign(
		strscpy(__entry->dev, dev, IFNAMSIZ);
		memcpy(__entry->gid, gid, 16);
		strscpy(__entry->from, from, IPOIB_TRACE_WORD);
		strscpy(__entry->to, to, IPOIB_TRACE_WORD);
	),
	TP_printk("dev=%s gid=%pI6c %s -> %s", __entry->dev, __entry->gid,
		  __entry->from, __entry->to)
);

DEFINE_EVENT(ipoib_gid_state, ipoib_mcast_state,
	TP_PROTO(const char *dev, const u8 *gid, const char *from,
		 const char *to),
	TP_ARGS(dev, gid, from, to)
);

DEFINE_EVENT(ipoib_gid_state, ipoib_peer_state,
	TP_PROTO(const char *dev, const u8 *gid, const char *from,
		 const char *to),
	TP_ARGS(dev, gid, from, to)
);

DEFINE_EVENT(ipoib_gid_state, ipoib_conn_state,
	TP_PROTO(const char *dev, const u8 *gid, const char *from,
		 const char *to),
	TP_ARGS(dev, gid, from, to)
);

/* A connection has migrated to its alternate path. */
DEFINE_EVENT(ipoib_gid_state, ipoib_conn_path,
	TP_PROTO(const char *dev, const u8 *gid, const char *from,
		 const char *to),
	TP_ARGS(dev, gid, from, to)
);

#endif /* _IPOIB_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
