#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
#
# Interfaces are made, changed, moved and deleted at random, by root and by a tenant at the
# same time, while ports come and go. Whatever that does to them: who makes new ones then
# has interfaces as good as ever.
#
# SEED, STORM  see lib/storm.sh

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/storm.sh
. "$here/lib/storm.sh"

plan 5
where_it_storms
check "a storm" storms
said_in_storm
check "some of it was taken" some_taken ours
all_is_well_again
