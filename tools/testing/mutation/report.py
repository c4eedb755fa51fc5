#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Say what became of the mutants: tables by file, by operator and by purity, as
testing.rst has them, and the survivors.

report.py WORK ACCEPTED LAYERS

ACCEPTED has a line for each survivor that is meant to be one, with tabs: file, function,
operator, what it was, what it is, reason. Fails if there is another one.
"""

import collections
import os
import subprocess
import sys

from choose import read_list

PURE, OTHER = 95, 85


def read_accepted(name):
    """Reasons, by what a mutant is: its line may move."""
    reasons = {}
    if os.path.exists(name):
        with open(name, encoding="utf-8") as file:
            for line in file:
                if not line.startswith("#") and line.strip():
                    *key, reason = line.rstrip("\n").split("\t")
                    reasons[tuple(key)] = reason
    return reasons


def map_of(work, end=None):
    """How many tests there are, or have ended so."""
    with open(os.path.join(work, "tests"), encoding="ascii") as file:
        return sum(not end or os.path.exists(os.path.join(work, "map", line.strip(), end))
                   for line in file)


def key(mutant):
    return tuple(mutant[k] for k in ("file", "function", "operator", "was", "now"))


def table(title, groups, limit):
    """Prints it; what is accepted was no mutant."""
    rule = "=" * 16 + "  =======  ======  ========  ========  ======="
    good = True
    print(rule, f"{title:<16}  mutants  killed  accepted  survived  share", rule, sep="\n")
    for name in sorted(groups) + ["all"]:
        count = groups[name] if name != "all" else sum(groups.values(), collections.Counter())
        real = count["killed"] + count["survived"]
        share = 100 * count["killed"] / real if real else 100
        good = good and not (limit and share < limit(name))
        print(f"{name:<16}  {real + count['accepted']:>7}  {count['killed']:>6}"
              f"  {count['accepted']:>8}  {count['survived']:>8}  {share:>5.1f} %")
    print(rule, end="\n\n")
    return good


def main():
    work, accepted, layers = sys.argv[1:4]
    mutants = {m["number"]: m for m in read_list(work)}
    reasons = read_accepted(accepted)
    pure = set(subprocess.run([layers, os.path.join(work, "tree/drivers/infiniband/ulp/ipoib"), "pure"],
                              check=True, capture_output=True, text=True).stdout.split())
    files = collections.defaultdict(collections.Counter)
    operators = collections.defaultdict(collections.Counter)
    places = collections.Counter()
    how = collections.Counter()
    survivors = []
    done = flaky = 0
    with open(os.path.join(work, "chosen"), encoding="ascii") as file:
        chosen = file.read().split()
    for number in sorted(chosen, key=int):
        name = os.path.join(work, "hunt", number, "verdict")
        if not os.path.exists(name):
            continue
        done += 1
        flaky += os.path.exists(os.path.join(work, "hunt", number, "flaky"))
        with open(name, encoding="ascii") as file:
            words = file.read().split()
        mutant, fate = mutants[number], words[0]
        if fate == "survived":
            if key(mutant) in reasons:
                fate = "accepted"
            else:
                survivors.append((mutant, words[1:]))
        else:
            how[words[-1]] += 1
        files[mutant["file"]][fate] += 1
        operators[mutant["operator"]][fate] += 1
        places["pure" if mutant["file"].rsplit(".", 1)[0] in pure else "other", fate] += 1

    print()
    table("file", files, None)
    table("operator", operators, None)
    good = table("code", {where: collections.Counter({fate: n for (w, fate), n in places.items()
                                                       if w == where})
                           for where in sorted({w for w, _ in places})},
                 lambda name: PURE if name == "pure" else OTHER)
    print(f"{done} of {len(chosen)} mutants tried;",
          f"{map_of(work, 'passed')} of {map_of(work)} tests on the map.",
          "Killed by:", ", ".join(f"{what} {n}" for what, n in how.most_common()) + ".",
          f"A test failed once, and then passed, for {flaky} of them.")
    with open(os.path.join(work, "survivors"), "w", encoding="utf-8") as out:
        for mutant, tests in survivors:
            print(*key(mutant), f"line {mutant['line']}; tried: {' '.join(tests) or 'no test comes by'}",
                  sep="\t", file=out)
    print(f"Survivors, as accepted would have them: {out.name}")
    # What is not broken any more needs no reason. The list may be of some files only.
    known = {m["file"] for m in mutants.values()}
    gone = {k for k in reasons if k[0] in known} - {key(m) for m in mutants.values()}
    for line in sorted(gone):
        print("accepted, and there is no such mutant:", *line[:4])
    sys.exit(not good or bool(survivors) or bool(gone) or done < len(chosen))


if __name__ == "__main__":
    main()
