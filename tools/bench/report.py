#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes the table of what bench.sh has had counted.

report.py all|record|smoke DIR RECORDED

DIR has what the machine said (console) and what the plugin counted (counts), and
gets results.json and, to look at, results.svg. Fails if a repeat of a load disagrees
with the first one, if a driver makes sums that the HCA could make, and in a smoke run if
a load costs more than what is RECORDED.
"""

import bisect
import json
import re
import sys

# A row: its name, what a unit is, the row of the floor and of the fabric that belong
# to it, and how much of a unit a message of the fabric carries.
ROWS = [
    ("udp64", "packet", "udp64", "udp64", 1),
    ("udp1400", "packet", "udp1400", "udp1400", 1),
    ("udp64burst", "packet", "udp64burst", "udp64", 1),
    ("rr", "round", "rr", "udp64", 0.5),
    ("tcp4092", "KB", "tcp4092", "tcp4092", 4040 / 1024),
    ("udp64rc", "packet", "udp64rc", "udp64rc", 1),
    ("udp64uc", "packet", "udp64rc", "udp64uc", 1),
    ("tcp65520", "KB", "tcp65520", "tcp65520", 65468 / 1024),
    ("tcp65520ls", "KB", "tcp65520", "tcp65520", 65468 / 1024),
    ("udp1400sum", "packet", "udp1400", "udp1400sum", 1),
    ("tcp4092tso", "KB", "tcp4092", "tcp4092tso", 16 * 4040 / 1024),
]
# The same, but not recorded: how much it matters that there are many
PEERS = (1, 100, 1000, 10000)
PEER_ROWS = [(f"peers{n}", "packet", f"peers{n}", "udp64", 1) for n in PEERS]
# What happens once, and the machine waits in between
EVENTS = {
    "carrier": "set up to carrier",
    "first": "first message, first connection",
    "further": "first message, further connection",
}
TITLES = {
    "udp64": "UDP 64 B datagram",
    "udp1400": "UDP 1400 B datagram",
    "udp64burst": "UDP 64 B datagram, 32 a time",
    "rr": "request/response 1 B",
    "tcp4092": "TCP datagram 4092",
    "udp64rc": "UDP 64 B connected (RC)",
    "udp64uc": "UDP 64 B connected (UC)",
    "tcp65520": "TCP connected 65520",
    "tcp65520ls": "TCP connected, link checksums",
    "udp1400sum": "UDP 1400 B, checksum offload",
    "tcp4092tso": "TCP 4092, checksum, TSO offload",
    **{f"peers{n}": f"UDP 64 B to {n} peer{'s' if n > 1 else ''}" for n in PEERS},
}
# Where the HCA makes and checks the sums, and where both drivers do
OFFLOADS = {"udp1400sum": "udp1400", "tcp4092tso": "tcp4092"}
DRIVERS = ("ib_ipoib", "ipoib")
AGREE = 0.015  # repeats of a load
WORSE = 0.03  # than what is recorded
SPARED = 0.9  # of the sums, at least, by an HCA that makes and checks them
# What functions of the kernel are for, by their name: the first that fits
PURPOSES = [
    ("sums", "csum|checksum"),
    ("queues", "qdisc|sch_|codel|dev_queue_xmit|dev_hard_start|validate_xmit|pick_tx"),
    ("upward", "gro_|gro$|receive_skb|ip_list|sublist|backlog|dev_forward|eth_type|__list_"),
    ("memory", "skb|kmem_cache|kmalloc|kfree|slab|clear_page|memset|alloc_page|page_pool|"
               "get_page|free_unref|page_frag"),
    ("copies", "memcpy|copy_|iov_iter|datagram_iter|check_object|virt_addr|heap_obj"),
    ("dma", "dma_"),
    ("locks", "spin_|rcu"),
    ("events", "napi|softirq|tasklet|irq|net_rx_action|generic_exec|dql|poll"),
    ("rest", ""),
]


def windows(path):
    """Of each window: how many instructions each block has executed."""
    blocks = None
    with open(path) as counts:
        for line in counts:
            if line == "window\n":
                if blocks is not None:
                    yield blocks
                blocks = []
                continue
            address, insns, times = line.split()
            blocks.append((int(address, 16), int(insns) * int(times)))
    if blocks is not None:
        yield blocks


def by_module(blocks, ranges):
    """Instructions of each module, of the kernel itself and of programs."""
    sums = {}
    for address, insns in blocks:
        if address >> 63 == 0:
            name = "user"
        else:
            name = next((m for m, low, high in ranges if low <= address < high), "kernel")
        sums[name] = sums.get(name, 0) + insns
        sums["total"] = sums.get("total", 0) + insns
    return sums


def by_function(blocks, symbols):
    """Instructions of each function of the kernel and of its modules, and of programs."""
    addresses = sorted(symbols)
    sums = {}
    for address, insns in blocks:
        i = bisect.bisect(addresses, address)
        name = symbols[addresses[i - 1]] if address >> 63 and i else "user"
        sums[name] = sums.get(name, 0) + insns
    return sums


def read_console(path):
    """What it says, as (driver, row, units, microseconds, ranges of the modules, functions
    by address), and the memory."""
    runs, memory, said = [], {}, []
    driver, ranges, symbols, reading, ended = None, [], {}, False, False
    with open(path, errors="replace") as console:
        for line in console:
            words = line.split()
            if words[:1] == ["modules"] and len(words) == 2:
                driver, ranges, reading = words[1], [], True
                # Those of modules are other ones now.
                symbols = {a: name for a, name in symbols.items() if "[" not in name}
            elif words[:1] == ["function"]:
                symbols[int(words[1], 16)] = " ".join(words[2:])
            elif reading and len(words) >= 6:
                low = int(words[5], 16)
                ranges.append((words[0], low, low + int(words[1])))
            elif words[:1] == ["row"]:
                reading = False
                runs.append((driver, words[1], int(words[2]), int(words[3]), ranges,
                             symbols))
            elif words[:1] == ["memory"]:
                memory.setdefault(driver, {})[words[1]] = int(words[2])
            elif words == ["end"]:
                ended = True
            elif words:
                reading = False
                said.append(line)
    if not ended:
        sys.exit("bench: the machine did not come to its end:\n" + "".join(said[-40:]))
    return runs, memory


def measure(directory):
    """{driver: {row: {module: instructions per unit, "us": microseconds per unit,
    "functions": of each}}}, memory and disagreements."""
    runs, memory = read_console(directory + "/console")
    results, apart = {}, []
    counted = list(windows(directory + "/counts"))
    if len(counted) != len(runs):
        sys.exit(f"bench: {len(runs)} loads and {len(counted)} counts")
    for i in range(0, len(runs), 2):
        driver, row, units, us, ranges, symbols = runs[i]
        again, us_again = runs[i + 1][2:4]
        a, b = (by_module(c, ranges) for c in counted[i : i + 2])
        if driver == "fabric":
            # Of so many messages and of twice as many
            cost = {m: (b[m] - a.get(m, 0)) / (again - units) for m in b}
        else:
            cost = {m: (a.get(m, 0) + b[m]) / (units + again) for m in b}
            difference = abs(a["total"] - b["total"]) / a["total"]
            if difference > AGREE:
                apart.append(f"{driver} {row}: repeats differ by {difference:.1%}")
        cost["us"] = (us + us_again) / (units + again)
        a, b = (by_function(c, symbols) for c in counted[i : i + 2])
        if driver == "fabric":
            cost["functions"] = {f: (b[f] - a.get(f, 0)) / (again - units) for f in b}
        else:
            cost["functions"] = {f: (a.get(f, 0) + b.get(f, 0)) / (units + again)
                                 for f in {*a, *b}}
        results.setdefault(driver, {})[row] = cost
    return results, memory, apart


def of_modules(cost):
    return {m: round(c, 1) for m, c in sorted(cost.items()) if m not in ("us", "functions")}


def overhead_of(cost, floor, fabric, share):
    """What each function costs more than in floor and fabric, or less."""
    cost, floor, fabric = (c["functions"] for c in (cost, floor, fabric))
    return {f: cost.get(f, 0) - floor.get(f, 0) - fabric.get(f, 0) / share
            for f in {*cost, *floor, *fabric}}


def by_purpose(functions, driver):
    sums = {"own": 0, "fabric": 0, **{purpose: 0 for purpose, _ in PURPOSES}}
    for name, insns in functions.items():
        if name.endswith(f"[{driver}]"):
            purpose = "own"
        elif name.endswith("]") and "[veth]" not in name:
            purpose = "fabric"
        else:
            purpose = next(p for p, pattern in PURPOSES if re.search(pattern, name))
        sums[purpose] += insns
    return {purpose: round(insns) for purpose, insns in sums.items()}


def loads(results):
    """What each load costs with each driver, for a machine to read."""
    for row, unit, floor_row, fabric_row, share in ROWS + PEER_ROWS:
        floor = results["floor"][floor_row]["total"]
        fabric = results["fabric"][fabric_row]["total"] / share
        theirs = None
        for driver in DRIVERS:
            cost = results[driver].get(row)
            if not cost:
                continue
            overhead = cost["total"] - floor - fabric
            if driver == "ib_ipoib":
                theirs = overhead
            functions = overhead_of(cost, results["floor"][floor_row],
                                    results["fabric"][fabric_row], share)
            yield {
                "load": row,
                "driver": driver,
                "unit": unit,
                "floor_load": floor_row,
                "floor": round(floor),
                "fabric": round(fabric),
                "total": round(cost["total"]),
                "overhead": round(overhead),
                "own_text": round(cost[driver]),
                "ratio": theirs and round(overhead / theirs, 2),
                "modules": of_modules(cost),
                "overhead_of": by_purpose(functions, driver),
                "overhead_functions": {
                    f: round(n, 1) for f, n in sorted(functions.items(), key=lambda i: -i[1])
                    if abs(n) >= 0.5},
            }


def events(results):
    for name in EVENTS:
        theirs = None
        for driver in DRIVERS:
            cost = results[driver][name]
            # OpenSM's part is the same, whoever asks, but for when it comes to it.
            total = cost["total"] - cost.get("user", 0)
            theirs = theirs or total
            yield {
                "event": name,
                "driver": driver,
                "total": round(total),
                "own_text": round(cost[driver]),
                "ratio": round(total / theirs, 2),
                "ms": round(cost["us"] / 1000, 1),
                "modules": of_modules(cost),
            }


def growth(flat):
    """By how much the most peers are dearer than one."""
    for driver in DRIVERS:
        one, most = ([f for f in flat if f["driver"] == driver and f["load"] == f"peers{n}"][0]
                     for n in (PEERS[0], PEERS[-1]))
        yield {"driver": driver, **{what: most[what] / one[what] - 1
                                    for what in ("floor", "total", "overhead", "own_text")}}


def table(results, memory):
    """Prints it, and returns it for a machine to read."""
    all_of = {"loads": list(loads(results)), "events": list(events(results)),
              "memory": memory}
    all_of["growth"] = list(growth(all_of["loads"]))

    print(f"{'':39}{'':9}{'floor':>7}{'fabric':>8}{'total':>7}{'overhead':>10}"
          f"{'own text':>10}{'ratio':>7}")
    for f in all_of["loads"]:
        print(f"{TITLES[f['load']] + ', /' + f['unit']:39}{f['driver']:9}{f['floor']:7}"
              f"{f['fabric']:8}{f['total']:7}{f['overhead']:10}{f['own_text']:10}"
              f"{f['ratio'] or '-':>7}")
    for f in all_of["growth"]:
        print(f"{f'{PEERS[-1]} peers, not 1':39}{f['driver']:9}{f['floor']:>+7.1%}{'':8}"
              f"{f['total']:>+7.1%}{f['overhead']:>+10.1%}{f['own_text']:>+10.1%}")
    names = list(all_of["loads"][0]["overhead_of"])
    print(f"\n{'overhead of which':20}" + "".join(f"{name:>7}" for name in names))
    for f in all_of["loads"]:
        if not f["load"].startswith("peers"):
            print(f"{f['load']:11}{f['driver']:9}" +
                  "".join(f"{f['overhead_of'][name]:7}" for name in names))
    print(f"\n{'':39}{'':9}{'':8}{'total':>14}{'own text':>10}{'ratio':>7}{'ms':>9}")
    for f in all_of["events"]:
        print(f"{EVENTS[f['event']]:39}{f['driver']:9}{'':8}{f['total']:14}"
              f"{f['own_text']:10}{f['ratio']:7}{f['ms']:9}")
    print()
    for driver in DRIVERS:
        for name, octets in memory.get(driver, {}).items():
            print(f"{'memory, one ' + name:39}{driver:9}{octets / 1024:9.1f} KB")
    return all_of


def not_offloaded(flat):
    """Who makes or checks sums that were to be left to the HCA."""
    sums = {(f["load"], f["driver"]): f["overhead_of"]["sums"] for f in flat}
    return [f"{driver} {load}: {now} for sums, and {sums[OFFLOADS[load], driver]} without offload"
            for (load, driver), now in sums.items()
            if load in OFFLOADS and now > sums[OFFLOADS[load], driver] * (1 - SPARED)]


# What a bar of the plot consists of, from the left: where it is from, what it is, its colour
PARTS = [
    ("floor", "floor: the same load over veth", "#bbbbbb"),
    ("fabric", "fabric: kernel verbs alone", "#88aacc"),
    ("own_text", "the driver's own text", "#cc3311"),
    ("rest", "rest of the overhead: what the driver has the stack do", "#ee9955"),
]
LEFT, WIDE, BAR, HEAD = 90, 640, 15, 112  # pixels: of names, of the longest bar, and down


def bars(all_of):
    """(title, [(driver, loads entry, longest bar's total)]) of each load."""
    flat = all_of["loads"]
    longest = {}
    for f in flat:
        longest[f["floor_load"]] = max(longest.get(f["floor_load"], 0), f["total"])
    for row, unit, floor_row, *_ in ROWS + PEER_ROWS:
        both = [f for f in flat if f["load"] == row]
        if both:
            yield f"{TITLES[row]}, /{unit}", both, longest[floor_row]


def text(x, y, what, more=""):
    what = what.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x}" y="{y}" {more}>{what}</text>'


def rectangle(x, y, width, colour):
    return (f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{BAR - 2}" '
            f'fill="{colour}"/>')


def plot(all_of, path):
    """The loads of the table, to look at."""
    lines = [text(10, 22, "What a packet costs: instructions of the whole machine",
                  'font-size="16" font-weight="bold"')]
    for i, (_, meaning, colour) in enumerate(PARTS):
        x, y = (10, 390)[i % 2], 36 + i // 2 * 20
        lines += [rectangle(x, y, 13, colour), text(x + 20, y + 11, meaning)]
    lines.append(text(10, 92, "Loads of one floor have one scale, and others another one. "
                              "At a bar: total (overhead = total - floor - fabric)."))
    y = HEAD
    for title, both, longest in bars(all_of):
        y += 16
        lines.append(text(10, y, title, 'font-weight="bold"'))
        y += 5
        for f in both:
            x = LEFT
            lines.append(text(LEFT - 6, y + 11, f["driver"], 'text-anchor="end"'))
            for part, _, colour in PARTS:
                insns = f["overhead"] - f["own_text"] if part == "rest" else f[part]
                width = max(insns, 0) / longest * WIDE
                lines.append(rectangle(x, y, width, colour))
                x += width
            lines.append(text(round(x) + 6, y + 11, f"{f['total']} ({f['overhead']})"))
            y += BAR
        y += 5
    with open(path, "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDE + 120}" '
                   f'height="{y + 10}" font-family="sans-serif" font-size="12">\n'
                   '<rect width="100%" height="100%" fill="white"/>\n')
        file.write("\n".join(lines) + "\n</svg>\n")


def read_recorded(path):
    with open(path) as file:
        return {w[0]: float(w[1]) for w in map(str.split, file) if w and w[0] != "#"}


def smoke(results, path):
    """Says what a row costs, and fails if it is more than it was."""
    recorded, worse = read_recorded(path), []
    for row, unit, *_ in ROWS:
        now, before = results["ipoib"][row]["total"], recorded[row]
        print(f"{TITLES[row] + ', /' + unit:40}{now:8.0f}, was {before:8.0f}: "
              f"{now / before - 1:+.1%}")
        if now > before * (1 + WORSE):
            worse.append(row)
    return [f"{row} costs more than what is recorded" for row in worse]


def record(results, path):
    with open(path) as file:
        head = [line for line in file if line.startswith("#")]
    with open(path, "w") as file:
        file.writelines(head)
        for row, *_ in ROWS:
            file.write(f"{row} {results['ipoib'][row]['total']:.0f}\n")


def main():
    what, directory, recorded = sys.argv[1:]
    results, memory, bad = measure(directory)
    if what == "smoke":
        bad += smoke(results, recorded)
    else:
        all_of = table(results, memory)
        with open(directory + "/results.json", "w") as file:
            json.dump(all_of, file, indent=1)
        plot(all_of, directory + "/results.svg")
        bad += not_offloaded(all_of["loads"])
        if what == "record" and not bad:
            record(results, recorded)
    for line in bad:
        print("bench:", line, file=sys.stderr)
    if what == "smoke":
        print(f"{max(len(ROWS) - len(bad), 0)} passed, {len(bad)} failed, 0 skipped")
    sys.exit(1 if bad else 0)


main()
