"""A class of cells that lacks a member is told which, in few lines (domain/column.h, `AreCells`).

Eleven kinds of columns, each without one member, are added to src/domain/column.h and column.cpp. The compiler must
name each member once, with no further error.

usage: lacking_cells.py REPOSITORY FOLDER COMPILER FLAG...
"""

import pathlib
import re
import subprocess
import sys

MEMBERS = {
    "declare": "static {name} declare(const ColumnKind&, const Settings&);",
    "kind": "const ColumnKind& kind() const;",
    "settings": "DeclaredSettings settings() const;",
    "add_canonical": "void add_canonical(std::string&) const;",
    "describe": "void describe(ColumnSchema&) const;",
    "size": "std::uint32_t size() const;",
    "read": "Reading read(std::string_view) const;",
    "points": "std::uint64_t points(std::uint32_t) const;",
    "value": "Value value(std::uint32_t, std::uint64_t) const;",
    "write": "void write(std::uint32_t, std::uint64_t, std::string&) const;",
    "expectation": "std::string expectation() const;",
}
MOST_LINES = 16


def class_without(lacked):
    name = f"Without_{lacked}"
    lines = [text.format(name=name) for member, text in MEMBERS.items() if member != lacked]
    return name, f"struct {name} {{ static const ColumnKind kKind; {' '.join(lines)} }};\n"


def put(text, before, added):
    assert text.count(before) == 1, f"{before} must occur once"
    return text.replace(before, added + before)


def errors_of(repository, folder, lacked):
    """What the compiler says of the two files with a kind for each member in `lacked`."""
    classes = [class_without(one) for one in lacked]
    (folder / "domain").mkdir(parents=True, exist_ok=True)
    header = (repository / "src/domain/column.h").read_text()
    header = put(header, "\n/// The possible values of a column:", "".join(text for _, text in classes))
    first = header.index("CheckedCells<Categories")
    end = header.index(">", first)
    header = header[:end] + "".join(f", {name}" for name, _ in classes) + header[end:]
    (folder / "domain/column.h").write_text(header)
    source = (repository / "src/domain/column.cpp").read_text()
    source = put(source, "};\n\nconstexpr std::string_view kNullWord", "".join(f", row_of<{name}>({name}::kKind)" for name, _ in classes))
    (folder / "column.cpp").write_text(source)
    command = [*sys.argv[3:], "-std=c++20", "-fsyntax-only", f"-I{folder}", f"-I{repository / 'src'}", folder / "column.cpp"]
    return subprocess.run(command, capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stderr


def main():
    repository, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    assert errors_of(repository, folder, []) == "", "the files alone must compile"
    said = errors_of(repository, folder, MEMBERS)
    faults = [f"{one} is not named" for one in MEMBERS if not re.search(rf"note: .*\b(?:cells\.|Made::){one}\(", said)]
    errors, lines = len(re.findall(r" error: ", said)), len(said.splitlines())
    if errors != len(MEMBERS):
        faults.append(f"there are {errors} errors for {len(MEMBERS)} missing members")
    if lines > MOST_LINES * len(MEMBERS):
        faults.append(f"{lines} lines are more than {MOST_LINES} for a member")
    print(f"{lines} lines of {len(MEMBERS)} missing members", *faults, *([said] if faults else []), sep="\n")
    return 1 if faults else 0


sys.exit(main())
