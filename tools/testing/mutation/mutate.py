#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write mutants of a driver's C sources, all of them into one copy.

mutate.py DIRECTORY LIST [DROPPED]

Each .c and .h file of DIRECTORY is rewritten in place: wherever something can be
broken, the code asks MUTANT(number) whether this is the place where it is, and
does what the mutant does instead of what it should. A header that is included
before all others says what MUTANT() is. LIST gets a line for each mutant, with
tabs: number, file, line, function, operator, what it was, what it is. Numbers in
DROPPED, one a line, are those that do not compile; they are left out.

Operators:
  negate    a condition, or what a function returns, is the opposite
  relation  < is <=, > is >=, == is !=, and the other way round
  logic     && is ||, and the other way round
  call      a call whose result nobody looks at does not happen
  assign    an assignment does not happen
  constant  0 is 1, another number one more; a limit is twice as large
  return    an error that is returned is 0, true is false
  jump      a goto, break or continue does not happen
  lock      as call: what locks, waits, holds or lets go; for a kernel that checks itself
"""

import re
import sys

# Nothing that a user or a test could see follows from these.
SILENT = re.compile(
    r"\b(trace_\w+|netdev_\w+_once|(netdev|dev|pr)_(warn|err|info|notice|dbg)\w*"
    r"|net_\w*ratelimited\w*|lockdep_\w+|ASSERT_\w+|WARN_ON\w*|DEBUG_NET_WARN\w*|might_sleep"
    r"|BUILD_BUG\w*|static_assert|prefetch\w*|cond_resched|barrier)\s*\(")
LOCK = re.compile(
    r"^\s*(\w*_)?(lock|unlock|get|put|hold|cancel|sync|flush|drain|rcu|barrier|free|kfree|destroy|"
    r"release|complete|wait|smp|mb|rmb|wmb|disable|enable)(_\w+)?\s*\(|^\s*(smp_|rcu_|kfree|synchronize_)")
LIMIT = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]*"
                   r"(MAX|MIN|LIMIT|SIZE|TIME|MS|SECONDS|BUDGET|WEIGHT|BATCH|ROOM|AGE|LEN|COUNT)"
                   r"[A-Z0-9_]*\b(?!\s*\()")
KEYWORDS = {"if", "else", "while", "for", "do", "switch", "case", "default",
            "return", "goto", "break", "continue"}
TYPE = re.compile(
    r"^(const|static|struct|enum|union|unsigned|signed|volatile|typeof|__typeof__|"
    r"DECLARE_\w+|DEFINE_\w+|LIST_HEAD|\w+\s+\*?\s*\w+|\w+\s+\*+\w+)\b")
RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}


def blank(text):
    """Text of the same length without comments, strings and preprocessor lines."""
    def spaces(match):
        return re.sub(r"[^\n]", " ", match.group())

    def quoted(match):
        found = match.group()
        if found[0] in "\"'":
            return found[0] + "_" * (len(found) - 2) + found[0]
        return spaces(match)

    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
                  quoted, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", spaces, text, flags=re.M)


class Source:
    """One file: finds the places, and replaces them."""

    def __init__(self, name, text):
        self.name = name
        self.text = text
        self.bare = blank(text)
        self.edits = []         # start, end, make(numbers) -> text
        self.mutants = []       # line, function, operator, was, is
        self.function = ""
        self.returns = ""

    # --- places ---------------------------------------------------------

    def skip(self, i):
        while self.bare[i].isspace():
            i += 1
        return i

    def close(self, i):
        """Behind the bracket that closes the one at i."""
        depth = 0
        while True:
            c = self.bare[i]
            if c in "([{":
                depth += 1
            elif c in ")]}":
                depth -= 1
                if depth == 0:
                    return i + 1
            i += 1

    def end(self, i, stop=";"):
        """The place of the next stop outside brackets."""
        while self.bare[i] != stop:
            i = self.close(i) if self.bare[i] in "([{" else i + 1
        return i

    def word(self, i):
        match = re.compile(r"\w+").match(self.bare, i)
        return match.group() if match else ""

    def functions(self):
        depth = 0
        i = 0
        while i < len(self.bare):
            c = self.bare[i]
            if c == "{" and depth == 0 and self.bare[:i].rstrip().endswith(")"):
                head = self.bare[:i]
                start = max(head.rfind(";"), head.rfind("}")) + 1
                signature = head[start:]
                match = re.search(r"(\w+)\s*\(", re.sub(r"__(attribute__|printf)\s*\([^)]*\)+", "",
                                                       signature))
                self.function = match.group(1) if match else "?"
                self.returns = signature[:match.start()] if match else ""
                self.block(i)
                i = self.close(i)
                continue
            if c == "{":
                depth += 1
            elif c == "}":
                depth -= 1
            i += 1

    def block(self, i):
        stop = self.close(i) - 1
        i = self.skip(i + 1)
        while i < stop:
            i = self.skip(self.statement(i))
        return stop + 1

    def condition(self, i):
        """Of the statement that has it between the bracket at i and its partner."""
        stop = self.close(i)
        self.choose(i + 1, stop - 1, ["negate"])
        return stop

    def statement(self, i):
        """Reads one; says where the next one is."""
        c = self.bare[i]
        if c == "{":
            return self.block(i)
        if c == ";":
            return i + 1
        word = self.word(i)
        if word in ("if", "while"):
            i = self.skip(self.condition(self.bare.index("(", i)))
            i = self.statement(i)
            after = self.skip(i)
            if word == "if" and self.word(after) == "else":
                return self.statement(self.skip(after + 4))
            return i
        if word == "for":
            start = self.bare.index("(", i)
            stop = self.close(start)
            first = self.end(start + 1)
            second = self.end(first + 1)
            if self.bare[first + 1:second].strip():
                self.choose(first + 1, second, ["negate"])
            return self.statement(self.skip(stop))
        if word == "do":
            i = self.skip(self.statement(self.skip(i + 2)))
            return self.end(self.condition(self.bare.index("(", i))) + 1
        if word == "switch":
            return self.statement(self.skip(self.close(self.bare.index("(", i))))
        if word == "else":
            return self.statement(self.skip(i + 4))
        if word == "case":
            return self.end(i, ":") + 1
        if re.compile(r"\w+\s*:").match(self.bare, i):
            return self.bare.index(":", i) + 1
        stop = self.end(i) if word in KEYWORDS else self.simple_end(i)
        if self.bare[stop] != ";":      # a macro that begins a loop
            return self.statement(stop)
        self.simple(i, stop, word)
        return stop + 1

    def simple_end(self, i):
        call = re.compile(r"\w+\s*(?=\()").match(self.bare, i)
        if call:
            after = self.skip(self.close(call.end()))
            if self.bare[after] == "{" or self.word(after) in ("if", "for"):
                return after
        return self.end(i)

    def simple(self, i, stop, word):
        code = self.bare[i:stop]
        if SILENT.search(code):
            return
        if word == "return":
            if code[6:].strip():
                self.result(i, stop)
        elif word in ("goto", "break", "continue"):
            if word != "break":
                self.replace(i, stop, [("jump", "")])
        elif TYPE.match(code) and word not in KEYWORDS:
            match = re.match(r"[^=(]*[^=<>!]=(?!=)", code)
            if match and "{" not in code and "," not in code[:match.end()] \
                    and not re.match(r"(static|const)\b", code):
                self.choose(i + match.end(), stop, [])
        elif re.match(r"(WRITE_ONCE|rcu_assign_pointer|RCU_INIT_POINTER|smp_store_release)\s*\(", code):
            self.replace(i, stop, [("assign", "")] + self.inner(code))
        elif re.match(r"[\w>.\-\[\]()*&\s]*?(?<![=<>!])([+\-*/|&^%]|<<|>>)?=(?!=)", code) \
                or re.search(r"(\+\+|--)\s*$|^(\+\+|--)", code):
            self.replace(i, stop, [("assign", "")] + self.inner(code, 1))
        elif re.match(r"[\w>.\-\[\]]+\s*\(", code):
            operator = "lock" if LOCK.match(code) else "call"
            self.replace(i, stop, [(operator, "")] + self.inner(code, 1))

    # --- mutants of an expression -------------------------------------------

    def inner(self, code, assignment=0):
        """What can be broken inside: pairs of operator and code."""
        out = []
        compound = "&&" in code or "||" in code
        for match in re.finditer(r"&&|\|\|", code):
            other = "||" if match.group() == "&&" else "&&"
            out.append(("logic", code[:match.start()] + other + code[match.end():]))
        for match in re.finditer(r"(?<![<>\-=!+*/&|^%])(<=|>=|==|!=|<(?!<)|>(?!>))(?!=)", code):
            was = match.group(1)
            if was in ("==", "!=") and not compound and not assignment:
                continue        # the same as to negate the whole
            out.append(("relation", code[:match.start(1)] + RELATIONS[was] + code[match.end(1):]))
        for match in re.finditer(r"(?<![\w.\"'])(0x[0-9a-fA-F]+|0|[1-9]\d*)(?:u|ul|ull|U|UL|ULL)?(?![\w.\"'])", code):
            value = int(match.group(1), 0)
            new = "1" if value == 0 else str(value + 1)
            out.append(("constant", code[:match.start()] + new + code[match.end():]))
        for match in LIMIT.finditer(code):
            out.append(("constant", code[:match.start()] + "(2 * " + match.group() + ")"
                        + code[match.end():]))
        return out

    def choose(self, start, stop, whole):
        """An expression that is asked for its value."""
        code = self.text[start:stop].strip()
        bare = self.bare[start:stop]
        if SILENT.search(bare) or not code:
            return
        options = [("negate", "!(%s)" % code)] if whole else []
        options += self.restored(start, stop)
        if not options:
            return
        truth = "!!(%s)" if whole else "(%s)"

        def make(numbers):
            parts = "".join("MUTANT(%d) ? %s : " % (n, truth % new if operator != "negate" else new)
                            for n, (operator, new) in zip(numbers, options) if n)
            return " (%s%s)" % (parts, truth % code) if parts else " " + code
        self.edit(start, stop, make, options, code)

    def restored(self, start, stop):
        """Inner mutants with strings and comments as they were."""
        bare, out = self.bare[start:stop], []
        for operator, new in self.inner(bare):
            out.append((operator, self.with_strings(start, stop, bare, new)))
        return out

    def with_strings(self, start, stop, bare, new):
        head = 0
        while head < min(len(bare), len(new)) and bare[head] == new[head]:
            head += 1
        tail = 0
        while tail < min(len(bare), len(new)) - head and bare[-1 - tail] == new[-1 - tail]:
            tail += 1
        text = self.text[start:stop]
        return (text[:head] + new[head:len(new) - tail] + text[len(text) - tail:]).strip()

    def result(self, start, stop):
        value = start + len("return")
        code = self.text[value:stop].strip()
        options = []
        if re.match(r"-E[A-Z0-9]+$", code):
            options.append(("return", "0"))
        elif code in ("true", "false"):
            options.append(("return", "false" if code == "true" else "true"))
        elif re.search(r"\bbool\b", self.returns):
            options.append(("negate", "!(%s)" % code))
        options += self.restored(value, stop)
        options = [(operator, "return %s" % new) for operator, new in options]
        self.statements(start, stop, options)

    def replace(self, start, stop, options):
        code = self.bare[start:stop]
        self.statements(start, stop, [
            (operator, self.with_strings(start, stop, code, new) if new else "")
            for operator, new in options])

    def statements(self, start, stop, options):
        if not options:
            return
        code = self.text[start:stop].strip()

        def make(numbers):
            parts = "".join("if (MUTANT(%d)) { %s; } else " % (n, new)
                            for n, (_, new) in zip(numbers, options) if n)
            return "{ %s{ %s; } }" % (parts, code) if parts else code + ";"
        self.edit(start, stop + 1, make, options, code)

    def edit(self, start, stop, make, options, code):
        line = self.text.count("\n", 0, self.skip(start)) + 1
        was = " ".join(blank_comments(code).split())
        first = len(self.mutants)
        for operator, new in options:
            self.mutants.append((line, self.function, operator, was,
                                 " ".join(blank_comments(new).split()) or "nothing"))
        self.edits.append((start, stop, make, range(first, len(self.mutants))))

    def rewritten(self, numbers):
        """The text with the mutants that have a number; lines stay where they are."""
        out, at = [], 0
        for start, stop, make, which in sorted(self.edits, key=lambda e: e[0]):
            old = self.text[start:stop]
            new = " ".join(blank_comments(make([numbers[n] for n in which])).split("\n"))
            out += [self.text[at:start], new, "\n" * old.count("\n")]
            at = stop
        return "".join(out) + self.text[at:]


def blank_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def main():
    import os
    directory, listing = sys.argv[1:3]
    dropped = set()
    if len(sys.argv) > 3:
        with open(sys.argv[3], encoding="ascii") as file:
            dropped = {int(line) for line in file}
    number = 0
    with open(listing, "w", encoding="utf-8") as out:
        for name in sorted(os.listdir(directory)):
            if not name.endswith((".c", ".h")) or name.endswith(".mod.c") or name == "trace.h":
                continue
            path = os.path.join(directory, name)
            with open(path, encoding="utf-8") as file:
                source = Source(name, file.read())
            source.functions()
            numbers = []
            for line, function, operator, was, new in source.mutants:
                number += 1
                keep = number not in dropped
                numbers.append(number if keep else 0)
                if keep:
                    print(number, name, line, function, operator, was, new, sep="\t", file=out)
            with open(path, "w", encoding="utf-8") as file:
                file.write(source.rewritten(numbers))


if __name__ == "__main__":
    main()
