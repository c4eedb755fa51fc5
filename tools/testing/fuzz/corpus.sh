#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Makes the corpora anew: what three hosts and a subnet manager say in a virtual machine,
# and of what the fuzzers find from there in SECONDS_EACH=60 as much as it takes to come by
# each path through the code.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../../scripts/common.sh"

build_for_vm fabric || exit 1
work=$top/build/fuzz
rm -rf "$work/captured"
mkdir -p "$work/captured"
"${vm[@]}" --share "$work" env IPOIB_KO="$module" "$here/capture-guest" "$work/capture.pcap" ||
	die "nothing was captured"
"$here/corpus.py" extract "$work/captured" "$work/capture.pcap" || exit 1
SECONDS_EACH=${SECONDS_EACH:-60} "$top/scripts/fuzz.sh" || exit 1

for corpus in "$work"/captured/*; do
	target=${corpus##*/}
	rm -rf "$work/least"
	mkdir "$work/least"
	"$work/$target" -merge=1 -max_len=1400 "$work/least" "$corpus" "$work/grown/$target" \
		> "$work/$target.merge" 2>&1 || die "$target: see $work/$target.merge"
	cp "$corpus"/* "$work/least"
	"$here/corpus.py" pack "$work/least" "$here/corpus/$target.hex" || exit 1
done
wc -c "$here"/corpus/*.hex
