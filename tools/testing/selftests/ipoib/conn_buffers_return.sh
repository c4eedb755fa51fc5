#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they have no UC
#
# All connections share receive buffers. One that ends in the middle of a message
# has a buffer, which has to come back for as long as there are others.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# half_messages: from host 2, the rest of each is lost
half_messages()
{
	setup offer uc 2
	setup large "$h2" 10.0.0.1
	setup eventually has_connection 2 transport=UC state=established
	setup ib_knob drop_uc_ppm 500000
	in_ns "$h2" ping -q -c 5 -i 0.01 -W 0.1 -s 20000 10.0.0.1
	setup ib_knob drop_uc_ppm 0
	setup offer "" 2
	setup eventually has_connections 1 1
}

# As many are posted as host 1 believes.
none_missing()
{
	local believed there

	believed=$(status "$rdma1" conn_buffers_posted)
	there=$(sed 's/.* posted //' "$ibdevsim/ibdevsim0/srqs")
	echo "$there of $believed"
	[ "$there" -gt 0 ] && [ "$there" -eq "$believed" ]
}

plan 3
three_hosts
setup one_queue 1
setup connected "rc uc" 1
setup connected rc 3
setup connected uc 2
setup large "$h3" 10.0.0.1
check "none is missing to begin with" eventually none_missing
for ((round = 1; round <= 4; round++)); do
	half_messages
done > /dev/null
check "none after connections that ended in mid-message" eventually none_missing
check "the connection that stayed carries on" by_connection 3 large "$h3" 10.0.0.1
