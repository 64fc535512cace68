#include "analysis/joint_release.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/refusal.h"
#include "base/speech.h"
#include "core/invalid_input.h"
#include "domain/column.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// An interval for a weighted mean of populations.

namespace {

/// Far above the rounding errors of doubles.
constexpr double kOutward = 1e-9;

/// A group at one t: its records' exponential moment is at most 1 + excess + slope V.
struct Moment {
  double count;
  double weight;
  double excess;
  double slope;

  [[nodiscard]] double logarithm(double mean) const {
    return count * std::log1p(excess + slope * mean);
  }
};

/// The least sum of w V, all V from 0 to 1, at which the logarithms' sum is `bound`, or less if it
/// never is that much. They are concave in V, so each V goes on while its slope by weight is above
/// one price for all.
double least_mean(std::span<const Moment> groups, double bound) {
  const auto mean_at = [&](const Moment& group, double price) {
    const double mean = group.count / (price * group.weight) - (1 + group.excess) / group.slope;
    return std::clamp(mean, 0.0, 1.0);
  };
  double dear = 0;
  double cheap = INFINITY;
  double at_none = 0;
  for (const Moment& group : groups) {
    at_none += group.logarithm(0);
    const double rate = group.count * group.slope / group.weight;
    dear = std::max(dear, rate / (1 + group.excess));
    cheap = std::min(cheap, rate / (1 + group.excess + group.slope));
  }
  if (at_none >= bound) return 0;
  constexpr int kHalvings = 64;
  for (int step = 0; step < kHalvings; ++step) {
    const double price = std::sqrt(dear * cheap);
    double sum = 0;
    for (const Moment& group : groups) sum += group.logarithm(mean_at(group, price));
    (sum < bound ? dear : cheap) = price;
  }
  double mean = 0;
  for (const Moment& group : groups) mean += group.weight * mean_at(group, dear);
  return mean;
}

/// c of a group.
double worth(const MixtureDraws& group) { return group.weight / (group.count * group.kept); }

/// The lower end. `is_mirrored`: of the values 1 - v.
double joint_lower(std::span<const double> values, std::span<const MixtureDraws> groups,
                   double tail, double bad, bool is_mirrored) {
  const auto mirrored = [&](double value) { return is_mirrored ? 1 - value : value; };
  double sum = 0;
  double variance = 0;
  double greatest = 0;
  for (const MixtureDraws& group : groups) {
    const double c = worth(group);
    sum += group.count * c * mirrored(group.mean);
    variance += group.count * c * c * group.mean * (1 - group.mean);
    greatest = std::max(greatest, c);
  }
  sum -= bad * greatest;
  if (sum <= 0) return 0;
  const double logarithm = std::log(1 / tail);
  std::vector<Moment> moments(groups.size());
  const auto end_at = [&](double t) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const double scaled = t * worth(groups[g]);
      double excess = 0;
      for (std::size_t j = 0; j < values.size(); ++j) {
        excess += groups[g].replaced[j] * std::expm1(scaled * mirrored(values[j]));
      }
      moments[g] = {groups[g].count, groups[g].weight, excess, groups[g].kept * std::expm1(scaled)};
    }
    return least_mean(moments, t * sum - logarithm);
  };
  // About the best t of a normal sum, and of a rare one; then the golden section of its logarithm.
  constexpr double kMost = 500;  // exp(t c) stays finite
  const double normal = std::sqrt(2 * logarithm / (variance + greatest * greatest));
  double low = std::log(normal / 8);
  double high = std::log(std::min(normal * 8, kMost / greatest));
  low = std::min(low, high - 1);
  constexpr double kGolden = 0.6180339887498949;
  double left = high - kGolden * (high - low);
  double right = low + kGolden * (high - low);
  double at_left = end_at(std::exp(left));
  double at_right = end_at(std::exp(right));
  double best = std::max(at_left, at_right);
  constexpr int kSteps = 16;
  for (int step = 0; step < kSteps; ++step) {
    if (at_left > at_right) {
      high = std::exchange(right, left);
      at_right = at_left;
      left = high - kGolden * (high - low);
      best = std::max(best, at_left = end_at(std::exp(left)));
    } else {
      low = std::exchange(left, right);
      at_left = at_right;
      right = low + kGolden * (high - low);
      best = std::max(best, at_right = end_at(std::exp(right)));
    }
  }
  return std::max(0.0, best * (1 - kOutward) - kOutward);
}

}  // namespace

ConfidenceInterval joint_interval(std::span<const double> values,
                                  std::span<const MixtureDraws> groups, double alpha, double bad) {
  return {joint_lower(values, groups, alpha / 2, bad, false),
          1 - joint_lower(values, groups, alpha / 2, bad, true)};
}

// -----------------------------------------------------------------------------------------------
// Releases as draws from laws over the outcomes of one domain.

namespace {

/// The texts of a column whose every cell is one word; none for another column.
std::vector<std::string> words_of_cells(const Column& column) {
  std::vector<std::string> words;
  for (std::uint32_t cell = 0; cell < column.size(); ++cell) {
    if (column.points(cell) != 1) return {};
    column.write(cell, 0, words.emplace_back());
  }
  return words;
}

/// The cell of `column` for each one of `other`: the same cells, or the same words in another order,
/// if these are not numbers. Empty if they differ.
std::vector<std::uint32_t> matched_cells(const Column& column, const Column& other) {
  std::vector<std::uint32_t> cells(other.size());
  std::iota(cells.begin(), cells.end(), 0U);
  if (column.canonical_text() == other.canonical_text()) return cells;
  const bool is_ordered_otherwise = !is_ordered(column.cells()) && !is_ordered(other.cells()) &&
                                    column.mapping() == other.mapping() &&
                                    column.size() == other.size();
  if (!is_ordered_otherwise) return {};
  std::unordered_map<std::string, std::uint32_t> places;
  for (const std::string& word : words_of_cells(column)) {
    places.emplace(word, static_cast<std::uint32_t>(places.size()));
  }
  const std::vector<std::string> words = words_of_cells(other);
  if (words.empty()) return {};
  for (std::uint32_t cell = 0; cell < other.size(); ++cell) {
    const auto found = places.find(words[cell]);
    if (found == places.end()) return {};
    cells[cell] = found->second;
  }
  return cells;
}

/// The outcome of the first release for each one of another.
std::vector<std::uint32_t> matched_outcomes(const CountedRelease& first,
                                            const CountedRelease& other) {
  const Domain& domain = first.law->domain();
  const Domain& others = other.law->domain();
  const std::size_t columns = domain.columns().size();
  std::vector<std::uint32_t> outcomes(others.size());
  std::iota(outcomes.begin(), outcomes.end(), 0U);
  if (&first == &other || domain == others) return outcomes;
  const auto refuse = [&](const std::string& what) {
    refuse_input("certificate-mismatch", "released",
                 "{} and {} must be releases of the same columns with the same values, but {}: "
                 "estimate from each alone",
                 first.name, other.name, what);
  };
  if (domain.possible() != nullptr || others.possible() != nullptr) {
    refuse("their domains have rules and differ");
  }
  if (others.columns().size() != columns) {
    refuse(fmt::format("they have {} and {} columns", columns, others.columns().size()));
  }
  std::vector<std::size_t> places;
  std::vector<std::vector<std::uint32_t>> cells;
  for (const Column& column : domain.columns()) {
    const std::vector<std::string> names = others.names();
    const auto place = std::find(names.begin(), names.end(), column.name());
    if (place == names.end()) refuse(fmt::format("{} lacks \"{}\"", other.name, column.name()));
    places.push_back(static_cast<std::size_t>(place - names.begin()));
    cells.push_back(matched_cells(column, others.columns()[places.back()]));
    if (cells.back().empty()) {
      refuse(fmt::format("column \"{}\" is declared otherwise", column.name()));
    }
  }
  for (std::uint32_t outcome = 0; outcome < others.size(); ++outcome) {
    std::uint32_t matched = 0;
    for (std::size_t i = 0; i < columns; ++i) {
      matched = matched * domain.columns()[i].size() + cells[i][others.digit(outcome, places[i])];
    }
    outcomes[outcome] = matched;
  }
  return outcomes;
}

/// n_g / V_g, up to a common factor.
double precision(const LawDraws& draws) {
  const LinearLaw& law = *draws.linear;
  const auto k = static_cast<double>(law.outcome_count());
  double squares = 0;
  for (std::size_t j = 0; j < law.outcome_count(); ++j) {
    const double share = law.replaced(j) + law.kept() / k;
    squares += share * share;
  }
  // A domain of one outcome has nothing to estimate.
  return draws.count * law.kept() * law.kept() / std::max(1 - squares, 1e-300);
}

}  // namespace

std::vector<LawDraws> draws_by_law(std::span<const CountedRelease> releases, Weighting weighting) {
  std::vector<LawDraws> all;
  double records = 0;
  for (const CountedRelease& one : releases) {
    const std::vector<std::uint32_t> outcomes = matched_outcomes(releases.front(), one);
    std::optional<LinearLaw> linear = one.law->linear();
    if (linear) linear->rename(outcomes);
    const auto same = std::find_if(all.begin(), all.end(), [&](const LawDraws& known) {
      return linear && known.linear && *known.linear == *linear;
    });
    const bool is_new = same == all.end();
    LawDraws& draws = is_new ? all.emplace_back() : *same;
    if (is_new) {
      draws = {.law = one.law, .linear = std::move(linear)};
      draws.counts.resize(one.law->domain().size());
    }
    draws.releases.push_back(&one);
    for (std::size_t i = 0; i < one.records->outcomes().size(); ++i) {
      draws.counts[outcomes[one.records->outcomes()[i]]] += one.records->counts()[i];
    }
    draws.count += static_cast<double>(one.records->total());
    records += static_cast<double>(one.records->total());
  }
  if (all.size() == 1) return all;
  for (const LawDraws& draws : all) {
    if (draws.linear && draws.linear->is_mixture()) continue;
    refuse_input("not-for-this-mechanism", "released", {},
                 "several releases are estimated from together if each is by randomized-response, "
                 "mixture, gaussian-curve or a shuffled mechanism, but one is by {}: estimate from "
                 "it alone",
                 draws.law->mechanism());
  }
  double sum = 0;
  for (LawDraws& draws : all) {
    draws.weight = weighting == Weighting::kReports ? draws.count / records : precision(draws);
    sum += draws.weight;
  }
  for (LawDraws& draws : all) draws.weight /= sum;
  return all;
}

}  // namespace mollify
