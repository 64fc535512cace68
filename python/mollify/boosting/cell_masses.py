"""Distributions that are known, and their exact masses on the cells of a grid. NOT PRIVATE."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mollify import _core
from mollify.boosting.density import BoostedDensity, Numbers, Points


def measure(parts: Mapping[str, Any]) -> _core.KnownMeasure:
    """The measure that the parts describe."""
    return _core.KnownMeasure(json.dumps(parts))


def points_of(source: _core.KnownMeasure, count: int, numbers: _core.SeededNumbers) -> Points:
    """Independent points in single precision."""
    return source.sample(count, numbers).reshape(count, source.dimension).astype(np.float32)


def even_edges(source: _core.KnownMeasure, cells: int) -> list[Numbers]:
    """The edges of at most `cells` cells of equal width over a measure's central box, equally many along each axis."""
    along = int(cells ** (1 / source.dimension) + 1e-9)
    shares = np.arange(along + 1) / along
    ends = source.central_box()
    return [low * (1 - shares) + high * shares for low, high in zip(ends[::2], ends[1::2])]


class Fit(NamedTuple):
    """How well a law finds P."""

    nll: float
    """-E_P ln Q in nats."""
    coverage: float
    """P's share where Q has its densest 95 %."""


def fit_of(p: Numbers, q: Numbers, volumes: Numbers) -> Fit:
    """Exact for densities that are constant in each cell."""
    return Fit(*_core.law_fit(p, q, volumes))


class Known:
    """A P that is known, its reference, and their exact masses on the cells of a grid."""

    def __init__(self, truth: _core.KnownMeasure, reference: _core.KnownMeasure, edges: Sequence[Numbers]):
        self.truth, self.reference = truth, reference
        together, counts = np.concatenate(edges), [len(axis) for axis in edges]
        self.p = truth.cell_masses(together, counts)
        self.h = reference.cell_masses(together, counts)
        self.volumes = np.ones(1)
        for axis in edges:
            self.volumes = np.outer(self.volumes, np.diff(axis)).ravel()
        middles = np.meshgrid(*(axis[:-1] + np.diff(axis) / 2 for axis in edges), indexing="ij")
        self.middles: Points = np.stack([axis.ravel() for axis in middles], axis=1).astype(np.float32)

    def fit(self, law: Numbers) -> Fit:
        """How well a law of the cells finds P."""
        return fit_of(self.p, law, self.volumes)

    def law(self, boosted: BoostedDensity) -> tuple[Numbers, float]:
        """The masses of the cells under a boosted density, and ln of its normaliser."""
        masses = self.h * np.exp(boosted.log_ratios(self.middles))
        return masses / masses.sum(), math.log(masses.sum() / self.h.sum())
