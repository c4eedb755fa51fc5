// SPDX-License-Identifier: GPL-2.0
/*
 * First process of the machine that scripts/cross.sh starts: loads each module of /suites, which
 * runs its cases, and says what became of them in the kernel's log, then ends the machine.
 */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static FILE *kmsg;

static int run(const char *file)
{
	int status, fd = open(file, O_RDONLY | O_CLOEXEC);
	char name[80];

	status = fd < 0 ? -1 : syscall(SYS_finit_module, fd, "", 0);
	close(fd);
	if (status) {
		fprintf(kmsg, "not ok 1 %s: cannot be loaded: %m\n", file);
		return status;
	}
	snprintf(name, sizeof(name), "%s", strrchr(file, '/') + 1);
	*strrchr(name, '.') = '\0';
	return syscall(SYS_delete_module, name, O_NONBLOCK);
}

int main(void)
{
	glob_t suites;
	int failed = 0;
	size_t i;

	mkdir("/dev", 0755);
	if (mount("dev", "/dev", "devtmpfs", 0, NULL))
		reboot(RB_POWER_OFF);
	kmsg = fopen("/dev/kmsg", "w");
	if (!kmsg)
		reboot(RB_POWER_OFF);
	setlinebuf(kmsg);
	/* Interfaces of suites have no name, and what goes wrong there is meant to. */
	fputs("selftest unit_tests 1 expects unnamed net_device\n", kmsg);
	if (glob("/suites/*.ko", 0, NULL, &suites))
		reboot(RB_POWER_OFF);
	for (i = 0; i < suites.gl_pathc; i++)
		failed |= run(suites.gl_pathv[i]);
	fputs(failed ? "a suite was not loaded\n" : "all suites were loaded\n", kmsg);
	reboot(RB_POWER_OFF);
}
