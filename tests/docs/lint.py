"""Counts expressions that readers stumble over, for 1 000 words, against a budget for each folder that only falls.

usage: lint.py REPOSITORY          compare the counts with the budgets
       lint.py REPOSITORY WORD     list the expressions of the folders that WORD begins
       lint.py REPOSITORY --lower  lower the budgets to the counts

The kinds are documents, comments of C++, messages (C++'s strings) and Python's strings and comments.
"""

import ast
import io
import json
import math
import pathlib
import re
import sys
import tokenize

# Why each is a stumble, and what to write instead.
BANNED = {
    "a verb before its subject": r"\bNor (?:does|need|is)\b|\b[Bb]eside \S+ stands?\b|\b(?:Advised|Refused) (?:is|are)\b",
    "a clause for a noun": r"(?:^|[(;:,.] |\b(?:for|of|to|but|and|than) )[Ww]hat (?:[a-z]+s|are|were|have|they|a|the|one|it(?! does not)) ",
    "a pronoun for a noun": r"\b(?:that|those) of\b|\bof (?:which|whom)\b",
    "but for (except)": r"\bbut for\b",
    "a negated noun": r"\b(?:is|are) none\b|\b(?:that|what) is no\b|\bno value of\b"
    r"|\bis no (?:record|value|certificate|sampler|table|function|text|number|failure|part|optimum)\b|\band no bound\b",
    "a thing that tells": r"\b(?:tells?|told) (?:of|that|whether|how|what|the|its|every|more|no|you|for|before|with|it)\b"
    r"|\b(?:is|are) told\b",
    "whoever": r"\b[Ww]hoever\b|(?:^|[.;:] )Who [a-z]+s?\b",
    "so many, the same": r"\b[Ss]o many\b|\b(?:and|of|for) as many\b|(?:^|[.;] )The same\b"
    r"|(?:^|[.;:] )the same (?:for|by|with|in|to|at|of|is|\()",
    "beside (with), where (if)": r"\b[Bb]esides?\b|(?:^|[.;:] )Where [a-z]+",
    "an old auxiliary": r"\bshall\b|\b(?:has|have) not\b(?! (?:been|yet))|\bneed not\b|\ball the same\b|\b(?:is|are) to be\b"
    r"|\b(?:is|are) of no account\b|\bfor it (?:is|was)\b"
    r"|, for (?:they|it|records) [a-z]+|, for the [a-z]+ (?:is|are|was|were|has|have)\b",
    "a verb that misleads": r"\brests? on\b|\bstands?\b|\bserves?\b|\btakes? [^.]{0,30} for\b|\btalks?\b",
    "said twice": r"is needed, but|but (?:is not|none is|neither is) given|but (?:is|there is) none",
}
BANNED = {name: re.compile(expression, re.M) for name, expression in BANNED.items()}
MOST = 2  # hits for 1 000 words: the budget of every kind and folder that BUDGETS does not name
BUDGETS = pathlib.Path(__file__).with_name("lint.json")
FENCE = re.compile(r"^ *```.*?^ *```[^\n]*$|^<!-- made by .*?^<!-- end -->$|^<!--.*?-->$|^!\[.*?$", re.M | re.S)
CPP = re.compile(r'R"(\w*)\((.*?)\)\1"|//[/!]?<?([^\n]*)|/\*(.*?)\*/|"((?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\\n]|\\.)+\'', re.S)
ITEM = re.compile(r"[ \t]*(?:[-*]|\d+\.) ")


def passages_of_markdown(text):
    """Paragraphs, list items and cells of tables that hold six words or more; neither headings nor code."""
    lines = []

    def passage():
        joined = re.sub(r"\]\([^)]*\)", "]", " ".join(lines))
        lines.clear()
        return joined

    for line in [*FENCE.sub("\n", text).split("\n"), ""]:
        cells = line.strip().strip("|").split("|") if line.startswith("|") else []
        if not line.strip() or line.startswith(("#", "    ")) and not lines or cells or ITEM.match(line):
            if lines:
                yield passage()
        if line.strip() and not line.startswith("#") and not cells and not (line.startswith("    ") and not lines):
            lines.append(line.strip())
        yield from (cell.strip() for cell in cells if len(cell.split()) >= 6)


def passages_of_cpp(text):
    """Pairs: whether it is a comment, and a comment or a string of four words or more, each joined with its next."""
    passages = []  # comment, text, end
    for found in CPP.finditer(text):
        comment = found[3] if found[3] is not None else found[4]
        body = comment if comment is not None else found[2] if found[2] is not None else found[5]
        if body is None:
            continue
        if passages and passages[-1][0] == (comment is not None) and not text[passages[-1][2] : found.start()].strip():
            joint = " " if comment is not None else ""
            passages[-1] = (passages[-1][0], passages[-1][1] + joint + body.strip(" " if joint else ""), found.end())
        else:
            passages.append((comment is not None, body.strip() if comment is not None else body, found.end()))
    return [(comment, body) for comment, body, _ in passages if comment or len(body.split()) >= 4]


def passages_of_python(text):
    comments = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments.append(token.string.lstrip("# "))
    yield " ".join(comments)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value.split()) >= 4:
            yield " ".join(node.value.split())


def passages(repository):
    """Yields kind, folder, file and passage."""
    documents = [repository / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "data/README.md")]
    documents += [path for path in sorted((repository / "docs").rglob("*.md")) if path.name != "bibliography.md"]
    documents += sorted((repository / "src").rglob("*.md"))
    for path in documents:
        place = path.relative_to(repository)
        for passage in passages_of_markdown(path.read_text()):
            yield "documents", str(place.parent), str(place), passage
    for path in sorted((repository / "docs").rglob("*.ipynb")):
        place = path.relative_to(repository)
        for cell in json.loads(path.read_text())["cells"]:
            if cell["cell_type"] == "markdown":
                for passage in passages_of_markdown("".join(cell["source"])):
                    yield "documents", str(place.parent), str(place), passage
    for top in ("include", "src", "tests"):
        for path in sorted((repository / top).rglob("*")):
            if path.suffix in (".h", ".cpp", ".c", ".inc"):
                place = path.relative_to(repository)
                for comment, passage in passages_of_cpp(path.read_text()):
                    if comment or top == "src":
                        yield "comments" if comment else "messages", str(place.parent), str(place), passage
    for path in sorted((repository / "python/mollify").rglob("*.py")):
        place = path.relative_to(repository)
        for passage in passages_of_python(path.read_text()):
            yield "Python", str(place.parent), str(place), passage


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    asked = sys.argv[2] if len(sys.argv) > 2 else None
    counts = {}  # kind and folder: words, hits
    for kind, folder, place, passage in passages(repository):
        count = counts.setdefault(f"{kind} {folder}", [0, 0])
        count[0] += len(passage.split())
        for name, expression in BANNED.items():
            for found in expression.finditer(passage):
                count[1] += 1
                if asked and f"{kind} {folder}".startswith(asked):
                    print(f"{place}: {name}: ...{passage[max(0, found.start() - 60) : found.end() + 60]}...")
    rates = {name: 1000 * hits / max(words, 500) for name, (words, hits) in counts.items()}
    for kind in ("documents", "comments", "messages", "Python"):
        words, hits = (sum(count[i] for name, count in counts.items() if name.split()[0] == kind) for i in (0, 1))
        print(f"{kind}: {words} words, {hits} hits, {1000 * hits / words:.1f} for 1 000 words")
        rates[kind] = 1000 * hits / words
    budgets = json.loads(BUDGETS.read_text()) if BUDGETS.exists() else {}
    if asked == "--lower":
        lowered = {name: min(budgets.get(name, 99), math.ceil(2 * rate) / 2) for name, rate in sorted(rates.items())}
        over = {name: rate for name, rate in lowered.items() if rate > MOST}
        BUDGETS.write_text(json.dumps(over, indent=2) + "\n")
        return 0
    faults = [
        f"{name} has {rate:.1f} hits for 1 000 words, and may have {budgets.get(name, MOST)}: lint.py . '{name}' lists them"
        for name, rate in rates.items()
        if rate > budgets.get(name, MOST)
    ]
    if not asked:
        print("\n".join(faults))
    return 1 if faults else 0


sys.exit(main())
