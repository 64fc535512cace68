"""Pages of the site that are made of the code: a page of every public header and one of all commands; and the pages of
the repository that lie outside of docs/.

scripts/build_site.sh copies docs/ to build/site-source/docs and calls this; the repository keeps none of these pages.

usage: site_pages.py COPY_OF_DOCS REPOSITORY PROGRAM
"""

import re
import subprocess
import sys
from pathlib import Path

HEADERS = ("domain", "release", "answers", "verify", "sampler", "privacy", "distributed", "program", "laboratory")


def prose(comment: list[str]) -> str:
    """A comment as Markdown: indented lines are code already."""
    text = "\n".join(comment).strip("\n")
    return re.sub(r"(?<!`)\bdocs/([\w/-]+\.md)", r"[\1](../\1)", text)


def end_of(lines: list[str], at: int) -> int:
    """The line behind a declaration: the first `;` outside of brackets, or the end of a body."""
    depth = 0
    for number in range(at, len(lines)):
        code = re.sub(r"//.*|\"(?:[^\"\\]|\\.)*\"", "", lines[number])
        depth += sum(code.count(opened) - code.count(closed) for opened, closed in ("{}", "()"))
        if depth == 0 and (code.rstrip().endswith(";") or code.strip() == "}"):
            return number + 1
    return len(lines)


def name_of(declaration: str) -> str:
    bare = re.sub(r"//[^\n]*|\[\[\w+\]\]", "", declaration)
    if kind := re.match(r"\s*(?:template.*?>\s*)?(class|struct|enum class|enum) (\w+)", bare, re.S):
        return f"{kind[1]} {kind[2]}"
    if alias := re.match(r"\s*using (\w+) =", bare):
        return alias[1]
    if defined := re.match(r"\s*typedef .*?(\w+)\s*;", bare, re.S):
        return defined[1]
    function = re.search(r"(\w+)\s*\(", bare)
    return function[1] if function else ""


def declarations(lines: list[str]) -> list[tuple[str, list[str], str]]:
    """Sections, and declarations with the comment before each: (name or section, comment, code)."""
    found: list[tuple[str, list[str], str]] = []
    comment: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if re.match(r"// -{20}", line):
            section = []
            while at + 1 < len(lines) and lines[at + 1].startswith("// "):
                at += 1
                section.append(lines[at][3:])
            found.append(("", section, ""))
            comment = []
        elif line.startswith("///"):
            comment.append(line[4:])
        elif not line.strip() or line.startswith(("#", "//")):
            comment = []
        elif re.match(r"(class|struct) \w+;$", line):
            comment = []
        else:
            end = end_of(lines, at)
            code = "\n".join(lines[at:end])
            if comment or not found or found[-1][2] == "" or re.match(r"(class|struct|enum)", code):
                found.append((name_of(code), comment, code))
            else:  # one comment for two declarations
                found[-1] = (found[-1][0], found[-1][1], found[-1][2] + "\n" + code)
            comment, at = [], end - 1
        at += 1
    return found


def page_of_header(name: str, text: str) -> str:
    head = [line[3:] for line in text.split("#pragma once")[0].splitlines() if line.startswith("// ")]
    lines = text.split("namespace MOLLIFY_NAMESPACE {\n", 1)[1].rsplit("}  // namespace", 1)[0].splitlines()
    page = [f"# `mollify/{name}.h`", " ".join(head)]
    level = "##"
    for title, comment, code in declarations(lines):
        if code:
            page += [f"{level} `{title}`", prose(comment), f"```cpp\n{code}\n```"]
        else:
            words = " ".join(comment)
            page += ["## " + re.split(r"[:.,](?: |$)", words)[0], words if len(words) > 60 else ""]
            level = "###"
    return "\n\n".join(part for part in page if part) + "\n"


def page_of_c(text: str) -> str:
    page = ["# `mollify/mollify_c.h`"]
    level = "##"
    inside = text.split("typedef enum", 1)
    head = re.search(r"/\*(.*?)\*/", inside[0], re.S)
    comment = lambda found: re.sub(r"^ ?\* ?", "", found.strip(), flags=re.M).strip()  # noqa: E731
    page.append(comment(head[1]) if head else "")
    body = ("typedef enum" + inside[1]).split("#ifdef __cplusplus")[0]
    for section in re.split(r"/\* ---- (.*?) -+ \*/", body):
        if not section.strip().startswith(("/*", "typedef")):
            page.append(f"## {section.strip()}")
            level = "###"
            continue
        for words, code in re.findall(r"(?:/\*((?:(?!\*/).)*)\*/\n)?((?:typedef|const|void|uint64_t|double|mollify_status)[^/]*?(?:\{.*?\} \w+;|;)\n(?:(?:const|void|mollify_status)[^/]*?;\n)*)",
                                      section, re.S):
            name = name_of(code)
            page += [f"{level} `{name}`", prose(comment(words).splitlines()), f"```c\n{code.rstrip()}\n```"]
    return "\n\n".join(part for part in page if part) + "\n"


def page_of_commands(program: Path) -> str:
    def help_of(*words: str) -> str:
        return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout.rstrip()

    whole = help_of()
    commands = re.findall(r"^  ([a-z]+)  ", whole.split("Commands:")[1].split("Options:")[0], re.M)
    page = ["# The command, flag by flag", "Printed by `--help`. `mollify --manual COMMAND` prints the manual page, with more about each flag.",
            f"```text\n{whole}\n```"]
    for command in commands:
        page.append(f"## mollify {command}\n\n```text\n{help_of(command)}\n```")
        if command in ("sample", "plan", "compare"):
            for method in re.findall(r"^  ([a-z-]+)  ", help_of(command).split("lists the flags of a method")[-1], re.M):
                if method in ("local", "integral", "integral-model", "central", "gaussian", "gaussian-model", "marginals"):
                    page.append(f"### mollify {command} {method}\n\n```text\n{help_of(command, method)}\n```")
    return "\n\n".join(page) + "\n"


OUTSIDE = {"CONTRIBUTING.md": "project/contributing.md", "CHANGELOG.md": "project/changelog.md", "data/README.md": "project/data.md"}


def moved(text: str, place: str) -> str:
    """A page of the repository as it lies in a folder of docs/: links go from there."""
    folder = Path(place).parent

    def link(found: re.Match[str]) -> str:
        if re.match(r"[a-z]+:|#", found[1]):
            return found[0]
        target = (folder / found[1]).as_posix()
        return f"](../{target.removeprefix('docs/')})" if target.startswith("docs/") else f"](../../{target})"

    return re.sub(r"\]\(([^)\s]+)\)", link, text)


def main() -> None:
    docs, repository, program = map(Path, sys.argv[1:4])
    include = repository / "include/mollify"
    made = {f"generated/{name}.md": page_of_header(name, (include / f"{name}.h").read_text()) for name in HEADERS}
    made["generated/mollify_c.md"] = page_of_c((include / "mollify_c.h").read_text())
    made["generated/commands.md"] = page_of_commands(program.resolve())
    for place, page in OUTSIDE.items():
        made[page] = moved((repository / place).read_text(), place)
    for name, text in made.items():
        if re.search(r"^#+ ``?$", text, re.M):
            sys.exit(f"{name}: a declaration has no name")
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_text(text)


main()
