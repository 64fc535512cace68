"""Compares the sizes in npm/README.md with the package, and with the most that they may be.

usage: sizes.py REPOSITORY PACKAGE    (MOLLIFY_WRITE=1 writes them)
"""

import gzip
import os
import pathlib
import re
import sys

MOST = {"response": 12_000, "sampler": 25_000, "ledger": 5_000}  # bytes gzipped, scripts and module


def main():
    repository, package = map(pathlib.Path, sys.argv[1:])
    readme = repository / "npm/README.md"
    text = readme.read_text()
    faults = []
    for name, most in MOST.items():
        files = ("module.js", f"{name}.js", *([f"{name}.wasm"] if (package / f"{name}.wasm").exists() else []))
        size = sum(len(gzip.compress((package / file).read_bytes(), 9, mtime=0)) for file in files)
        print(f"mollify-dp/{name}: {size} bytes gzipped")
        if size > most:
            faults.append(f"mollify-dp/{name} has {size} bytes gzipped, and may have {most}")
        row, found = re.subn(rf"(\| `mollify-dp/{name}` \|.*\| )[\d.]+( kB \|)", rf"\g<1>{size / 1000:.1f}\2", text)
        if found != 1:
            faults.append(f"npm/README.md must have a row of mollify-dp/{name}")
        text = row
    if text != readme.read_text():
        if os.environ.get("MOLLIFY_WRITE") == "1":
            readme.write_text(text)
        else:
            faults.append("npm/README.md states other sizes: MOLLIFY_WRITE=1 scripts/test_npm.sh writes them")
    sys.exit("\n".join(faults) or 0)


main()
