"""Boosted densities, looked at. NOT PRIVATE.

``mollify.mbde`` learns one and measures it; ``python -m mollify.boosting`` is the same as a command.
"""

from __future__ import annotations

from mollify.boosting.analysis import Boosting, mbde
from mollify.boosting.density import BoostedDensity
from mollify.boosting.learners import model_from, model_text

__all__ = ["BoostedDensity", "Boosting", "mbde", "model_from", "model_text"]
