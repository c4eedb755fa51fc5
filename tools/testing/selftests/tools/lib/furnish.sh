#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# furnish.sh TMP DIR - to be started by ip netns exec: makes what is below /etc, /run, /usr and
# /var this mount namespace's own, with the programs of TOOLS_ROOT and all else that is in the
# machine, writes its process id to DIR/pid, and stays for as long as the namespace is wanted.
set -e
tmp=$1 dir=$2

for tree in etc usr var; do
	mkdir -p "$dir"/{upper,work}/$tree
	mount -n -t overlay -o "lowerdir=${TOOLS_ROOT:+$TOOLS_ROOT/$tree:}/$tree,upperdir=$dir/upper/$tree,workdir=$dir/work/$tree" \
		overlay "/$tree"
done
# Whoever it is that programs would be, had they been installed
for user in messagebus systemd-network; do
	grep -q "^$user:" /etc/passwd ||
		echo "$user:x:$((++uid + 900)):65534::/nonexistent:/usr/sbin/nologin" >> /etc/passwd
	grep -q "^$user:" /etc/group || echo "$user:x:$((++gid + 900)):" >> /etc/group
done
echo "$dir" | md5sum | cut -c -32 > /etc/machine-id
# Nobody has heard of a udev: with /sys read-only, as in containers, nobody waits for it. What
# network managers write to is below /sys/devices.
mount -n --bind /sys/devices /sys/devices
mount -n -o remount,bind,ro /sys
# The test's own files stay where they are.
mkdir "$dir/run"
mount -n -t tmpfs -o mode=755 run "$dir/run"
mkdir "$dir/run/lock"
if [[ $tmp == /run/* ]]; then
	mkdir -p "$dir$tmp"
	mount -n --bind "$tmp" "$dir$tmp"
fi
mount -n --move "$dir/run" /run
echo $$ > "$dir/pid"
exec sleep infinity
