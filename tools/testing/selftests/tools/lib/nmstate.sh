# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What nmstate 2 asks of NetworkManager, in its order, for Debian has no nmstate: a state is
# applied, looked at, and kept, or all is as it was before.
#
#	check "a child" state ib0.8001 "pkey 0x8001" base=ib0 pkey=0x8001 mode=datagram
#
# It makes a checkpoint. The profile of what is to be absent is deleted, any other one is added,
# or updated if there is one. One that is active already is applied to its device, if that can be
# without activating it anew, any other is activated. Then it looks at the kernel, and removes the
# checkpoint, or returns to it.
#
# shellcheck disable=SC2154 # lib.sh sets the variables

nm=/org/freedesktop/NetworkManager
declare -A uuid

# ask OBJECT METHOD [ARGUMENT...]: NetworkManager of host 1, by D-Bus; METHOD with the rest of the
# name of its interface. Prints the object that it answers with
ask()
{
	local answer

	answer=$(on 1 busctl --timeout="$minute" call org.freedesktop.NetworkManager "$1" \
		"org.freedesktop.NetworkManager${2%.*}" "${2##*.}" "${@:3}") || return
	echo "$2: $answer" >&2
	[[ ! $answer =~ ^o\ \"([^\"]*)\" && ! $answer =~ ^oa.*\"(/[^\"]*)\" ]] ||
		echo "${BASH_REMATCH[1]}"
}

# addressed FAMILY ADDRESS/LENGTH: puts that into the profile, and none if it is empty
addressed()
{
	if [ -n "$2" ]; then
		profile+=("$1" 2 method s manual
			address-data 'aa{sv}' 1 2 address s "${2%/*}" prefix u "${2#*/}")
	else
		profile+=("$1" 1 method s disabled)
	fi
}

# profile_of NAME [KEY=VALUE...]: as busctl takes it
#
# mode=, mtu=, base=, pkey=  of an interface on InfiniBand
# bond=MODE                  it is a bond; controller=NAME: a port of that
# ip4=, ip6=                 ADDRESS/LENGTH
profile_of()
{
	local mode='' mtu='' base='' pkey='' bond='' controller='' ip4='' ip6=''
	local "${@:2}"

	[ -n "${uuid[$1]-}" ] || uuid[$1]=$(< /proc/sys/kernel/random/uuid)
	profile=(4 connection $((5 + (${#bond} > 0) + 2 * (${#controller} > 0)))
		id s "$1" uuid s "${uuid[$1]}" interface-name s "$1" autoconnect b true)
	[ -z "$controller" ] || profile+=(master s "$controller" slave-type s bond)
	if [ -n "$bond" ]; then
		profile+=(autoconnect-slaves i 1 type s bond
			bond 1 options 'a{ss}' 1 mode "$bond")
	else
		profile+=(type s infiniband infiniband
			$((1 + (${#mtu} > 0) + 2 * (${#pkey} > 0))) transport-mode s "$mode")
		[ -z "$mtu" ] || profile+=(mtu u "$mtu")
		[ -z "$pkey" ] || profile+=(parent s "$base" p-key i $((pkey)))
	fi
	addressed ipv4 "$ip4"
	addressed ipv6 "$ip6"
}

# begin: a checkpoint, for a minute; new profiles and devices go with it. What is active now is
# what counts as that
begin()
{
	active=$(on 1 nmcli -g UUID connection show --active) &&
		checkpoint=$(ask $nm .CheckpointCreate aouu 0 "$minute" 6)
}

# path_of NAME: of its profile, if there is one
path_of()
{
	[ -n "${uuid[$1]-}" ] &&
		ask $nm/Settings .Settings.GetConnectionByUuid s "${uuid[$1]}"
}

# store NAME [KEY=VALUE...]: to the disk, and NetworkManager is not to activate it by itself
store()
{
	local path

	profile_of "$@"
	if path=$(path_of "$1"); then
		ask "$path" .Settings.Connection.Update2 'a{sa{sv}}ua{sv}' "${profile[@]}" 33 0
	else
		ask $nm/Settings .Settings.AddConnection2 'a{sa{sv}}ua{sv}' "${profile[@]}" 33 0
	fi
}

# enforce NAME [KEY=VALUE...]: what was stored
enforce()
{
	local path

	profile_of "$@"
	if [[ $active == *"${uuid[$1]}"* ]]; then
		path=$(ask $nm .GetDeviceByIpIface s "$1") &&
			ask "$path" .Device.Reapply 'a{sa{sv}}tu' "${profile[@]}" 0 0 && return
	fi
	path=$(path_of "$1") && ask $nm .ActivateConnection ooo "$path" / /
}

# verified COMMAND...: that becomes true, and the checkpoint is not needed any more
verified()
{
	eventually "$@" && ask $nm .CheckpointDestroy o "$checkpoint"
}

# state NAME TEXT [KEY=VALUE...]: is wanted, and there; ip -d has that to say of it
state()
{
	begin && store "$1" "${@:3}" && enforce "$1" "${@:3}" && verified link_is 1 "$1" "$2"
}

# absent NAME...: these are wanted no more
absent()
{
	local name path

	begin || return
	for name; do
		path=$(path_of "$name") && ask "$path" .Settings.Connection.Delete || return
	done
}

# tried NAME [KEY=VALUE...]: it is asked for, and not kept yet
tried()
{
	begin && store "$@" && enforce "$@"
}

# rolled_back COMMAND...: to the checkpoint, and then that is true again
rolled_back()
{
	ask $nm .CheckpointRollback o "$checkpoint" && eventually "$@"
}
