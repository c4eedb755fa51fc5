#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Links are faster than the kernel knows of: the subnet administrator says rates of paths and of
# groups by codes that HCAs refuse in an address. Packets go at the rate of the port then.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# rate METHOD ATTRIBUTE OFFSET OCTET: selector and code in such MADs of the subnet administrator
rate()
{
	ib_knob mad_rules "class=3 method=$1 attr=$2 set=$3:$4"
}

plan 4
ib_fabric 2
setup rate 0x81 0x35 111 bf
setup rate 0x81 0x38 98 bf
# Who makes a group wants it to have the rate of the broadcast group, which OpenSM does not know.
setup rate 2 0x38 98 87
setup host 1 2
check "there are groups" eventually is_up "$h1"
setup eventually is_up "$h2"
check "datagrams" eventually answers "$h1" 10.0.0.2
check "what asks a group for its neighbours" eventually answers "$h1" fd00::2
setup connected rc 1 2
check "connections" eventually by_connection 1 answers "$h1" 10.0.0.2
