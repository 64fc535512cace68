"""The papers' contenders: the Bernstein mechanism (DPB), an adversarial network
(DPGAN), and a Gaussian sampler that proposes, tests and releases.

NOT PRIVATE here: all of it computes with doubles, and its noise follows from a seed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mollify import _core
from mollify.boosting.density import Points
from mollify.boosting.known import Fit, fit_of, measure
from mollify.reproduce.known import three_gaussians
from mollify.reproduce.page import HeatMap, Numbers, PublishedNumber

BERNSTEIN = (
    "DPB: 10 000 points, a kernel density on a lattice with K = 20 and order h = 1, Laplace noise on "
    "its values, shifted to be positive. Its epsilon is for one record; for the whole table it is "
    "10 000 times that. The papers give no K, h or box: the box is what is drawn, and in one "
    "dimension [-1, 2]; the bandwidth is cross-validated on other points, which count as public. In "
    "each repeat one draw of the noise is used for all epsilon, scaled by 1/epsilon."
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
    estimate: Numbers,
    count: int,
    width: float,
    epsilon: float | None,
    numbers: _core.SeededNumbers,
    order: int = 1,
    group: int = 1,
) -> Numbers:
    """The coefficients of the private polynomial, of an estimate from `count` points.

    Definition [Aldà, Rubinstein 2017]. Laplace noise of scale S (K + 1)^d / epsilon on each value
    at the nodes, S = g / (count (2 pi)^(d/2) w^d). At order h the coefficients are W c with
    W = sum_{i<h} (I - B)^i, B evaluating the polynomial at the nodes.

    Theorem. The coefficients are epsilon-DP for groups of g replaced records: replacing g of n
    records moves each value by at most S, because a kernel lies between 0 and its peak, and so all
    (K + 1)^d values by at most S (K + 1)^d in sum.

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

    If the polynomial is negative at a corner or a middle of a cell, its minimum is subtracted. Then
    all is divided by the sum, by Simpson's rule in each cell.
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

    On private points the width is private data that no epsilon pays for. The first 2000 points
    count.
    """
    points = points[:2000]
    squares = sum((axis[:, None] - axis) ** 2 for axis in points.T)
    folds = np.arange(len(points)) % 10
    others = folds[:, None] != folds
    best, greatest = 0.0, -math.inf
    for width in 0.005 * 40 ** (np.arange(13) / 12):
        kernels = np.exp(squares / (-2 * width * width))
        kernels *= others
        peak = (math.sqrt(2 * math.pi) * width) ** -points.shape[1]
        densities = peak * kernels.sum(axis=1) / others.sum(axis=1)
        likelihood = float(np.log(np.maximum(densities, np.finfo(float).tiny)).sum())
        if likelihood > greatest:
            best, greatest = float(width), likelihood
    return best


class BernsteinContender:
    """Samples of a known P inside the box [low, high]^d, which is public.

    The width is cross-validated on other samples of P, which count as public: no epsilon is spent on
    it. Likelihoods are of P restricted to the box, in the units of P.
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
        least: float | None = None
        for lattice, order in self._ORACLE:
            # One draw of the noise, scaled: the nearer to P the larger epsilon is.
            low, high = 1.0, least or 1e6
            if self.fit(high, seed, lattice, order).nll > nll:
                continue
            while high > 1.1 * low:
                middle = math.sqrt(low * high)
                if self.fit(middle, seed, lattice, order).nll <= nll:
                    high = middle
                else:
                    low = middle
            least = high
        return least

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

    Each likelihood, in nats of the box, is the mean of 2500 draws of the noise, 500 if `quick`, from
    one set of points; the comparison says where among the draws the expected number lies.
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

    name = "DPB on three Gaussians, unit box: "
    rows = [
        PublishedNumber(name + "entropy of P (expected: a reference computation)", None, -0.924, nll(p)),
        PublishedNumber(
            name + "N(0, 1), where boosting starts (expected: a reference computation)",
            None, -0.207, nll(q0), "given to three digits",
        ),
        PublishedNumber(
            name + "without noise (expected: a reference computation)",
            None, -0.775, drawn(None, 0), "10 000 other points",
        ),
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
        what = f"{name}epsilon {epsilon:g} per record (expected: a reference computation)"
        rows.append(PublishedNumber(what, None, expected, float(nlls.mean()), why, deviation))
    return rows


# -------------------------------------------------------------------------------------------------
# A Wasserstein GAN whose critic learns from clipped and noised gradients.


@dataclass
class PrivateGan:
    """DPGAN [Xie et al. 2018] in the plane, with the batch of [Husain et al. 2020, Section 5].

    The papers do not give the hidden layers, the rates, the critic's steps and the bounds: with these
    the network learns the ring of eight Gaussians if there is no noise.
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
    """The gradient of each example, of the critic at a record less that at a made point, is clipped
    to this norm."""
    noise: float = 0
    """N(0, (noise gradient_bound)^2) is added in each coordinate to the sum of a batch's clipped
    gradients."""

    def papers_noise(self, records: int, epsilon: float, delta: float) -> float:
        """2 q sqrt(n_d ln(1/delta)) / epsilon, q = batch/records, n_d the critic's steps for one step
        of the generator: it accounts for that one step alone."""
        return 2 * self.batch / records * math.sqrt(self.critic_steps * math.log(1 / delta)) / epsilon

    def generator_steps(self, records: int) -> int:
        """Steps of the generator in all epochs."""
        return max(1, round(self.epochs * records / (self.batch * self.critic_steps)))

    def epsilon(self, records: int, delta: float) -> float:
        """An epsilon for all steps of the critic; each step chooses every record with probability batch/records."""
        steps = self.generator_steps(records) * self.critic_steps
        return _core.sampled_gaussian_epsilon_up(min(1, self.batch / records), self.noise, steps, delta)

    def noise_for(self, records: int, epsilon: float, delta: float) -> float:
        """The least noise, to 1 %, by which all steps of the critic cost this epsilon at most."""
        low, high = 1e-2, 1e4
        while high > 1.01 * low:
            self.noise = math.sqrt(low * high)
            low, high = (low, self.noise) if self.epsilon(records, delta) <= epsilon else (self.noise, high)
        return high


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


# -------------------------------------------------------------------------------------------------
# One sample of a Gaussian of unknown covariance by propose, test, release.


def _below(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def gaussian_excess(shift: float, spread: float, epsilon: float) -> tuple[float, float]:
    """E(N(shift, 1 + spread^2) || N(0, 1)) and the reverse: the hockey-stick divergences."""
    variance = 1 + spread * spread
    deviation = math.sqrt(variance)
    # ln N(shift, s^2)(y) / N(0, 1)(y) = a y^2 + b y - c
    a = spread * spread / (2 * variance)
    b = shift / variance
    c = shift * shift / (2 * variance) + math.log1p(spread * spread) / 2

    def roots(level: float) -> tuple[float, float]:
        """Of a y^2 + b y = level, without cancellation."""
        root = math.sqrt(b * b + 4 * a * level)
        return -(b + root) / (2 * a), 2 * level / (b + root)

    def beyond(mean: float, scale: float) -> float:
        low, high = roots(c + epsilon)
        return _below((low - mean) / scale) + _below((mean - high) / scale)

    def between(mean: float, scale: float) -> float:
        low, high = ((end - mean) / scale for end in roots(c - epsilon))
        return _below(-low) - _below(-high) if low > 0 else _below(high) - _below(low)

    of_wider = max(0.0, beyond(shift, deviation) - math.exp(epsilon) * beyond(0, 1))
    if b * b + 4 * a * (c - epsilon) <= 0:
        return of_wider, 0.0
    return of_wider, max(0.0, between(0, 1) - math.exp(epsilon) * between(shift, deviation))


@dataclass
class TestedGaussian:
    """[after Ghazi et al. 2023, Algorithm 2; weights, constants and proof are ours].

    Definition. Records are clipped to the distance B from 0. Let m be the mean and S the scatter
    matrix sum_i (x_i - m)(x_i - m)^T of the clipped records, and D = 4 B^2 (n - 1)/n^2. If the least
    eigenvalue of S/n plus Laplace noise of scale 2 D/epsilon is at least
    1/2 + D (1 + 2 ln(1/(2 delta))/epsilon), a draw from N(m, S/n) is released; otherwise nothing.

    Theorem (privacy). If `is_private()`, this is (epsilon, delta)-DP for replacing a record.
    Proof. Leave one record x out: c and T are mean and scatter of the others, a = x - c, so that
    S = T + (n - 1)/n a a^T and m = c + a/n. (1) The least eigenvalues of S/n and T/n differ by at
    most (n - 1)/n^2 |a|^2 <= D, and T does not depend on x: neighbours' differ by at most D, and
    the test is (epsilon/2)-DP. (2) If the eigenvalue of S/n is below 1/2 + D, the test passes with
    probability at most delta. (3) Otherwise T/n >= 1/2. If T/n is the identity, N(m, S/n) and
    N(c, T/n) are alike except along a, where they are N(p/sqrt(n - 1), 1 + p^2) and N(0, 1) with
    p^2 = (n - 1)/n^2 a^T (T/n)^-1 a <= 2 D. The channel y -> s y + sqrt(1 - s^2) N(0, 1) takes the
    pair of p to the pair of s p, so no smaller p is worse than the greatest. From N(m, S/n) to
    N(c, T/n) to the neighbour's is epsilon/4 twice, and `is_private` says that
    E(wider || standard) + e^(epsilon/4) E(standard || wider) <= delta. (1) and (3) compose to
    (epsilon, delta), (1) and (2) do. QED

    Theorem (accuracy). For unclipped records from N(mu, Sigma), given that it is released without
    a look at the test, y = sum_i w_i x_i with w_i = 1/n + (g_i - mean g)/sqrt(n) and g_i standard
    normal, independent of the records: N(mu, v Sigma) with v = (1 + chi^2_(n-1))/n, of mean 1 and
    variance 2 (n - 1)/n^2, whatever mu and Sigma are.
    """

    records: int
    epsilon: float
    delta: float
    clip_radius: float

    @property
    def _step(self) -> float:
        return 4 * self.clip_radius**2 * (self.records - 1) / self.records**2

    @property
    def test_scale(self) -> float:
        """Of the test's Laplace noise."""
        return 2 * self._step / self.epsilon

    @property
    def threshold(self) -> float:
        """The least eigenvalue of S/n that passes the test without noise."""
        return 0.5 + self._step + self.test_scale * math.log(1 / (2 * self.delta))

    def is_private(self) -> bool:
        """Whether n is large enough for the budget."""
        spread, hop = math.sqrt(2 * self._step), self.epsilon / 4
        of_wider, of_standard = gaussian_excess(spread / math.sqrt(self.records - 1), spread, hop)
        return of_wider + math.exp(hop) * of_standard <= self.delta

    def simulate(self, rows: Numbers, random: np.random.Generator) -> Numbers | None:
        """A draw; None if the test fails."""
        rows = np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, 0)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        clipped = rows * np.minimum(1, self.clip_radius / np.maximum(norms, np.finfo(float).tiny))
        mean = clipped.mean(axis=0)
        scatter = (clipped - mean).T @ (clipped - mean) / len(rows)
        values, vectors = np.linalg.eigh(scatter)
        if not values[0] + random.laplace(scale=self.test_scale) >= self.threshold:
            return None
        normals = random.standard_normal(len(mean))
        return np.asarray(mean + vectors @ (np.sqrt(np.maximum(values, 0)) * normals))


def _chi_squared_quantiles(degrees: float, count: int) -> Numbers:
    """At the middles of `count` equal shares, from the density of the square root."""
    centre = math.sqrt(degrees)
    roots = np.linspace(max(0, centre - 8), centre + 8, 40_001)[1:]
    logs = (degrees - 1) * np.log(roots) - roots * roots / 2
    densities = np.exp(logs - logs.max())
    shares = np.cumsum((densities[1:] + densities[:-1]) / 2)
    middles = (np.arange(count) + 0.5) / count
    return np.asarray(np.interp(middles, shares / shares[-1], roots[1:]) ** 2)


def resampled_gaussian_total_variation(dimension: int, records: int) -> float:
    """The total variation of N(0, v I), v = (1 + chi^2_(n-1))/n, from N(0, I), to about 1 %."""
    variances = (1 + _chi_squared_quantiles(records - 1, 400)) / records
    norms = _chi_squared_quantiles(dimension, 2000)[:, None]
    ratios = np.exp(-dimension / 2 * np.log(variances) + norms / 2 * (1 - 1 / variances)).mean(axis=1)
    return float(np.abs(ratios - 1).mean() / 2)


def tested_clip_radius(
    dimension: int, mean_bound: float, covariance_bound: float, records: int, alpha: float
) -> float:
    """n records from a Gaussian with |mu| <= R and Sigma <= K I are all within this radius except
    with probability alpha/2."""
    reach = math.sqrt(dimension) + math.sqrt(2 * math.log(2 * records / alpha))
    return mean_bound + math.sqrt(covariance_bound) * reach


def tested_gaussian_records(
    dimension: int, mean_bound: float, covariance_bound: float, epsilon: float, delta: float, alpha: float
) -> int | None:
    """The least n for one sample within total variation alpha of every N(mu, Sigma) with
    |mu| <= mean_bound and I <= Sigma <= covariance_bound I.

    Alpha is the sum of clipping, alpha/2, at `tested_clip_radius`; a test that fails, alpha/4; and
    the shape. None if there is no such n up to 2^40.
    """

    def serves(records: int) -> bool:
        radius = tested_clip_radius(dimension, mean_bound, covariance_bound, records, alpha)
        sampler = TestedGaussian(records, epsilon, delta, radius)
        if not sampler.is_private():
            return False
        # Wishart with n - 1 degrees: the root of S/(n - 1)'s least eigenvalue is below
        # 1 - sqrt(d/(n - 1)) - t with probability at most e^(-(n - 1) t^2/2) [Davidson, Szarek 2001].
        logarithm, rest = math.log(8 / alpha), records - 1
        root = max(0.0, 1 - math.sqrt(dimension / rest) - math.sqrt(2 * logarithm / rest))
        if rest / records * root * root < sampler.threshold + sampler.test_scale * logarithm:
            return False
        return resampled_gaussian_total_variation(dimension, records) <= alpha / 4

    high = 4
    while not serves(high):
        if high >= 2**40:
            return None
        high *= 2
    low = high // 2
    while high - low > 1:
        between = (low + high) // 2
        low, high = (low, between) if serves(between) else (between, high)
    return high
