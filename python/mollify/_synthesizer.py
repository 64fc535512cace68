"""A release in the shape of scikit-learn's estimators."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mollify._checks import whole_number, wrong_value
from mollify._core import InvalidInput
from mollify._domain import as_domain
from mollify._ledger import Ledger
from mollify._method_base import Method
from mollify._parameters import hinted, no_seed, unknown
from mollify._private_objects import asking_objects, listed_objects
from mollify._refusal import WayOut, refusal
from mollify._release import Release

if TYPE_CHECKING:
    import pandas


def _is_table(X: Any) -> bool:
    """Whether columns have names."""
    return (
        isinstance(X, (str, os.PathLike, Mapping))
        or hasattr(X, "collect_schema")  # a lazy frame's columns are asked for with care
        or any(hasattr(X, name) for name in ("columns", "__arrow_c_stream__", "__arrow_c_array__"))
        or isinstance(getattr(getattr(X, "dtype", None), "names", None), tuple)
    )


def _names(table: Any) -> list[str] | None:
    """Of a table's columns, where they can be told without reading it."""
    if hasattr(table, "collect_schema"):
        return [str(name) for name in table.collect_schema().names()]
    for found in (
        getattr(table, "column_names", None),
        getattr(table, "columns", None),
        getattr(getattr(table, "dtype", None), "names", None),
        table if isinstance(table, Mapping) else None,
    ):
        if found is not None and not callable(found):
            return [str(name) for name in found]
    return None


def _array(X: Any) -> Any:
    """An array of (n, d). Only shapes and types are refused, which are public."""
    import numpy as np

    table = np.asarray(X)
    if table.dtype.kind == "c":
        raise refusal("wrong-type", "Complex data not supported", "X")
    if table.ndim != 2:
        raise refusal(
            "wrong-shape",
            f"X must have two dimensions, but has {table.ndim}: Reshape your data",
            "X",
        )
    if table.shape[1] == 0:
        rows = len(table)
        raise refusal(
            "empty-input",
            f"0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required.",
            "X",
        )
    return table


def _columns(rows: Sequence[Any], names: Sequence[str]) -> dict[str, list[Any]]:
    """The columns of a list of rows. Total: each object in it is private.

    What lacks in a row is a null, and what is too much is left out. A row that is a dict has its
    values by name. Any other object is a row of that one value. Only rows that all have one length
    are an array, whose shape is public.
    """
    lengths = {_length(row) for row in rows}
    if len(lengths) == 1 and not lengths & {None, len(names)}:
        raise refusal(
            "wrong-shape", f"X must have the domain's {len(names)} columns, but has {lengths.pop()}", "X"
        )
    with asking_objects():
        cells = [_cells(row, names) for row in rows]
    return {name: [row[place] for row in cells] for place, name in enumerate(names)}


def _length(row: Any) -> int | None:
    """How long a list or a tuple is; a class of the user's own is not asked."""
    for kind in (list, tuple):
        if issubclass(type(row), kind):
            return kind.__len__(row)
    return None


def _cells(row: Any, names: Sequence[str]) -> list[Any]:
    import numpy as np

    kind = type(row)  # `isinstance` would ask the object
    try:
        if issubclass(kind, dict):
            return [dict.get(row, name) for name in names]
        found = [row]
        if issubclass(kind, (list, tuple, np.ndarray, np.void)):
            found = list(itertools.islice(iter(row), len(names)))
    except BaseException:
        found = []
    return found + [None] * (len(names) - len(found))


_A_METHOD = (
    "method must be a method, such as mo.Central(domain, ...), or a function that makes one of the columns' "
    "names, but is {}"
)


@hinted(no_seed)
class Synthesizer:
    """Releases records when it is fitted, and hands these out.

    Fitting is the release: all of the budget is spent then, and `sample` costs nothing.
    Methods `Marginals` and `IntegralModel` release a model, so `sample` draws any
    number of further records from it. For other methods `sample` refuses when all
    records are handed out. There is no `random_state`: a release takes no seed, because
    anyone who guessed it could subtract the noise. `release_.model.sample(n, seed=...)`
    draws the same records of a released model again. There is no score of private
    records either.

    Parameters
    ----------
    method
        What releases, or a function that makes a method of the columns' names, which
        are public. An array's columns without a domain of their own are called x0, x1,
        ...
    ledger, data_set
        As for `Method.sample`.

    Attributes
    ----------
    release_ : Release
        All records, with their certificate.
    n_features_in_ : int
    feature_names_in_ : array of str
        Where the table had names.
    """

    def __init__(
        self,
        method: Method | Callable[[list[str]], Method] | None = None,
        *,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        data_set: str | None = None,
    ) -> None:
        self.method = method
        self.ledger = ledger
        self.data_set = data_set

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by their names."""
        return {name: getattr(self, name) for name in Synthesizer.__init__.__annotations__ if name != "return"}

    def set_params(self, **parameters: Any) -> Synthesizer:
        """Set some parameters. Raises `InvalidInput` for an unknown name."""
        known = self.get_params()
        for name, value in parameters.items():
            if name not in known:
                raise unknown("Synthesizer", name, list(known))
            setattr(self, name, value)
        return self

    def fit(self, X: Any, y: object = None) -> Synthesizer:
        """Releases from a private table, or from an array of (n, d) or a list of rows,
        whose columns are the domain's.

        A row of a list can be a dict from names to values. What a row lacks is a
        null.
        """
        method = self.method
        if method is None:
            raise refusal("missing-parameter", "method is missing: give a Synthesizer a method, such as mo.Central(domain, ...)", "method", ways_out=[WayOut("set", "method")])
        if not isinstance(method, Method) and (isinstance(method, type) or not callable(method)):
            raise refusal("wrong-type", _A_METHOD.format(repr(method)), "method")
        if hasattr(X, "toarray"):
            raise refusal("wrong-type", "X must be dense: sparse matrices are not read", "X")
        is_table = _is_table(X)
        names = _names(X) if is_table else None
        rows = None if is_table else listed_objects(X)
        is_rows = rows is not None
        table: Any = X if is_table else _array(X) if rows is None else rows
        if not isinstance(method, Method):
            given = names if is_rows or is_table else [f"x{i}" for i in range(table.shape[1])]
            if given is None:
                raise refusal(
                    "wrong-type",
                    "a function that makes a method needs the names of columns, but X is "
                    + ("a list of rows, which has none" if is_rows else "a table without them"),
                    "X",
                )
            method = method(given)
            if not isinstance(method, Method):
                raise refusal("wrong-type", _A_METHOD.format(f"a function that made {wrong_value(method)}"), "method")
        domain = as_domain(method.domain)
        if is_rows:
            table = _columns(table, list(domain))
        elif not is_table:
            if table.shape[1] != len(domain):
                raise refusal(
                    "wrong-shape",
                    f"X must have the domain's {len(domain)} columns, but has {table.shape[1]}",
                    "X",
                )
            table = {name: table[:, place] for place, name in enumerate(domain)}
        try:
            self.release_: Release = method.sample(table, ledger=self.ledger, data_set=self.data_set)
        except InvalidInput as refused:
            if refused.parameter == "data":
                refused.parameter = "X"
                refused.ways_out = tuple(way._replace(part="X") if way.part == "data" else way for way in refused.ways_out)
            raise
        self.n_features_in_ = len(domain) if names is None else len(names)
        if names is not None:
            import numpy as np

            self.feature_names_in_ = np.array(names, object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._handed_out = 0
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type="density_estimator",
            target_tags=TargetTags(required=False),
            input_tags=InputTags(allow_nan=True, string=True, categorical=True),
            non_deterministic=True,
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "release_")

    def sample(self, n_samples: int = 1) -> pandas.DataFrame:
        """Return the next records as a pandas data frame.

        First come the released records, then new ones from the released model.
        `InvalidInput` if the method releases no model and fewer records are left.
        """
        if not hasattr(self, "release_"):
            raise refusal(
                "not-fitted",
                "the Synthesizer has no records yet. Call fit(table) first.",
                ways_out=[WayOut("run", "Synthesizer.fit")],
            )
        left = len(self.release_) - self._handed_out
        wanted = whole_number("n_samples", n_samples, (0, 10**8))
        model = self.release_.model
        if wanted > left and model is None:
            raise refusal(
                "too-few-records",
                f"{left} of {len(self.release_)} records are left, but {wanted} are asked for; "
                "fit again for more, which is another release, or use mo.Marginals, whose model "
                "gives any number",
                "n_samples",
                ways_out=[WayOut("use", "mo.Marginals")],
            )
        begin = self._handed_out
        self._handed_out += min(wanted, left)
        records = self.release_.to_pandas().iloc[begin : self._handed_out].reset_index(drop=True)
        if wanted <= left or model is None:
            return records
        more = model.sample(wanted - left).to_pandas()
        if left == 0:
            return more
        import pandas

        return pandas.concat([records, more], ignore_index=True)

    def __repr__(self) -> str:
        return f"Synthesizer({self.method!r})"
