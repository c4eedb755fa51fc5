#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# systemd-udevd gives a port's interface a name: by a .link file with the permanent address, until
# that changes with the queue pair, and by a rule with the GUID, which is not to take a child for
# the port. The addresses stay. Were the port that of an adapter on PCI, it would be called after
# the place of that, which two ports of one share.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# link_file MATCH...: of an interface that is to be called storage
link_file()
{
	config 1 /etc/systemd/network/10-storage.link <<- END
		[Match]
		Type=infiniband
		$(printf '%s\n' "$@")

		[Link]
		Name=storage
	END
}

# appears NAME: to udevd it is as if it had just come; until udevd has done with it
appears()
{
	on 1 udevadm control --reload &&
		on 1 udevadm trigger --action=add "/sys/class/net/$1" && on 1 udevadm settle
}

# is_called NAME ADDRESS: there is one of that name, with that address
is_called()
{
	ip -n "$h1" link show dev "$1" | tee -a /dev/stderr | grep -q " $2 "
}

# adapter: $tmp/sys is as /sys would be, had ib0 an adapter on PCI, and that another port
adapter()
{
	local port device=$tmp/sys/devices/pci0000:00/0000:03:00.0

	mkdir -p "$tmp/sys/class/net" "$tmp/sys/bus/pci" "$device"/net/ib{0,1} &&
		ln -s ../../../bus/pci "$device/subsystem" &&
		printf 'DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:03:00.0\n' > "$device/uevent" || return
	for port in 0 1; do
		# shellcheck disable=SC2016 # in its own /sys
		(cd "$device/net/ib$port" && ln -s ../../../../../class/net subsystem &&
			ln -s ../../../0000:03:00.0 device &&
			ln -s "../../devices/pci0000:00/0000:03:00.0/net/ib$port" "$tmp/sys/class/net" &&
			in_sysfs "$h1" sh -c 'cd /sys/class/net/ib0 && cp addr_assign_type dev_id \
				dev_port ifindex iflink name_assign_type type uevent "$0"' "$PWD" &&
			sed -i "s/^INTERFACE=.*/INTERFACE=ib$port/" uevent && echo $port > dev_port &&
			echo 0x$port > dev_id) || return
	done
}

# on_pci TEXT COMMAND...: udevadm says that of it there
on_pci()
{
	# shellcheck disable=SC2016 # in the machine
	on 1 unshare --mount sh -c 'mount -n --bind "$0" /sys && udevadm "$@"' "$tmp/sys" \
		"${@:2}" | tee -a /dev/stderr | grep -x "$1"
}

needs /usr/lib/systemd/systemd-udevd udevadm
plan 10
partitions+=$red
ib_fabric 1
port 1
machine 1
address=$(lladdr "$h1")
# Other rules are about disks and the like.
setup on 1 find /usr/lib/udev/rules.d -type f ! -name 75-net-description.rules \
	! -name 80-net-setup-link.rules -delete
setup daemon 1 /usr/lib/systemd/systemd-udevd
setup eventually on 1 udevadm control --ping
setup appears ib0
check "without a file it keeps name and address" is_called ib0 "$address"
link_file PermanentMACAddress="$address"
setup appears ib0
check "by the permanent address" is_called storage "$address"
setup ip -n "$h1" link set storage name ib0
link_file PermanentMACAddress="00:00:0f:ff:${address#*:*:*:*:}"
setup appears ib0
check "not by that of another queue pair" is_called ib0 "$address"
setup on 1 rm /etc/systemd/network/10-storage.link
config 1 /etc/udev/rules.d/70-storage.rules <<- END
	SUBSYSTEM=="net", ACTION=="add", DEVPATH!="/devices/virtual/*", ATTR{type}=="32", \\
	ATTR{address}=="*:${address#*:*:*:*:*:*:*:*:*:*:*:*:}", NAME="storage"
END
setup appears ib0
check "by the GUID, in a rule" is_called storage "$address"
setup ip -n "$h1" link set storage name ib0
setup ip -n "$h1" link add link ib0 name ib0.8001 type ipoib pkey 0x8001
# Before udevd has done with that it has done with the child.
setup appears ib0
check "a child with that GUID keeps its own" \
	is_called ib0.8001 "[0-9a-f:]*:${address#*:*:*:*:}"

setup on 1 rm /etc/udev/rules.d/70-storage.rules
setup ip -n "$h1" link del ib0.8001
setup ip -n "$h1" link set storage name ib0
setup adapter
export SYSTEMD_DEVICE_VERIFY_SYSFS=0
for port in 0:ibp3s0 1:ibp3s0d1; do
	check "on PCI ib${port%:*} is called ${port#*:}" \
		on_pci "ID_NET_NAME_PATH=${port#*:}" test-builtin net_id "/sys/class/net/ib${port%:*}"
	check "and has this path" \
		on_pci ID_PATH=pci-0000:03:00.0 test-builtin path_id "/sys/class/net/ib${port%:*}"
done
link_file Path=pci-0000:03:00.0
check "by the path" on_pci ID_NET_NAME=storage test --action=add /sys/class/net/ib0
