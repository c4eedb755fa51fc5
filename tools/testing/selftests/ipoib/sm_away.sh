#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Without a subnet manager those who know the way to each other go on. New ways
# are not found, which is counted, until there is one again.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 6
ib_hosts 3
setup ping_all "$h1" 10.0.0.2
setup steady "$h1" 10.0.0.2
# Nothing of IPv6 is to be counted.
setup in_ns "$h3" sh -c 'echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6'
setup eventually nothing_waits 3
setup kill_sm sm1
without=$(counter "$h3" drop_tx_no_path)
check "a way that is known works" goes_on 500
check "a new one is not found" not ping_all "$h1" 10.0.0.3 -w 3
# Who was asked does not know the way back.
check "packets without a way are counted" \
	eventually grew "$h3" drop_tx_no_path "$without"
setup start_sm sm1
must "the subnet manager comes back" eventually subnet_is_up sm1
check "and with it new ways" eventually ping_all "$h1" 10.0.0.3 -w 2
check "the known one has worked all along" none_lost
