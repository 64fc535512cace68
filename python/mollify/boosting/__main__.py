"""The command: `python -m mollify.boosting`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from mollify import _core
from mollify._refusal import refusal
from mollify.boosting import mbde

_LEARNER = {
    "learner": ("NAME", str, "network, tree or logistic (default: network)"),
    "schedule": ("NAME", str, "fast, or papers: 750 epochs of two minibatches by Nesterov's method, on the sum of both classes' losses "
                 "(default: fast)"),
    "width": ("N", int, "neurons of a hidden layer (default: 25)"),
    "depth": ("N", int, "hidden layers of a network (default: 3) or splits on a path of a tree"),
    "epochs": ("N", int, "passes over the samples"),
    "minibatches": ("N", int, "steps in a pass"),
    "optimiser": ("NAME", str, "nesterov or adam"),
    "patience": ("N", int, "passes without a better cross-entropy on a held-out fifth, after which to stop (default: never)"),
    "rate": ("NUMBER", float, "learning rate"),
}
_OPTIONS = {
    "data": ("FILE", str, "the private CSV file"),
    "domain": ("FILE", str, "its public domain, YAML"),
    "density": ("FILE", str, "P itself as JSON, instead of data: samples of it are learned from"),
    "reference": ("FILE", str, "Q0: with --data a public CSV (default: uniform on the domain), with --density JSON "
                  "(default: the standard Gaussian)"),
    "epsilon": ("NUMBER", float, "privacy parameter of all outputs together"),
    "iterations": ("N", int, "T (default: 3)"),
    "count": ("N", int, "points to be sampled, for which classifiers are shrunk (default: 1)"),
    "classifier": ("NAME", str, "probability, logit, sign, or sigmoid and equation-15, which leave a half and 28 % of epsilon "
                   "unspent (default: probability)"),
    "samples": ("N", int, "samples of P and of Q in each iteration (default: 10000)"),
    "seed": ("N", int, "seed of sampling and learning (default: 0)"),
    "draws": ("N", int, "points of Q_T to show, drawn by the seed: NOT PRIVATE"),
    "sampler": ("NAME", str, "rejection, candidates or metropolis-hastings, which keeps no epsilon (default: rejection)"),
    "model": ("FILE", str, "a model saved by --out, to measure instead of learning one"),
}  # fmt: skip


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m mollify.boosting",
        description="Show what boosted densities make of private data: each iteration's gain and guarantee, and where the "
        "papers' claims fail. To release records by them: mollify sample local --score mbde. NOT PRIVATE.",
        argument_default=argparse.SUPPRESS,
    )
    learner = parser.add_argument_group("learner")
    for group, options in ((parser, _OPTIONS), (learner, _LEARNER)):
        for name, (shown, kind, text) in options.items():
            group.add_argument(f"--{name}", metavar=shown, type=kind, help=text.replace("%", "%%"))
    parser.add_argument(
        "--region", metavar="BOX", action="append", dest="regions",
        help="low:high for each axis, with commas: how much mass of it is captured; may be repeated",
    )
    parser.add_argument("--out", metavar="FILE", help="where the model goes; it is private data")
    parser.add_argument("--overwrite", action="store_true", default=False, help="overwrite the file of --out")
    parser.add_argument("--json", action="store_true", default=False, help="print as JSON")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    how = vars(_arguments(given))
    out, overwrite, as_json = (how.pop(name, None) for name in ("out", "overwrite", "json"))
    try:
        if out is not None and os.path.exists(out):
            for name in ("data", "domain", "density", "reference", "model"):
                if name in how and os.path.exists(how[name]) and os.path.samefile(out, how[name]):
                    raise refusal("same-file", f"--out must not overwrite the file of --{name}, {out}", "out")
            if not overwrite:
                raise refusal("file-exists", f"{out} is there already: choose another --out, or add --overwrite", "out")
        answer = mbde(**how, progress=sys.stderr.isatty())
        if out is not None:
            answer.write_model(out)
    except (_core.InvalidInput, OSError) as error:
        print(f"mollify.boosting: {error}", file=sys.stderr)
        return 2
    print(answer.json if as_json else answer, end="\n" if as_json else "")
    if out is not None and not as_json:
        print(f"the model, which is private data, is in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
