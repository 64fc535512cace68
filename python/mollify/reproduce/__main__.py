"""The command: `python -m mollify.reproduce`."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mollify import _core, reproduce
from mollify._files import optional
from mollify._refusal import refusal
from mollify.reproduce import page

_NOTICE = (
    "NOT PRIVATE: everything here starts from distributions that are known, or compares with a "
    "baseline; what is random comes from a seed"
)


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m mollify.reproduce",
        description="Draw the papers' figures and tables, with published and expected numbers next to ours. Leaves "
        "each figure's numbers as CSV and its picture as SVG, and one page with all figures, index.html. NOT PRIVATE.",
    )
    parser.add_argument(
        "figures", nargs="*", metavar="FIGURE",
        help="names that --list prints, or their beginnings, as park (default: all)",
    )
    parser.add_argument("--density", metavar="FILE", help="JSON of a density of your own to draw DPB and boosting on, and "
                        "no other figure unless it is named")
    parser.add_argument("--out", metavar="FOLDER", default="figures", help="folder of the files (default: figures)")
    parser.add_argument("--seed", type=int, default=2026, help="settles samples and learning (default: 2026)")
    parser.add_argument("--quick", action="store_true", help="coarser, with less learning: seconds for all figures")
    parser.add_argument("--list", action="store_true", help="print the names of all figures")
    parser.add_argument("--json", action="store_true", help="print as JSON")
    return parser.parse_args(given)


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _as_json(figure: page.Figure, seconds: float, files: list[str]) -> dict[str, Any]:
    return {
        "figure": figure.name, "source": figure.paper, "title": figure.title, "seconds": seconds, "files": files,
        "comparisons": [{part: _finite(value) for part, value in asdict(one).items()} for one in figure.comparisons],
        "columns": list(figure.columns), "rows": figure.rows,
    }


def _list(as_json: bool) -> None:
    if as_json:
        listed = [{"figure": name, "source": paper, "title": title} for name, (paper, title, _) in reproduce.FIGURES.items()]
        print(json.dumps(listed, indent=2))
        return
    for name, (paper, title, _) in reproduce.FIGURES.items():
        print(f"{name:<26} {title} ({paper})")


def _run(how: argparse.Namespace) -> None:
    names = reproduce.chosen(how.figures) if how.figures or how.density is None else []
    names = [*([] if how.density is None else ["own"]), *names]
    if not 0 <= how.seed < 2**64:
        raise refusal("out-of-range", f"--seed is {how.seed}. Give a whole number from 0 to 2^64 - 1.", "seed")
    optional("altair", "plot")  # a missing package is found before anything is computed
    folder = Path(how.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refusal("unwritable-file", f'--out "{folder}" is not a folder that can be made: {error.strerror}.', "out") from None
    notice = _NOTICE
    if how.quick:
        notice += ". Computed with --quick: fewer samples, cells and steps than the texts state"
    if not how.json:
        print(_NOTICE)
    done: list[tuple[page.Figure, list[str]]] = []
    answers = []
    for name in names:
        begin = time.perf_counter()
        if name == "own":
            figure = reproduce.own(how.density, quick=how.quick, seed=how.seed)
        else:
            figure = reproduce.figure(name, quick=how.quick, seed=how.seed)
        written = page.files(figure)
        for file, text in written.items():
            (folder / file).write_text(text, encoding="utf-8")
        done.append((figure, list(written)))
        # The page grows with each figure, so an interrupted run leaves what is done.
        (folder / "index.html").write_text(page.page(done, notice), encoding="utf-8")
        seconds = time.perf_counter() - begin
        answers.append(_as_json(figure, seconds, list(written)))
        if not how.json:
            print(f"{name:<26} {seconds:>7.1f} s  {figure.title} ({figure.paper})", flush=True)
    index = str(folder / "index.html")
    if how.json:
        answer = {"notice": _NOTICE, "quick": how.quick, "seed": how.seed, "index": index, "figures": answers}
        print(json.dumps(answer, indent=2))
    else:
        print(index)


def main(given: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    how = _arguments(given)
    try:
        if how.list:
            _list(how.json)
        else:
            _run(how)
    except (_core.InvalidInput, ImportError) as error:
        print(f"mollify.reproduce: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
