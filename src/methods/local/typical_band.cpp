#include "methods/local/typical_band.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/math/special_functions/gamma.hpp>
#include <fmt/format.h>

#include "base/progress.h"
#include "core/band.h"
#include "domain/candidates.h"

namespace mollify {

namespace {

// -----------------------------------------------------------------------------------------------
// Draws by a fixed seed.

constexpr std::size_t kDrawsBetweenLooks = 4096;

/// A gamma distribution of a shape of at least one.
struct GammaShape {
  explicit GammaShape(double shape) : a(shape - 1.0 / 3.0), b(1.0 / std::sqrt(9.0 * a)) {}
  double a, b;
};

/// Numbers drawn by a fixed seed, in the way of GNU's standard library: its own distributions are
/// others elsewhere, and slower.
class PriorDraws {
 public:
  /// In [0, 1).
  double uniform() {
    if (drawn_++ % kDrawsBetweenLooks == 0) keep_going();
    return std::min(static_cast<double>(random_.word()) * 0x1p-64, 1 - 0x1p-53);
  }
  /// In (0, 1].
  double positive() { return uniform() * (1 - 0x1p-53) + 0x1p-53; }

  /// By the polar method: two at a time.
  double normal() {
    if (const auto kept = std::exchange(kept_, std::nullopt)) return *kept;
    double x = 0;
    double y = 0;
    double square = 0;
    do {
      x = 2.0 * uniform() - 1.0;
      y = 2.0 * uniform() - 1.0;
      square = x * x + y * y;
    } while (square > 1.0 || square == 0.0);
    const double scale = std::sqrt(-2 * std::log(square) / square);
    kept_ = x * scale;
    return y * scale;
  }

  /// [Marsaglia, Tsang 2000]
  double gamma(const GammaShape& shape) {
    for (;;) {
      double n = 0;
      double v = 0;
      do {
        n = normal();
        v = 1.0 + shape.b * n;
      } while (v <= 0.0);
      v = v * v * v;
      const double u = uniform();
      if (u > 1.0 - 0.0331 * n * n * n * n &&
          std::log(u) > 0.5 * n * n + shape.a * (1.0 - v + std::log(v))) {
        continue;
      }
      return shape.a * v;
    }
  }

  /// Of a mean that is not 0; where that is large, by a rounded normal number.
  double poisson(double mean) {
    constexpr double kLarge = 64;
    if (mean >= kLarge) return std::max(0.0, std::round(mean + std::sqrt(mean) * normal()));
    const double end = std::exp(-mean);
    double count = 0;
    for (double product = uniform(); product > end; product *= uniform()) ++count;
    return count;
  }

  /// Drops the second of two normal numbers, so that each unit begins alike.
  void begin_unit() { kept_.reset(); }

 private:
  SeededRandom random_{1};
  std::optional<double> kept_;
  std::size_t drawn_ = 0;
};

/// Above the logarithm of a gamma number of shape below two, except with probability 2^-64.
constexpr double kGreatestLogOfGamma = 4;
/// Masses below this part of the greatest count as zero.
constexpr double kNegligibleMass = 0x1p-60;

/// Weights in proportion to a draw of the prior. Gamma of a shape below one from the shape of one
/// more times a power, in logarithms, because the powers underflow where shapes are small.
void draw_weights(PriorDraws& draws, double shape, std::span<double> weights) {
  const GammaShape more(shape + 1);
  draws.begin_unit();
  for (double& weight : weights) {
    weight = std::log(draws.gamma(more));
    weight += std::log(draws.positive()) / shape;
  }
  const double greatest = *std::max_element(weights.begin(), weights.end());
  for (double& weight : weights) weight = std::exp(weight - greatest);
}

/// The weights of a draw of the prior that are not negligible. The uniform numbers of their powers
/// are drawn from the greatest on, each by its distance from the one before.
std::vector<double> greatest_weights(PriorDraws& draws, double shape, std::size_t outcome_count) {
  const GammaShape more(shape + 1);
  std::vector<double> weights;
  double greatest = -std::numeric_limits<double>::infinity();
  double power = 0;
  for (std::size_t left = outcome_count; left > 0; --left) {
    power += std::log(draws.positive()) / static_cast<double>(left) / shape;
    if (power + kGreatestLogOfGamma < greatest + std::log(kNegligibleMass)) break;
    weights.push_back(std::log(draws.gamma(more)) + power);
    greatest = std::max(greatest, weights.back());
  }
  for (double& weight : weights) weight = std::exp(weight - greatest);
  return weights;
}

/// Numbers of records with each outcome, each record drawn by itself: the least outcome whose sum
/// of weights reaches a uniform number.
class RecordDraws {
 public:
  explicit RecordDraws(std::size_t outcome_count)
      : places_(std::bit_ceil(outcome_count)), sums_(outcome_count), first_(places_ + 1) {}

  void draw(PriorDraws& draws, std::span<const double> weights, std::uint64_t records,
            std::span<double> counts) {
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sums_[i] = sum += weights[i] / all;
    sums_.back() = 1.0;
    const auto places = static_cast<double>(places_);
    std::size_t outcome = 0;
    for (std::size_t place = 0; place <= places_; ++place) {
      while (sums_[outcome] * places < static_cast<double>(place)) ++outcome;
      first_[place] = static_cast<std::uint32_t>(outcome);
    }
    std::fill(counts.begin(), counts.end(), 0);
    for (std::uint64_t i = 0; i < records; ++i) {
      const double found = draws.uniform();
      std::size_t at = first_[static_cast<std::size_t>(found * places)];
      while (sums_[at] < found) ++at;
      ++counts[at];
    }
  }

 private:
  std::size_t places_;  // a power of two, so that products with it are exact
  std::vector<double> sums_;
  std::vector<std::uint32_t> first_;  // outcome for a number of that many parts of `places_`
};

/// Numbers of records with each outcome that has some, by Polya's urn: a record repeats an earlier
/// one, or is uniform with a chance in proportion to the strength.
std::vector<double> urn_counts(PriorDraws& draws, double strength, std::size_t outcome_count,
                               std::uint64_t records) {
  std::vector<double> counts;
  std::vector<std::uint32_t> of_record(records);
  for (std::uint64_t i = 0; i < records; ++i) {
    const double place = draws.uniform() * (strength + static_cast<double>(i));
    auto known = static_cast<double>(counts.size());
    double found = known;
    if (place >= strength) {
      found = of_record[std::min(static_cast<std::uint64_t>(place - strength), i - 1)];
    } else {
      // Outcomes are numbered as they come.
      found = std::min(known, std::floor(place / strength * static_cast<double>(outcome_count)));
    }
    if (found == known) counts.push_back(0);
    of_record[i] = static_cast<std::uint32_t>(found);
    ++counts[of_record[i]];
  }
  return counts;
}

// -----------------------------------------------------------------------------------------------
// A unit's law in an even band.

/// A unit's masses, near ones together, as the sums that its law needs.
class UnitOfPrior {
 public:
  explicit UnitOfPrior(std::size_t outcome_count)
      : outcome_count_(static_cast<double>(outcome_count)) {}

  /// `count` outcomes of weight `sum` together, more each than those before.
  void add(double sum, double count) {
    masses_.push_back(sum);
    counts_.push_back(count);
  }
  /// After the last weight: their sum is one from now on.
  void finish() {
    const double all = std::accumulate(masses_.begin(), masses_.end(), 0.0);
    const std::size_t size = masses_.size();
    below_.resize(size + 1);
    above_.resize(size + 1);
    for (std::size_t i = 0; i < size; ++i) {
      masses_[i] /= all;
      below_[i + 1] = {below_[i].sum + masses_[i], below_[i].count + counts_[i]};
    }
    for (std::size_t i = size; i-- > 0;) {
      above_[i] = {above_[i + 1].sum + masses_[i], above_[i + 1].count + counts_[i]};
      masses_[i] /= counts_[i];
    }
    without_mass_ = std::max(0.0, outcome_count_ - below_[size].count);
    counts_ = {};
  }

  /// R - 1 in the band from `lower` to `e` times `lower`. Its sign is right however small it is,
  /// because only masses at the edges are subtracted.
  [[nodiscard]] double price_above_one(double lower, double e) const {
    const double upper = e * lower;
    if (without_mass_ * lower + below_.back().count * upper <= 1) return -1;
    double low = 0;
    double high = masses_.back() / lower;
    double price = std::min(1.0, high);
    auto [begin, end] = between(price, lower, upper);
    for (int step = 0; step < 200 && high - low > 1e-15 * high; ++step) {
      const Sums& under = below_[begin];
      const Sums& over = above_[end];
      const double clipped = (without_mass_ + under.count) * lower + over.count * upper;
      const double room = 1 - clipped;
      const double mass = below_[end].sum - under.sum;
      (mass > room * price ? low : high) = price;
      double next = room > 0 ? mass / room : 0;
      const bool is_inside = next > low && next < high;
      if (!is_inside && next != price) next = low > 0 ? std::sqrt(low * high) : high / 4;
      const auto [next_begin, next_end] = between(next, lower, upper);
      if ((is_inside || next == price) && begin == next_begin && end == next_end) {
        return ((without_mass_ + under.count) * lower - under.sum +
                (over.count * upper - over.sum)) /
               room;
      }
      price = next;
      begin = next_begin;
      end = next_end;
    }
    return price - 1;
  }

 private:
  struct Sums {
    double sum = 0;
    double count = 0;
  };

  /// The masses that the law has parts of, between those at its lower and at its upper edge.
  [[nodiscard]] std::pair<std::size_t, std::size_t> between(double price, double lower,
                                                            double upper) const {
    const auto begin = std::lower_bound(masses_.begin(), masses_.end(), price * lower);
    const auto end = std::upper_bound(begin, masses_.end(), price * upper);
    return {static_cast<std::size_t>(begin - masses_.begin()),
            static_cast<std::size_t>(end - masses_.begin())};
  }

  double outcome_count_;
  double without_mass_ = 0;
  std::vector<double> masses_;  // of one outcome, ascending
  std::vector<double> counts_;
  std::vector<Sums> below_, above_;  // of the masses before each, and from it on
};

/// Masses within a thousandth of each other: numbers of the same exponent and ten more bits.
constexpr unsigned kBitsOfBin = 42;
/// A unit of more masses has them in bins.
constexpr std::size_t kMostSorted = std::size_t{1} << 15U;

/// Collects what lies in each bin of the masses from kNegligibleMass to 1.
class Bins {
 public:
  Bins() : bins_(place_of(1) + 1) {}

  void add(double mass) {
    Bin& bin = bins_[place_of(mass)];
    bin.sum += mass;
    ++bin.count;
  }
  void empty_into(UnitOfPrior& unit) {
    for (Bin& bin : bins_) {
      if (bin.count > 0) unit.add(bin.sum, bin.count);
      bin = {};
    }
  }

 private:
  struct Bin {
    double sum = 0;
    double count = 0;
  };
  static std::size_t place_of(double mass) {
    constexpr auto kFirst = std::bit_cast<std::uint64_t>(kNegligibleMass) >> kBitsOfBin;
    return (std::bit_cast<std::uint64_t>(mass) >> kBitsOfBin) - kFirst;
  }

  std::vector<Bin> bins_;
};

/// Makes units of weights.
class UnitMaker {
 public:
  explicit UnitMaker(std::size_t outcome_count) : outcome_count_(outcome_count) {}

  UnitOfPrior unit(std::span<const double> weights) {
    const double greatest = *std::max_element(weights.begin(), weights.end());
    masses_.clear();
    for (const double weight : weights) {
      const double mass = weight / greatest;
      if (mass > kNegligibleMass) masses_.push_back(mass);
    }
    UnitOfPrior made(outcome_count_);
    if (masses_.size() > kMostSorted) {
      for (const double mass : masses_) bins_.add(mass);
      bins_.empty_into(made);
    } else {
      std::sort(masses_.begin(), masses_.end());
      for (std::size_t i = 0; i < masses_.size();) {
        const std::size_t begin = i;
        while (i < masses_.size() && masses_[i] == masses_[begin]) ++i;
        const auto count = static_cast<double>(i - begin);
        made.add(count * masses_[begin], count);
      }
    }
    made.finish();
    return made;
  }

 private:
  std::size_t outcome_count_;
  std::vector<double> masses_;
  Bins bins_;
};

// -----------------------------------------------------------------------------------------------
// The units of a prior.

/// Up to here a unit's masses are all drawn.
constexpr std::size_t kMostDrawnOutcomes = std::size_t{1} << 18U;
/// Up to here the units' records are drawn one by one: all units' together.
constexpr std::uint64_t kMostDrawnRecords = std::uint64_t{1} << 25U;
/// More records of a unit than this show no more.
constexpr std::uint64_t kMostRecordsOfUnit = std::uint64_t{1} << 20U;
/// Units of a prior of more strength and with more records have nearly equal numbers of masses of
/// each size.
constexpr double kAlike = 0x1p11;

/// All outcomes' masses, or records.
std::vector<UnitOfPrior> drawn_units(std::size_t outcome_count, double shape,
                                     std::optional<std::uint64_t> records, std::size_t units) {
  PriorDraws draws;
  UnitMaker maker(outcome_count);
  std::optional<RecordDraws> record_draws;
  if (records && *records * units <= kMostDrawnRecords) record_draws.emplace(outcome_count);
  std::vector<double> weights(outcome_count);
  std::vector<double> counts(records ? outcome_count : 0);
  std::vector<UnitOfPrior> made;
  while (made.size() < units) {
    draw_weights(draws, shape, weights);
    if (record_draws) {
      record_draws->draw(draws, weights, *records, counts);
    } else if (records) {
      // Independent numbers of records, whose sum varies little.
      const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
      for (std::size_t i = 0; i < outcome_count; ++i) {
        const double mean = static_cast<double>(*records) * (weights[i] / all);
        counts[i] = mean > 0 ? draws.poisson(mean) : 0;
      }
    }
    made.push_back(maker.unit(records ? counts : weights));
  }
  return made;
}

/// Units of many outcomes, without masses that are negligible.
std::vector<UnitOfPrior> sparse_units(std::size_t outcome_count, double strength,
                                      std::optional<std::uint64_t> records) {
  const double shape = strength / static_cast<double>(outcome_count);
  // Masses that are not negligible are some 45 for each of the strength.
  const double masses = records ? static_cast<double>(*records) : 45 * strength;
  const auto units = static_cast<std::size_t>(std::clamp(0x1p20 / masses, 64.0, 1024.0));
  PriorDraws draws;
  UnitMaker maker(outcome_count);
  std::vector<UnitOfPrior> made;
  while (made.size() < units) {
    draws.begin_unit();
    made.push_back(maker.unit(records ? urn_counts(draws, strength, outcome_count, *records)
                                      : greatest_weights(draws, shape, outcome_count)));
  }
  return made;
}

/// As many outcomes of each number of records as units have on average.
UnitOfPrior expected_unit_of_records(std::size_t outcome_count, double shape, double records) {
  const auto k = static_cast<double>(outcome_count);
  const double mean = records / k;
  const double step = mean / (shape + mean);
  UnitOfPrior unit(outcome_count);
  double chance = std::exp(-shape * std::log1p(mean / shape));
  for (double count = 1; count < mean || chance > 1e-30; ++count) {
    chance *= (shape + count - 1) / count * step;
    unit.add(k * chance * count, k * chance);
    if (static_cast<std::size_t>(count) % kDrawsBetweenLooks == 0) keep_going();
  }
  unit.finish();
  return unit;
}

/// As many outcomes of each size of masses as units have on average, in bins.
UnitOfPrior expected_unit(std::size_t outcome_count, double shape) {
  const auto k = static_cast<double>(outcome_count);
  // A share of 1/k at greater shapes, as far as bins can tell.
  const double a = std::min(shape, 1e9);
  // The chance of less than x / k, or where that is more than its half, of more, negative.
  const auto chance = [](double of_shape, double at, bool is_low) {
    return is_low ? boost::math::gamma_p(of_shape, at) : -boost::math::gamma_q(of_shape, at);
  };
  UnitOfPrior unit(outcome_count);
  const double greatest = 1 + 50 / a + 12 / std::sqrt(a);
  for (double x = 0x1p-60; x < greatest;) {
    keep_going();
    const double next =
        std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) + (std::uint64_t{1} << kBitsOfBin));
    const bool is_low = x < 1;
    const double count = k * (chance(a, a * next, is_low) - chance(a, a * x, is_low));
    const double sum = chance(a + 1, a * next, is_low) - chance(a + 1, a * x, is_low);
    x = next;
    if (count > 0 && sum > 0) unit.add(sum, count);
  }
  unit.finish();
  return unit;
}

std::vector<UnitOfPrior> units_of(std::size_t outcome_count, const DirichletPrior& prior) {
  const auto k = static_cast<double>(outcome_count);
  const double strength = prior.strength.value_or(k);
  // At such a shape all mass is on one outcome, and at a lesser one too.
  const double shape = std::max(strength / k, 1e-290);
  std::optional<std::uint64_t> records = prior.records;
  if (records) records = std::min(*records, kMostRecordsOfUnit);
  if (outcome_count <= kMostDrawnOutcomes) {
    const auto units = static_cast<std::size_t>(std::clamp(0x1p20 / k, 64.0, 1024.0));
    return drawn_units(outcome_count, shape, records, units);
  }
  const bool is_sparse = strength <= kAlike || (records && static_cast<double>(*records) <= kAlike);
  if (is_sparse) return sparse_units(outcome_count, strength, records);
  if (!records) return {expected_unit(outcome_count, shape)};
  return {expected_unit_of_records(outcome_count, shape, static_cast<double>(*records))};
}

/// The root of mean R = 1 in ln b / -epsilon; the nearest to `preferred` if there are many.
double best_share(std::span<const UnitOfPrior> units, double k, double epsilon, double preferred) {
  constexpr int kSteps = 44;
  const double e = std::exp(epsilon);
  const auto sum_at = [&](double share) {
    const double lower = std::exp(-epsilon * share) / k;
    double sum = 0;
    for (const UnitOfPrior& unit : units) {
      keep_going();
      sum += unit.price_above_one(lower, e);
    }
    return sum;
  };
  double low = 0;
  double high = 1;
  for (int step = 0; step < kSteps; ++step) {
    const double middle = 0.5 * (low + high);
    const double sum = sum_at(middle);
    if (sum == 0) {
      // Nothing is clipped, and that as far as the nearest places where something is.
      double first = middle;
      double last = middle;
      for (; step < kSteps; ++step) {
        (sum_at(0.5 * (low + first)) > 0 ? low : first) = 0.5 * (low + first);
        (sum_at(0.5 * (last + high)) < 0 ? high : last) = 0.5 * (last + high);
      }
      return std::clamp(preferred, first, last);
    }
    (sum > 0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

double typical_location(std::size_t outcome_count, double epsilon, const DirichletPrior& prior) {
  const double capped = ExpBound(epsilon).epsilon();
  if (outcome_count == 1) return std::exp(-capped / 2);
  const auto k = static_cast<double>(outcome_count);
  const double minimax = -std::log(minimax_floor(outcome_count, epsilon)) / capped;
  const double found =
      std::exp(-capped * best_share(units_of(outcome_count, prior), k, capped, minimax));
  // Three digits are as good, and more would depend on the processor.
  const double rounded = std::stod(fmt::format("{:.3g}", found));
  const double least = std::exp(-capped);
  return rounded > least && rounded < 1
             ? rounded
             : std::clamp(found, std::nextafter(least, 1.0), 1 - 0x1p-53);
}

}  // namespace mollify
