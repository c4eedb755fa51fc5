#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The kernel's own IPoIB driver works on HCAs of each kind that can be in a group: they are
# strict and not wrong. Where they cut TCP segments and make and check sums, it has them do so.
. "$(dirname "$0")/lib.sh"

# come KIND: two of them, with interfaces on hosts 2 and 3
come()
{
	echo "$1 2" > /sys/devices/ibdevsim/new_hca && eventually host 2 && eventually host 3 &&
		eventually has_carrier 2 && eventually has_carrier 3
}

# missed N: the subnet manager has seen so many go, in all. It takes another HCA in the
# same place for the one that it knows, as long as it does not know that one gone
missed()
{
	[ "$(grep -c "GID out of service" "$tmp/sm1/log")" -ge "$1" ]
}

go()
{
	ip netns del h3 && ip netns del h2 && echo 2 > /sys/devices/ibdevsim/del_hca &&
		echo 1 > /sys/devices/ibdevsim/del_hca &&
		eventually missed $((gone += 2))
}

listens()
{
	on 3 ss -Htln "sport = $1" | grep .
}

# transfer: 2 MiB from host 2 to host 3, over TCP
transfer()
{
	local receiver

	on 3 timeout 60 socat -u TCP-LISTEN:5001,reuseaddr "CREATE:$tmp/received" &
	receiver=$!
	eventually listens 5001 || return
	on 2 timeout 60 socat -u -b 65536 "FILE:$tmp/sent" TCP:10.0.0.3:5001 &&
		wait $receiver && cmp "$tmp/sent" "$tmp/received"
}

# packets: that host 2's interface has sent, and host 3's HCA received, since the last call
packets()
{
	local now=("$(ip -n h2 -s link show ib0 | awk '/TX:/ { getline; print $2 }')"
		"$(sed -n 's/^rcv_packets //p' "$debugfs/ibdevsim2/counters")")

	sent=$((now[0] - ${before[0]-0})) arrived=$((now[1] - ${before[1]-0}))
	before=("${now[@]}")
}

# ratio MIN MAX: so many packets arrive for ten that are sent
ratio()
{
	echo "sent $sent, arrived $arrived"
	[ "$sent" -gt 0 ] && [ $((10 * arrived / sent)) -ge "$1" ] &&
		[ $((10 * arrived / sent)) -le "$2" ]
}

# sums_made N: by its HCA
sums_made()
{
	on "$1" ethtool -k ib0 | grep checksum-ipv4 | tee -a /dev/stderr | grep -q ": on"
}

gone=0
kinds=(plain mlx4 mlx5 mthca qib hfi1 irdma)
plan $((2 * ${#kinds[@]} + 5))
head -c 2M /dev/urandom > "$tmp/sent"
fabric 1
setup modprobe -C /dev/null ib_ipoib
for kind in "${kinds[@]}"; do
	setup come "$kind"
	check "$kind: is reached" reach 2 10.0.0.3 -s 3000
	packets
	check "TCP" transfer
	packets
	case $kind in
	plain)
		check "each packet is one of the stack's" ratio 9 11
		;;
	mlx4|mlx5)
		check "it has TCP segments cut" ratio 20 1000
		check "and sums made" sums_made 2
		;;
	esac
	setup go
done
