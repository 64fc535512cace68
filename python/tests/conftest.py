"""What the tests share: small public domains, and private tables that are as bad as can be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in mollify/reproduce/__init__.py, before NumPy is imported

import mollify as mo

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def schools() -> Path:
    """The folder of the real tables."""
    return ROOT / "data"


@pytest.fixture
def domain() -> mo.Domain:
    return mo.Domain(
        {
            "sex": mo.categorical(["female", "male"]),
            "minority": mo.boolean(),
            "visits": mo.integer(0, 9, bins=2, null=0),
            "math": mo.number(-3, 25, bins=3, null="category"),
        }
    )
