#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they have no UC
#
# The subnet manager ends: connections go on, of either transport. Where one has
# to be made, which takes a path, datagrams do; and nothing waits for an answer when
# all comes to its end.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 8
three_hosts
setup connected "rc uc" 1
setup connected rc 2
setup connected uc 3
setup large "$h1" 10.0.0.2
setup large "$h1" 10.0.0.3
setup kill_sm sm1
check "RC goes on" large "$h1" 10.0.0.2
check "the connection does" has_connection 1 transport=RC state=established
check "UC goes on" large "$h1" 10.0.0.3
check "the connection does" has_connection 1 transport=UC state=established

setup mode datagram 2
setup mode connected 2
check "without the connection there are datagrams" \
	eventually ping_all "$h1" 10.0.0.2 -w 2
check "the interface goes down" within 30 ip -n "$h1" link set ib0 down
check "no connection is left" eventually nothing_of conn
check "the module goes" within 60 rmmod ipoib
