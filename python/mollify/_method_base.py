"""What all methods of a release share: a method is public, immutable, checked, and
answers every question.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from mollify import _core, _plot
from mollify._answer import Answer, Comparison
from mollify._certificate import Certificate
from mollify._checks import Public, thread_count, wrong_value
from mollify._data import source_of
from mollify._domain import Domain, DomainLike, as_domain
from mollify._files import Inputs as InputFiles, inputs_of
from mollify._ledger import Ledger, existing
from mollify._model import Model
from mollify._parameters import unknown_name
from mollify._progress import line
from mollify._read_once import unread_if_refused
from mollify._refusal import WayOut, refusal
from mollify._release import Release
from mollify._spec import Held, Inputs, given_name, json_of, public_files, question_of, table, texts_of, unit_columns
from mollify._warning import messages, told, warn

if TYPE_CHECKING:
    import altair

class _Listed(Public):
    """Leaves out of a class's `help` the defaults, and what `help(mo.Method)` explains."""

    def __dir__(cls) -> list[str]:
        known = {*getattr(cls, "__dataclass_fields__", ()), *(vars(Method) if cls is not Method else ())}
        return [name for name in super().__dir__() if name not in known]


@dataclass(frozen=True, eq=False, repr=False)
class Method(metaclass=_Listed):
    """All that is public about a release. Immutable, and checked when it is made.

    Make one of the classes `Local`, `Integral`, `IntegralModel`, `Central`, `Gaussian`,
    `GaussianModel` and `Marginals`, which share these parameters. Two methods are equal
    if their specs and their tables in memory are. ``dataclasses.replace(method,
    epsilon=4)`` is another method, with one parameter changed.

    Parameters
    ----------
    domain : Domain, mapping or path
        What a record can contain: a `Domain`, its columns or its file.
    epsilon : float or str
        Budget of the release, from 1e-6. A text is taken as typed.
    mu : float or str
        Instead of `epsilon`: budget in Gaussian differential privacy, above 0, for
        mechanism "gaussian-curve".
    delta : float or str
        Probability that `epsilon` fails, from 0 (the default) to below 1/n; not with
        `rho`.
    rho : float or str
        Instead of `epsilon`: budget in zero-concentrated differential privacy, above 0.
    unit : str or list of str
        Column that names the unit of each row, or several. All rows of a unit are
        protected together. Default: each row is a unit; for `Local` the table is one.
    units : list, column, table or path
        All units, public: protects who is in the data. Default: the units of the data.
    units_column : str or list of str
        Column of `units` that names them, or several. Default: like `unit`.
    reference : table, mapping or path
        Public records in the domain, or for space="grid" a public density, as for
        `nonprivate.law_of_density`. Default: all records are as likely.
    accept_large_delta : bool
        Releases even if `delta` is 1/n or more. Default: False.
    accept_error : bool
        Releases even records that are mostly noise. Default: False.

    Raises
    ------
    InvalidInput
        If parameters are missing, out of range or contradict each other.
    """

    domain: DomainLike
    """All possible records: a `Domain`, whatever it was made from."""

    word: ClassVar[str]
    """The method's name in a spec and in the command."""

    protects_rows: ClassVar[bool] = True
    """Whether each row or unit of a table is protected, so that their number is public."""

    _unplanned: ClassVar[Sequence[str]] = ()
    """Parameters that change what a release can do, but that no plan has."""

    _spec: str = field(init=False, repr=False)
    _texts: dict[str, bytes] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if type(self) is Method:
            raise TypeError("a method is one of mo.Local, mo.Integral, ...; mo.Method is their base")
        parts = self._parts()
        domain = as_domain(self.domain)
        files = _read(parts, domain)
        lists = {name: tuple(one) for name, one in parts.items() if isinstance(one, list)}
        made: dict[str, Any] = {"domain": domain, **lists, **files, "_texts": texts_of(files)}
        known = _core.spec_parts()
        made["_spec"] = _core.checked_spec(json_of(self.word, domain, parts | files, known))
        for name, one in made.items():
            object.__setattr__(self, name, one)

    def _parts(self) -> dict[str, Any]:
        """The parameters of the spec, without the domain."""
        names = [one.name for one in dataclasses.fields(self) if one.init and one.name != "domain"]
        return {name: getattr(self, name) for name in names}

    @property
    def spec(self) -> dict[str, Any]:
        """The whole public side of the release, as `mollify sample --spec` reads it."""
        spec: dict[str, Any] = json.loads(self._spec)
        return spec

    def sample(
        self,
        data: Any,
        *,
        counts_column: str | None = None,
        lists: Sequence[str] = (),
        threads: int | None = None,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        data_set: str | None = None,
        progress: bool = False,
    ) -> Release:
        """Release records drawn from private data.

        Nothing in the data can make it raise, print, or change the shape of its result.
        Ctrl-C stops it within half a second, and nothing is released then. A note of
        the `KeyboardInterrupt` states what a ledger stays charged.

        Parameters
        ----------
        data : table or path
            The private table: an object with ``__arrow_c_stream__`` (Polars, pyarrow,
            DuckDB), a Polars lazy frame, a pandas data frame, a mapping from names to
            columns, an array of records, an array of (n, d) whose columns are the
            domain's and then `unit`, or a CSV or Parquet file.
        counts_column : str
            Column with the number of records that each row counts as, 2^40 at most, and
            0 if it is not a whole number. Not for scored records and Gaussian samples.
            Default: each row is one record.
        lists : list of str
            Columns of Python lists, the values of one unit. A row becomes as many
            records as its longest list has, or one of nulls. Other columns show by type
            if they hold lists. The number of records is then private, so methods
            `Local` and `Central` need a `unit`.
        threads : int
            Number of threads, from 1 to 1024. Default: the machine's processors.
        ledger, data_set : Ledger or path, str
            Ledger that is charged before anything is drawn, and the name of the data in
            it. Default: none.
        progress : bool
            Shows how many units or rows are done, and the time left. Default: False.

        Raises
        ------
        InvalidInput
            If something public is wrong; nothing is released or charged then.

        Warns
        -----
        ReleaseWarning
            If the release is mostly noise or otherwise dangerous, before any charge.
        """
        self._require_public(data)
        charged = charged_ledger(ledger, data_set)
        if counts_column is not None and not isinstance(counts_column, str):
            raise refusal("wrong-type", f"counts_column must be the name of a column, but is of type {type(counts_column).__name__}", "counts_column")
        listed = [lists] if isinstance(lists, str) else list(lists)
        for name in listed:
            if name not in self._domain:
                said = f'lists must name columns of the domain, which are {", ".join(self._domain)}, but has "{name}"'
                raise unknown_name(said, name, self._domain, "lists", "unknown-column", column=name)
        source = source_of(data, self._columns(counts_column), listed, thread_count(threads))
        with unread_if_refused(data, source):
            if counts_column is not None:
                source = source.with_counts(counts_column)
            prepared = _core.prepare_for(self._spec, source, self._texts)
            report = prepared.report()
            warn(messages(report["warnings"]))  # where a warning is an error, nothing is charged
        paid: list[bool] = []
        try:
            with line("sample", progress) as shown:
                rows, certificate, drawn_from = _core.release(
                    prepared,
                    source,
                    None if charged is None else charged._inside,
                    data_set or "",
                    thread_count(threads),
                    shown,
                    paid,
                )
            kept = None if drawn_from is None else Model.parse(drawn_from)
            made = Release(rows, Certificate(certificate), report, kept)
            with contextlib.suppress(Warning):  # as an error it would lose rows that are paid for
                warn([] if kept is None else kept.warnings)
            return made._keep(self._inputs(data, ledger=None if charged is None else charged.path))
        except KeyboardInterrupt as stopped:
            if paid and charged is not None:
                cost = Certificate(prepared.certificate()).total
                stopped.add_note(
                    f'{charged.path} stays charged for this release of "{data_set}", {cost}. '
                    "No record was released."
                )
            raise

    def check(
        self, data: Any, *, counts_column: str | None = None, reference: Any = None, most: int | None = None
    ) -> Answer:
        """Name every value of private data that the domain does not declare. NOT
        PRIVATE.

        A release maps such values silently, because refusing would reveal them; this is
        for the data holder, before a release. It prints how many values of each column
        become what, and then the first findings. In the answer, ``"mapped"`` are these
        counts, and ``"findings"`` is how many there are. ``"listed"`` are the first
        findings: each has its ``"line"`` in a CSV file, or its ``"row"`` in any other
        table, counted from 0 as `iloc` does. If all columns are numbers without bins,
        ``"notes"`` names those that look log-normal.

        Parameters
        ----------
        data : table or path
            The private table, as for `sample`.
        counts_column : str
            Column with the number of records that each row counts as; a value that is
            not a number is named too.
        reference : table or path
            A public table or file: how many of its records the data has too. Default:
            the method's own.
        most : int
            The most findings that are printed and listed, from 0. Default: 40 in
            print, as in the command, and 1000 in ``"listed"``.

        Raises
        ------
        InvalidInput
            If something public is wrong.
        """
        self._require_public(data)
        public = getattr(self, "reference", None)
        if reference is not None:
            public = Inputs(self._domain).read("reference", reference)
            _require_other(data, "reference", public)
        units = getattr(self, "units", None)
        private = table(data, self._columns(counts_column), "data")
        files = {"data": private, "reference": public, "units": units}
        asked = {
            "unit": getattr(self, "unit", None),
            "units": units,
            "units_column": getattr(self, "units_column", None),
            "counts_column": counts_column,
            **{name: getattr(self, name, None) for name in ("weights", "greatest_weight", "weight_step", "invalid_weight")},
            "reference": None if public is None else [given_name("reference", public)],
            "most": most,
        }
        question = question_of("check", asked)
        return Answer(*_core.check(self._domain._inside, given_name("data", private), question, texts_of(files)))

    def compare(
        self,
        data: Any,
        *,
        epsilon: Sequence[float] | None = None,
        mechanism: str | None = None,
        progress: bool = False,
    ) -> Answer:
        """Show how close the distribution of this release is to the private data, with
        its reference. NOT PRIVATE.

        In the answer, ``"truth"`` is the real data, ``"law"`` the distribution of the
        release, and both it and ``"reference"`` have divergences from the real data;
        ``"outcomes"`` has the probabilities.

        Each of ``"columns"`` has its levels, with the ``"shares"`` and ``"means"`` in
        each distribution, in which a number is the middle of its bin. Integers and
        numbers have ``"without_bins"`` too: ``"mean"`` and ``"deviation"`` of the
        table's own numbers, the ``"mean_in_bins"``, and ``"is_moved"``, whether bins
        move the mean by more than a tenth of the deviation.

        For `Gaussian` and `GaussianModel`, ``"notes"`` names the columns that look
        log-normal. For `GaussianModel`, ``"accuracy"`` has for each column in
        ``"spreads"`` how many standard deviations its range reaches to both sides of
        its mean, ``"deviations_below"`` and ``"deviations_above"``, and whether the
        expected total variation holds for it, ``"is_met"``; and in
        ``"total_variation"`` the ``"least"`` and the ``"greatest"`` of some simulated
        ``"releases"``, from the Gaussian of the table.

        Parameters
        ----------
        data : table or path
            The private table, as for `sample`.
        epsilon : list of float
            Several budgets instead of the method's own: a table of distances.
        mechanism : str
            "all" compares every mechanism of `Local` and `Integral` in a table of
            distances.
        progress : bool
            Shows on standard error how many units or rows are done, and the time left,
            when a second has passed. Default: False.

        Raises
        ------
        InvalidInput
            If something public is wrong.
        ReleaseWarning
            Only warned of: for one budget, what a release warns of.
        """
        self._require_public(data)
        parts = self._parts()
        if epsilon is not None:
            parts["epsilon"] = epsilon
        if mechanism is not None:
            parts["mechanism"] = mechanism
        source = source_of(data, self._columns())

        def asked(budget: object, warns: bool = False) -> Comparison:
            budgets = budgets_of(budget)
            known = _core.spec_parts()
            specs = [
                json_of(self.word, self._domain, parts | {"epsilon": one}, known) for one in budgets
            ]
            with line("compare", progress) as shown:
                answer = _core.compare(specs, source, self._texts, shown)
            if warns:  # and not for each point of a chart
                told(answer, self._domain)
            found = Comparison(answer[0], answer[1], budgets if len(budgets) > 1 else budgets[0], asked)
            found._inputs = self._inputs(data)
            return found

        with unread_if_refused(data, source):
            return asked(parts["epsilon"], warns=True)

    @property
    def _domain(self) -> Domain:
        return as_domain(self.domain)

    @property
    def _unit(self) -> list[str]:
        """The columns that name a unit; none if rows or the table are protected."""
        return unit_columns(getattr(self, "unit", None))

    def _columns(self, counts_column: str | None = None) -> list[str]:
        """The private data to read."""
        amounts = [counts_column, getattr(self, "weights", None)]
        return [*self._domain, *self._unit, *(one for one in amounts if one is not None)]

    def _inputs(self, data: Any, **others: object) -> InputFiles:
        """The files among everything that a release reads."""
        public = {part.removesuffix("_file"): getattr(self, part, None) for part in public_files()}
        band = str(getattr(self, "band", None) or "")
        if band.startswith("file="):
            public["band"] = band.removeprefix("file=")
        return inputs_of({"private": data, "domain": self._domain} | public | others)

    def _require_public(self, data: Any) -> None:
        for part in public_files():
            _require_other(data, part, getattr(self, part, None))

    def _certificate(self, records: int | None) -> dict[str, Any]:
        """The certificate that a release would have. `records` is how many there are,
        where the method needs it.
        """
        facts: dict[str, Any] = json.loads(_core.prepare(self._spec, records, self._texts))
        return facts

    def _plan(self, **others: Any) -> Plan:
        """The plan of this release: the parts that a plan has, and the question.
        """
        given = self._parts()
        unknown = [name for name in self._unplanned if given[name] is not None]
        if unknown:
            raise refusal(
                "not-for-this-method",
                f"a plan knows nothing of {' and '.join(unknown)}: ask {type(self).__name__}.plan_of "
                "without",
                unknown[0],
                ways_out=[WayOut("run", f"mo.{type(self).__name__}.plan_of")],
            )
        if "n" in others and others["n"] is None and others["alpha"] is None:
            raise refusal(
                "missing-parameter",
                "n and alpha are missing. Give n, the public number of rows or units, and the plan finds alpha; "
                "or give alpha, and the plan finds n.",
                "n",
                ways_out=[WayOut("set", "n"), WayOut("set", "alpha")],
            )
        known = inspect.signature(getattr(type(self), "plan_of")).parameters
        parts = {name: one for name, one in given.items() if name in known}
        return self._plan_of(parts | others | {"domain": self.domain}, self._unit)

    @classmethod
    def _plan_of(cls, given: Mapping[str, Any], unit: Sequence[str] = ()) -> Plan:
        parts = {name: one for name, one in given.items() if name != "cls"}
        declared = parts.pop("domain")
        domain = None if declared is None else as_domain(declared)
        if domain is None and not {"k", "dimension"} & parts.keys():
            raise refusal("missing-parameter", f"domain is missing: {cls.__name__}.plan_of needs a Domain, its columns or its file", "domain", ways_out=[WayOut("set", "domain")])
        return Plan(cls.word, domain, parts | _read(parts, domain), unit)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Method) and (self._spec, self._texts) == (other._spec, other._texts)

    def __hash__(self) -> int:
        return hash((self._spec, *self._texts.values()))

    def __repr__(self) -> str:
        parts = [repr(self.domain)]
        for one in dataclasses.fields(self):
            given = getattr(self, one.name)
            if one.kw_only and given != one.default:
                parts.append(f"{one.name}={given!r}")
        return f"{type(self).__name__}({', '.join(parts)})"


class Plan(Answer):
    """A release's error, or its needs: an answer that is computed from public numbers
    alone.
    """

    def __init__(
        self, word: str, domain: Domain | None, parts: Mapping[str, Any], unit: Sequence[str] = ()
    ) -> None:
        self._question = (word, domain, dict(parts), unit)
        epsilon = parts.get("epsilon")
        self._budgets = budgets_of(epsilon)
        known = _core.request_parts("plan")
        questions = [json_of(word, domain, {**parts, "epsilon": one}, known) for one in self._budgets]
        texts = texts_of({name: one for name, one in parts.items() if isinstance(one, Held)})
        super().__init__(*_core.plans(questions, texts, unit))

    def _chart(self, against: str | None, distance: str, progress: bool) -> altair.Chart:
        if len(self._budgets) > 1:
            several = ",".join(str(one) for one in self._budgets)
            raise refusal("no-chart", f"a chart shows one epsilon, but there are several: {several}. Plan with one of them.", "epsilon")
        budget = self._budgets[0]
        return _plot.plan(self, None if budget is None else float(budget), self._with_epsilon, progress)

    def _with_epsilon(self, epsilon: float) -> Plan:
        word, domain, parts, unit = self._question
        return Plan(word, domain, parts | {"epsilon": epsilon, "curve": False}, unit)


def _read(parts: Mapping[str, Any], domain: Domain | None) -> dict[str, str | Held]:
    """The public tables among the parts."""
    inputs = Inputs(domain, parts.get("unit"), parts.get("units_column"))
    given = {part: parts[part] for part in public_files() if parts.get(part) is not None}
    return {part: inputs.read(part, one) for part, one in given.items()}


def _require_other(data: Any, part: str, public: object) -> None:
    if isinstance(public, Held) and public.was(data):
        hint = ". Give a public list of all units: a list, a column, or a table or file with it." if part == "units" else ""
        raise refusal("public-is-private", f"{part} must be public, but is the private data itself{hint}", part)


def budgets_of(epsilon: Any) -> list[Any]:
    """One budget or several, as a list."""
    given = epsilon.tolist() if hasattr(epsilon, "tolist") else epsilon  # NumPy's arrays and numbers
    budgets = list(given) if isinstance(given, (list, tuple)) else [given]
    if not budgets:
        raise refusal("wrong-type", f"epsilon must be a budget or a list of budgets, but is {wrong_value(epsilon)}", "epsilon")
    return budgets


def charged_ledger(
    ledger: Ledger | str | os.PathLike[str] | None, data_set: str | None
) -> Ledger | None:
    """The ledger that a release is charged to."""
    if (ledger is None) != (data_set is None):
        if data_set is None:
            raise refusal(
                "missing-parameter",
                "data_set is missing: a release is charged to a ledger under the name of its data. "
                'Give data_set="NAME", as the ledger declares it.',
                "data_set",
                ways_out=[WayOut("set", "data_set")],
            )
        raise refusal(
            "missing-parameter",
            "ledger is missing: data_set names the data in a ledger. Give ledger=mo.Ledger(PATH).",
            "ledger",
            ways_out=[WayOut("set", "ledger")],
        )
    return ledger if ledger is None or isinstance(ledger, Ledger) else existing(ledger)
