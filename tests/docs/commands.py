"""Runs every command of README.md and docs/, and compares what it prints with what stands there.

Blocks marked `console` must match to the letter, blocks marked `console random` in the number of
lines and fields (what they release is random). A command goes on where its line ends in a backslash.
The two set-up commands stand in a `sh` block: run-tests itself is one of them and runs the other. The
C++ block of docs/reference/cpp-and-c.md must be examples/release_one.cpp, which is compiled and run by
a test of its own.

usage: commands.py REPOSITORY FOLDER_OF_THE_COMMAND [--write]

--write puts what is printed now into the pages; read the difference before you commit it.
"""

import os
import pathlib
import re
import subprocess
import sys


def shape(text):
    return [line.count(",") for line in text.splitlines()]


def main():
    repository, command_folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    documents = sorted((repository / "docs").rglob("*.md"))
    pages = {page: page.read_text() for page in [repository / "README.md", *documents]}
    environment = dict(os.environ, PATH=f"{command_folder}:{os.environ['PATH']}")
    (repository / "build").mkdir(exist_ok=True)
    failures = 0
    commands = 0
    blocks = [(page, *block) for page, text in pages.items()
              for block in re.findall(r"^```(console(?: random)?)\n(.*?)^```", text, re.M | re.S)]
    for page, kind, body in blocks:
        command, expected = re.match(r"((?:[^\n]*\\\n)*[^\n]*\n)(.*)", body, re.S).groups()
        command = command[:-1]
        assert command.startswith("$ "), command
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command[2:]], cwd=repository,
                              env=environment, capture_output=True, text=True)
        printed = done.stdout
        same = shape(printed) == shape(expected) if "random" in kind else printed == expected
        broken_pipe = 141  # of a command whose output `head` stopped reading
        commands += 1
        if "--write" in sys.argv and not same and done.returncode in (0, broken_pipe):
            block = f"```{kind}\n{command}\n"
            page.write_text(page.read_text().replace(f"{block}{expected}```",
                                                     f"{block}{printed}```", 1))
            same = True
        if not same or done.returncode not in (0, broken_pipe):
            failures += 1
            print(f"FAILED (status {done.returncode}): {command}\n-- expected\n{expected}"
                  f"-- printed\n{printed}{done.stderr}")
    page = repository / "docs/reference/cpp-and-c.md"
    examples = re.findall(r"^```cpp\n(.*?)^```", pages[page], re.M | re.S)
    example = (repository / "examples/release_one.cpp").read_text()
    header = (repository / "include/mollify/mollify.h").read_text()
    if examples != [example]:
        failures += 1
        print("FAILED: the C++ block of docs/reference/cpp-and-c.md is not examples/release_one.cpp")
    if "".join(f"//   {line}".rstrip() + "\n" for line in example.splitlines()) not in header:
        failures += 1
        print("FAILED: the program at the top of mollify.h is not examples/release_one.cpp")
    guide = pages[repository / "docs/guides/on-a-device.md"]
    if re.findall(r"^```c\n(.*?)^```", guide, re.M | re.S)[:1] != [(repository / "examples/on_a_device.c").read_text()]:
        failures += 1
        print("FAILED: the C block of docs/guides/on-a-device.md is not examples/on_a_device.c")
    print(f"{commands} commands, {failures} failures")
    return 1 if failures or commands < 5 else 0


sys.exit(main())
