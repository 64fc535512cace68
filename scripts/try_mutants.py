#!/usr/bin/env python3
"""Breaks the sources on purpose, one place at a time, and lists the breaks that no test notices.

usage: scripts/try_mutants.py [--check | --survivors] [MODULE | MUTANT]...

MODULE is a file of tests/mutants/ without .toml; without arguments, all mutants are tried. All of them are
compiled into one build, in build/mutants, behind a switch: the variable MOLLIFY_MUTANT of the environment.
Exit status 1 if a mutant survived, if one that is called equivalent was noticed, or if a named test fails
without a mutant, is skipped or doesn't exist.

Fields of a mutant:
  id          a name; a prefix for the module and a number
  file        the source that it changes
  breaks      the promise that it breaks
  old, new    the text that it replaces, which occurs once in the file, and the text in its place
  test        "PROGRAM FILTER": a test program and the GoogleTest filter that kills the mutant; without
              it, every program that the module's file names in `programs` is run, and the first test
              that fails is printed
  equivalent  why no test can notice the mutant; it is then only built and run
--survivors tries only the mutants without a test. --check builds and runs nothing: it only finds every text in its file.
"""

import argparse
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import time
import tomllib
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "mutants"
SOURCE = BUILD / "source"
SECONDS = {True: 60, False: 600}  # for a mutant's own test, and for whole programs; what takes longer is noticed

SWITCH = """#pragma once
#ifdef __cplusplus
#include <cstdlib>
inline int mollify_active_mutant() {
  static const int active = std::getenv("MOLLIFY_MUTANT") ? std::atoi(std::getenv("MOLLIFY_MUTANT")) : 0;
  return active;
}
constexpr bool mollify_mutant(int number) {
  return !__builtin_is_constant_evaluated() && mollify_active_mutant() == number;
}
#endif
"""

TOKEN = re.compile(r"""\s+|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'|[\w.]+(?:'\w+)*|<<=|>>=|<=>|->|::|"""
                   r"""[-+*/%&|^<>=!]=|&&|\|\||<<|>>|\+\+|--|.""", re.DOTALL)
OPENING, CLOSING = {"(", "[", "{"}, {")", "]", "}"}
STOPS = {",", ";", "return", "=", "+=", "-=", "*=", "|=", "?", ":"}


def tokens(text):
    return TOKEN.findall(text)


def is_code(token):
    return not token.isspace() and not token.startswith("//")


def balanced(words):
    depth = 0
    for word in words:
        depth += (word in OPENING) - (word in CLOSING)
        if depth < 0:
            return False
    return depth == 0


def several(words):
    """Whether these tokens are a list."""
    return any(word == "," and balanced(words[:at]) for at, word in enumerate(words))


def one_expression(words):
    """Whether these tokens can stand between parentheses."""
    depth = 0
    for word in words:
        depth += (word in OPENING) - (word in CLOSING)
        if depth < 0 or (depth == 0 and word in (",", ";", "return", "if", "for", "else")):
            return False
    return depth == 0 and any(map(is_code, words))


def reach(words, position, step):
    """The number of tokens from `position` on, in the direction of `step`, that belong to the same expression."""
    opening, closing = (OPENING, CLOSING) if step > 0 else (CLOSING, OPENING)
    depth = count = 0
    while 0 <= position < len(words):
        word = words[position]
        if depth == 0 and (word in STOPS or word in closing):
            break
        depth += (word in opening) - (word in closing)
        position += step
        count += 1
    return count


class Unfit(Exception):
    """A mutant whose texts must be mended."""


class Change:
    """A mutant's place in its file: a span of characters, what takes its place, and whether both are one expression."""

    def __init__(self, mutant, text):
        old, new = mutant["old"], mutant["new"]
        if text.count(old) != 1:
            raise Unfit(f"{mutant['id']}: its old text occurs {text.count(old)} times in {mutant['file']}, not once")
        begin = text.index(old)
        self.number = mutant["number"]
        self.expression = False
        before, words = tokens(text[:begin]), tokens(old)
        after, others = tokens(text[begin + len(old):]), tokens(new)
        same = 0
        while same < min(len(words), len(others)) and words[same] == others[same]:
            same += 1
        tail = 0
        while tail < min(len(words), len(others)) - same and words[-1 - tail] == others[-1 - tail]:
            tail += 1
        while tail and not (balanced(words[same:len(words) - tail]) and balanced(others[same:len(others) - tail])):
            tail -= 1
        whole = before + words + after
        first, last = len(before) + same, len(before) + len(words) - tail
        first -= reach(whole, first - 1, -1)
        last += reach(whole, last, 1)
        lists = several(whole[first:last]) or several(others[same:len(others) - tail])
        if lists and first > 0 and whole[first - 1] == "(":  # arguments were changed: the whole call
            first -= 1 + reach(whole, first - 2, -1)
            last += 1
            last += reach(whole, last, 1)
        while first < last and not is_code(whole[first]):
            first += 1
        while last > first and not is_code(whole[last - 1]):
            last -= 1
        changed = (whole[first:len(before) + same] + others[same:len(others) - tail] +
                   whole[len(before) + len(words) - tail:last])
        if one_expression(whole[first:last]) and one_expression(changed):
            self.begin, self.end = len("".join(whole[:first])), len("".join(whole[:last]))
            self.new, self.expression = "".join(changed), True
            if self.new.lstrip().startswith("{"):
                raise Unfit(f"{mutant['id']}: its new text is a list in braces; write the type before the brace")
        else:  # whole statements: lines that both have only say where
            lines, new_lines = old.splitlines(True), new.splitlines(True)
            while len(lines) > 1 and new_lines and lines[0].strip() == new_lines[0].strip():
                begin += len(lines.pop(0))
                new_lines.pop(0)
            while len(lines) > 1 and new_lines and lines[-1].strip() == new_lines[-1].strip():
                lines.pop()
                new_lines.pop()
            self.begin, self.end, self.new = begin, begin + len("".join(lines)), "".join(new_lines)


def switched(text, changes):
    """The text with all changes behind the switch; overlapping ones become one choice."""
    groups = []
    for change in sorted(changes, key=lambda change: change.begin):
        if groups and change.begin < groups[-1][1]:
            groups[-1][1] = max(groups[-1][1], change.end)
            groups[-1][2].append(change)
        else:
            groups.append([change.begin, change.end, [change]])
    for begin, end, members in reversed(groups):
        if len({change.expression for change in members}) > 1:  # expressions within statements: whole lines
            begin, end = text.rindex("\n", 0, begin) + 1, text.index("\n", end)
        expression = members[0].expression and len({change.expression for change in members}) == 1
        choice = ""
        for change in members:
            new = text[begin:change.begin] + change.new + text[change.end:end]
            choice += (f"mollify_mutant({change.number}) ? ({new}\n) : " if expression
                       else f"if (mollify_mutant({change.number})) {{ {new}\n}} else ")
        choice = f"({choice}({text[begin:end]}\n))" if expression else f"{choice}{{ {text[begin:end]}\n}}"
        text = text[:begin] + choice + text[end:]
    return text


def write_if_changed(path, content):
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def changes_by_file(mutants):
    """Each file's changes, of mutants that all fit their files."""
    changes, unfit = {}, []
    for mutant in mutants:
        path = ROOT / mutant["file"]
        try:
            changes.setdefault(mutant["file"], []).append(Change(mutant, path.read_text() if path.is_file() else ""))
        except Unfit as problem:
            unfit.append(str(problem))
    if unfit:
        sys.exit("mend these mutants:\n" + "\n".join(unfit))
    return changes


def make_sources(changes):
    files = subprocess.check_output(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                    text=True).split("\0")
    wanted = {name for name in files if name and (ROOT / name).is_file()}
    for path in list(SOURCE.rglob("*")) if SOURCE.exists() else []:
        if path.is_file() and str(path.relative_to(SOURCE)) not in wanted:
            path.unlink()
    for name in wanted:
        content = (ROOT / name).read_bytes()
        if name in changes:
            content = switched(content.decode(), changes[name]).encode()
        write_if_changed(SOURCE / name, content)
        os.chmod(SOURCE / name, (ROOT / name).stat().st_mode)
    write_if_changed(BUILD / "switch.h", SWITCH.encode())


def build(programs):
    flags = f"-include {BUILD}/switch.h -Wno-narrowing -w"
    subprocess.run(["cmake", "--preset", "dev", "-B", BUILD / "build", "-DMOLLIFY_WARNINGS_AS_ERRORS=OFF",
                    f"-DCMAKE_CXX_FLAGS={flags}"], cwd=SOURCE, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", BUILD / "build", "--target", *sorted(programs), "--", "-k", "0"], check=True)


def run(program, tests, number=0):
    """The first test that failed, "" if none did, and what the program printed."""
    command = [BUILD / "build" / "tests" / program, "--gtest_fail_fast", "--gtest_filter=" + tests]
    try:
        done = subprocess.run(command, env={**os.environ, "MOLLIFY_MUTANT": str(number)}, timeout=SECONDS[tests != "*"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return "(out of time)", ""
    failed = re.search(r"^\[  FAILED  \] (\S+)", done.stdout, re.MULTILINE)
    if failed:
        return failed[1].rstrip(","), done.stdout
    if done.returncode:
        begun = re.findall(r"^\[ RUN      \] (\S+)", done.stdout, re.MULTILINE)
        return (begun[-1] if begun else "(start)") + " crashed", done.stdout
    return "", done.stdout


def faults_without_a_mutant(program, tests):
    """What keeps these tests from telling a mutant: a failure, a name that is no test's, a skipped test."""
    failed, output = run(program, tests)
    if failed:
        return [f"{failed} fails"]
    passed = re.findall(r"^\[       OK \] (\S+)", output, re.MULTILINE)
    skipped = re.findall(r"^\[  SKIPPED \] (\S+) \(", output, re.MULTILINE) if tests != "*" else []
    return [f"{name} is skipped" for name in skipped] + [
        f"no test {pattern} ran" for pattern in tests.split("-")[0].split(":")
        if not any(fnmatch.fnmatchcase(name, pattern) for name in passed)]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--survivors", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    mutants, programs_of = [], {}
    for path in sorted((ROOT / "tests" / "mutants").glob("*.toml")):
        content = tomllib.loads(path.read_text())
        programs_of[path.stem] = content["programs"]
        mutants += [{**mutant, "module": path.stem} for mutant in content["mutant"]]
    for mutant in mutants:  # by its name, so that a new one changes no other file of a build
        mutant["number"] = zlib.crc32(mutant["id"].encode()) >> 1
    if len({mutant["number"] for mutant in mutants}) < len(mutants):
        sys.exit("two mutants have one id, or ids of one number; rename the newer one")
    unknown = set(arguments.names) - {mutant[key] for mutant in mutants for key in ("id", "module")}
    if unknown:
        sys.exit(f"no module or mutant is called {', '.join(sorted(unknown))}; the modules are {', '.join(programs_of)}")
    chosen = [mutant for mutant in mutants
              if (not arguments.names or {mutant["id"], mutant["module"]} & set(arguments.names)) and
              not (arguments.survivors and "test" in mutant)]
    changes = changes_by_file(mutants)
    if arguments.check:
        sys.exit(print(f"{len(mutants)} mutants fit their files"))
    start = time.monotonic()
    make_sources(changes)
    plans = {mutant["id"]: [mutant["test"].split(" ", 1)] if "test" in mutant else
             [(program, "*") for program in programs_of[mutant["module"]]] for mutant in chosen}
    build({program for plan in plans.values() for program, _ in plan})
    built = time.monotonic()
    wrong = []
    for program, tests in sorted({tuple(step) for plan in plans.values() for step in plan}):
        wrong += [f"without a mutant, {program} {tests}: {fault}" for fault in faults_without_a_mutant(program, tests)]
    counts = {"killed": 0, "equivalent": 0, "survived": 0}
    for mutant in chosen:
        seen = ""
        for program, tests in plans[mutant["id"]]:
            failed, _ = run(program, tests, mutant["number"])
            if failed:
                seen = f"{program} {failed}"
                break
        state = "killed" if seen else "equivalent" if "equivalent" in mutant else "survived"
        counts[state] += 1
        print(f"{state:10} {mutant['id']:8} {mutant['breaks']}" + (f"  ({seen})" if seen else ""), flush=True)
        if state == "survived" or (seen and "equivalent" in mutant):
            wrong.append(f"{mutant['id']}: {mutant['breaks']} ({mutant['file']}): " +
                         ("called equivalent, but noticed" if seen else "survived"))
    print(f"\n{len(chosen)} mutants: {counts['killed']} killed, {counts['equivalent']} equivalent, "
          f"{counts['survived']} survived; built in {built - start:.0f} s, run in {time.monotonic() - built:.0f} s")
    print("\n".join(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
