// SPDX-License-Identifier: GPL-2.0
/*
 * ipoib - shows what interfaces of the driver ipoib are and know, and why one has no carrier
 *
 * See ipoib.8.
 */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <net/if.h>
#include <rdma/ipoib_genl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "netlink.h"
#include "show.h"

static const char *dev;
static unsigned int ifindex;

static void show_fields(void *fields, unsigned int cmd, const struct attrs *attrs)
{
	(void)cmd;
	show_object(fields, attrs);
}

static void dump(unsigned int cmd, const struct field *fields)
{
	netlink_dump(cmd, ifindex, show_fields, (void *)fields);
	show_end();
}

static int do_show(void)
{
	if (!ifindex) {
		dump(IPOIB_GENL_CMD_INTERFACE_GET, interface_fields);
		return 0;
	}
	netlink_get(IPOIB_GENL_CMD_INTERFACE_GET, ifindex, show_fields, (void *)interface_fields);
	show_end();
	return 0;
}

static int do_peers(void)
{
	dump(IPOIB_GENL_CMD_PEER_GET, peer_fields);
	return 0;
}

static int do_groups(void)
{
	dump(IPOIB_GENL_CMD_GROUP_GET, group_fields);
	return 0;
}

static int do_conns(void)
{
	dump(IPOIB_GENL_CMD_CONNECTION_GET, connection_fields);
	return 0;
}

static int do_counters(void)
{
	dump(IPOIB_GENL_CMD_COUNTER_GET, counter_fields);
	return 0;
}

/* ---- monitor ----------------------------------------------------------- */

static void event(void *ctx, unsigned int cmd, const struct attrs *attrs)
{
	char stamp[32];
	time_t now = time(NULL);

	(void)ctx;
	if (cmd != IPOIB_GENL_CMD_INTERFACE_NTF ||
	    (ifindex && get_u32(attrs, IPOIB_GENL_INTERFACE_IFINDEX) != ifindex))
		return;
	if (!show_json && strftime(stamp, sizeof(stamp), "%F %T ", localtime(&now)))
		fputs(stamp, stdout);
	show_line(interface_fields, attrs);
	if (fflush(stdout))
		err(2, "output");
}

static void missed(void)
{
	warnx("events were lost: they came faster than they were read");
}

static int do_monitor(void)
{
	netlink_listen(missed, event, NULL);
	return 0;
}

/* ---- why ----------------------------------------------------------------- */

/* What to do about a port that cannot carry the link; of device, port and partition */
static const char * const port_help[] = {
	[IPOIB_GENL_FAULT_NONE] =
		"Wait a moment.",
	[IPOIB_GENL_FAULT_UNKNOWN] =
		"Wait a moment.",
	[IPOIB_GENL_FAULT_QUERY] =
		"See what the driver of %s says in the kernel's log.",
	[IPOIB_GENL_FAULT_PORT_DOWN] =
		"See whether cable and switch are in order: rdma link show %s/%u",
	[IPOIB_GENL_FAULT_NO_GID] =
		"Its Ethernet interface has to be up, with an IPv6 address: rdma link show %s/%u",
	[IPOIB_GENL_FAULT_TENTATIVE_GID] =
		"That takes seconds, unless it is a duplicate: ip -6 address show dadfailed",
	[IPOIB_GENL_FAULT_NO_PKEY] =
		"Have the subnet manager make %s/%u a member of partition 0x%04x.",
	[IPOIB_GENL_FAULT_NO_SM] =
		"Start one, such as opensm, or see why it does not see the port: ibstat %s %u",
	[IPOIB_GENL_FAULT_BOND] =
		"Wait some seconds; a bond needs miimon to notice.",
};

/* On InfiniBand it has no GID if its address was changed to one that the port does not have. */
static const char gid_help[] =
	"Have the subnet manager give %s/%u the GUID of its address, or set another address.";

#define PORT_HELPS	(sizeof(port_help) / sizeof(*port_help))

static void help_port(const struct attrs *attrs)
{
	const struct nlattr *pkey = attrs->at[IPOIB_GENL_INTERFACE_PKEY];
	unsigned int fault = get_u32(attrs, IPOIB_GENL_INTERFACE_FAULT);
	const char *help = port_help[IPOIB_GENL_FAULT_UNKNOWN];
	unsigned short partition = 0;

	if (pkey && attr_len(pkey) == sizeof(partition))
		memcpy(&partition, attr_data(pkey), sizeof(partition));
	/* A newer kernel may have faults that this program does not know. */
	if (fault < PORT_HELPS)
		help = port_help[fault];
	if (fault == IPOIB_GENL_FAULT_NO_GID &&
	    !strcmp(get_string(attrs, IPOIB_GENL_INTERFACE_FABRIC), "InfiniBand"))
		help = gid_help;
	printf(help, get_string(attrs, IPOIB_GENL_INTERFACE_DEVICE),
	       get_u32(attrs, IPOIB_GENL_INTERFACE_PORT), partition & 0x7fff);
	putchar('\n');
}

/* What to do about a broadcast group that is not joined */
static const char *group_help(const struct attrs *attrs)
{
	switch (-(int)get_u32(attrs, IPOIB_GENL_INTERFACE_GROUP_ERROR)) {
	case 0:
		return "Wait a moment.";
	case ENOENT:
		return "Have the subnet manager make it: \"ipoib\" in OpenSM's partitions.conf.";
	case ETIMEDOUT:
	case ENETUNREACH:
		return "See whether the subnet manager is alive: sminfo; saquery -g";
	case EMSGSIZE:
		return "Have the subnet manager give it less: mtu= in OpenSM's partitions.conf.";
	default:
		return "See the subnet manager's log: can the port do the group's rate and MTU?";
	}
}

static void explain(void *ctx, unsigned int cmd, const struct attrs *attrs)
{
	const char *state = get_string(attrs, IPOIB_GENL_INTERFACE_STATE);
	bool *up = ctx;

	(void)cmd;
	*up = !strcmp(state, "up");
	if (*up) {
		printf("%s has a carrier: its broadcast group is joined.\n", dev);
		if (attrs->at[IPOIB_GENL_INTERFACE_LIMITED] &&
		    *(const char *)attr_data(attrs->at[IPOIB_GENL_INTERFACE_LIMITED]))
			puts("The port is a limited member, and reaches only full members.");
		return;
	}
	printf("%s has no carrier: %s. ", dev, get_string(attrs, IPOIB_GENL_INTERFACE_REASON));
	if (!strcmp(state, "down"))
		printf("Say: ip link set %s up\n", dev);
	else if (!strcmp(state, "joining"))
		puts(group_help(attrs));
	else
		help_port(attrs);
}

static int do_why(void)
{
	bool up = false;

	netlink_get(IPOIB_GENL_CMD_INTERFACE_GET, ifindex, explain, &up);
	return !up;
}

/* ---- the command line ------------------------------------------------------ */

static const struct command {
	const char *name;
	int (*run)(void);
	bool needs_dev;
} commands[] = {
	{ "show",	do_show,	false },
	{ "peers",	do_peers,	true },
	{ "groups",	do_groups,	true },
	{ "conns",	do_conns,	true },
	{ "counters",	do_counters,	true },
	{ "monitor",	do_monitor,	false },
	{ "why",	do_why,		true },
};

static void print_usage(FILE *to)
{
	fputs("usage: ipoib [--json] show [INTERFACE]\n"
	      "       ipoib [--json] peers | groups | conns | counters INTERFACE\n"
	      "       ipoib [--json] monitor [INTERFACE]\n"
	      "       ipoib why INTERFACE\n", to);
}

static const struct command *find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	}
	print_usage(stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	const struct command *command;
	int c;

	while ((c = getopt_long(argc, argv, "jh", options, NULL)) != -1) {
		if (c == 'j')
			show_json = true;
		if (c == 'h') {
			print_usage(stdout);
			return 0;
		}
		if (c == '?') {
			print_usage(stderr);
			return 2;
		}
	}
	command = find(optind < argc ? argv[optind] : "show");
	dev = optind + 1 < argc ? argv[optind + 1] : NULL;
	if (optind + 2 < argc || (command->needs_dev && !dev) ||
	    (show_json && command->run == do_why)) {
		print_usage(stderr);
		return 2;
	}
	if (dev) {
		ifindex = if_nametoindex(dev);
		if (!ifindex)
			errx(2, "%s: no such interface", dev);
	}

	show_colours = !show_json && isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	netlink_open();
	c = command->run();
	if (fflush(stdout) || ferror(stdout))
		err(2, "output");
	return c;
}
