#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# Of the flags octet of a link address two bits say what their host takes. The others are
# ignored on receipt (RFC 4755, 3.1): whoever has an address with all of them set is sent
# datagrams, or messages by a connection, as anybody else.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# knows_with_all_set: host 1, of host 2
knows_with_all_set()
{
	local flags rest

	IFS=: read -r flags rest < <(lladdr "$h2")
	knows "$h1" 10.0.0.2 "$(printf '%02x' $((0x$flags | 0x3f))):$rest"
}

plan 4
two_hosts
setup knows_with_all_set
check "datagrams" ping_all "$h1" 10.0.0.2
for type in rc uc; do
	setup connected $type 1 2
	setup knows_with_all_set
	check "$type: a connection" by_connection 1 300000 large "$h1" 10.0.0.2
	[ $type = uc ] || check "it is one of the kind that they have in common" \
		has_connection 1 transport=RC state=established
done
