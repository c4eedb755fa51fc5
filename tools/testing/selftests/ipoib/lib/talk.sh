# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Three hosts and their children that talk, and somebody who reads all that can be read,
# until they are told to be silent.
#
# shellcheck disable=SC2154 # hosts.sh and ../lib.sh set the variables

# Who is cut off from the other end waits for it no longer than that, in seconds.
patient=20

# keep_on NAME COMMAND...: again and again, until $tmp/soaking is gone
keep_on()
{
	while [ -e "$tmp/soaking" ]; do
		"${@:2}"
		sleep 0.2
	done > "$tmp/kept.$1" 2>&1 &
	jobs+=($!)
}

# keep_pinging NS ADDRESS OPTION...
keep_pinging()
{
	keep_on "ping${#jobs[@]}" ip netns exec "$1" ping -q -w "$patient" "${@:3}" "$2"
}

# look: at all that can be read
look()
{
	local ns

	cat "$debug"/*/*
	for ns in "$h1" "$h2" "$h3"; do
		in_sysfs "$ns" bash -c '
			cat /sys/class/net/*/{pkey,mode,umcast,dev_id,parent}
			ethtool -S ib0
			ip -s -d link show'
	done
}

# look_for LINE: among all that
look_for()
{
	look 2> /dev/null | grep -x "$1"
}

talk()
{
	: > "$tmp/soaking"
	jobs=()
	keep_pinging "$h1" 10.0.0.2 -i 0.005 -s 1000
	keep_pinging "$h2" 10.0.0.3 -i 0.01 -s 3000
	keep_pinging "$h3" fd00::1 -i 0.01
	keep_pinging "$h3" 10.0.0.1 -i 0.1 -s 60000
	keep_pinging "$h2" fd00::1 -i 0.1 -s 20000
	keep_pinging "$h1" 10.0.0.255 -i 0.05 -b
	keep_pinging "$h2" 10.1.0.1 -i 0.05
	keep_on listen timeout "$patient" ip netns exec "$h2" \
		socat -T "$patient" -u TCP-LISTEN:5003,fork,reuseaddr /dev/null
	keep_on send timeout "$patient" ip netns exec "$h1" \
		socat -u /dev/zero TCP:10.0.0.2:5003
	keep_on look look_for 0x8001
}

be_silent()
{
	rm "$tmp/soaking"
	wait "${jobs[@]}"
}
