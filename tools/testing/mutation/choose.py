#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Say which mutants are hunted, by which tests.

choose.py WORK TOP SAMPLE SEED CHANGED FILES MUTANTS

Prints a line for each: number, tests in the order in which they are tried. Those
come first that come by few places, for they are about this one; then the short ones. The
last four are those that are about its file: they come by more of it than others, and by
little else.
While tests are missing on the map, a mutant that none of the others comes by has to
wait for them. WORK/chosen has all numbers.
"""

import collections
import os
import random
import re
import subprocess
import sys

# More tests would find hardly more, and take hours.
TESTS = 10
ABOUT_THE_FILE = 4
MOST_OF_A_CHANGE = 40


def read_list(work):
    """Mutants as dictionaries."""
    names = ("number", "file", "line", "function", "operator", "was", "now")
    with open(os.path.join(work, "list"), encoding="utf-8") as file:
        return [dict(zip(names, line.rstrip("\n").split("\t"))) for line in file]


def read_map(work, mutants):
    """For each mutant the tests that are tried, in that order."""
    runs, seconds = {}, {}
    base = os.path.join(work, "map")
    for test in os.listdir(base):
        if not os.path.exists(os.path.join(base, test, "passed")):
            continue
        with open(os.path.join(base, test, "run"), encoding="ascii") as file:
            runs[test] = file.read().split()
        with open(os.path.join(base, test, "passed"), encoding="ascii") as file:
            seconds[test] = int(file.read())
    files = {m["number"]: m["file"] for m in mutants}
    of_file = {t: collections.Counter(files.get(number) for number in runs[t]) for t in runs}
    tests = collections.defaultdict(list)
    order = sorted(runs, key=lambda t: ("@" in t, len(runs[t]) // 100, seconds[t]))
    for test in order:
        for number in runs[test]:
            tests[number].append(test)
    for number, all_of_it in tests.items():
        first = all_of_it[:TESTS - ABOUT_THE_FILE]
        rest = all_of_it[len(first):]
        name = files.get(number)
        least = min((of_file[t][name] for t in rest), default=0)
        rest.sort(key=lambda t: (least - of_file[t][name]) / len(runs[t]))
        tests[number] = first + rest[:ABOUT_THE_FILE]
    return tests


def map_is_complete(work):
    """Is there no test left to be run?"""
    with open(os.path.join(work, "tests"), encoding="ascii") as file:
        return all(any(os.path.exists(os.path.join(work, "map", line.strip(), end))
                       for end in ("passed", "failed", "dead")) for line in file)


def changed_functions(top, revision):
    """Lines that git says are new, or beside what is gone, for each file of the driver."""
    diff = subprocess.run(["git", "-c", "safe.directory=*", "-C", top, "diff", "-U0", revision, "--",
                           "drivers/infiniband/ulp/ipoib"],
                          check=True, capture_output=True, text=True).stdout
    lines, name = collections.defaultdict(set), None
    for line in diff.splitlines():
        if line.startswith("+++ "):
            name = os.path.basename(line[4:])
        match = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if match:
            first, count = int(match.group(1)), int(match.group(2) or 1)
            lines[name].update(range(first, first + (count or 2)))
    return lines


def stratified(mutants, size, seed):
    """Of each file its share, at most two of a line; or all."""
    rng = random.Random(seed)
    files = collections.defaultdict(list)
    for mutant in mutants:
        files[mutant["file"]].append(mutant)
    chosen = []
    for name in sorted(files):
        share = max(1, round(size * len(files[name]) / len(mutants)))
        rng.shuffle(files[name])
        lines = collections.Counter()
        for mutant in files[name]:
            if share and (lines[mutant["line"]] < 2 or size == len(mutants)):
                lines[mutant["line"]] += 1
                chosen.append(mutant)
                share -= 1
    rng.shuffle(chosen)
    return chosen


def main():
    work, top, sample, seed, changed, files, numbers = sys.argv[1:8]
    mutants = read_list(work)
    if numbers or files:
        kind = "number" if numbers else "file"
        wanted = (numbers or files).split(",")
        mutants = [m for m in mutants if m[kind] in wanted]
        if not mutants:
            sys.exit(f"no mutant of the {kind} {numbers or files}")
        sample = len(mutants)
    elif changed:
        lines = changed_functions(top, changed)
        touched = {(m["file"], m["function"]) for m in mutants
                   if int(m["line"]) in lines[m["file"]]}
        mutants = [m for m in mutants if (m["file"], m["function"]) in touched]
        sample = MOST_OF_A_CHANGE
    tests = read_map(work, read_list(work))
    complete = map_is_complete(work)
    with open(os.path.join(work, "chosen"), "w", encoding="ascii") as chosen:
        for mutant in stratified(mutants, int(sample), int(seed)) if mutants else []:
            print(mutant["number"], file=chosen)
            if complete or tests[mutant["number"]]:
                print(mutant["number"], *tests[mutant["number"]])


if __name__ == "__main__":
    main()
