"""The budgets that data sets have spent."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from mollify import _core, _plot
from mollify._checks import path_text, whole_number, wrong_value
from mollify._files import why_not_there
from mollify._parameters import meant, nearest
from mollify._privacy import Privacy, compose, outward
from mollify._refusal import WayOut, refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    import altair


class Balance(NamedTuple):
    """A data set's entry in a ledger; unknown facts are None."""

    data_set: str
    releases: int
    """How many were charged."""
    total: Privacy | None
    """The declared total, if there is one."""
    scope: str
    """For whom: "row", "unit=COLUMN" or "table"."""
    spent: Privacy | None
    """The releases' cost, in the total's notion."""
    remaining: Privacy | None
    """The budget of one more release."""


def _balance(inside: _core.LedgerBalance) -> Balance:
    total, spent, remaining = inside.total, inside.spent, inside.remaining
    return Balance(
        data_set=inside.data_set,
        releases=inside.releases,
        total=None if total is None else outward(total),
        scope=inside.scope,
        spent=None if spent is None else outward(spent),
        remaining=None if remaining is None else outward(remaining),
    )


class Ledger:
    """A ledger file. `declare` makes it if it is missing, and everything else refuses
    then; entries are added and never removed. Printed with what is spent.

    A release that is given a ledger is charged before it is drawn, and stays charged
    whatever happens to the program. Threads and forked processes may share an object,
    and several processes on one computer may use one file at once, by any of its
    links. A file that was moved or replaced after the object was made raises
    `InvalidInput`. Ctrl-C ends the wait for a file that others use.

    A parameter that is a number is charged as the shortest decimal that reads back as
    it, and a text (``epsilon="0.1"``) as typed. Sums of decimals are exact.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        name = path_text("a ledger's file", path)
        # The program may change its folder.
        self.path = os.path.abspath(name)
        # Where there is no such folder, it cannot be made: opening it says so.
        is_openable = os.path.exists(name) or not os.path.isdir(os.path.dirname(self.path))
        self._opened = _core.Ledger(name) if is_openable else None

    @property
    def _inside(self) -> _core.Ledger:
        """The open file; none is made."""
        if self._opened is None:
            _require_file(self.path)
            self._opened = _core.Ledger(self.path)
        return self._opened

    def declare(
        self,
        data_set: str,
        *,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        scope: str | None = None,
        replace: bool = False,
    ) -> None:
        """Declare what the releases of a data set may cost together, including those
        charged before.

        `scope` is who the total protects: "row", "unit=COLUMN" or "table". Default: as
        the total that it replaces, or "row". To declare the same total again changes
        nothing. Raises `InvalidInput` if the data set has another total, unless
        `replace` is true.
        """
        if epsilon is None and rho is None:
            raise refusal("missing-parameter", "the total is missing: give epsilon (and perhaps delta), or rho", "epsilon", ways_out=[WayOut("set", "epsilon"), WayOut("set", "rho")])
        total = Privacy(epsilon=epsilon, delta=delta, rho=rho)._inside()
        name = _named(data_set)
        if self._opened is None:
            self._opened = _core.Ledger(self.path)
        self._opened.declare(name, total, scope or "", replace)

    def charge(
        self, data_set: str, cost: Privacy, *, scope: str = "row", mechanism: str = "", count: int = 1
    ) -> None:
        """Charge `count` draws of your own by a sampler, which cost `cost` together.

        Call it before they are made; `sample` does so itself. Raises `InvalidInput`,
        and charges nothing, where the data set has no total, its total protects more,
        or would be passed.
        """
        if not isinstance(cost, Privacy):
            raise refusal(
                "wrong-type",
                f"cost must be a Privacy, such as Privacy(epsilon=0.5), but is of type {type(cost).__name__}",
                "cost",
            )
        draws = whole_number("count", count, (1, 2**63 - 1))
        self._inside.charge(_named(data_set), cost._inside(), scope, mechanism, draws)

    def balance(self, data_set: str) -> Balance:
        """Return what is spent of a data set. Raises `InvalidInput` if the ledger has
        no data set of this name.
        """
        return _balance(self._inside.balance(self._known(data_set)))

    def balances(self) -> list[Balance]:
        """Return what is spent of every data set, by name."""
        return [_balance(one) for one in self._inside.balances()]

    def history(self, data_set: str) -> list[dict[str, Any]]:
        """Return every entry of a data set, the first one first: its number, time,
        kind, cost and others.

        Raises `InvalidInput` if the ledger has no data set of this name.
        """
        entries: list[dict[str, Any]] = json.loads(self._inside.history(self._known(data_set)))
        return entries

    def _known(self, data_set: str) -> str:
        """The name of a data set that the ledger has."""
        name = _named(data_set)
        known = [one.data_set for one in self._inside.balances()]
        if name not in known:
            has = "It has " + ", ".join(f'"{one}"' for one in known) + "." if known else "It is empty."
            found = nearest(name, known)
            raise refusal(
                "unknown-data-set",
                f'the ledger {self.path} has no data set named "{name}"{meant(found)}. {has}',
                "data_set",
                file=self.path,
                ways_out=[WayOut("set", "data_set", *found)],
            )
        return name

    def plot(self, data_set: str) -> altair.LayerChart:
        """Draw what was spent over time, and the total (altair; the extra `plot`)."""
        total: Privacy | None = None
        spent: list[Privacy] = []
        rows: list[dict[str, Any]] = []
        declared = self.balance(data_set).total
        parameter = "rho" if declared is not None and declared.rho is not None else "epsilon"
        for entry in self.history(data_set):
            cost = Privacy(**{name: float(number) for name, number in entry["cost"].items()})
            if entry["kind"] == "total":
                total = cost
            else:
                spent.append(cost)
            so_far = compose(spent) if spent else None
            rows.append(
                {
                    "number": entry["number"],
                    "time": entry["time"],
                    "mechanism": entry.get("mechanism"),
                    "spent": 0.0 if so_far is None else getattr(so_far, parameter),
                    "total": None if total is None else getattr(total, parameter),
                }
            )
        return _plot.savable(_plot.spent(rows, parameter, f"Spent of {data_set}"))  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"Ledger({self.path!r})"

    def __str__(self) -> str:
        try:
            lines = [_line(one) for one in self.balances()] or ["It is empty. Declare a total with declare."]
        except _core.InvalidInput as refused:  # of a file that is not there, or no longer
            lines = [str(refused)]
        return "\n  ".join([repr(self), *lines])

    def __reduce__(self) -> tuple[Callable[[str], Ledger], tuple[str]]:
        return existing, (self.path,)


def _named(data_set: Any) -> str:
    if not isinstance(data_set, str):
        raise refusal(
            "wrong-type",
            f"data_set must be the name of a data set, a text, but is of type {type(data_set).__name__}",
            "data_set",
        )
    return data_set


def _line(one: Balance) -> str:
    """What is spent of a data set, in one line."""
    counted = f"{one.releases} release{'' if one.releases == 1 else 's'}"
    return f"{one.data_set}: {one.spent or 'nothing'} spent by {counted}, of {one.total or 'no total'} (scope {one.scope})"


def _require_file(name: str) -> None:
    if not os.path.exists(name):
        raise refusal(
            "unreadable-file",
            f"the ledger {name} does not exist: {why_not_there(name)}. To make it, declare what the releases may "
            f"cost: Ledger({name!r}).declare(data_set, epsilon=...).",
            "ledger",
            file=name,
            ways_out=[WayOut("run", "Ledger.declare"), WayOut("set", "ledger")],
        )


def existing(path: str | os.PathLike[str]) -> Ledger:
    """The ledger of a file that is there; none is made."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise refusal("wrong-type", f"ledger must be a Ledger or the path of its file, but is {wrong_value(path)}", "ledger")
    name = path_text("ledger", path)
    _require_file(name)
    try:
        return Ledger(name)
    except _core.InvalidInput as refused:  # which would name the data, if they are the same file
        refused.parameter, refused.ways_out = "ledger", (WayOut("set", "ledger"),)
        raise
