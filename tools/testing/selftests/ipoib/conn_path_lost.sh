#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
#
# Ports have one LID, so a connection has one path. It fails: the connection ends,
# datagrams do, and when the path is whole again there is a new connection.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 6
two_hosts
setup connected rc 1 2
setup eventually answers "$h1" 10.0.0.2 -s 20000
must "a connection has no alternate path" \
	has_connection 1 state=established alternate=no
qpn=$(connections 1 | grep -o 'qpn=[^ ]*')
setup flood "$h1" 10.0.0.2 -i 0.01
setup break_path 2
check "its path fails: it ends" eventually not has_connection 1 "$qpn"
check "datagrams go on" \
	eventually by_datagram 1 ping_all "$h1" 10.0.0.2 -w 1
setup mend_path
check "the path is there again: so is a connection" \
	eventually by_connection 1 100000 \
	ping_all "$h1" 10.0.0.2 -w 2 -s 20000
check "it is another one" not has_connection 1 "$qpn"
check "it did not migrate" has_connection 1 state=established migrations=0
