#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# keepalived, VRRP: two hosts keep an address. The first has it; as it goes the other takes it
# over, and a third host finds it there at once.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# keep N PRIORITY: host N keeps the address
keep()
{
	config "$1" /etc/keepalived/keepalived.conf <<- END
		global_defs {
			vrrp_version 3
		}
		vrrp_instance shared {
			state BACKUP
			interface ib0
			virtual_router_id 7
			priority $2
			advert_int 0.5
			virtual_ipaddress {
				10.0.0.9/24
			}
		}
	END
	setup daemon "$1" keepalived --vrrp --dont-fork --log-console
}

# knows N: the third host has the link address of host N for it
knows()
{
	local ns=h$1

	ip -n "$h3" neigh show to 10.0.0.9 dev ib0 | tee -a /dev/stderr |
		grep "lladdr $(lladdr "${!ns}") "
}

needs keepalived
plan 8
ib_hosts 3
machine 1 2
keep 1 200
first=$job
check "the first has the address" eventually has_address 1 10.0.0.9
keep 2 100
check "it is reached" reaches 3 10.0.0.9
check "there" knows 1
check "the other one hears of the first" eventually said 2 keepalived "BACKUP"
check "and leaves it the address" not has_address 2 10.0.0.9
setup end_job "$first"
check "the first is gone: the other has it" eventually has_address 2 10.0.0.9
check "which a neighbour is told" eventually knows 2
check "it is reached" reaches 3 10.0.0.9
