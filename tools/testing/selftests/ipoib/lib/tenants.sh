# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# People without privileges: nobody, and a tenant, who is root of a user namespace and has
# a network namespace in it, to which the host lends an interface.
#
# shellcheck disable=SC2034,SC2154 # for the tests; from ../lib.sh

powerless=(--clear-groups --inh-caps=-all --bounding-set=-all)
nobody=(setpriv --reuid=65534 --regid=65534 "${powerless[@]}")
tenant_user=65533

# own_namespaces PID: it has made them, and is root there
own_namespaces()
{
	[ "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)" ] &&
		grep -q "^ *0 *$tenant_user " "/proc/$1/uid_map"
}

# tenant NS: the network namespace of one who has no privileges elsewhere gets this name. The
# process that it lives by is $tenant
tenant()
{
	local commands='echo 0 > /proc/sys/net/ipv6/conf/default/accept_dad
		echo 0 > /proc/sys/net/ipv6/conf/default/router_solicitations'

	setpriv --reuid=$tenant_user --regid=$tenant_user "${powerless[@]}" \
		unshare --user --map-root-user --net sleep infinity > /dev/null 2>&1 < /dev/null &
	tenant=$!
	defer end_job "$tenant"
	defer del_netns "$1"
	eventually own_namespaces "$tenant" &&
		ip netns attach "$1" "$tenant" && in_ns "$1" sh -c "$commands"
}

# as_tenant NS COMMAND...: as root of the tenant's, who finds the interfaces in /sys
as_tenant()
{
	in_sysfs "$1" nsenter --target "$tenant" --user "${@:2}"
}

# as_nobody NS COMMAND...: of the same network, but of no more
as_nobody()
{
	in_sysfs "$1" "${nobody[@]}" "${@:2}"
}
