"""Checks that messages are values, the table of docs/reference/messages.md, and Python's codes of warnings.

Every code in the sources is in schema/messages.json, and the reverse; its example is a sentence of a source that has
the code. No code decides by the text of a sentence or rewrites one: sentences.py checks that.

usage: messages.py REPOSITORY       MOLLIFY_WRITE=1 writes the table and the codes
"""

import json
import os
import pathlib
import re
import sys

from tracked import text_files

MAKERS = r"(?:InvalidInput|MollifyError|Unserved|Code|refusal|refuse_input|refuse_setting|settings\.refuse)"
CODE = re.compile(rf'\b(?:{MAKERS}\(\s*|keep\(MOLLIFY_DEVICE_\w+,\s*|refuse_if\([^;{{}}"]*,\s*)"([a-z]+(?:-[a-z]+)*)"')
WARNING = re.compile(r'\.code = "([a-z-]+)"|\bMessage\(\w+, "([a-z-]+)"')

# Codes whose sentence another file makes.
PASSED_ON = {"draft-note", "no-mechanism", "unknown-parameter"}
LITERAL = re.compile(r'f?"((?:[^"\\\n]|\\.)*)"|`([^`]*)`')
LEAST_PINNED = 12  # letters of an example that its source has

CODES = "python/mollify/_codes.py"
PAGE = "docs/reference/messages.md"
MADE = re.compile(r"(?<=<!-- made by tests/docs/messages.py: codes -->\n).*?(?=^<!-- end -->)", re.M | re.S)


def in_page(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def table_of(rows):
    lines = ["| code | kind | cause | what to do | example |", "|---|---|---|---|---|"]
    for row in sorted(rows, key=lambda one: one["code"]):
        told = [in_page(row[part]) for part in ("kind", "cause", "remedy", "example")]
        lines.append(f"| `{row['code']}` | {' | '.join(told)} |")
    return "\n".join(lines) + "\n"


def codes_of(rows):
    """The text of Python's module of the codes that warnings have."""
    codes = sorted(row["code"] for row in rows if "warning" in row["kind"])
    listed = "".join(f'        "{code}",\n' for code in codes)
    return (
        '"""The codes of warnings, made by tests/docs/messages.py of schema/messages.json."""\n\n'
        f"WARNING_CODES = frozenset(\n    {{\n{listed}    }}\n)\n"
    )


def makes(text, sentence):
    """Whether a literal of a source makes the sentence, whatever stands at its places."""
    joined = re.sub(r'"\s*f?"|["`] \+\s*["`]', "", text)
    for plain, template in LITERAL.findall(joined):
        literal = plain or template
        parts = [one for one in re.split(r"\$?\{[^{}]*\}", literal.replace('\\"', '"')) if len(one.strip()) > 3]
        at = 0
        for part in parts:
            at = sentence.find(part, at)
            if at < 0:
                break
            at += len(part)
        if at >= 0 and sum(map(len, parts)) >= LEAST_PINNED:
            return True
    return False


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    table = json.loads((repository / "schema/messages.json").read_text())
    listed = [row["code"] for row in table]
    faults = [f"schema/messages.json has {code} twice" for code in set(listed) if listed.count(code) > 1]
    for row in table:
        if list(row) != ["code", "kind", "cause", "example", "remedy"] or not all(row.values()):
            faults.append(f"schema/messages.json: {row['code']} must have code, kind, cause, example and remedy")
    used, sources = {}, {}
    for path, text in text_files(repository):
        place = str(path.relative_to(repository))
        if not place.startswith(("src/", "include/", "python/src/", "python/mollify/", "npm/")):
            continue
        if path.suffix in {".h", ".cpp", ".py", ".js"} and place != CODES:
            sources[place] = text
            for code in CODE.findall(text) + [one or other for one, other in WARNING.findall(text)]:
                used.setdefault(code, place)
    faults += [f"{place}: {code} is not in schema/messages.json" for code, place in used.items() if code not in listed]
    faults += [f"schema/messages.json has {code}, which no source has" for code in listed if code not in used]
    for row in table:
        of_code = [text for text in sources.values() if f'"{row["code"]}"' in text or row["code"] in PASSED_ON]
        if not any(makes(text, row["example"]) for text in of_code):
            faults.append(f"no source with the code {row['code']} makes its example: {row['example']}")
    page, codes = repository / PAGE, repository / CODES
    made = MADE.sub(lambda _: table_of(table), page.read_text())
    if os.environ.get("MOLLIFY_WRITE"):
        page.write_text(made)
        codes.write_text(codes_of(table))
    elif page.read_text() != made or not codes.exists() or codes.read_text() != codes_of(table):
        faults.append(f"{PAGE} or {CODES} is not made of schema/messages.json: MOLLIFY_WRITE=1 writes both")
    print("\n".join(faults))
    print(f"{len(used)} codes, {len(faults)} faults")
    return 1 if faults or len(used) < 50 else 0


sys.exit(main())
