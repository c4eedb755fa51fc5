// SPDX-License-Identifier: GPL-2.0
#include "netlink.h"

#include <err.h>
#include <errno.h>
#include <rdma/ipoib_genl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* More than the kernel puts into one message of a dump. */
#define ROOM	65536

static int sock;
static unsigned int family, events, seq;

static void parse(const char *data, size_t len, struct attrs *attrs)
{
	memset(attrs, 0, sizeof(*attrs));
	while (len >= NLA_HDRLEN) {
		const struct nlattr *attr = (const void *)data;
		size_t step = NLA_ALIGN(attr->nla_len);

		if (attr->nla_len < NLA_HDRLEN || attr->nla_len > len)
			return;
		if ((attr->nla_type & NLA_TYPE_MASK) < ATTRS)
			attrs->at[attr->nla_type & NLA_TYPE_MASK] = attr;
		if (step >= len)
			return;
		data += step;
		len -= step;
	}
}

static void put(struct nlmsghdr *nlh, unsigned int type, const void *data, size_t len)
{
	struct nlattr *attr = (void *)((char *)nlh + NLMSG_ALIGN(nlh->nlmsg_len));

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	memcpy((char *)attr + NLA_HDRLEN, data, len);
	nlh->nlmsg_len = NLMSG_ALIGN(nlh->nlmsg_len) + NLA_ALIGN(attr->nla_len);
}

static void ask(unsigned int type, unsigned int cmd, unsigned int flags, unsigned int attr,
		const void *data, size_t len)
{
	struct {
		struct nlmsghdr nlh;
		struct genlmsghdr genl;
		char attrs[64];
	} msg = {
		.nlh.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN),
		.nlh.nlmsg_type = type,
		.nlh.nlmsg_flags = NLM_F_REQUEST | flags,
		.nlh.nlmsg_seq = ++seq,
		.genl.cmd = cmd,
		.genl.version = 1,
	};

	if (len)
		put(&msg.nlh, attr, data, len);
	if (send(sock, &msg, msg.nlh.nlmsg_len, 0) < 0)
		err(2, "netlink");
}

/* Ends the program with what the kernel says of the error, if it says more than a number. */
static void failed(const struct nlmsghdr *nlh, int error, size_t header)
{
	struct attrs attrs;
	const struct nlattr *text;

	parse((const char *)NLMSG_DATA(nlh) + header, NLMSG_PAYLOAD(nlh, header), &attrs);
	text = nlh->nlmsg_flags & NLM_F_ACK_TLVS ? attrs.at[NLMSGERR_ATTR_MSG] : NULL;
	if (text)
		errx(2, "%.*s", (int)attr_len(text), (const char *)attr_data(text));
	if (error == ENOENT)
		errx(2, "the kernel has no such family: is the module ipoib loaded?");
	errx(2, "%s", strerror(error));
}

/*
 * Takes what came in one piece. Returns true at the end of what was asked for. Answers have the
 * number of the question, events have 0.
 */
static bool take(const char *data, int len, heard_fn heard, void *ctx)
{
	const struct nlmsghdr *nlh = (const void *)data;
	struct attrs attrs;

	for (; NLMSG_OK(nlh, len); nlh = NLMSG_NEXT(nlh, len)) {
		const int *error = NLMSG_DATA(nlh);

		if (nlh->nlmsg_seq && nlh->nlmsg_seq != seq)
			continue;
		if (nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE) {
			if (*error)
				failed(nlh, -*error, nlh->nlmsg_type == NLMSG_DONE ?
				       sizeof(*error) : sizeof(struct nlmsgerr));
			return true;
		}
		if (nlh->nlmsg_len < NLMSG_LENGTH(GENL_HDRLEN))
			continue;
		parse((const char *)NLMSG_DATA(nlh) + GENL_HDRLEN, NLMSG_PAYLOAD(nlh, GENL_HDRLEN),
		      &attrs);
		heard(ctx, ((const struct genlmsghdr *)NLMSG_DATA(nlh))->cmd, &attrs);
	}
	return false;
}

static void answers(heard_fn heard, void *ctx)
{
	static char room[ROOM];
	ssize_t len;

	do {
		len = recv(sock, room, sizeof(room), 0);
		if (len < 0)
			err(2, "netlink");
	} while (!take(room, len, heard, ctx));
}

static void found_group(const struct nlattr *groups)
{
	struct attrs each, group;
	int i;

	parse(attr_data(groups), attr_len(groups), &each);
	for (i = 0; i < ATTRS; i++) {
		const struct nlattr *name, *id;

		if (!each.at[i])
			continue;
		parse(attr_data(each.at[i]), attr_len(each.at[i]), &group);
		name = group.at[CTRL_ATTR_MCAST_GRP_NAME];
		id = group.at[CTRL_ATTR_MCAST_GRP_ID];
		if (name && id && !strcmp(attr_data(name), IPOIB_GENL_GROUP_EVENTS))
			memcpy(&events, attr_data(id), sizeof(events));
	}
}

static void found_family(void *ctx, unsigned int cmd, const struct attrs *attrs)
{
	uint16_t id;

	(void)ctx;
	(void)cmd;
	if (attrs->at[CTRL_ATTR_FAMILY_ID]) {
		memcpy(&id, attr_data(attrs->at[CTRL_ATTR_FAMILY_ID]), sizeof(id));
		family = id;
	}
	if (attrs->at[CTRL_ATTR_MCAST_GROUPS])
		found_group(attrs->at[CTRL_ATTR_MCAST_GROUPS]);
}

void netlink_open(void)
{
	int yes = 1;

	sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (sock < 0)
		err(2, "netlink");
	setsockopt(sock, SOL_NETLINK, NETLINK_EXT_ACK, &yes, sizeof(yes));
	setsockopt(sock, SOL_NETLINK, NETLINK_CAP_ACK, &yes, sizeof(yes));
	ask(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK, CTRL_ATTR_FAMILY_NAME,
	    IPOIB_GENL_NAME, sizeof(IPOIB_GENL_NAME));
	answers(found_family, NULL);
}

void netlink_get(unsigned int cmd, unsigned int ifindex, heard_fn heard, void *ctx)
{
	ask(family, cmd, NLM_F_ACK, IPOIB_GENL_INTERFACE_IFINDEX, &ifindex, sizeof(ifindex));
	answers(heard, ctx);
}

/* With @ifindex 0 the question names no interface. */
void netlink_dump(unsigned int cmd, unsigned int ifindex, heard_fn heard, void *ctx)
{
	ask(family, cmd, NLM_F_DUMP, IPOIB_GENL_INTERFACE_IFINDEX, &ifindex,
	    ifindex ? sizeof(ifindex) : 0);
	answers(heard, ctx);
}

/* Does not return. @lost is called when events came faster than they were taken. */
void netlink_listen(void (*lost)(void), heard_fn heard, void *ctx)
{
	static char room[ROOM];

	if (setsockopt(sock, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &events, sizeof(events)))
		err(2, "events");
	for (;;) {
		ssize_t len = recv(sock, room, sizeof(room), 0);

		if (len >= 0)
			take(room, len, heard, ctx);
		else if (errno == ENOBUFS)
			lost();
		else if (errno != EINTR)
			err(2, "netlink");
	}
}
