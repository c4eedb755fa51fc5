// SPDX-License-Identifier: GPL-2.0
/*
 * Makes one load, in the machine of the bench, and has it counted:
 *
 *	load NAME udp OCTETS PACKETS BURST	BURST are sent, then all received
 *	load NAME tcp KIB
 *	load NAME rr ROUNDS			a request of one octet and its answer
 *	load NAME loop ud|rc|uc OCTETS MESSAGES	kernel verbs alone
 *	load hello				until there is an answer, uncounted
 *
 * goes from the namespace h1, 10.0.0.1, to h2, 10.0.0.2, or between two HCAs. One
 * process holds both ends, so that nothing depends on who is scheduled when. It
 * warms up, and then does it twice between marks; for each of these it says
 *
 *	row NAME UNITS
 *
 * Units are packets, KiB or rounds. A load of which anything is lost is an error, and
 * nothing is written between the marks.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "mark.h"

#define PORT		7777
#define REPEATS		2
#define HELLOS		32	/* answered before anything is counted */
#define PATIENCE	10	/* seconds */

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

/* Which word says how much */
static int units_at(const char *kind)
{
	if (!strcmp(kind, "udp"))
		return 4;
	return strcmp(kind, "loop") ? 3 : 5;
}

static void once(int fd[2], char **argv, long units)
{
	const char *kind = argv[2];

	if (!strcmp(kind, "udp"))
		udp(fd, number(argv[3]), units, number(argv[5]));
	else if (!strcmp(kind, "tcp"))
		tcp(fd, units);
	else if (!strcmp(kind, "rr"))
		rr(fd, units);
	else
		loop(argv[3], number(argv[4]), units);
}

int main(int argc, char **argv)
{
	long units[REPEATS];
	int fd[2] = { -1, -1 };
	const char *kind;
	int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2 && !strcmp(argv[1], "hello")) {
		hello();
		return 0;
	}
	if (argc < 4)
		return 2;
	kind = argv[2];
	if (strcmp(kind, "loop"))
		hello();
	if (!strcmp(kind, "udp"))
		udp_pair(fd);
	else if (strcmp(kind, "loop"))
		tcp_pair(fd);
	for (i = 0; i < 2 && fd[i] >= 0; i++)
		patience(fd[i], PATIENCE * 1000);

	for (i = 0; i < REPEATS; i++)
		units[i] = number(argv[units_at(kind)]);
	/* What it takes to begin and to end a loop is in both, and goes out. */
	if (!strcmp(kind, "loop"))
		units[1] *= 2;

	once(fd, argv, units[0]);
	for (i = 0; i < REPEATS; i++) {
		mark(MARK_BEGIN);
		once(fd, argv, units[i]);
		mark(MARK_END);
	}
	for (i = 0; i < REPEATS; i++)
		printf("row %s %ld\n", argv[1], units[i]);
	return 0;
}
