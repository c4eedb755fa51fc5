/* SPDX-License-Identifier: GPL-2.0 */
/* Rate limit of messages in the kernel log. */
#ifndef _IPOIB_LOG_H
#define _IPOIB_LOG_H

#include <linux/ratelimit.h>

/**
 * ipoib_may_log - may the caller write a line into the log?
 *
 * Each place that uses this macro has a limit of its own, ten lines in five seconds.
 * net_ratelimit() has one limit for all of networking: a flood of malformed packets on any
 * device would suppress the line that says why a link is down.
 *
 * Return: true if the caller may.
 * Context: Any.
 */
#define ipoib_may_log() ({						\
	static DEFINE_RATELIMIT_STATE(limit, DEFAULT_RATELIMIT_INTERVAL, \
				      DEFAULT_RATELIMIT_BURST);		\
	__ratelimit(&limit);						\
})

#endif /* _IPOIB_LOG_H */
