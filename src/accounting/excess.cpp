#include "accounting/excess.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include <boost/math/tools/minima.hpp>

#include "base/directed_rounding.h"
#include "base/progress.h"
#include "methods/divergence/f_divergence.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The mean excess over zero of a sum of mostly equal variables, by its rare states.

namespace {

/// The relative error of the given doubles, and as much again for the roundings of a
/// step.
constexpr double kStep = 0x1p-49;
/// Weights of states without the likely value grow with this many expected others, as e^this.
constexpr double kMostExpected = 500;
/// Below, products lose digits; larger weights are as good for an upper bound.
constexpr double kSmallestWeight = 1e-290;

struct RareAtom {
  double value;
  MeanExcess probability;  // both sides
  std::uint64_t most;      // counts beyond are left out
};

/// P(Bin(n, p) >= count), from above: Chernoff's bound for the Poisson law of that mean, which
/// holds for the binomial one; 1 up to the mean.
double tail_up(double mean, double count) {
  if (count <= mean * (1 + 0x1p-40)) return 1;
  return std::exp(-(count * std::log(count / mean) - count + mean) * (1 - 0x1p-40)) * (1 + 0x1p-40);
}

/// Some milliseconds.
constexpr std::uint64_t kStatesBetweenLooks = std::uint64_t{1} << 16U;

class SparseStates {
 public:
  /// `value` is the likely one.
  SparseStates(double value, std::uint64_t terms, std::vector<RareAtom> rare, MeanExcess likely)
      : value_(value), terms_(terms), rare_(std::move(rare)) {
    std::uint64_t others = 0;
    for (const RareAtom& atom : rare_) others += atom.most;
    // powers_[i]: all terms except i have the likely value.
    for (std::uint64_t i = 0; i <= std::min(others, terms_); ++i) {
      const auto left = static_cast<double>(terms_ - i);
      const double low =
          likely.lower > 0 ? left * std::log(likely.lower) * (1 + 0x1p-48) : -HUGE_VAL;
      const double high = left * std::log(likely.upper) * (1 - 0x1p-48);
      powers_.push_back({left > 0 ? std::exp(low) * (1 - 0x1p-48) : 1,
                         left > 0 ? std::min(1.0, std::exp(high) * (1 + 0x1p-48)) : 1});
    }
    visit(0, terms_, 0, 0, {1, 1});
  }

  /// Of at most 2^24 summands, none of them negative.
  [[nodiscard]] MeanExcess result() const {
    return {lower_ * (1 - 0x1p-28), upper_ * (1 + 0x1p-28)};
  }

 private:
  void visit(std::size_t atom, std::uint64_t left, double value, double size, MeanExcess weight) {
    if (atom == rare_.size()) {
      if (visited_++ % kStatesBetweenLooks == 0) keep_going();
      const double rest = static_cast<double>(left) * value_;
      const double error = (size - rest) * 0x1p-46;
      const MeanExcess& power = powers_[terms_ - left];
      const double sum = value + rest;
      if (sum + error <= 0) return;
      upper_ +=
          (sum + error) * (1 + 0x1p-44) * std::max(kSmallestWeight, weight.upper * power.upper);
      const double product = weight.lower * power.lower;
      if (product >= kSmallestWeight)
        lower_ += std::max(0.0, sum - error) * (1 - 0x1p-44) * product;
      return;
    }
    const RareAtom& here = rare_[atom];
    const std::uint64_t most = std::min(left, here.most);
    for (std::uint64_t n = 0; n <= most; ++n) {
      const double times = static_cast<double>(n);
      // Without a gain nothing is above 0.
      if (atom > 0 || n > 0) {
        visit(atom + 1, left - n, value + times * here.value, size + times * std::abs(here.value),
              weight);
      }
      const double part = static_cast<double>(left - n) / static_cast<double>(n + 1);
      weight.lower *= part * here.probability.lower * (1 - kStep);
      weight.upper *= part * here.probability.upper * (1 + kStep);
      weight.upper = std::max(weight.upper, kSmallestWeight);
    }
  }

  double value_;
  std::uint64_t terms_;
  std::vector<RareAtom> rare_;  // the gain first
  std::vector<MeanExcess> powers_;
  std::uint64_t visited_ = 0;
  double lower_ = 0;
  double upper_ = 0;
};

}  // namespace

std::optional<MeanExcess> sparse_excess(const Atom& gain, std::span<const Atom> losses,
                                        std::uint64_t terms, double most_states,
                                        double most_beyond) {
  double given = gain.probability;
  for (const Atom& loss : losses) given += loss.probability;
  // The error of the given doubles, and two roundings of numbers up to 1.
  const double off = given * 0x1p-47 + 0x1p-51;
  const MeanExcess zero{std::max(0.0, 1 - given - off), std::clamp(1 - given + off, 0.0, 1.0)};
  // The likely value: 0, or a loss.
  double value = 0;
  MeanExcess likely = zero;
  const Atom* heaviest = nullptr;
  for (const Atom& loss : losses) {
    if (loss.probability > likely.upper) {
      heaviest = &loss;
      value = loss.value;
      likely = {loss.probability * (1 - 0x1p-49), std::min(1.0, loss.probability * (1 + 0x1p-49))};
    }
  }
  if (gain.probability > likely.lower) return std::nullopt;
  const auto n = static_cast<double>(terms);
  std::vector<RareAtom> rare{{gain.value, {gain.probability, gain.probability}, 0}};
  for (const Atom& loss : losses) {
    if (&loss != heaviest && loss.probability > 0) {
      rare.push_back({loss.value, {loss.probability, loss.probability}, 0});
    }
  }
  if (heaviest != nullptr && zero.upper > 0) rare.push_back({0, zero, 0});
  double states = 1;
  double beyond = 0;
  double expected = 0;
  for (RareAtom& atom : rare) {
    const double mean = n * atom.probability.upper * (1 + 0x1p-40);
    expected += mean;
    double count = std::ceil(mean);
    while (tail_up(mean, count + 1) > most_beyond) count += std::max(1.0, 0.05 * count);
    count = std::min(std::ceil(count), n);
    atom.most = static_cast<std::uint64_t>(count);
    states *= count + 1;
    if (states > most_states || expected > kMostExpected) return std::nullopt;
    // Given one of the n p gains: its others are one fewer.
    const bool all = atom.most == terms;
    beyond += all ? 0 : tail_up(mean, &atom == &rare.front() ? count : count + 1);
  }
  const MeanExcess found = SparseStates(value, terms, rare, likely).result();
  const double left_out = gain.value * n * gain.probability * beyond * (1 + 0x1p-40);
  return MeanExcess{found.lower, found.upper + left_out};
}

// -----------------------------------------------------------------------------------------------
// The mean excess over zero of a sum of few independent equal variables, state by state.

namespace {

constexpr double kMostWays = 20'000;
/// The effect of the given doubles, and of at most 2^7 roundings on the way to a weight.
constexpr double kOff = 0x1p-50;
constexpr double kRounding = 0x1p-44;
/// Below, products lose digits; larger weights are as good for an upper bound.
constexpr double kLeastWeight = 1e-270;

/// The ways in which `terms` things can fall on `atoms` places.
double ways(std::uint64_t terms, std::size_t atoms) {
  double count = 1;
  for (std::size_t i = 1; i < atoms; ++i) {
    count *= static_cast<double>(terms + i) / static_cast<double>(i);
    if (count > 4 * kMostWays) break;
  }
  return count;
}

/// Visits all ways, atom after atom; the rest has value 0.
class Enumeration {
 public:
  Enumeration(const Atom& gain, std::span<const Atom> losses, std::uint64_t terms) {
    atoms_[count_++] = gain;
    for (const Atom& loss : losses) {
      if (loss.probability > 0) atoms_[count_++] = loss;
    }
    double all = 0;
    for (std::size_t i = 0; i < count_; ++i) all += atoms_[i].probability;
    const double error = all * (kOff + 0x1p-48);
    zeros_.assign(terms + 1, {1, 1});
    const double most = std::min(1.0, std::max(0.0, 1 - all + error));
    const double least = std::max(0.0, 1 - all - error);
    for (std::size_t i = 1; i <= terms; ++i) {
      zeros_[i] = {zeros_[i - 1].lower * least, zeros_[i - 1].upper * most};
    }
    visit(0, terms, 0, 0, {1, 1});
  }

  /// Of at most 2^17 summands, none of them negative.
  MeanExcess result() const { return {lower_ * (1 - 0x1p-34), upper_ * (1 + 0x1p-34)}; }

 private:
  void visit(std::size_t atom, std::uint64_t left, double value, double size, MeanExcess weight) {
    if (atom == count_) {
      const double error = size * 0x1p-46;
      upper_ += std::max(0.0, value + error) * (1 + kRounding) *
                std::max(kLeastWeight, weight.upper * zeros_[left].upper);
      const double product = weight.lower * zeros_[left].lower;
      if (product >= kLeastWeight) {
        lower_ += std::max(0.0, value - error) * (1 - kRounding) * product;
      }
      return;
    }
    const Atom& here = atoms_[atom];
    for (std::uint64_t n = 0; n <= left; ++n) {
      const double times = static_cast<double>(n);
      visit(atom + 1, left - n, value + times * here.value,
            size + times * (here.value < 0 ? -here.value : here.value), weight);
      const double part = static_cast<double>(left - n) / static_cast<double>(n + 1);
      weight.lower *= part * here.probability * (1 - 2 * kOff);
      weight.upper *= part * here.probability * (1 + 2 * kOff);
      weight.upper = std::max(weight.upper, kLeastWeight);
    }
  }

  std::array<Atom, 5> atoms_{};
  std::size_t count_ = 0;
  std::vector<MeanExcess> zeros_;  // how likely this many zeros are
  double lower_ = 0;
  double upper_ = 0;
};

}  // namespace

std::optional<MeanExcess> enumerated_excess(const Atom& gain, std::span<const Atom> losses,
                                            std::uint64_t terms) {
  const auto atoms = static_cast<std::size_t>(
      2 + std::count_if(losses.begin(), losses.end(),
                        [](const Atom& loss) { return loss.probability > 0; }));
  if (ways(terms, atoms) > kMostWays) return std::nullopt;
  return Enumeration(gain, losses, terms).result();
}

// -----------------------------------------------------------------------------------------------
// The mean excess over zero of a sum of independent equal variables, certified on both sides.

namespace {

using Complex = std::complex<double>;

/// 128 units of rounding: see Transform::error.
constexpr double kErrorOfTerms = 0x1p-46;
/// States without a gain are left in where the gain is at least e^40 times as heavy.
constexpr double kNegligibleRatio = 40.0;
/// A refinement ends at this relative distance of the bounds.
constexpr double kWanted = 1e-4;
constexpr double kMostNodes = 1 << 20;
/// A state is visited in a tenth of the time of a node.
constexpr double kFewStates = 1 << 14;
constexpr double kManyNodes = 1 << 15;
constexpr double kManyStates = 1 << 22;
constexpr std::size_t kNodesBetweenLooks = 1 << 12;
/// States are cut where what is left out is a small part of the excess that is asked about.
constexpr double kBeyond = 1e-16;
constexpr double kLeftOut = 1e-6;
/// Deviations of the normal factor after which the trapezoid sum is cut off.
constexpr double kCut = 6.5;
/// 1/(sqrt 2 - 1), rounded up.
constexpr double kSmoothing = 2.4142136;

/// Transforms below e^-70 of their value on the real axis are taken for 0.
constexpr double kNothing = -70.0;

/// A value and a bound on its distance from the truth; within `still` of t, where that is not 0,
/// the truth stays below e^-70.
struct Estimate {
  Complex value;
  double error;
  double still;
};

/// Up to this many terms a power is made by multiplications: they lose n units of rounding, and
/// the logarithm of a longer sum's transform loses less.
constexpr double kMostMultiplied = 1 << 14;

/// ln|1 + w|.
double ln_modulus(Complex w) {
  if (std::norm(w) > 0.25) return std::log(std::abs(1.0 + w));
  return 0.5 * std::log1p(w.real() * (2.0 + w.real()) + w.imag() * w.imag());
}

/// Sine and cosine of half the angle tv of each atom at t = 0, step, 2 step, ...: by the addition
/// theorem from a block's first t and the way from there. In units of 2^-53 a product of two of the
/// library's results is off by 9, so the sine, a sum of products that are together at most
/// |y|/2 = t|v|/2, by 10 |y|/2, and the cosine by 10, besides what t and v are off by.
class Waves {
 public:
  struct Wave {
    double sine = 0;
    double cosine = 1;
  };

  /// At t = 0.
  Waves() = default;
  Waves(std::span<const double> values, double step)
      : values_(values.begin(), values.end()), step_(step) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      for (std::size_t j = 0; j < kBlock; ++j) ways_[i][j] = wave(i, j);
    }
  }

  void go_to(std::uint64_t j) {
    if (j / kBlock != block_) {
      block_ = j / kBlock;
      for (std::size_t i = 0; i < values_.size(); ++i) firsts_[i] = wave(i, block_ * kBlock);
    }
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const Wave& first = firsts_[i];
      const Wave& way = ways_[i][j % kBlock];
      here_[i] = {first.sine * way.cosine + first.cosine * way.sine,
                  first.cosine * way.cosine - first.sine * way.sine};
    }
  }

  const Wave& operator[](std::size_t i) const { return here_[i]; }

 private:
  static constexpr std::size_t kBlock = 16;
  static constexpr std::size_t kMostAtoms = 5;

  Wave wave(std::size_t i, std::uint64_t j) const {
    const double half = 0.5 * (static_cast<double>(j) * step_ * values_[i]);
    return {std::sin(half), std::cos(half)};
  }

  std::vector<double> values_;
  double step_ = 0;
  std::uint64_t block_ = 0;
  std::array<std::array<Wave, kBlock>, kMostAtoms> ways_{};
  std::array<Wave, kMostAtoms> firsts_{};
  std::array<Wave, kMostAtoms> here_{};
};

/// The transform of the sum on the line c + it, divided by e^scale.
class Transform {
 public:
  Transform(const Atom& gain, std::span<const Atom> losses, double terms, double c)
      : terms_(terms), c_(c), gain_probability_(gain.probability) {
    add(gain);
    for (const Atom& loss : losses) {
      if (loss.probability > 0.0) add(loss);
    }
    double all = 0;
    for (std::size_t i = 0; i < count_; ++i) all += atoms_[i].probability * atoms_[i].growth;
    without_gain_ = all - gain_probability_ * atoms_[0].factor;
    const double with = terms_ * std::log1p(all);
    const double without = without_gain_ > -1.0 ? terms_ * std::log1p(without_gain_) : -HUGE_VAL;
    const double ratio = with - without;  // at least 0
    subtracts_ = ratio < kNegligibleRatio;
    // ln(e^with - e^without), with the difference of the two taken where it is small.
    const double exact_ratio =
        subtracts_
            ? terms_ * std::log1p(gain_probability_ * atoms_[0].factor / (1.0 + without_gain_))
            : ratio;
    scale_ = subtracts_ ? without + std::log(std::expm1(exact_ratio)) : with;
    root_ = std::exp(-scale_ / terms_);
    log_mass_ = with;
  }

  /// ln of the transform at c, except for rounding.
  double scale() const { return scale_; }
  /// The bound for the sum with all its states.
  double log_mass() const { return log_mass_; }

  /// n times the variance of a term under the law tilted by e^{cx}, except for rounding.
  double tilted_variance() const {
    double mass = 1.0;
    double first = 0;
    double second = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const Tilted& atom = atoms_[i];
      const double weight = atom.probability * atom.factor;
      mass += atom.probability * atom.growth;
      first += weight * atom.value;
      second += weight * atom.value * atom.value;
    }
    first /= mass;
    return terms_ * std::max(0.0, second / mass - first * first);
  }

  /// The values of its atoms, the gain's first.
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] double value(std::size_t i) const { return atoms_[i].value; }

  /// At c + it, t >= 0, with the waves of t. With x = cv, y = tv, a term p(e^{x+iy} - 1) =
  /// p(e - 2 g sin^2(y/2) + i g sin y) for g = e^x and e = g - 1. Counted in units of 2^-53: p, v
  /// and t are off by at most 8, 9 and 1; the real part by 5|e| + 30 g|x| + 43 g|y| and the
  /// imaginary one by 10 g|x| + 35 g|y|, the library's 4 in each function included, and the 5|y| of
  /// a wave; the factor p and the additions add 14 (|e| + g|y|), and the logarithm acts as if its
  /// argument were off by 16 (|e| + g|y|) more: in all less than 128 (|e| + g|x| + g|y|) times p.
  Estimate at(double t, const Waves& waves) const {
    Complex w = 0;
    Complex gained = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const Tilted& atom = atoms_[i];
      const auto [sine, cosine] = waves[i];
      const double g = atom.factor;
      const Complex term(atom.growth - g * (2.0 * sine * sine), g * (2.0 * sine * cosine));
      if (i == 0) gained = gain_probability_ * (term + 1.0);
      w += atom.probability * term;
    }
    const double error = kErrorOfTerms * (constant_error_ + slope_error_ * t);
    Estimate result = power(w, error);
    if (subtracts_) {
      const Estimate without = power(w - gained, error + kErrorOfTerms * gain_probability_);
      result.value -= without.value;
      result.error += without.error + 0x1p-51 * std::sqrt(std::norm(result.value));
      result.still = std::min(result.still, without.still);
    }
    return result;
  }

 private:
  struct Tilted {
    double value;
    double probability;
    double growth;  // e^{cv} - 1
    double factor;  // e^{cv}
  };

  void add(const Atom& atom) {
    const double x = c_ * atom.value;
    const double growth = std::expm1(x);
    const double g = std::exp(x);
    atoms_[count_++] = {atom.value, atom.probability, growth, g};
    constant_error_ += atom.probability * (std::abs(growth) + g * std::abs(x));
    slope_error_ += atom.probability * g * std::abs(atom.value);
  }

  /// (1 + w)^n e^{-scale} for a w that is off by at most `error`.
  Estimate power(Complex w, double error) const {
    const Complex base = 1.0 + w;
    const double modulus = std::sqrt(std::norm(base));
    // How far rounding moves the logarithm of the power.
    double rounding = 0x1p-50 * (1.0 + std::abs(scale_));
    const bool is_multiplied = terms_ <= kMostMultiplied;
    const double logarithm = is_multiplied ? 0.0 : ln_modulus(w);
    Complex value = is_multiplied ? multiplied(base * root_) : 0.0;
    const double size =
        is_multiplied ? std::sqrt(std::norm(value)) : std::exp(terms_ * logarithm - scale_);
    // Only near it can the bound be below e^(kNothing - 1): rounding moves it by far less.
    if (size < std::exp(kNothing + 1.0)) {
      const double most = most_of(modulus, error);
      if (most < std::exp(kNothing - 1.0)) {
        // |1 + w| moves by at most slope_error_ for every unit of t.
        const double room = std::exp((scale_ + kNothing - 1.0) / terms_) - (modulus + error);
        return {0.0, most, std::max(0.0, room / slope_error_ * (1.0 - 0x1p-20))};
      }
    }
    if (is_multiplied) {
      rounding += 0x1p-49 * terms_;
    } else {
      const double angle = std::atan2(w.imag(), base.real());
      value = {size * std::cos(terms_ * angle), size * std::sin(terms_ * angle)};
      rounding += 0x1p-50 * terms_ * (std::abs(logarithm) + std::abs(angle));
    }
    if (error < 0.5 * modulus) {
      const double exponent = terms_ * (error / (modulus - error)) + rounding;
      if (exponent < 0.25) return {value, 2.0 * exponent * size, 0.0};
    }
    return {value, 2.0 * (most_of(modulus, error) + size), 0.0};
  }

  /// u^n, n up to kMostMultiplied. In units of 2^-53, u = (1 + w) e^{-scale/n} is off by less than 7
  /// + |scale|/n, and a product by less than 3 more than its factors together: u^n by less than 10 n
  /// + |scale|, where it is large enough to be used.
  Complex multiplied(Complex u) const {
    double real = u.real();
    double imaginary = u.imag();
    const auto n = static_cast<std::uint64_t>(terms_);
    for (int bit = static_cast<int>(std::bit_width(n)) - 2; bit >= 0; --bit) {
      const double square = real * real - imaginary * imaginary;
      imaginary = 2.0 * (real * imaginary);
      real = square;
      if ((n >> bit & 1U) == 0) continue;
      const double product = real * u.real() - imaginary * u.imag();
      imaginary = real * u.imag() + imaginary * u.real();
      real = product;
    }
    return {real, imaginary};
  }

  /// The most that |1 + w|^n e^{-scale} can be.
  double most_of(double modulus, double error) const {
    return std::exp(terms_ * std::log((modulus + error) * (1.0 + 0x1p-48)) - scale_ +
                    0x1p-50 * std::abs(scale_));
  }

  double terms_;
  double c_;
  double gain_probability_;
  std::array<Tilted, 5> atoms_{};
  std::size_t count_ = 0;
  double constant_error_ = 0;
  double slope_error_ = 0;
  double without_gain_ = 0;
  bool subtracts_ = false;
  double scale_ = 0;
  double root_ = 1;  // e^{-scale/n}
  double log_mass_ = 0;
};

/// A c that makes the summands about as small as possible; any c > 0 gives true bounds.
double saddle(const Atom& gain, std::span<const Atom> losses, double terms) {
  double largest = gain.value;
  for (const Atom& loss : losses) largest = std::max(largest, -loss.value);
  const double low = std::log(1e-3 / (largest * terms));
  const double high = std::log(600.0 / gain.value);
  const auto height = [&](double log_c) {
    return Transform(gain, losses, terms, std::exp(log_c)).scale() - 2.0 * log_c;
  };
  // ln of a transform minus 2 ln c has one minimum; seven bits place it well enough.
  constexpr int kBits = 7;
  return std::exp(boost::math::tools::brent_find_minima(height, low, high, kBits).first);
}

/// Everything in units of e^scale.
class Contour {
 public:
  Contour(const Atom& gain, std::span<const Atom> losses, double terms)
      : gain_(gain),
        losses_(losses),
        terms_(terms),
        c_(saddle(gain, losses, terms)),
        transform_(gain, losses, terms, c_) {
    deviation_ = std::sqrt(transform_.tilted_variance() + 1.0 / (c_ * c_));
    // About the result: the peak of the summands times their width.
    guess_ = 1.0 / (c_ * c_ * deviation_ * 2.5);
    period_ = 8.0 * deviation_;
    for (int i = 0; i < 60 && alias(0x1p-8 / c_, 2.0 * guess_) > 1e-7 * guess_; ++i)
      period_ *= 1.15;
    std::vector<double> values;
    for (std::size_t i = 0; i < transform_.count(); ++i) values.push_back(transform_.value(i));
    waves_ = Waves(values, step());
  }

  double scale() const { return transform_.scale(); }

  /// E(S_+) <= M(c)/(e c), which needs no smoothing.
  double chernoff() const {
    const Estimate mass = transform_.at(0.0, {});
    return (mass.value.real() + mass.error) / (std::numbers::e * c_) * (1.0 + 0x1p-45);
  }

  double nodes(double smoothing) const { return kCut * c_ / smoothing * period_ / (2.0 * kPi); }

  /// Bounds for smoothing h = smoothing/c.
  MeanExcess sum(double smoothing) {
    const double h = smoothing / c_;
    const double step = this->step();
    const auto count = static_cast<std::uint64_t>(std::ceil(nodes(smoothing)));
    const std::array<double, 2> squares = {0.5 * h * h, h * h};  // h^2/2 for h and sqrt(2) h
    std::array<CompensatedSum, 2> sums;
    std::array<CompensatedSum, 2> errors;
    std::size_t visited = 0;
    for (std::uint64_t j = 0; j <= count; ++j) {
      if (visited % kNodesBetweenLooks == 0) keep_going();
      const double t = static_cast<double>(j) * step;
      const Complex z(c_, t);
      const Node node = this->node(visited++, j, z);
      if (node.value == 0.0) {
        // This node and the next ones, until the transform may be visible again. Their factors are
        // below 1.01.
        const double skipped =
            std::min(std::floor(node.still / step), static_cast<double>(count - j));
        const double error = 1.01 * node.error + 2.02 * skipped * std::exp(kNothing) / std::norm(z);
        for (CompensatedSum& sum : errors) sum += error;
        j += static_cast<std::uint64_t>(skipped);
        continue;
      }
      // Each is off by less than 2^-44, the exponent being at most 22.
      const double factor = std::exp(squares[0] * (c_ - t) * (c_ + t));
      const double turn = 2.0 * squares[0] * c_ * t;
      const double sine = std::sin(turn);
      const double cosine = std::cos(turn);
      sums[0] += factor * (node.value.real() * cosine - node.value.imag() * sine);
      errors[0] += factor * node.error;
      // For twice the square, twice the exponent and twice the turn.
      const double second = factor * factor;
      sums[1] += second * (node.value.real() * (1.0 - 2.0 * sine * sine) -
                           node.value.imag() * (2.0 * sine * cosine));
      errors[1] += second * node.error;
    }
    const double last = static_cast<double>(count) * step;
    std::array<double, 2> means{};
    std::array<double, 2> slack{};
    for (std::size_t i = 0; i < 2; ++i) {
      means[i] = sums[i].value() / period_;
      // Summands fall from `last` on: at most the integral of their bound.
      const double cut = std::exp(squares[i] * (c_ - last) * (c_ + last)) /
                         (kPi * last * last * last * 2.0 * squares[i]) * 1.1 *
                         std::exp(transform_.log_mass() - transform_.scale());
      slack[i] = (errors[i].value() / period_ + cut) * (1.0 + 0x1p-40) + 0x1p-45 * means[i];
    }
    const double upper = means[0] + slack[0];
    const double aliases = alias(h, upper);
    const double wider = means[1] + slack[1];
    const double narrow = means[0] - slack[0] - aliases;
    return {narrow - kSmoothing * (wider - narrow) * (1.0 + 0x1p-45), upper};
  }

 private:
  /// The share of the multiples of the period other than 0 in a trapezoid sum whose value at 0 is
  /// at most `mean`: below zero r(-u) <= u + r(0), above it r(u) <= M(d) e^{-du}/(e d) for every d.
  double alias(double h, double mean) const {
    const double decay = std::exp(-c_ * period_);
    const double below =
        (decay * mean + std::exp(-c_ * period_ - transform_.scale()) * period_ / (1.0 - decay)) /
        (1.0 - decay);
    double above = HUGE_VAL;
    for (const double more : {0.5, 1.0, 2.0, 4.0, 8.0, 12.0}) {
      const double d = c_ + more / deviation_;
      if (d * gain_.value > 690.0) break;
      const Transform there(gain_, losses_, terms_, d);
      const double fall = std::exp(-(d - c_) * period_);
      const double exponent =
          there.log_mass() - transform_.scale() + 0.5 * h * h * d * d - (d - c_) * period_;
      above = std::min(above, std::exp(exponent) / ((1.0 - fall) * d));
    }
    return 1.1 * (below + above);  // rounding moves n times a logarithm by less than 0.09
  }

  /// A node's share of a sum before it is smoothed, and what that is off by.
  struct Node {
    Complex value;
    double error;
    double still = 0;  ///< see Estimate
  };

  double step() const { return 2.0 * kPi / period_; }

  /// The node that a sum visits as its i-th, at j steps, which is z. A finer sum begins with the
  /// nodes of a coarser one, so the first ones are kept.
  Node node(std::size_t i, std::uint64_t j, Complex z) {
    if (i < nodes_.size()) return nodes_[i];
    constexpr std::size_t kMostKept = std::size_t{1} << 14;
    waves_.go_to(j);
    const Estimate estimate = transform_.at(z.imag(), waves_);
    const double times = j == 0 ? 1.0 : 2.0;
    Node found{estimate.value / (z * z) * times, estimate.error / std::norm(z) * times,
               estimate.still};
    found.error += 0x1p-43 * std::sqrt(std::norm(found.value));
    if (i < kMostKept) nodes_.push_back(found);
    return found;
  }

  static constexpr double kPi = std::numbers::pi;

  std::vector<Node> nodes_;
  Waves waves_;
  Atom gain_;
  std::span<const Atom> losses_;
  double terms_;
  double c_;
  Transform transform_;
  double deviation_ = 0;
  double guess_ = 0;
  double period_ = 0;
};

}  // namespace

MeanExcess mean_excess(const Atom& gain, std::span<const Atom> losses, std::uint64_t terms,
                       double interest, bool only_decides) {
  keep_going();
  const double n = static_cast<double>(terms);
  // Without the losses, and with them at their mean in the states of exactly one gain (Jensen).
  MeanExcess best{0.0, n * gain.probability * gain.value * (1.0 + 0x1p-46)};
  double lost = 0;
  for (const Atom& loss : losses) lost -= loss.probability * loss.value;
  const double left = 1.0 - gain.probability;
  if (left > 0.0) {
    const double once = std::exp((n - 1.0) * std::log1p(-gain.probability));
    const double excess = gain.value * (1.0 - 0x1p-46) - (n - 1.0) * lost / left * (1.0 + 0x1p-46);
    const double kept = 1.0 - 0x1p-44 * (1.0 + n * gain.probability / left);
    // Both fall below 0 where nothing is known.
    if (excess > 0.0 && kept > 0.0) {
      best.lower = n * gain.probability * once * excess * kept;
    }
  }
  if (!(best.upper > 0.0) || terms == 1) {
    best.lower = terms == 1 ? gain.probability * gain.value * (1.0 - 0x1p-46) : 0.0;
    return best;
  }
  if (best.upper < interest / 8.0 || (interest > 0.0 && best.lower > interest)) return best;
  if (const auto exact = enumerated_excess(gain, losses, terms)) {
    return {std::max(best.lower, exact->lower), std::min(best.upper, exact->upper)};
  }
  const auto tightened = [&best, interest](const std::optional<MeanExcess>& found) {
    if (!found) return false;
    best = {std::max(best.lower, found->lower), std::min(best.upper, found->upper)};
    const bool is_decided = interest > 0.0 && (best.upper <= interest || best.lower > interest);
    return is_decided || best.upper - best.lower <= kWanted * best.upper;
  };
  const double gains = n * gain.probability * gain.value;
  const bool is_cut_further = interest > 0.0 && gains * kBeyond > kLeftOut * interest;
  const double beyond =
      is_cut_further ? std::max(kSmallestWeight, kLeftOut * interest / gains) : kBeyond;
  if (tightened(sparse_excess(gain, losses, terms, kFewStates, beyond))) return best;
  Contour contour(gain, losses, n);
  best.upper = std::min(best.upper, contour.chernoff() * exp_up(contour.scale()) * (1.0 + 0x1p-48));
  if (best.upper < interest / 8.0 || (interest > 0.0 && best.lower > interest)) return best;
  // The width that is left between the bounds; none where they are not finite.
  const auto refined = [&](double smoothing) -> std::optional<double> {
    const MeanExcess found = contour.sum(smoothing);
    if (!std::isfinite(found.upper)) return std::nullopt;
    best.upper = std::min(best.upper, found.upper * exp_up(contour.scale()) * (1.0 + 0x1p-48));
    if (found.lower > 0.0) {
      best.lower = std::max(best.lower, found.lower * exp_down(contour.scale()) * (1.0 - 0x1p-48));
    }
    return found.upper - found.lower;
  };
  const auto is_decided = [&] {
    return interest > 0.0 && (best.upper <= interest || best.lower > interest);
  };
  if (interest > 0.0) {
    // Most questions need a small part of the nodes: a search goes by how far the mean is from
    // `interest`, to a tenth.
    constexpr double kPart = 0.1;
    for (const double smoothing : {0x1p-1, 0x1p-4}) {
      if (!refined(smoothing)) break;
      const double far = std::abs(std::log(best.upper / interest));
      if (is_decided() && (only_decides || std::log(best.upper / best.lower) <= kPart * far)) {
        return best;
      }
    }
  }
  double gap = HUGE_VAL;
  bool is_sparse_tried = false;
  for (double smoothing = 0x1p-7; contour.nodes(smoothing) < kMostNodes; smoothing *= 0.25) {
    // A cheaper way than this many nodes.
    if (contour.nodes(smoothing) > kManyNodes && !std::exchange(is_sparse_tried, true) &&
        tightened(sparse_excess(gain, losses, terms, kManyStates, beyond))) {
      break;
    }
    const std::optional<double> width = refined(smoothing);
    if (!width) break;
    const double before = std::exchange(gap, *width);
    // Finer steps do not help against rounding.
    if (is_decided() || best.upper - best.lower <= kWanted * best.upper || gap > 0.7 * before)
      break;
  }
  return best;
}

}  // namespace mollify
