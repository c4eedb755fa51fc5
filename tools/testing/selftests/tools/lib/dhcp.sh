# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Servers of addresses. Those of dnsmasq and those of kea have the same addresses and write their
# leases to the same file, so that a test can ask the same of either.

# start_dnsmasq N SAID: by what comes in, beside what it always needs here; up once it has said that
start_dnsmasq()
{
	config "$1" /etc/dnsmasq.conf <<- END
		port=0
		interface=ib0
		user=root
		log-dhcp
		log-facility=-
		dhcp-leasefile=/run/leases
		$(cat)
	END
	setup daemon "$1" dnsmasq --keep-in-foreground --conf-file=/etc/dnsmasq.conf
	setup eventually said "$1" dnsmasq "$2"
}

# dhcp_server N: dnsmasq has addresses from 10.0.0.50 on
dhcp_server()
{
	start_dnsmasq "$1" "sockets bound exclusively\|DHCP, IP range" <<- END
		no-ping
		dhcp-authoritative
		dhcp-range=10.0.0.50,10.0.0.59,1h
	END
}

# dhcp6_server N: dnsmasq has addresses from fd00::50 on
dhcp6_server()
{
	start_dnsmasq "$1" "DHCPv6, IP range" <<- END
		dhcp-range=fd00::50,fd00::5f,64,1h
	END
}

# dhcp_relay N SERVER: dnsmasq passes on to that server what it hears, and back; it is $job
dhcp_relay()
{
	start_dnsmasq "$1" "DHCP relay" <<- END
		dhcp-relay=10.0.0.$1,$2
	END
}

# start_kea N 4|6: by what comes in
start_kea()
{
	config "$1" "/etc/kea/kea-dhcp$2.conf"
	setup on "$1" mkdir -p /run/kea /run/lock/kea /var/lib/kea
	KEA_LOCKFILE_DIR=/run/lock/kea setup daemon "$1" "kea-dhcp$2" -c "/etc/kea/kea-dhcp$2.conf"
	setup eventually said "$1" "kea-dhcp$2" "DHCP$2_STARTED"
}

# kea_server N [RESERVATION]: kea has addresses from 10.0.0.50 on, and that one, for whom a relay
# passes on. It wants to hear from them every three seconds.
kea_server()
{
	start_kea "$1" 4 <<- END
		{ "Dhcp4": {
		  "interfaces-config": {
		    "interfaces": [ "ib0" ],
		    "dhcp-socket-type": "udp"
		  },
		  "lease-database": { "type": "memfile", "name": "/run/leases" },
		  "valid-lifetime": 60,
		  "renew-timer": 3,
		  "subnet4": [ {
		    "subnet": "10.0.0.0/24",
		    "pools": [ { "pool": "10.0.0.50 - 10.0.0.59" } ],
		    "reservations": [ ${2-} ]
		  } ]
		} }
	END
}

# kea6_server N: kea has addresses from fd00::50 on
kea6_server()
{
	start_kea "$1" 6 <<- END
		{ "Dhcp6": {
		  "interfaces-config": { "interfaces": [ "ib0" ] },
		  "lease-database": { "type": "memfile", "name": "/run/leases" },
		  "valid-lifetime": 3600,
		  "subnet6": [ {
		    "subnet": "fd00::/64",
		    "interface": "ib0",
		    "pools": [ { "pool": "fd00::50 - fd00::5f" } ]
		  } ]
		} }
	END
}

# router N: says on the link that addresses of fd00::/64 are on it, and that a server has them
router()
{
	config "$1" /etc/radvd.conf <<- END
		interface ib0 {
		  AdvSendAdvert on;
		  AdvManagedFlag on;
		  AdvDefaultLifetime 0;
		  prefix fd00::/64 {
		    AdvAutonomous off;
		  };
		};
	END
	setup daemon "$1" radvd --nodaemon --logmethod stderr --config /etc/radvd.conf
	setup eventually said "$1" radvd "started"
}

# leased N TEXT: the server on that host has a lease with that
leased()
{
	on "$1" cat /run/leases | tee -a /dev/stderr | grep -e "$2"
}

# lease_lines N ADDRESS: so often has kea on that host written of a lease of it
lease_lines()
{
	on "$1" grep -c "^$2," /run/leases
}

# renewed N ADDRESS COUNT: kea has written of that lease more often
renewed()
{
	[ "$(lease_lines "$1" "$2")" -gt "$3" ]
}
