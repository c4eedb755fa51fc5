#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Reserved bits of the header are ignored on receipt (RFC 4391, 6).

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# An echo request of 28 octets from 10.0.0.1 to 10.0.0.2.
request=4500001c00000000400166df0a0000010a0000020800f7fd00010001

echoed()
{
	[ "$(snmp "$h2" IcmpInEchos)" -ge 100 ]
}

plan 1
two_hosts
setup inject -d "$rdma1" -a "$(lladdr "$h2")" -x "0800abcd$request" -n 100
check "a request with reserved bits set reaches the stack" eventually echoed
