// SPDX-License-Identifier: GPL-2.0
/*
 * Makes one load, in the machine of the bench, and has it counted:
 *
 *	load NAME udp OCTETS PACKETS BURST	BURST are sent, then all received
 *	load NAME tcp KIB
 *	load NAME rr ROUNDS			a request of one octet and its answer
 *	load NAME loop TYPE OCTETS MESSAGES	kernel verbs alone: ud, rc, uc, sum or lso
 *	load NAME peers PEERS PACKETS		of 64 octets, to each of them in turn
 *	load NAME connect FROM TO ...		a first message to a host, of each pair
 *	load NAME up HOST INTERFACE TIMES	from being set up to its carrier
 *	load hello				until there is an answer, uncounted
 *
 * goes from the namespace h1, 10.0.0.1, to h2, 10.0.0.2, or between two HCAs. One
 * process holds both ends, so that nothing depends on who is scheduled when. It
 * warms up, and then does it twice between marks; for each of these it says
 *
 *	row NAME UNITS MICROSECONDS
 *
 * Units are packets, KiB, rounds, pairs or times; the time is that of the guest. The
 * first half of all pairs is one of the two, and the second half the other. If NAME is
 * "-" the load is made once, and not counted. A load of which anything is lost is an
 * error, and nothing is written between the marks.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "mark.h"

#define PORT		7777
#define REPEATS		2
#define HELLOS		32	/* answered before anything is counted */
#define PATIENCE	10	/* seconds */
#define PEERS		0x0a010000	/* their first address, 10.1.0.0 */
#define MAX_PAIRS	16
#define FIRST_LEN	8192	/* longer than a datagram of InfiniBand can be */
#define SETTLE		3	/* seconds until what is left over of an event is over */

static char buf[65536];

static void die(const char *what)
{
	printf("failed: %s: %s\n", what, strerror(errno));
	exit(1);
}

static long number(const char *word)
{
	long n = strtol(word, NULL, 10);

	if (n <= 0)
		die(word);
	return n;
}

static void enter(const char *ns)
{
	int fd = open(ns, O_RDONLY);

	if (fd < 0 || setns(fd, CLONE_NEWNET))
		die(ns);
	close(fd);
}

static struct sockaddr_in address(const char *ip)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(PORT) };

	inet_pton(AF_INET, ip, &a.sin_addr);
	return a;
}

/* A socket of the namespace that this process is in now */
static int bound(int type, const char *ip)
{
	struct sockaddr_in a = address(ip);
	int one = 1, fd = socket(AF_INET, type, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(fd, (struct sockaddr *)&a, sizeof(a)))
		die("socket");
	return fd;
}

static void patience(int fd, int ms)
{
	struct timeval t = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)))
		die("SO_RCVTIMEO");
}

static void joined(int fd, const char *ip)
{
	struct sockaddr_in a = address(ip);

	if (connect(fd, (struct sockaddr *)&a, sizeof(a)))
		die("connect");
}

static void udp_pair(int fd[2])
{
	int room = 1 << 20;

	enter("/run/netns/h2");
	fd[1] = bound(SOCK_DGRAM, "10.0.0.2");
	joined(fd[1], "10.0.0.1");
	enter("/run/netns/h1");
	fd[0] = bound(SOCK_DGRAM, "10.0.0.1");
	joined(fd[0], "10.0.0.2");

	/* A driver that has 8 KiB for each packet is to hold a burst as well. */
	if (setsockopt(fd[1], SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		die("SO_RCVBUFFORCE");
}

/*
 * Until both know all of each other: addresses, paths, connections. What gets lost
 * meanwhile is not missed.
 */
static void hello(void)
{
	int i, answered = 0, fd[2];

	udp_pair(fd);
	patience(fd[0], 20);
	patience(fd[1], 20);
	for (i = 0; i < 100 * HELLOS && answered < HELLOS; i++) {
		send(fd[0], buf, 1, 0);
		recv(fd[1], buf, 1, 0);
		send(fd[1], buf, 1, 0);
		answered += recv(fd[0], buf, 1, 0) == 1;
		usleep(20000);
	}
	if (answered < HELLOS)
		die("no answer");
	close(fd[0]);
	close(fd[1]);
}

/* h2 has a route that makes all addresses of the peers its own. */
static void peers_pair(int fd[2])
{
	enter("/run/netns/h2");
	fd[1] = bound(SOCK_DGRAM, "0.0.0.0");
	enter("/run/netns/h1");
	fd[0] = bound(SOCK_DGRAM, "10.0.0.1");
}

static bool to_peer(int fd[2], long peer)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET,
		.sin_port = htons(PORT),
		.sin_addr.s_addr = htonl(PEERS + peer),
	};

	if (sendto(fd[0], buf, 64, 0, (struct sockaddr *)&a, sizeof(a)) != 64)
		die("sendto");
	return recv(fd[1], buf, sizeof(buf), 0) == 64;
}

/* One after the other, so that each has a path before the next one asks for its own */
static void meet_peers(int fd[2], long n)
{
	int tries;
	long i;

	for (i = 0; i < n; i++) {
		tries = 3;
		while (!to_peer(fd, i))
			if (!--tries)
				die("a peer does not hear");
	}
}

static void to_peers(int fd[2], long n, long packets)
{
	long done;

	for (done = 0; done < packets; done++)
		if (!to_peer(fd, done % n))
			die("recv");
}

static void host_address(char ip[16], char ns[32], const char *host)
{
	snprintf(ip, 16, "10.0.0.%s", host);
	snprintf(ns, 32, "/run/netns/h%s", host);
}

/*
 * The message is not to be cut, whatever the stack believes of the way: only a connection
 * can carry it.
 */
static void connect_pair(int fd[2], const char *from, const char *to)
{
	char from_ip[16], to_ip[16], ns[32];
	int whole = IP_PMTUDISC_PROBE;

	host_address(to_ip, ns, to);
	enter(ns);
	fd[1] = bound(SOCK_DGRAM, to_ip);
	host_address(from_ip, ns, from);
	joined(fd[1], from_ip);
	enter(ns);
	fd[0] = bound(SOCK_DGRAM, from_ip);
	joined(fd[0], to_ip);
	if (setsockopt(fd[0], IPPROTO_IP, IP_MTU_DISCOVER, &whole, sizeof(whole)))
		die("IP_MTU_DISCOVER");
	patience(fd[1], 1000);
}

/* Who sends again after a second does what a program would do. */
static void first_message(int fd[2])
{
	int tries;

	for (tries = 0; tries < PATIENCE; tries++) {
		if (send(fd[0], buf, FIRST_LEN, 0) != FIRST_LEN)
			die("send");
		if (recv(fd[1], buf, sizeof(buf), 0) == FIRST_LEN)
			return;
	}
	die("no connection");
}

static void set_up(int fd, const char *name, bool up)
{
	struct ifreq r = { 0 };

	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", name);
	if (ioctl(fd, SIOCGIFFLAGS, &r))
		die(name);
	r.ifr_flags = up ? r.ifr_flags | IFF_UP : r.ifr_flags & ~IFF_UP;
	if (ioctl(fd, SIOCSIFFLAGS, &r))
		die(name);
}

static bool is_running(int fd, const char *name)
{
	struct ifreq r = { 0 };

	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", name);
	return !ioctl(fd, SIOCGIFFLAGS, &r) && r.ifr_flags & IFF_RUNNING;
}

/* Asleep until there is news of an interface, so that waiting costs nothing */
static void up(int fd[2], const char *name)
{
	set_up(fd[0], name, true);
	while (!is_running(fd[0], name))
		if (recv(fd[1], buf, sizeof(buf), 0) < 0)
			die("no carrier");
}

static void down(int fd[2], const char *name)
{
	set_up(fd[0], name, false);
	sleep(SETTLE);
	while (recv(fd[1], buf, sizeof(buf), MSG_DONTWAIT) > 0)
		;
}

static void up_pair(int fd[2], const char *host)
{
	struct sockaddr_nl a = { .nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK };
	char ip[16], ns[32];

	host_address(ip, ns, host);
	enter(ns);
	fd[0] = bound(SOCK_DGRAM, "0.0.0.0");
	fd[1] = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	if (fd[1] < 0 || bind(fd[1], (struct sockaddr *)&a, sizeof(a)))
		die("netlink");
}

static void udp(int fd[2], int octets, long packets, int burst)
{
	long done;
	int i;

	for (done = 0; done < packets; done += burst) {
		for (i = 0; i < burst; i++)
			if (send(fd[0], buf, octets, 0) != octets)
				die("send");
		for (i = 0; i < burst; i++)
			if (recv(fd[1], buf, sizeof(buf), 0) != octets)
				die("recv");
	}
}

static void tcp_pair(int fd[2])
{
	int one = 1, listening;

	enter("/run/netns/h2");
	listening = bound(SOCK_STREAM, "10.0.0.2");
	if (listen(listening, 1))
		die("listen");
	enter("/run/netns/h1");
	fd[0] = bound(SOCK_STREAM, "10.0.0.1");
	joined(fd[0], "10.0.0.2");
	fd[1] = accept(listening, NULL, NULL);
	if (fd[1] < 0)
		die("accept");
	close(listening);
	setsockopt(fd[0], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd[1], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

static void tcp_wait(int fd[2])
{
	struct pollfd p[2] = {
		{ .fd = fd[0], .events = POLLOUT },
		{ .fd = fd[1], .events = POLLIN },
	};

	/* Both may be ready for less than is moved at once. */
	if (poll(p, 2, PATIENCE * 1000) <= 0)
		die("TCP stands");
}

static void tcp(int fd[2], long kib)
{
	long put = 0, got = 0, all = kib * 1024;
	ssize_t n;

	while (got < all) {
		long before = put + got;

		if (put < all) {
			long len = all - put < (long)sizeof(buf) ? all - put : (long)sizeof(buf);

			n = send(fd[0], buf, len, MSG_DONTWAIT);
			put += n > 0 ? n : 0;
		}
		while ((n = recv(fd[1], buf, sizeof(buf), MSG_DONTWAIT)) > 0)
			got += n;
		if (put + got == before)
			tcp_wait(fd);
	}
}

static void rr(int fd[2], long rounds)
{
	while (rounds--)
		if (send(fd[0], buf, 1, 0) != 1 || recv(fd[1], buf, 1, 0) != 1 ||
		    send(fd[1], buf, 1, 0) != 1 || recv(fd[0], buf, 1, 0) != 1)
			die("request or response");
}

static void loop(const char *type, int octets, long messages)
{
	int fd = open("/sys/kernel/debug/ibdevsim_loop/run", O_WRONLY);
	char words[80];
	int len = snprintf(words, sizeof(words), "%s ibdevsim0 ibdevsim1 %d %ld", type,
			   octets, messages);

	if (fd < 0 || write(fd, words, len) != len)
		die("loop");
	close(fd);
}

static long microseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* A load: the words that say which, and what it goes by */
struct load {
	char **argv;
	int argc;
	const char *kind;
	int fd[MAX_PAIRS][2];
	long units[REPEATS];
	long paused;		/* microseconds of a repeat that are not counted */
};

static bool is(const struct load *load, const char *kind)
{
	return !strcmp(load->kind, kind);
}

static bool is_counted(const struct load *load)
{
	return strcmp(load->argv[1], "-");
}

static int pairs(const struct load *load)
{
	return (load->argc - 3) / 2;
}

static void begin(struct load *load)
{
	int (*fd)[2] = load->fd;
	char **argv = load->argv;
	int i;

	if (is(load, "loop"))
		return;
	if (is(load, "connect")) {
		for (i = 0; i < pairs(load); i++)
			connect_pair(fd[i], argv[3 + 2 * i], argv[4 + 2 * i]);
		return;
	}
	if (is(load, "up")) {
		up_pair(fd[0], argv[3]);
	} else {
		hello();
		if (is(load, "udp"))
			udp_pair(fd[0]);
		else if (is(load, "peers"))
			peers_pair(fd[0]);
		else
			tcp_pair(fd[0]);
	}
	for (i = 0; i < 2; i++)
		patience(fd[0][i], PATIENCE * 1000);
}

static void set_units(struct load *load)
{
	long n;
	int i;

	if (is(load, "connect"))
		n = pairs(load) / (is_counted(load) ? REPEATS : 1);
	else if (is(load, "udp") || is(load, "peers"))
		n = number(load->argv[4]);
	else if (is(load, "loop") || is(load, "up"))
		n = number(load->argv[5]);
	else
		n = number(load->argv[3]);
	for (i = 0; i < REPEATS; i++)
		load->units[i] = n;
	/* What it takes to begin and to end a loop is in both, and goes out. */
	if (is(load, "loop"))
		load->units[1] *= 2;
}

/*
 * A tick of the clock costs as much as a part of what is counted. Who begins right after one
 * is done with most things before the next one.
 */
static void await_tick(void)
{
	struct timespec first, now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &first);
	do
		clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	while (now.tv_nsec == first.tv_nsec);
}

/* Nothing is counted from here on, */
static void pause_count(struct load *load)
{
	load->paused -= microseconds();
	mark(MARK_PAUSE);
}

/* and all again from here on. */
static void resume_count(struct load *load)
{
	await_tick();
	mark(MARK_RESUME);
	load->paused += microseconds();
}

/* As often as is said, each time from down. Going down is not counted. */
static void ups(struct load *load, long times)
{
	const char *interface = load->argv[4];
	int *fd = load->fd[0];

	while (times--) {
		up(fd, interface);
		if (!times)
			break;
		pause_count(load);
		down(fd, interface);
		resume_count(load);
	}
}

static void connects(struct load *load, int (*fd)[2], long pairs)
{
	while (pairs--) {
		first_message(*fd++);
		if (!pairs)
			break;
		pause_count(load);
		resume_count(load);
	}
}

static void once(struct load *load, int repeat)
{
	long units = load->units[repeat];
	int *fd = load->fd[0];
	char **argv = load->argv;

	if (is(load, "udp"))
		udp(fd, number(argv[3]), units, number(argv[5]));
	else if (is(load, "tcp"))
		tcp(fd, units);
	else if (is(load, "rr"))
		rr(fd, units);
	else if (is(load, "peers"))
		to_peers(fd, number(argv[3]), units);
	else if (is(load, "up"))
		ups(load, units);
	else if (is(load, "connect"))
		connects(load, load->fd + repeat * units, units);
	else
		loop(argv[3], number(argv[4]), units);
}

/* What goes before each repeat, and is not counted */
static void prepare(struct load *load)
{
	if (is(load, "up"))
		down(load->fd[0], load->argv[4]);
	if (is(load, "up") || is(load, "connect"))
		await_tick();
}

/* What is new the first time is so only once: a connection is made, and not again. */
static void warm_up(struct load *load)
{
	if (is(load, "connect") && is_counted(load))
		return;
	if (is(load, "peers"))
		meet_peers(load->fd[0], number(load->argv[3]));
	prepare(load);
	once(load, 0);
}

static void count(struct load *load)
{
	long took[REPEATS];
	int i;

	for (i = 0; i < REPEATS; i++) {
		prepare(load);
		load->paused = 0;
		took[i] = microseconds();
		mark(MARK_BEGIN);
		once(load, i);
		mark(MARK_END);
		took[i] = microseconds() - took[i] - load->paused;
	}
	for (i = 0; i < REPEATS; i++)
		printf("row %s %ld %ld\n", load->argv[1], load->units[i], took[i]);
}

int main(int argc, char **argv)
{
	struct load load = { .argv = argv, .argc = argc };

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2 && !strcmp(argv[1], "hello")) {
		hello();
		return 0;
	}
	if (argc < 4 || argc > 3 + 2 * MAX_PAIRS)
		return 2;
	load.kind = argv[2];
	begin(&load);
	set_units(&load);
	warm_up(&load);
	if (is_counted(&load))
		count(&load);
	return 0;
}
