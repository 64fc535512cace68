"""Finds dead links: every relative link of every Markdown file, with its heading, and every docs/...
that a source, a test, a script or a page names.

usage: links.py REPOSITORY
"""

import os
import pathlib
import re
import sys

from tracked import text_files

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
MENTION = re.compile(r"(?<![\w/.-])docs/(?:[\w-]+/)*(?:[\w-]+\.\w+)?")
FENCE = re.compile(r"^```.*?^```", re.M | re.S)


def anchors(page):
    """The names that GitHub gives to a page's headings."""
    headings = re.findall(r"^#+ +(.+)$", FENCE.sub("", page.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(page, text):
    for target in LINK.findall(FENCE.sub("", text)):
        path, _, heading = target.partition("#")
        if re.match(r"[a-z]+:", path):
            continue
        there = pathlib.Path(os.path.normpath(page.parent / path)) if path else page
        if not there.exists():
            yield f"{target}: there is no such file"
        elif heading and heading not in anchors(there):
            yield f"{target}: {there.name} has no such heading"


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    dead = []
    mentions = links = 0
    for path, text in text_files(repository):
        found = []
        if path.suffix == ".md":
            found += dead_links(path, text)
            links += len(LINK.findall(text))
        for mention in MENTION.findall(text):
            mentions += 1
            if not (repository / mention).exists() and not (path.parent / mention).exists():
                found.append(f"{mention}: there is no such file")
        dead += [f"{path.relative_to(repository)}: {what}" for what in found]
    print("\n".join(dead))
    print(f"{links} links and {mentions} mentions, {len(dead)} of them dead")
    return 1 if dead or links < 20 or mentions < 20 else 0


sys.exit(main())
