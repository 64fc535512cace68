"""Methods by their words, for tests that try several."""

from __future__ import annotations

from typing import Any

import mollify as mo
from mollify._methods import METHODS


def by_word(domain: Any, *, method: str, **parts: Any) -> mo.Method:
    """The method of that word."""
    return METHODS[method](domain, **parts)


def plan_by_word(domain: Any = None, *, method: str, **numbers: Any) -> mo.Answer:
    """The plan of the method of that word."""
    plan: Any = METHODS[method]
    found: mo.Answer = plan.plan_of(domain, **numbers)
    return found
