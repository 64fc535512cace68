"""The papers' contenders: the Bernstein mechanism (DPB) and an adversarial network (DPGAN).

NOT PRIVATE here: all of it computes with doubles, and its noise follows from a seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mollify import _core
from mollify.boosting.cell_masses import Fit, fit_of, measure
from mollify.boosting.density import Points
from mollify.reproduce.densities import three_gaussians
from mollify.reproduce.page import HeatMap, Numbers, PublishedNumber

BERNSTEIN = (
    "DPB: 10 000 points, a kernel density on a lattice with K = 20 and order h = 1, Laplace noise on its values, shifted to be "
    "positive. Its epsilon is for one record; for the whole table it is 10 000 times that. The papers give no K, h or box: the "
    "box is what is drawn, and in one dimension [-1, 2]; the bandwidth is cross-validated on other points, which count as "
    "public. In each repeat one draw of the noise is used for all epsilon, scaled by 1/epsilon."
)

# -------------------------------------------------------------------------------------------------
# The Bernstein mechanism.


def bernstein_weights(lattice: int, parts: int) -> Numbers:
    """Bin(K, y)(v) for y = 0, 1/parts, ..., 1 (rows) and v = 0 ... K (columns)."""
    y, v = np.linspace(0, 1, parts + 1)[:, None], np.arange(lattice + 1)
    ways = np.array([float(math.comb(lattice, one)) for one in v])
    return np.asarray(ways * y**v * (1 - y) ** (lattice - v))


def _along_all_axes(weights: Numbers, values: Numbers) -> Numbers:
    """A polynomial at all combinations of places, from the weights at the places."""
    return np.asarray(weights @ values if values.ndim == 1 else weights @ values @ weights.T)


def kernel_density_at_nodes(points: Numbers, lattice: int, width: float) -> Numbers:
    """The Gaussian kernel density estimate at the nodes v/K; points are in [0, 1]^d."""
    nodes = np.arange(lattice + 1) / lattice
    root = math.sqrt(2 * math.pi) * width
    axes = [np.exp(((nodes - axis[:, None]) / width) ** 2 / -2) / root for axis in points.T]
    sums = axes[0].sum(axis=0) if len(axes) == 1 else axes[0].T @ axes[1]
    return np.asarray(sums / len(points))


def bernstein_coefficients(
    estimate: Numbers, count: int, width: float, epsilon: float | None, numbers: _core.SeededNumbers, order: int = 1,
    group: int = 1,
) -> Numbers:
    """The coefficients of the private polynomial, of an estimate from `count` points.

    Definition [Aldà, Rubinstein 2017]. Laplace noise of scale S (K + 1)^d / epsilon on each value at the nodes, S = g /
    (count (2 pi)^(d/2) w^d). At order h the coefficients are W c with W = sum_{i<h} (I - B)^i, B evaluating the
    polynomial at the nodes.

    Theorem. The coefficients are epsilon-DP for groups of g replaced records: replacing g of n records moves each value
    by at most S, because a kernel lies between 0 and its peak, and so all (K + 1)^d values by at most S (K + 1)^d in
    sum.

    Without `epsilon` there is no noise.
    """
    noisy = estimate.copy()
    if epsilon is not None:
        sensitivity = group / (count * (math.sqrt(2 * math.pi) * width) ** estimate.ndim)
        uniforms = numbers.uniforms(2 * estimate.size).reshape(-1, 2)
        sides = np.where(uniforms[:, 0] < 0.5, -1, 1)
        noise = -sides * np.log(uniforms[:, 1]) * (sensitivity * estimate.size / epsilon)
        noisy += noise.reshape(estimate.shape)
    at_nodes = bernstein_weights(len(estimate) - 1, len(estimate) - 1)
    coefficients, rest = noisy.copy(), noisy
    for _ in range(order - 1):
        rest = rest - _along_all_axes(at_nodes, rest)
        coefficients += rest
    return coefficients


def bernstein_masses(coefficients: Numbers, along: int) -> Numbers:
    """The masses of cells of equal width, `along` on each axis.

    If the polynomial is negative at a corner or a middle of a cell, its minimum is subtracted. Then all is divided by
    the sum, by Simpson's rule in each cell.
    """
    values = _along_all_axes(bernstein_weights(len(coefficients) - 1, 2 * along), coefficients)
    values = values - min(0.0, float(values.min()))
    simpson = np.zeros((along, 2 * along + 1))
    for offset, weight in enumerate((1, 4, 1)):
        simpson[np.arange(along), 2 * np.arange(along) + offset] = weight
    masses = _along_all_axes(simpson, values)
    return np.asarray(masses / masses.sum())


def cross_validated_width(points: Numbers) -> float:
    """The width with the greatest ten-fold cross-validated likelihood, of 13 from .005 to .2.

    On private points the width is private data that no epsilon pays for. The first 2000 points count.
    """
    points = points[:2000]
    squares = sum((axis[:, None] - axis) ** 2 for axis in points.T)
    folds = np.arange(len(points)) % 10
    others = folds[:, None] != folds

    def likelihood(width: float) -> float:
        kernels = np.exp(squares / (-2 * width * width)) * others
        peak = (math.sqrt(2 * math.pi) * width) ** -points.shape[1]
        densities = peak * kernels.sum(axis=1) / others.sum(axis=1)
        return float(np.log(np.maximum(densities, np.finfo(float).tiny)).sum())

    return float(max((0.005 * 40 ** (np.arange(13) / 12)).tolist(), key=likelihood))


class BernsteinContender:
    """Samples of a known P inside the box [low, high]^d, which is public.

    The width is cross-validated on other samples of P, which count as public: no epsilon is spent on it. Likelihoods
    are of P restricted to the box, in the units of P.
    """

    _ORACLE = [(lattice, order) for lattice in (10, 20, 40, 80) for order in (1, 4)]

    def __init__(self, parts: dict[str, Any], low: float, high: float, seed: int, quick: bool):
        dimension = measure(parts).dimension
        truth = measure(parts | {"box": [[low, high]] * dimension})
        self.low, self.high = low, high
        self.along = 500 if dimension == 1 else (61 if quick else 200)
        numbers = _core.SeededNumbers(seed)

        def sample(count: int) -> Numbers:
            points = truth.sample(count, numbers).reshape(count, dimension)
            return (points - low) / (high - low)

        self.points = sample(2000 if quick else 10_000)
        self.width = cross_validated_width(sample(300 if quick else 2000))
        edges = np.linspace(low, high, self.along + 1)
        self.p = truth.cell_masses(np.tile(edges, dimension), [len(edges)] * dimension)
        self.volumes = np.full(len(self.p), ((high - low) / self.along) ** dimension)
        self._estimates: dict[int, Numbers] = {}

    def _masses(self, epsilon: float | None, seed: int, along: int, lattice: int, order: int) -> Numbers:
        if lattice not in self._estimates:
            self._estimates[lattice] = kernel_density_at_nodes(self.points, lattice, self.width)
        coefficients = bernstein_coefficients(
            self._estimates[lattice], len(self.points), self.width, epsilon, _core.SeededNumbers(seed), order
        )
        return bernstein_masses(coefficients, along)

    def fit(self, epsilon: float | None, seed: int, lattice: int = 20, order: int = 1) -> Fit:
        """How well the density finds P; `epsilon` is per record, and None is without noise."""
        return fit_of(self.p, self._masses(epsilon, seed, self.along, lattice, order).ravel(), self.volumes)

    def oracle_nll(self, epsilon: float, seed: int) -> float:
        """The least negative log-likelihood of several K and h: chosen by looking at P."""
        return min(self.fit(epsilon, seed, *one).nll for one in self._ORACLE)

    def oracle_epsilon(self, nll: float, seed: int) -> float | None:
        """The least epsilon per record, to a tenth, at which one of these K and h comes as near to P
        as a law of this negative log-likelihood; None if no number from 1 to 10^6 is enough."""
        low, high = 1.0, 1e6
        if self.oracle_nll(high, seed) > nll:
            return None
        while high > 1.1 * low:  # one draw of the noise, scaled: the nearer to P the larger epsilon is
            middle = math.sqrt(low * high)
            low, high = (low, middle) if self.oracle_nll(middle, seed) <= nll else (middle, high)
        return high

    def densities(self, epsilon: float, seed: int, count: int) -> Numbers:
        """The density on the line, in cells of equal width."""
        return self._masses(epsilon, seed, count, 20, 1) * (count / (self.high - self.low))

    def map(self, epsilon: float, seed: int, title: str, pixels: int, **parts: Any) -> HeatMap:
        """The density in the plane."""
        side = (self.high - self.low) / pixels
        # A map's rows are of one y, a grid's of one x.
        values = self._masses(epsilon, seed, pixels, 20, 1).T / side**2
        return HeatMap(title, self.low, self.high, values, **parts)


def expected_likelihoods(seed: int, quick: bool) -> list[PublishedNumber]:
    """DPB on the three Gaussians with [-1, 2] as the unit box, K = 20, h = 1, w = .01, n = 10 000.

    Each likelihood, in nats of the box, is the mean of 2500 draws of the noise, 500 if `quick`, from one set of points;
    the comparison says where among the draws the expected number lies.
    """
    cells, low, high, count = 200, -1.0, 2.0, 10_000
    truth = measure(three_gaussians() | {"box": [[low, high]]})
    start = measure({"type": "gaussian", "mean": [0], "variance": 1, "box": [[low, high]]})
    edges = np.linspace(low, high, cells + 1)
    p, q0 = (one.cell_masses(edges, [cells + 1]) for one in (truth, start))
    points = (truth.sample(count, _core.SeededNumbers(seed)) - low) / (high - low)
    estimate = kernel_density_at_nodes(points[:, None], 20, 0.01)

    def nll(law: Numbers) -> float:
        return fit_of(p, law, np.full(cells, 1 / cells)).nll

    def drawn(epsilon: float | None, draw: int) -> float:
        numbers = _core.SeededNumbers(draw)
        return nll(bernstein_masses(bernstein_coefficients(estimate, count, 0.01, epsilon, numbers), cells))

    name, whose = "DPB on three Gaussians, unit box: ", "(expected: a reference computation)"
    rows = [
        PublishedNumber(f"{name}{what} {whose}", None, expected, ours, why)
        for what, expected, ours, why in (
            ("entropy of P", -0.924, nll(p), ""),
            ("N(0, 1), where boosting starts", -0.207, nll(q0), "given to three digits"),
            ("without noise", -0.775, drawn(None, 0), "10 000 other points"),
        )
    ]
    draws = 500 if quick else 2500
    for epsilon, expected in ((10, -0.773), (1, -0.735), (0.1, -0.44), (0.01, -0.16)):
        nlls = np.sort([drawn(epsilon, seed + draw) for draw in range(draws)])
        deviation = float(np.std(nlls, ddof=1))
        why = (
            f"mean of {draws} draws of the noise, error {deviation / math.sqrt(draws):.1g}, "
            f"median {nlls[draws // 2]:.3f}; {100 * np.searchsorted(nlls, expected) / draws:.0f} % of "
            "draws are below the expected number"
        )
        what = f"{name}epsilon {epsilon:g} per record {whose}"
        rows.append(PublishedNumber(what, None, expected, float(nlls.mean()), why, deviation))
    return rows


# -------------------------------------------------------------------------------------------------
# A Wasserstein GAN whose critic learns from clipped and noised gradients.


@dataclass
class PrivateGan:
    """DPGAN [Xie et al. 2018] in the plane, with the batch of [Husain et al. 2020, Section 5].

    The papers do not give the hidden layers, the rates, the critic's steps and the bounds: with these the network
    learns the ring of eight Gaussians if there is no noise.
    """

    width: int = 64
    """Neurons of each of the two hidden layers (tanh)."""
    batch: int = 128
    epochs: float = 10_000
    """Passes of the critic over the records."""
    critic_steps: int = 5
    """For each step of the generator."""
    rate: float = 1e-3
    """Of RMSProp, which forgets by .9 a step."""
    weight_bound: float = 0.3
    """Of each weight of the critic."""
    gradient_bound: float = 1
    """The gradient of each example, of the critic at a record less that at a made point, is clipped to this norm."""
    noise: float = 0
    """N(0, (noise gradient_bound)^2) is added in each coordinate to the sum of a batch's clipped gradients."""

    def papers_noise(self, records: int, epsilon: float, delta: float) -> float:
        """2 q sqrt(n_d ln(1/delta)) / epsilon, q = batch/records, n_d the critic's steps for one step
        of the generator: it accounts for that one step alone."""
        return 2 * self.batch / records * math.sqrt(self.critic_steps * math.log(1 / delta)) / epsilon

    def generator_steps(self, records: int) -> int:
        """Steps of the generator in all epochs."""
        return max(1, round(self.epochs * records / (self.batch * self.critic_steps)))

    def epsilon(self, records: int, delta: float) -> float:
        """An upper bound by Renyi divergences, for any noise, on what all steps of the critic cost. Each step chooses every
        record with probability batch/records."""
        steps = self.generator_steps(records) * self.critic_steps
        return _core.sampled_gaussian_epsilon_up(min(1, self.batch / records), self.noise, steps, delta)

    def tight_epsilon(self, records: int, delta: float) -> float:
        """The least epsilon for all steps of the critic; see `sampled_gaussian_epsilon`."""
        steps = self.generator_steps(records) * self.critic_steps
        return sampled_gaussian_epsilon(self.batch / records, self.noise, steps, delta)

    def noise_for(self, records: int, epsilon: float, delta: float) -> float:
        """The least noise, to .1 %, by which all steps of the critic cost this epsilon."""

        def least(low: float, high: float, ratio: float, cost: Callable[[int, float], float]) -> float:
            while high > ratio * low:
                self.noise = math.sqrt(low * high)
                low, high = (low, self.noise) if cost(records, delta) <= epsilon else (self.noise, high)
            return high

        enough = least(1e-2, 1e4, 1.01, self.epsilon)
        return least(enough / 2, enough, 1.001, self.tight_epsilon)


def sampled_gaussian_epsilon(rate: float, noise: float, steps: int, delta: float) -> float:
    """The least epsilon of sums of records that are each chosen with probability `rate`, with noise N(0, noise^2).

    For adding or removing one record, whose part of a sum is at most 1. The distribution of the privacy loss of one step
    is put on a grid that keeps its delta exact at each node and above it between them [Doroshenko et al. 2022], and
    convolved with itself by one Fourier transform. The grid's step is a tenth of the loss's deviation, which makes
    epsilon .1 % too large; for thousands of steps and a delta far above rounding, 1e-9.
    """
    step = 0.1 * rate * math.sqrt(math.expm1(noise**-2))
    return max(_composed_epsilon(rate, noise, steps, delta, step, removed) for removed in (True, False))


def _composed_epsilon(rate: float, noise: float, steps: int, delta: float, step: float, removed: bool) -> float:
    """For one of the two directions."""
    least, most = math.log1p(-rate), math.log1p(rate * math.expm1((0.5 + 12 * noise) / noise**2))
    low, high = (least, most) if removed else (-most, -least)
    first = math.floor(low / step) - 1
    losses = step * np.arange(first, math.ceil(high / step) + 2)
    ratios = np.exp(losses)
    # The place at which the loss is a node's: above it, if a record is removed, losses are greater.
    tilted = (ratios if removed else 1 / ratios) - 1 + rate
    places = np.full(len(losses), -math.inf)
    places[tilted > 0] = noise**2 * np.log(tilted[tilted > 0] / rate) + 0.5
    side = 1 if removed else -1
    without, with_it = (_normal_tail(side * (places - mean) / noise) for mean in (0, 1))
    mixed = (1 - rate) * without + rate * with_it
    deltas = mixed - ratios * without if removed else without - ratios * mixed
    slopes = np.concatenate([[-1.0], np.diff(deltas) / np.diff(ratios), [0.0]])
    masses = np.maximum(np.diff(slopes) * ratios, 0)
    mean = float(masses @ losses)
    deviation = math.sqrt(steps * max(float(masses @ losses**2) - mean**2, 0))
    reach = max(abs(steps * mean) + 12 * deviation, high - low)
    size = 2 ** math.ceil(math.log2(2 * reach / step))
    wrapped = np.zeros(size)
    wrapped[(first + np.arange(len(masses))) % size] = masses
    composed = np.fft.fftshift(np.fft.irfft(np.exp(steps * np.log(np.fft.rfft(wrapped))), size))
    totals = step * (np.arange(size) - size // 2)

    def delta_of(epsilon: float) -> float:
        above = totals > epsilon
        return float(composed[above] @ -np.expm1(epsilon - totals[above]))

    low, high = 0.0, float(totals[-1])
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if delta_of(middle) > delta else (low, middle)
    return high


def _normal_tail(places: Numbers) -> Numbers:
    return np.asarray(np.vectorize(math.erfc, otypes=[float])(places / math.sqrt(2)) / 2)


class _Network:
    """Two hidden layers of tanh and linear outputs; the parameters are one vector."""

    def __init__(self, outputs: int, width: int, rate: float, random: np.random.Generator):
        sizes = [2, width, width, outputs]
        shapes = list(zip(sizes[1:], sizes))
        self.parameters = np.zeros(sum(rows * (columns + 1) for rows, columns in shapes), np.float32)
        self.gradient = np.zeros_like(self.parameters)
        self.squares = np.zeros_like(self.parameters)
        self.rate = np.float32(rate)
        # The weights and the offsets of each layer, and their gradients: views.
        self.layers: list[tuple[Points, Points]] = []
        self.slopes: list[tuple[Points, Points]] = []
        first = 0
        for rows, columns in shapes:
            for into, found in ((self.parameters, self.layers), (self.gradient, self.slopes)):
                weights = into[first : first + rows * columns].reshape(rows, columns)
                found.append((weights, into[first + rows * columns :][:rows]))
            # [Glorot, Bengio 2010]
            limit = math.sqrt(6 / (rows + columns))
            self.layers[-1][0][:] = random.uniform(-limit, limit, (rows, columns))
            first += rows * (columns + 1)

    def forward(self, inputs: Points) -> Points:
        """The outputs of all inputs; activations stay for `backward`."""
        self.activations = [inputs]
        for place, (weights, offsets) in enumerate(self.layers):
            sums = self.activations[-1] @ weights.T + offsets
            self.activations.append(np.tanh(sums) if place < 2 else sums)
        return self.activations[-1]

    def backward(self, slopes: Points) -> list[Points]:
        """The slopes that reach the sums of each layer, from the outputs' slopes; then the inputs' slopes."""
        reached = [slopes]
        for place in (2, 1):
            back = reached[0] @ self.layers[place][0]
            reached.insert(0, back * (1 - self.activations[place] ** 2))
        return [*reached, reached[0] @ self.layers[0][0]]

    def add_up(self, slopes: list[Points]) -> None:
        """The gradient from the slopes of all layers, summed over the inputs."""
        for (weights, offsets), slope, inputs in zip(self.slopes, slopes, self.activations):
            np.matmul(slope.T, inputs, out=weights)
            offsets[:] = slope.sum(axis=0)

    def step(self) -> None:
        """Up the gradient by RMSProp."""
        self.squares *= np.float32(0.9)
        self.squares += np.float32(0.1) * self.gradient * self.gradient
        self.parameters += self.rate * self.gradient / (np.sqrt(self.squares) + np.float32(1e-8))


def private_gan_sample(records: Points, how: PrivateGan, count: int, seed: int) -> Points:
    """Trains on points of the plane and returns points of the generator."""
    random = np.random.default_rng(seed)
    generator = _Network(2, how.width, how.rate, random)
    critic = _Network(1, how.width, how.rate, random)
    chance = min(1.0, how.batch / len(records))
    bound = np.float32(how.weight_bound)
    np.clip(critic.parameters, -bound, bound, out=critic.parameters)

    def made(points: int) -> Points:
        return generator.forward(random.standard_normal((points, 2), dtype=np.float32))

    def chosen() -> Points:
        """Each record with probability `chance`: gaps between chosen records are geometric."""
        places = np.cumsum(random.geometric(chance, size=2 * how.batch + 64)) - 1
        while places[-1] < len(records):
            places = np.append(places, places[-1] + np.cumsum(random.geometric(chance, size=how.batch)))
        return records[places[places < len(records)]]

    def improve_critic() -> None:
        real = chosen()
        pairs = len(real)
        critic.gradient[:] = 0
        if pairs:
            critic.forward(np.concatenate([real, made(pairs)]))
            signs = np.ones((2 * pairs, 1), np.float32)
            signs[pairs:] = -1
            slopes = critic.backward(signs)[:3]
            # The norm of each pair's gradient, without the gradient: a layer's is of rank two.
            squares = np.zeros(pairs, np.float32)
            for slope, inputs in zip(slopes, critic.activations):
                of_slope, of_input = np.einsum("ij,ij->i", slope, slope), np.einsum("ij,ij->i", inputs, inputs)
                alone = of_slope * (of_input + 1)
                across = np.einsum("ij,ij->i", slope[:pairs], slope[pairs:])
                across *= np.einsum("ij,ij->i", inputs[:pairs], inputs[pairs:]) + 1
                squares += alone[:pairs] + alone[pairs:] + 2 * across
            norms = np.sqrt(np.maximum(squares, 1e-30))
            kept = np.tile(np.minimum(1, how.gradient_bound / norms), 2)[:, None].astype(np.float32)
            critic.add_up([slope * kept for slope in slopes])
        if how.noise > 0:
            normals = random.standard_normal(len(critic.gradient), dtype=np.float32)
            critic.gradient += np.float32(how.noise * how.gradient_bound) * normals
        critic.gradient /= np.float32(how.batch)
        critic.step()
        np.clip(critic.parameters, -bound, bound, out=critic.parameters)

    def improve_generator() -> None:
        critic.forward(made(how.batch))
        slopes = critic.backward(np.full((how.batch, 1), 1 / how.batch, np.float32))[3]
        generator.add_up(generator.backward(slopes)[:3])
        generator.step()

    for _ in range(how.generator_steps(len(records))):
        for _ in range(how.critic_steps):
            improve_critic()
        improve_generator()
    return made(count)
