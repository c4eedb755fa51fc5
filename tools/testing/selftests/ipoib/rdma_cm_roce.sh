#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# RDMA CM takes no address of an interface on RoCE, for to it a link of this type is one of
# InfiniBand. It takes those of the Ethernet device.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

rdma_cm_ask=${OUTPUT:-$here}/rdma_cm_ask

# refused WHY WORD...: who asks or listens is told so
refused()
{
	not in_ns "$h1" timeout "$minute" "$rdma_cm_ask" "${@:2}" > "$tmp/said" 2>&1 &&
		grep "$1" "$tmp/said"
}

# listening ADDRESS: of the Ethernet device, somebody can
listening()
{
	background "$rdma_cm_ask" listen "$1"
	eventually grep listening "$tmp/background.log"
}

plan 3
setup modules rdma_ucm
two_hosts
setup ping_all "$h1" 10.0.0.2
check "nobody listens at such an address" refused "No such device" listen 10.0.0.1
# ENODEV
check "nor asks for one" refused "status -19" ask 10.0.0.2
setup ip addr add 10.9.0.1/24 dev "$eth1"
check "at one of the Ethernet device somebody does" listening 10.9.0.1
