#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# On one link a host that takes RC only, one that takes UC only, and one that takes
# both, and later none: each pair talks by what both take, although their addresses all say
# that they can have either.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 12
three_hosts
setup connected rc 1
setup connected uc 2
setup connected "rc uc" 3
check "1 and 3" by_connection 1 300000 large "$h1" 10.0.0.3
check "by RC" has_connection 1 transport=RC state=established
check "2 and 3" by_connection 2 300000 large "$h2" 10.0.0.3
check "by UC" has_connection 2 transport=UC state=established
# Whose first packet is told that it is too long.
check "1 and 2, in fragments" eventually answers "$h1" 10.0.0.2 -s 60000
check "all of them" large "$h1" 10.0.0.2
check "by datagrams" by_datagram 1 ping_all "$h1" 10.0.0.2 -s 1000

setup offer "" 3
check "connections to 3 are gone" eventually has_connections 1 0
setup eventually has_connections 2 0
check "1 and 3, in fragments" eventually answers "$h1" 10.0.0.3 -s 60000
check "by datagrams" by_datagram 1 ping_all "$h1" 10.0.0.3 -s 1000
check "2 and 3, in fragments" eventually answers "$h2" 10.0.0.3 -s 60000
check "by datagrams" by_datagram 2 ping_all "$h2" 10.0.0.3 -s 1000
