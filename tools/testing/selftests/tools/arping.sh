#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# arping: requests are answered, duplicates are found, and who announces an address has neighbours
# know it.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# knows: host 1 has that link address for 10.0.0.9
knows()
{
	ip -n "$h1" neigh show to 10.0.0.9 dev ib0 | tee -a /dev/stderr | grep "lladdr $1 "
}

needs arping
plan 6
ib_hosts 2
machine 1 2
check "an address is answered" on 1 arping -f -w "$minute" -I ib0 10.0.0.2
check "one that nobody has is not" not on 1 arping -c 1 -w 1 -I ib0 10.0.0.9
check "nobody else has one's own" on 1 arping -D -c 2 -w 2 -I ib0 10.0.0.1
check "somebody has this one" not on 1 arping -D -f -w "$minute" -I ib0 10.0.0.2
setup ip -n "$h2" addr add 10.0.0.9/24 dev ib0
setup ip -n "$h1" neigh replace 10.0.0.9 lladdr "$(lladdr "$h1")" nud stale dev ib0
setup on 2 arping -U -c 2 -I ib0 10.0.0.9
check "one is announced: the neighbour takes it over" eventually knows "$(lladdr "$h2")"
setup ip -n "$h1" neigh replace 10.0.0.9 lladdr "$(lladdr "$h1")" nud stale dev ib0
setup on 2 arping -A -c 2 -I ib0 10.0.0.9
check "with an answer that nobody asked for, too" eventually knows "$(lladdr "$h2")"
