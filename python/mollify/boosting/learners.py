"""Learners that distinguish two distributions: networks, trees and logistic models, and models in files."""

from __future__ import annotations

import json
import math
import os
import tempfile
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mollify import _core
from mollify._checks import out_of_range
from mollify._parameters import meant, nearest
from mollify._refusal import WayOut, refusal
from mollify.boosting.density import BOUNDINGS, BoostedDensity, Classifier, Learned, LogNormaliser, Numbers, Points


def _single(numbers: Any) -> Points:
    return np.asarray(numbers, np.float32)


# -------------------------------------------------------------------------------------------------
# Networks.


class Network:
    """A network of three hidden layers of 25, or as it was asked for."""

    def __init__(self, inside: _core.Network) -> None:
        self._inside = inside

    @property
    def features(self) -> int:
        return len(self._inside.centres)

    def logits(self, points: Points) -> Points:
        return self._inside.logits(np.ascontiguousarray(points, np.float32))

    def parts(self) -> dict[str, Any]:
        inside = self._inside
        layers = [_listed(layer) for layer in inside.layers]
        return {"type": "network", "centres": _listed(inside.centres), "factors": _listed(inside.factors), "layers": layers}


class NetworkLearner:
    """Trains networks; the options are `_core.Network.learn`'s."""

    def __init__(self, **options: Any) -> None:
        self._options = options

    def learn(self, p: Points, q: Points, seed: int) -> Learned:
        p, q = (np.ascontiguousarray(one, np.float32) for one in (p, q))
        made = _core.Network.learn(p, q, seed, **self._options)
        return Learned(Network(made), made.cross_entropy)


class FirstOnce:
    """A learner that learns the first classifier once for all values of epsilon.

    The first classifier of `boost` tells P from Q0 by the same points and seed for every epsilon. For runs that share
    P, pool and seed.
    """

    def __init__(self, learner: NetworkLearner) -> None:
        self._learner = learner
        self._first: tuple[int, Learned] | None = None

    def learn(self, p: Points, q: Points, seed: int) -> Learned:
        if self._first is None:
            self._first = seed, self._learner.learn(p, q, seed)
        return self._first[1] if self._first[0] == seed else self._learner.learn(p, q, seed)


# -------------------------------------------------------------------------------------------------
# Trees.


@dataclass(frozen=True)
class Tree:
    """A binary tree. A point with value < threshold goes on at `child`, any other at child + 1; leaves have child 0."""

    features: int
    feature: NDArray[np.int64]
    child: NDArray[np.int64]
    threshold: Points
    logit: Points

    def logits(self, points: Points) -> Points:
        at = np.zeros(len(points), np.int64)
        rows = np.arange(len(points))
        while True:
            child = self.child[at]
            if not child.any():
                return self.logit[at]
            below = points[rows, self.feature[at]] < self.threshold[at]
            at = np.where(child > 0, child + ~below, at)

    def parts(self) -> dict[str, Any]:
        nodes = [
            {"feature": int(feature), "child": int(child), "threshold": _number(threshold), "logit": _number(logit)}
            for feature, child, threshold, logit in zip(self.feature, self.child, self.threshold, self.logit)
        ]
        return {"type": "tree", "dimension": self.features, "nodes": nodes}


def _tree(features: int, nodes: list[tuple[int, int, float, float]]) -> Tree:
    feature, child, threshold, logit = zip(*nodes)
    return Tree(features, np.array(feature), np.array(child), _single(threshold), _single(logit))


def _cost(of_p: Numbers, of_q: Numbers) -> Numbers:
    """The cross-entropy of the best constant on a part with these masses."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sum(np.where(one > 0, -one * np.log(one / (of_p + of_q)), 0.0) for one in (of_p, of_q)))


@dataclass(frozen=True)
class TreeLearner:
    """Grows trees level by level.

    Each node is split where the cross-entropy of its two parts falls most, the first of equals; nodes that no split
    improves stay leaves. NaN is as good as infinite.
    """

    depth: int = 3
    least_leaf: int = 20
    """Samples that each leaf has at least."""
    smoothing: float = 1.0
    """Samples of either distribution added to a leaf."""

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= 16:
            raise out_of_range("the depth of a tree", self.depth, "from 1 to 16", "depth", least=1, most=16)

    def learn(self, p: Points, q: Points, seed: int) -> Learned:
        values = np.concatenate([p, q])
        values = np.where(np.isnan(values), np.inf, values)
        masses = np.zeros((2, len(values)))
        if len(p) == 0 or len(q) == 0:
            return Learned(_tree(values.shape[1], [(0, 0, 0.0, 0.0)]), math.log(2))
        masses[0, : len(p)], masses[1, len(p) :] = 0.5 / len(p), 0.5 / len(q)

        def leaf(rows: NDArray[np.int64]) -> tuple[int, int, float, float]:
            of_p, of_q = masses[:, rows].sum(axis=1) * len(values) + self.smoothing
            return 0, 0, 0.0, math.log(of_p / of_q)

        whole = np.arange(len(values))
        nodes, fronts, leaves = [leaf(whole)], [(0, whole)], []
        for _ in range(self.depth):
            parts: list[tuple[int, NDArray[np.int64]]] = []
            for node, rows in fronts:
                split = self._split(values[rows], masses[:, rows])
                if split is None:
                    leaves.append(rows)
                    continue
                below = values[rows, split[0]] < split[1]
                nodes[node] = (split[0], len(nodes), split[1], 0.0)
                for part in (rows[below], rows[~below]):
                    parts.append((len(nodes), part))
                    nodes.append(leaf(part))
            fronts = parts
        leaves += [rows for _, rows in fronts]
        cost = float(sum(_cost(*masses[:, rows].sum(axis=1)) for rows in leaves))
        return Learned(_tree(values.shape[1], nodes), cost)

    def _split(self, values: Points, masses: Numbers) -> tuple[int, float] | None:
        """The best feature and threshold."""
        whole = masses.sum(axis=1)
        # What rounding makes of equal costs is no improvement.
        found, least = None, float(_cost(*whole)) - 1e-12
        for feature in range(values.shape[1]):
            order = np.argsort(values[:, feature], kind="stable")
            ordered = values[order, feature]
            below = np.cumsum(masses[:, order], axis=1)[:, :-1]
            costs = _cost(*below) + _cost(*np.maximum(whole[:, None] - below, 0))
            sizes = np.arange(1, len(ordered))
            usable = (ordered[1:] > ordered[:-1]) & (sizes >= self.least_leaf) & (len(ordered) - sizes >= self.least_leaf)
            costs = np.where(usable, costs, np.inf)
            if len(costs) and costs.min() < least:
                place = int(costs.argmin())
                least = float(costs[place]) - 1e-12
                low, high = ordered[place : place + 2]
                middle = low / 2 + high / 2
                found = feature, float(middle if low < middle <= high else high)
        return found


# -------------------------------------------------------------------------------------------------
# Logistic models of the features, their squares and products.


@dataclass(frozen=True)
class Logistic:
    """A logit that is quadratic in the features, or linear without `products`.

    Feature x enters as (x - centre) * factor, or as 0 if that is not finite. Coefficients are of 1, of each feature,
    and of the products of features f <= g.
    """

    centres: Points
    factors: Points
    products: bool
    coefficients: Numbers

    @property
    def features(self) -> int:
        return len(self.centres)

    def terms(self, points: Points) -> Numbers:
        """A row for each point."""
        with np.errstate(invalid="ignore", over="ignore"):
            standard = (points - self.centres) * self.factors
        plain = np.where(np.isfinite(standard), standard, 0).astype(np.float64)
        columns = [np.ones(len(points)), *plain.T]
        if self.products:
            columns += [plain[:, f] * plain[:, g] for f in range(plain.shape[1]) for g in range(f, plain.shape[1])]
        return np.stack(columns, axis=1)

    def logits(self, points: Points) -> Points:
        most = float(np.finfo(np.float32).max)
        return np.clip(self.terms(points) @ self.coefficients, -most, most).astype(np.float32)

    def parts(self) -> dict[str, Any]:
        return {
            "type": "logistic", "centres": _listed(self.centres), "factors": _listed(self.factors),
            "products": self.products, "coefficients": _listed(self.coefficients),
        }


def _standardisation(p: Points, q: Points) -> tuple[Points, Points]:
    """The centre and the factor of each feature. Either sample counts half; values that are not finite are absent."""
    centres, factors = [], []
    for of_p, of_q in zip(p.T.astype(np.float64), q.T.astype(np.float64)):
        parts = [one[np.isfinite(one)] for one in (of_p, of_q)]
        parts = [one for one in parts if len(one)]
        mean = sum(one.mean() for one in parts) / max(len(parts), 1)
        variance = sum(((one - mean) ** 2).mean() for one in parts) / max(len(parts), 1)
        centres.append(mean)
        factors.append(min(1 / math.sqrt(variance), float(np.finfo(np.float32).max)) if variance > 0 else 0.0)
    return _single(centres), _single(factors)


@dataclass(frozen=True)
class LogisticLearner:
    """Fits logistic models by Newton's method: the least mean cross-entropy plus ridge / 2 times the squares of all
    coefficients except the first. Two Gaussians' log ratio is quadratic, so products make the model exact for them.

    Each pass makes a step or, where the last step did not lower the objective, halves it.
    """

    ridge: float = 1e-4
    passes: int = 30

    def learn(self, p: Points, q: Points, seed: int) -> Learned:
        centres, factors = _standardisation(p, q)
        count = 1 + len(centres) + len(centres) * (len(centres) + 1) // 2
        best, step = np.zeros(count), np.zeros(count)
        model = Logistic(centres, factors, True, best)
        if len(p) == 0 or len(q) == 0:
            return Learned(model, math.log(2))
        terms = np.concatenate([model.terms(p), model.terms(q)])
        weights = np.concatenate([np.full(len(p), 0.5 / len(p)), np.full(len(q), 0.5 / len(q))])
        targets = np.concatenate([np.ones(len(p)), np.zeros(len(q))])
        ridges = np.full(count, self.ridge)
        ridges[0] = 0
        least = cross_entropy = math.inf
        for _ in range(self.passes):
            tried = best + step
            logits = terms @ tried
            cross_entropy = float(weights @ np.logaddexp(0, np.where(targets > 0, -logits, logits)))
            objective = cross_entropy + float(ridges @ tried**2) / 2
            if objective >= least:
                step /= 2
                continue
            least, best = objective, tried
            sigmoids = 0.5 + np.tanh(logits / 2) / 2
            gradient = terms.T @ (weights * (sigmoids - targets)) + ridges * tried
            hessian = (terms.T * (weights * sigmoids * (1 - sigmoids))) @ terms + np.diag(ridges)
            # Only for a factorisation should all samples be certain: the intercept has no ridge.
            hessian[0, 0] += np.finfo(np.float64).eps
            step = -np.linalg.solve(hessian, gradient)
        return Learned(Logistic(centres, factors, True, best), cross_entropy)


# -------------------------------------------------------------------------------------------------
# Models in files.

_FORMAT = "mollify boosted density"
_NOTICE = (
    "PRIVATE DATA: this was learned from private records without protection; it may be drawn from "
    "through the kernel, but not given away"
)
_KEYS = ("format", "version", "notice", "epsilon", "outputs", "bounding", "features", "log_normaliser", "classifiers")


def _number(value: Any) -> float | str:
    """Numbers that JSON has none of are texts."""
    plain = float(value)
    return plain if math.isfinite(plain) else "nan" if math.isnan(plain) else "infinity" if plain > 0 else "-infinity"


def _listed(values: Any) -> list[float | str]:
    return [_number(value) for value in values]


def model_text(density: BoostedDensity) -> str:
    """The text of a model's file; `model_from` reads an equal density from it."""
    found = density.log_normaliser
    parts = {
        "format": _FORMAT, "version": 1, "notice": _NOTICE, "epsilon": density.epsilon, "outputs": density.count,
        "bounding": density.bounding, "features": density.classifiers[0].features,
        "log_normaliser": None if found is None else found._asdict(),
        "classifiers": [one.parts() for one in density.classifiers],
    }
    return json.dumps(parts, indent=1) + "\n"


def write_model(density: BoostedDensity, path: str) -> None:
    """Writes a model's file, which its owner alone may read; a file that is replaced leaves its mode to the new one."""
    path = os.path.realpath(path)
    descriptor, beside = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".mollify-", suffix=".partial")
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(model_text(density))
            if os.path.exists(path):
                os.fchmod(descriptor, os.stat(path).st_mode & 0o7777)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


class _Node:
    """A value of a model's file and its place, for messages."""

    def __init__(self, value: Any, place: str) -> None:
        self.value, self.place = value, place

    def refuse(self, expected: str) -> _core.InvalidInput:
        shown = json.dumps(self.value) if not isinstance(self.value, (dict, list)) else type(self.value).__name__
        return refusal("wrong-type", f"{self.place} must be {expected}, but is {shown}")

    def member(self, key: str) -> _Node:
        if not isinstance(self.value, dict):
            raise self.refuse("an object")
        if key not in self.value:
            raise refusal("missing-key", f'{self.place} must have "{key}", but has not', key)
        return _Node(self.value[key], f'"{key}" of {self.place}')

    def entries(self) -> list[_Node]:
        if not isinstance(self.value, list):
            raise self.refuse("a list")
        return [_Node(one, f"entry {place} of {self.place}") for place, one in enumerate(self.value)]

    def allow_only(self, keys: tuple[str, ...]) -> None:
        for key in self.value if isinstance(self.value, dict) else ():
            if key not in keys:
                found = nearest(key, keys)
                said = f'{self.place} may have only {", ".join(keys)}, but has "{key}"{meant(found)}'
                raise refusal("unknown-key", said, key, ways_out=[WayOut("leave", key), *(WayOut("set", one) for one in found)])

    def number(self) -> float:
        if isinstance(self.value, str) and self.value in ("nan", "infinity", "-infinity"):
            return float(self.value)
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            raise self.refuse("a number, nan, infinity or -infinity")
        return float(self.value)

    def whole(self, most: int = 2**31) -> int:
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not 0 <= self.value <= most:
            raise self.refuse(f"a whole number up to {most}")
        return self.value

    def numbers(self) -> list[float]:
        return [one.number() for one in self.entries()]

    def one_of(self, words: tuple[str, ...]) -> str:
        if self.value not in words or not isinstance(self.value, str):
            raise self.refuse(f'{", ".join(words[:-1])} or {words[-1]}' if len(words) > 1 else f'"{words[0]}"')
        return self.value


def _tree_from(node: _Node) -> Tree:
    node.allow_only(("type", "dimension", "nodes"))
    keys = ("feature", "child", "threshold", "logit")
    dimension = node.member("dimension").whole()
    nodes = []
    listed = node.member("nodes").entries()
    for place, one in enumerate(listed):
        one.allow_only(keys)
        feature, child, threshold, logit = (one.member(key) for key in keys)
        if child.whole() and not place < child.whole() < len(listed) - 1:
            raise child.refuse(f"0 or a later node, with another node behind it, of {len(listed)}")
        nodes.append((feature.whole(dimension - 1), child.whole(), threshold.number(), logit.number()))
    if not nodes:
        raise node.member("nodes").refuse("a list of at least 1 node")
    return _tree(dimension, nodes)


def _logistic_from(node: _Node) -> Logistic:
    keys = ("centres", "factors", "products", "coefficients")
    node.allow_only(("type", *keys))
    centres, factors, products, coefficients = (node.member(key) for key in keys)
    if not isinstance(products.value, bool):
        raise products.refuse("true or false")
    made = Logistic(
        _single(centres.numbers()), _single(factors.numbers()), products.value, np.array(coefficients.numbers())
    )
    d = len(made.centres)
    terms = 1 + d + (d * (d + 1) // 2 if made.products else 0)
    if len(made.factors) != d or len(made.coefficients) != terms:
        raise refusal("wrong-shape", f"{node.place} must have {d} factors and {terms} coefficients for {d} centres")
    return made


def _classifier_from(node: _Node, features: int) -> Classifier:
    kind = node.member("type").one_of(("network", "tree", "logistic"))
    made: Classifier
    if kind == "network":
        node.allow_only(("type", "centres", "factors", "layers"))
        layers = [layer.numbers() for layer in node.member("layers").entries()]
        made = Network(_core.Network(node.member("centres").numbers(), node.member("factors").numbers(), layers))
    else:
        made = _tree_from(node) if kind == "tree" else _logistic_from(node)
    if made.features != features:
        raise refusal("wrong-shape", f"{node.place} must read {features} features, but reads {made.features}")
    return made


def model_from(text: str, name: str) -> BoostedDensity:
    """The density of a model's file. Raises `InvalidInput`, one sentence, for anything else; `name` is the file's."""
    try:
        file = _Node(json.loads(text), name)
    except (ValueError, RecursionError) as wrong:
        raise refusal("malformed-file", f"{name} must be JSON, but is not: {wrong}", file=name) from None
    file.member("format").one_of((_FORMAT,))
    if file.member("version").value != 1:
        raise file.member("version").refuse("1")
    file.allow_only(_KEYS)
    features = file.member("features").whole()
    density = BoostedDensity(
        file.member("epsilon").number(), file.member("bounding").one_of(BOUNDINGS), file.member("outputs").whole(),
        tuple(_classifier_from(one, features) for one in file.member("classifiers").entries()),
    )
    if not density.classifiers:
        raise file.member("classifiers").refuse("a list of at least 1 classifier")
    found = file.member("log_normaliser")
    if found.value is None:
        return density
    found.allow_only(LogNormaliser._fields)
    value, error, method, points = (found.member(key) for key in LogNormaliser._fields)
    way = method.one_of(("cubature", "importance sampling"))
    return density.normalised(LogNormaliser(value.number(), error.number(), way, points.whole(2**53)))
