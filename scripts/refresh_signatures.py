#!/usr/bin/env python3
"""Writes python/mollify/_core.pyi, and adds to the classes of python/mollify/_methods.py and to the functions of
python/mollify/_analysis.py the parameters that the library has and they have not.

A parameter is a part of a spec or of a question, in the installed package's table. Its type follows from its kind, and its sentence
is the one of schema/release-spec.schema.json or docs/reference/spec.md; both may be made better by hand afterwards. pytest compares
the two.

    build/python-tests/bin/python scripts/refresh_signatures.py
"""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

from mollify import _core

ROOT = Path(__file__).resolve().parent.parent
METHODS = ROOT / "python/mollify/_methods.py"
FUNCTIONS = ROOT / "python/mollify/_analysis.py"
TYPES = {
    "text": "str | None = None",
    "texts": "str | Sequence[str] | None = None",
    "columns": "str | Sequence[str] | None = None",
    "whole numbers": "Sequence[int] | None = None",
    "whole number": "int | None = None",
    "number": "float | None = None",
    "decimal number": "Number | None = None",
    "truth": "bool = False",
    "file": "Any = None",
}


def names(parts, word):
    """Its parameters in the table's order, each with its type and its place in a spec."""
    return [
        (flag.replace("-", "_"), TYPES[kind], place)
        for flag, place, kind, words in parts
        if word in words and flag != "domain"
    ]


def sentence(word, place):
    forms = json.loads((ROOT / "schema/release-spec.schema.json").read_text())["oneOf"]
    form = next(one for one in forms if one["title"] == f"method {word}")
    for key in place.strip("/").split("/"):
        form = form["properties"][key]
    said = form["description"]
    return said[0].upper() + said[1:] + "."


def add_after(lines, within, patterns, added):
    """Adds lines below the last one that matches the first pattern that any matches, and below what is told of it."""
    for pattern in patterns:
        places = [at for at in range(within.lineno, within.end_lineno) if re.match(pattern, lines[at])]
        if places:
            at = places[-1] + 1
            while len(added) > 1 and lines[at].startswith(" " * 8):
                at += 1
            lines[at:at] = added
            return
    raise SystemExit(f"no place for {added[0].strip()}: write it by hand")


def refreshed(text):
    """The text with the first parameter that is missing, or None."""
    tree = ast.parse(text)
    classes = {one.name: one for one in tree.body if isinstance(one, ast.ClassDef)}
    lines = text.splitlines()
    for one in classes.values():
        word = next((at.value.value for at in one.body if isinstance(at, ast.AnnAssign) and at.target.id == "word"), None)
        if word is None:
            continue
        owners = [one]
        for owner in owners:  # grows by the bases
            owners += [classes[base.id] for base in owner.bases if base.id in classes]
        fields = {at.target.id for owner in owners for at in owner.body if isinstance(at, ast.AnnAssign)}
        before = []
        for name, kind, place in names(_core.spec_parts(), word):
            if name not in fields:
                above = [rf"    {known}: " for known in reversed(before)]
                add_after(lines, one, above, [f"    {name}: {kind}"])
                told = [rf"    (\w+, )*{known}\b(, \w+)* : " for known in reversed(before)]
                add_after(lines, one, told, [f"    {name} : {kind.partition(' ')[0]}", f"        {sentence(word, place)}"])
                return "\n".join(lines) + "\n"
            before.append(name)
        plans = [at for owner in owners for at in owner.body if getattr(at, "name", "") == "plan_of"]
        if not plans:
            continue
        given = {at.arg for at in plans[0].args.kwonlyargs + plans[0].args.args}
        before = []
        for name, kind, _ in names(_core.request_parts("plan"), word):
            if name not in given:
                above = [rf"        {known}: " for known in reversed(before)]
                add_after(lines, plans[0], above, [f"        {name}: {kind},"])
                return "\n".join(lines) + "\n"
            before.append(name)
    return None


def asked(text):
    """The text with the first parameter that a function of its name does not have, or None."""
    lines = text.splitlines()
    for one in ast.parse(text).body:
        name = getattr(one, "name", "")
        if name not in ("advise", "amplify", "estimate"):
            continue
        given = [at.arg for at in one.args.args + one.args.kwonlyargs]
        for flag, _, kind, _ in _core.request_parts(name):
            parameter = flag.replace("-", "_")
            if parameter in given:
                continue
            add_after(lines, one, [rf"    {given[-1]}: "], [f"    {parameter}: {TYPES[kind]},"])
            row = re.search(rf"^\| `{name}` \| .*?`--{flag}` \| .*? \| (.*) \|$", (ROOT / "docs/reference/spec.md").read_text(), re.M)
            told = [f"    {parameter} : {TYPES[kind].partition(' ')[0]}", f"        {row[1][0].upper()}{row[1][1:]}."]
            add_after(lines, one, [rf"    (\w+, )*{given[-1]}\b(, \w+)* : "], told)
            return "\n".join(lines) + "\n"
    return None


for place, added in ((METHODS, refreshed), (FUNCTIONS, asked)):
    while (more := added(place.read_text())) is not None:
        place.write_text(more)

STUB = ROOT / "python/mollify/_core.pyi"
PATTERNS = ROOT / "python/stub_patterns.txt"
generator = [sys.executable, "-P", "-m", "nanobind.stubgen", "-q", "-D", "-m", "mollify._core"]
subprocess.run([*generator, "-p", PATTERNS, "-o", STUB], check=True)
