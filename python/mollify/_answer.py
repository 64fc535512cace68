"""Answers: mappings that are printed in words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mollify import _plot
from mollify._checks import wrong_value
from mollify._files import Inputs
from mollify._refusal import refusal

if TYPE_CHECKING:
    import altair


class Answer(Mapping[str, Any]):
    """What an analysis found: a mapping (its JSON), which prints as the command of that
    name prints.
    """

    _inputs: Inputs = ()
    """Files that no report is written over."""

    json: str
    """All of it, as the command prints it with ``--json``."""

    def __init__(self, json_text: str, words: str) -> None:
        self.json = json_text
        self._words = words
        self._parts: dict[str, Any] = json.loads(json_text)

    def __getitem__(self, name: str) -> Any:
        return self._parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as Python's objects."""
        parts: dict[str, Any] = json.loads(self.json)
        return parts

    def plot(
        self, against: str | None = None, *, distance: str = "tv", progress: bool = False
    ) -> altair.Chart:
        """A chart (altair's; the extra `plot`).

        - An estimate: the shares of each column's values with their intervals.
        - A plan: total variation against epsilon, or with ``curve=True`` against n.
        - A comparison: the release next to the real data and the reference, by
          outcomes; or a map of columns and pairs of columns by their total variation
          from the real data, and the columns, the worst first.
        - The answer of `nonprivate.law`: the output distribution.

        Charts of private data are NOT PRIVATE and say so. ``chart.save("chart.html")``
        needs altair alone; PNG and SVG need vl-convert-python, which the extra brings.

        Parameters
        ----------
        against : str
            "epsilon": how far a comparison's release is from the data at 7 epsilons.
            Default: the chart above.
        distance : str
            "tv" (the default), "kl", "hellinger2" or "chi2", with `against`.
        progress : bool
            Shows on standard error how many points of a curve are done. Default: False.
        """
        if against not in (None, "epsilon"):
            raise refusal("unknown-name", f'against must be "epsilon" or left out, but is {wrong_value(against)}', "against")
        return _plot.savable(self._chart(against, distance, progress))  # type: ignore[no-any-return]

    def _chart(self, against: str | None, distance: str, progress: bool) -> altair.Chart:
        raise refusal("no-chart", "there is no chart of this answer; print shows it in words")

    def __str__(self) -> str:
        return self._words

    def __repr__(self) -> str:
        return str(self)


class Comparison(Answer):
    """How close a release is to the private data. NOT PRIVATE.

    `again` answers at another epsilon; `budget` is the comparison's own.
    """

    def __init__(
        self,
        json_text: str,
        words: str,
        budget: object = None,
        again: Callable[[float], Comparison] | None = None,
    ) -> None:
        super().__init__(json_text, words)
        self._budget = budget
        self._again = again

    def __getstate__(self) -> dict[str, Any]:
        """Without the data that it may be asked about again, and without their files'
        names.
        """
        return vars(self) | {"_again": None, "_inputs": ()}

    def _chart(self, against: str | None, distance: str, progress: bool) -> altair.Chart:
        if against is not None:
            if isinstance(self._budget, list):
                several = ",".join(str(one) for one in self._budget)
                raise refusal("no-chart", f"a chart shows one epsilon, but there are several: {several}. Compare at one of them.", "epsilon")
            if self._again is None:
                raise refusal("no-chart", "error against epsilon needs the data, which this comparison no longer has. Ask the method's compare again.", "data")
            budget: Any = self._budget
            return _plot.error(None if budget is None else float(budget), self._again, distance, progress)
        if "outcomes" in self._parts:
            return _plot.masses(self["outcomes"], ("truth", "law", "reference"), "Real data, release and reference")
        columns = self._parts.get("columns")
        if isinstance(columns, list) and "shares" in columns[0]:
            kinds = tuple(columns[0]["shares"])
            if len(columns) > 1:
                return _plot.pair_map(columns, kinds[1], self["pairs"][kinds[1]]["tv"])
            (column,) = columns
            shares = [
                {"outcome": level} | {kind: column["shares"][kind][place] for kind in kinds}
                for place, level in enumerate(column["levels"])
            ]
            return _plot.masses(shares, kinds, f"The most frequent values of {column['name']}")
        return super()._chart(against, distance, progress)
