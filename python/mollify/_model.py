"""Rows from the model of a release, at no cost."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, overload

from mollify import _core
from mollify._answer import Answer
from mollify._certificate import as_certificate
from mollify._checks import path_text, whole_number, wrong_value
from mollify._domain import Domain, _restore, is_null, scalar_text
from mollify._files import Inputs, inputs_of, write_whole
from mollify._progress import line
from mollify._records import Records
from mollify._refusal import refusal
from mollify._simulation import Simulation, simulate
from mollify._warning import Message, messages


class TableAnswer(Answer):
    """The answer to a question about a table (`Model.estimate`): a mapping, which prints
    as ``mollify answer`` prints.
    """

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Each number with its errors, as a flat dict: ``pandas.DataFrame(answer.rows)``.

        - `part`: "answers", or "differences" between groups.
        - `of` and `group`: what the number is, and among whom.
        - `estimate`: the number; None if noise leaves no rows of the group.
        - `standard_error`, `lower` and `upper`: for the table, a 95 % interval. A
          quantile has no standard error.
        - `population_standard_error`, `population_lower` and `population_upper`: for
          the population that the table's rows are a random sample of. None if rows have
          weights.

        Empty if the question is refused, with the reason under ``"refused"``.
        """
        made = []
        for part in ("answers", "differences"):
            for number in self.get(part, []):
                row = {"part": part, "of": number["of"], "group": number.get("group"), "estimate": number["estimate"]}
                for target, prefix in (("table", ""), ("population", "population_")):
                    bar = number[target] or {}
                    row |= {prefix + name: bar.get(name) for name in ("standard_error", "lower", "upper")}
                made.append(row)
        return made


class Model:
    """The model of a release by method "marginals" or "integral-model":
    `Release.model`. Immutable.

    It was paid for when it was released. Rows drawn from it cost nothing, and reveal no
    more about the data than the model.
    """

    _inside: _core.Model
    _inputs: Inputs = ()
    _records_inputs: Inputs = ()
    """More files that no record is written over."""

    @classmethod
    def parse(cls, text: str) -> Model:
        """Reads what `text` is; `InvalidInput` for anything else."""
        made = cls.__new__(cls)
        made._inside = _core.Model.parse(text, "the model")
        return made

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Model:
        """Reads a file of `write`, or of ``mollify sample --model-out``."""
        made = cls.__new__(cls)
        name = path_text("a model's file", path)
        made._inside = _core.Model.read(name)
        made._records_inputs = inputs_of({"model": name})
        return made

    @property
    def text(self) -> str:
        """All that it is, as JSON; `parse` makes an equal model of it."""
        return self._inside.text()

    @property
    def domain(self) -> Domain:
        """Of its records."""
        return _restore(self._inside.domain_yaml(), None)

    @property
    def measurements(self) -> dict[str, list[Any]] | None:
        """All noisy counts that the model was made of, as lists of equal length, which
        ``pandas.DataFrame`` and ``polars.DataFrame`` take.

        They were paid for when the model was released, so they are as public as the
        model. A release by "integral-model" counts nothing: None.

        - `table`: the number of the table that was counted, from 0. A table can be
          counted several times.
        - `columns`: the names of its columns, such as "age, ward".
        - `cells`: the values of each count's cell, such as "10..19, north". Values that
          were counted together are joined by "or".
        - `count`: the noisy count, in rows, in units or in declared weight. It can be
          negative.
        - `standard_deviation`: the standard deviation of its noise. The noises of all
          counts are independent, and their means are 0.

        The sums of a copula (`copula=True`) are in `text`, under ``measurements``.
        """
        return self._inside.measurements()

    @property
    def not_measured(self) -> list[tuple[str, str]]:
        """The pairs of columns that no table of `measurements` has together. The model
        knows of their dependence only what other tables imply.
        """
        return self._inside.not_measured()

    @property
    def error(self) -> dict[str, Any] | None:
        """How far the released rows are from the table, as the release measured it with
        a part of its budget. It is about the rows that came with the model.

        - `two_way`: the total variation of two columns together, on average over all
          pairs of columns that were counted.
        - `interval`: where it is with 95 %, least and most.
        - `independent`: the same two of columns that have the rows' shares and are
          independent.
        - `pairs`: for each pair its `columns`, and `at_most`: an upper bound of its
          total variation, which holds with 95 %. A release without delta or rho
          measures the average alone: then it is "unknown", unless there is only one
          pair.
        - `three_columns`: "unknown", because no release measures it.

        None of a single column, of a model by "integral-model", and for a budget whose
        noise for it cannot be drawn.
        """
        measured = json.loads(self.text).get("measurements", {})
        if "error" not in measured:
            return None
        found = {part: measured["error"].get(part, "unknown") for part in ("two_way", "interval", "pairs", "three_columns")}
        independent = measured.get("independent")
        return found | {"independent": independent and {part: independent[part] for part in ("two_way", "interval")}}

    @property
    def warnings(self) -> list[Message]:
        """Dangers that are only known once rows were drawn and measured: that they may
        be as far from the table as independent columns would be.
        """
        return messages(self._inside.warnings())

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write a file, which ``mollify generate --model`` reads too. It appears whole
        or not at all.

        Raises `InvalidInput` if it exists, unless `overwrite` is true.
        """
        write_whole(path, self.text, overwrite=overwrite, inputs=self._inputs)

    def sample(
        self,
        count: int,
        given: Mapping[str, object] | None = None,
        *,
        seed: int | None = None,
        progress: bool = False,
    ) -> Records:
        """Draw records of the model. This costs nothing.

        Parameters
        ----------
        count : int
            Number of records, from 1 to 10^8; all of them are held in memory.
        given : mapping
            Values of some columns, or None, NaN, NaT or NA for a null: only records
            in which these columns lie in the values' cells, by the model's own
            distribution of such records. Default: none.
        seed : int
            A whole number from 0 to 2^64 - 1: everyone who has the model draws the same
            records with it, and so does ``mollify generate --seed``. Default: other
            records each time. Only a model that is released can be sampled with a seed.
            A release takes none, because anyone who guessed the seed could subtract the
            noise and see the data.
        progress : bool
            Shows on standard error how many rows are done, and the time left, when a
            second has passed.

        Raises
        ------
        InvalidInput
            For another count or seed, and for columns or values that the domain does
            not have.
        """
        if given is not None and not isinstance(given, Mapping):
            raise refusal(
                "wrong-type",
                f"given must be a mapping from names to values, but is {wrong_value(given)}",
                "given",
            )
        wanted = whole_number("count", count, (1, 10**8))
        fixed = {
            str(name): "" if is_null(value) else scalar_text(value)
            for name, value in (given or {}).items()
        }
        fixed_words = None if seed is None else whole_number("seed", seed, (0, 2**64 - 1))
        with line("generate", progress) as shown:
            drawn = Records(_core.generate(self._inside, wanted, fixed, fixed_words, shown))
        drawn._inputs = [*self._inputs, *self._records_inputs]
        return drawn

    @overload
    def estimate(self, question: str) -> TableAnswer: ...  # type: ignore[overload-overlap]

    @overload
    def estimate(self, question: Iterable[str]) -> list[TableAnswer]: ...

    def estimate(self, question: str | Iterable[str]) -> TableAnswer | list[TableAnswer]:
        """Answer a question about the table that the model was released for, with
        standard errors and 95 % intervals. This costs nothing.

        Answers are made of the noisy counts, not of released rows. `mollify answer`
        prints the same.

        Parameters
        ----------
        question : str or list of str
            Any of these, with other names and values in double quotes:

            - "share(happy)", "share(happy = very)", "share(happy = very) by attend"
            - "mean(income)", "mean(income) by region"
            - "quantile(income, .9)", "quantile(income, .9) by region"
            - "table(happy, attend)", and groups of two columns: "... by attend, race"
            - "income ~ age + region": a linear regression
            - "happy = very ~ attend + race": a logistic regression

        Returns
        -------
        TableAnswer or list of TableAnswer
            A list for a list. If one of several questions needs counts that were not
            measured, its answer has ``"refused"``, a sentence.

        Raises
        ------
        InvalidInput
            For another text, for a column or a value that the domain does not have, for
            a single question that needs counts that were not measured, and for a model
            without measurements.

        Examples
        --------
        >>> print(release.model.estimate("mean(age) by ward"))  # doctest: +SKIP
        """
        if isinstance(question, str):
            (answer,) = _core.answer(self._inside, [question])
            return TableAnswer(*answer)
        questions = list(question) if isinstance(question, Iterable) else [question]
        for one in questions:
            if not isinstance(one, str):
                raise refusal("wrong-type", f"question must be a text or a list of texts, but is {wrong_value(question)}", "question")
        return [TableAnswer(*answer) for answer in _core.answer(self._inside, questions)]

    def simulate(
        self,
        function: Callable[[Records], Any],
        certificate: Any,
        *,
        estimate: Any = None,
        releases: int = 100,
        reference: Any = None,
        progress: bool = False,
    ) -> Simulation:
        """Estimate, by simulation, the error of any number computed from released rows.

        Tables of as many rows as the real one are drawn from this model. Each is
        released again with the same budget and questions. `function` is as wrong about
        the real table as it is about these, as far as the model is right. Nothing
        private is read, so this costs nothing.

        Parameters
        ----------
        function : callable
            Takes `Records`, and returns a number, or a mapping from names to numbers.
        certificate : Release, Certificate, dict, str or path
            The release, or its certificate.
        estimate : number or mapping
            What `function` finds in the rows that were released. Default: it is
            computed, if `certificate` is the release.
        releases : int
            Number of simulated releases, from 39 to 100 000. Default: 100.
        reference : table or path
            The public records that the release began at. Default: none.
        progress : bool
            Shows how many releases are done, and the time left. Default: False.

        Returns
        -------
        Simulation
            Each number with its bias, standard error and 95 % interval.

        Raises
        ------
        InvalidInput
            For a wrong parameter, and for a release with units or weights.
        """
        known = as_certificate(certificate)
        if estimate is None and isinstance(certificate, Records):
            estimate = certificate
        return simulate(self._inside, self.domain, function, known, estimate, releases, reference, progress)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Model({self.domain!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Model.parse, (self.text,)


def as_model(model: object) -> Model:
    """A model, given as itself or its file."""
    if isinstance(model, (str, os.PathLike)):
        model = Model.read(model)
    if not isinstance(model, Model):
        raise refusal(
            "wrong-type",
            "model must be the model of a release by mo.Marginals or mo.IntegralModel (release.model) or its file, "
            f"but is {'None' if model is None else 'of type ' + type(model).__name__}",
            "model",
        )
    return model


def generate(
    model: Model | str | os.PathLike[str],
    count: int,
    given: Mapping[str, object] | None = None,
    *,
    progress: bool = False,
    seed: int | None = None,
) -> Records:
    """Draw records from a released model. This costs nothing; `Model.sample` does the
    same.

    Parameters
    ----------
    model : Model or path
        A model, or the path of its file.
    count : int
        Number of records, from 1 to 10^8.
    given : mapping
        Values of some columns that the records must have. Default: none.
    seed : int
        Draws the same records each time: a whole number from 0 to 2^64 - 1. Default:
        other records each time.
    progress : bool
        Shows on standard error how many rows are done. Default: False.

    Raises
    ------
    InvalidInput
        For what is not a model, another count or seed, and columns or values that the
        domain does not have.
    """
    return as_model(model).sample(count, given, seed=seed, progress=progress)
