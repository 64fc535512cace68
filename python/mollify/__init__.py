"""Samples of private data under differential privacy, with a guarantee checked in integers.

>>> import mollify as mo
>>> domain = mo.Domain({"city": mo.categorical(["Ghent", "Lille", "Trier"], outside="Ghent", null="Ghent")})
>>> private = {"city": ["Lille", "Lille", "Ghent", "Lille"]}
>>> release = mo.Integral(domain, epsilon=2, count=1).sample(private)
>>> print(release.guarantee)
epsilon 2

A wrong public input (a parameter, a domain, a column that is missing) raises `InvalidInput`.
A name that is not a parameter raises an `InvalidInput` that is a `TypeError` too. No private
value makes a release raise, print, or change shape. Only a method's `check` and `compare`,
`mbde` and `mollify.nonprivate` show private data. Randomness is the operating system's. A
release takes no seed, because anyone who guessed it would know the noise. `Model.sample` takes
one for a released model.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import TYPE_CHECKING, Any

from mollify import nonprivate
from mollify._analysis import Advice, Estimate, advise, amplify, estimate, risk
from mollify._answer import Answer
from mollify._core import InvalidInput, __version__
from mollify._domain import (
    Domain,
    DomainWarning,
    boolean,
    categorical,
    date,
    datetime,
    follows,
    integer,
    number,
    ordinal,
)
from mollify._frequent import FrequentWords, Word, frequent_words
from mollify._labelled import Labelled, read_labelled, write_labelled
from mollify._ledger import Balance, Ledger
from mollify._method_base import Method, Plan
from mollify._methods import (
    Central,
    Gaussian,
    GaussianModel,
    Integral,
    IntegralModel,
    Local,
    Marginals,
)
from mollify._certificate import Certificate
from mollify._model import Model, TableAnswer, generate
from mollify._parameters import check_calls
from mollify._privacy import Privacy, compose
from mollify._public_files import candidates, reference
from mollify._records import Records
from mollify._refusal import Quantity, WayOut, document
from mollify._release import Release, Verification, verify
from mollify._release_key import ReleaseKey
from mollify._report import report
from mollify._sampler import RandomizedResponse, Sampler
from mollify._simulation import Simulation
from mollify._synthesizer import Synthesizer
from mollify._warning import Message, ReleaseWarning

if TYPE_CHECKING:
    from mollify.boosting import mbde

document(InvalidInput)


def _find_zone_data() -> None:
    """Without the system's zone data, zones are those of Python's package tzdata."""
    if "TZDIR" in os.environ or os.path.exists("/usr/share/zoneinfo/UTC"):
        return
    package = importlib.util.find_spec("tzdata")
    if package is not None and package.origin is not None:
        os.environ["TZDIR"] = os.path.join(os.path.dirname(package.origin), "zoneinfo")


_find_zone_data()

__all__ = [
    "Advice",
    "Answer",
    "Balance",
    "Central",
    "Certificate",
    "Domain",
    "DomainWarning",
    "Estimate",
    "FrequentWords",
    "Gaussian",
    "GaussianModel",
    "Integral",
    "IntegralModel",
    "InvalidInput",
    "Labelled",
    "Ledger",
    "Local",
    "Marginals",
    "Method",
    "Model",
    "Plan",
    "Privacy",
    "Quantity",
    "RandomizedResponse",
    "Records",
    "Release",
    "ReleaseKey",
    "Message",
    "ReleaseWarning",
    "Sampler",
    "Simulation",
    "Synthesizer",
    "TableAnswer",
    "Verification",
    "WayOut",
    "Word",
    "__version__",
    "advise",
    "amplify",
    "boolean",
    "candidates",
    "categorical",
    "compose",
    "date",
    "datetime",
    "estimate",
    "follows",
    "frequent_words",
    "generate",
    "integer",
    "mbde",
    "nonprivate",
    "number",
    "ordinal",
    "read_labelled",
    "reference",
    "report",
    "risk",
    "verify",
    "write_labelled",
]

check_calls(globals(), __all__)
check_calls(vars(nonprivate), nonprivate.__all__)


_MODULES = ("boosting", "nonprivate", "spark")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})


def __getattr__(name: str) -> Any:
    """NumPy is imported when it is needed."""
    if name in _MODULES:
        return importlib.import_module(f"mollify.{name}")
    if name == "mbde":
        from mollify.boosting import mbde

        return mbde
    hint = f". A method has it, such as mo.Local(...).{name}(...)." if name in ("check", "compare", "plan", "sample", "tune") else ""
    raise AttributeError(f"module 'mollify' has no attribute {name!r}{hint}", name=name, obj=sys.modules[__name__])
