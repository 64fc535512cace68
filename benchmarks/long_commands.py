"""Times the commands that docs/evidence/speed.md names as those that take longer than two seconds.

usage: long_commands.py MOLLIFY

Seconds are processor time, and MB the greatest memory, of the command's own process. A row of the page's table that says "45
columns of numbers" gets a domain of so many. benchmarks/worst_inputs.py searches for such commands.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/evidence/speed.md"


def main():
    section = PAGE.read_text().split("\n## What takes longer than two seconds\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `mollify (.*?)`(.*?) \|", section, re.M)
    if not rows:
        sys.exit(f"{PAGE} has no such commands")
    print("| what | time | memory |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for words, more in rows:
            asked = [sys.argv[1], *shlex.split(words)]
            if columns := re.search(r"(\d+) columns of numbers", more):
                domain = pathlib.Path(folder) / "domain.yaml"
                one = "{type: number, min: 0, max: 9, null: 0}"
                domain.write_text("columns:\n" + "".join(f"  c{i}: {one}\n" for i in range(int(columns[1]))))
                asked += ["--domain", domain]
            child = subprocess.Popen(asked, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode not in (0, 1):
                sys.exit(f"{shlex.join(map(str, asked))}: status {child.returncode}")
            print(f"| mollify {words}{more} | {used.ru_utime + used.ru_stime:.2g} s | {used.ru_maxrss / 1024:.0f} MB |", flush=True)


main()
