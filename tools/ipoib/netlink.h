/* SPDX-License-Identifier: GPL-2.0 */
/* Generic netlink as far as this program needs it: one family, dumps, one group of events. */
#ifndef NETLINK_H
#define NETLINK_H

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>

/* Attributes of a message by their number; those that it has not are NULL. */
#define ATTRS	64
struct attrs {
	const struct nlattr *at[ATTRS];
};

static inline const void *attr_data(const struct nlattr *attr)
{
	return (const char *)attr + NLA_HDRLEN;
}

static inline size_t attr_len(const struct nlattr *attr)
{
	return attr->nla_len - NLA_HDRLEN;
}

/* Is told of each answer or event. */
typedef void (*heard_fn)(void *ctx, unsigned int cmd, const struct attrs *attrs);

/* All of these end the program with a message if the kernel does not do what it is asked. */
void netlink_open(void);
void netlink_get(unsigned int cmd, unsigned int ifindex, heard_fn heard, void *ctx);
void netlink_dump(unsigned int cmd, unsigned int ifindex, heard_fn heard, void *ctx);
void netlink_listen(void (*lost)(void), heard_fn heard, void *ctx);

#endif
