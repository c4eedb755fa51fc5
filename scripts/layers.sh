#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A driver stands on floors; a file includes headers of its own floor or lower
# ones only. This is the plan, and the check that it is kept.
#
# Without an argument all drivers are looked at; with one, the driver there; with two,
# the files of that floor are printed.
set -u

self=$(realpath "$0")
if [ $# -eq 0 ]; then
	cd "$(dirname "$0")/../drivers/infiniband" || exit 1
	status=0
	for dir in ulp/ipoib sw/ibdevsim; do
		"$self" "$dir" || status=1
	done
	exit $status
fi
cd "$1" || exit 1

# floor	files, without .c and .h
case $PWD in
*/ulp/ipoib) floors='
0	wire proto log hwaddr mgid ring backoff bucket fsm sa_trap sa_wire sender cm_wire trace
1	ah dma qp sa sa_watch stats users turns poll rx_skb charge
2	fabric fabric_ib fabric_roce path mcast mcastset peer peertable
3	txring ud_tx ud_rx cm_rx conn conn_qp conn_tx conn_peer conn_listen connset
4	device dev_rings dev_conns toobig xmit event
5	netdev ethtool debugfs
6	port parent child netlink sysfs
7	main
' ;;
*/sw/ibdevsim) floors='
0	wire profile limits keys walk psn qpfsm migfsm sg
1	node port packet fault rule tap
2	vector cq rq hca trap
3	ah qp mig fabric mcast offload
4	sq sma sma_port pma ud_rx rc_rx
5	smp delay garble
6	ud_tx rc_tx
7	engine mad verbs
8	debugfs loop_ends
9	device loop_cases loop_inject
10	main loop
' ;;
*) echo "$PWD: no plan for it"; exit 1 ;;
esac
if [ $# -eq 2 ]; then
	sed -n "s/^$2\t//p" <<< "$floors"
	exit
fi

status=0

# floor_of FILE - prints its floor; a suite of tests/ stands on the ground, for
# it must do with what floor 0 has, and so does the module there; three are of
# what stands higher
floor_of()
{
	local name

	case $1 in
	tests/ipoib_dma_kunit.c|tests/ipoib_turns_kunit.c) echo 1; return ;;
	tests/ipoib_txring_kunit.c) echo 3; return ;;
	tests/*_kunit.c|tests/cmpeer*|cmpeer.h) echo 0; return ;;
	esac
	name=${1#../}
	name=${name%.[ch]}
	awk -v name="$name" '
		{ for (i = 2; i <= NF; i++) if ($i == name) { print $1; found = 1 } }
		END { exit !found }' <<< "$floors"
}

complain()
{
	echo "$*"
	status=1
}

for file in *.[ch] tests/*.[ch]; do
	case $file in
	\**|tests/\**|*.mod.c) continue ;;
	esac
	if ! mine=$(floor_of "$file"); then
		complain "$file: stands on no floor; give it one in scripts/layers.sh"
		continue
	fi
	while IFS=: read -r line header; do
		if ! its=$(floor_of "$header"); then
			complain "$file:$line: $header stands on no floor"
		elif [ "$its" -gt "$mine" ]; then
			complain "$file:$line: floor $mine includes $header of floor $its"
		fi
	done < <(sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\(.*\)".*/\1/;T;=;p' "$file" | paste -d: - -)
done
exit $status
