// The mechanisms on outcomes and where a band lies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/named.h"
#include "core/random.h"
#include "core/table.h"
#include "kernel/channels.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/local/sampler.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// From a mechanism's name and public parameters to its sampler.

/// The finite local mechanisms by the names that users give them.
enum class Mechanism {
  kMinimax,             ///< band, the least worst case [Park et al. 2024]
  kRelative,            ///< band symmetric about the reference [Husain et al. 2020]
  kClass,               ///< band for c1 h <= p <= c2 h [Park et al. 2024]
  kNeighbourhood,       ///< band for P0/gamma <= p <= gamma P0 [Ghoukasian et al. 2025]
  kPublicKernel,        ///< StaircaseChannel [Zamanlooy et al. 2024]
  kRandomizedResponse,  ///< a record through k-ary randomized response [Husain et al. 2020]
  kMixture,             ///< a record, or the reference [Park et al. 2024, eq. 35]
  kGaussianCurve,       ///< the same under a Gaussian trade-off curve [Ghoukasian et al. 2025]
  kNaive,               ///< a record through a public channel, A_R [Husain et al. 2020, eq. 3]
  kConvex,              ///< the mixture of a channel's rows nearest to P [ibid., eq. 7]
  kScaleAndShift,       ///< P squeezed towards the reference, in a band [ibid., Figure 2]
  kLocation,            ///< band whose b the user gives
};

[[nodiscard]] constexpr auto names_of(Mechanism) {
  return std::array{Named{Mechanism::kMinimax, "minimax"},
                    Named{Mechanism::kRelative, "relative"},
                    Named{Mechanism::kClass, "class"},
                    Named{Mechanism::kNeighbourhood, "neighbourhood"},
                    Named{Mechanism::kPublicKernel, "public-kernel"},
                    Named{Mechanism::kRandomizedResponse, "randomized-response"},
                    Named{Mechanism::kMixture, "mixture"},
                    Named{Mechanism::kGaussianCurve, "gaussian-curve"},
                    Named{Mechanism::kNaive, "naive"},
                    Named{Mechanism::kConvex, "convex"},
                    Named{Mechanism::kScaleAndShift, "scale-and-shift"},
                    Named{Mechanism::kLocation, "location"}};
}

/// The numbers that some mechanisms have in addition to their budget.
struct MechanismNumbers {
  std::optional<double> c1 = std::nullopt;
  std::optional<double> c2 = std::nullopt;
  std::optional<double> gamma = std::nullopt;
  std::optional<double> location = std::nullopt;

  friend bool operator==(const MechanismNumbers&, const MechanismNumbers&) = default;
};

/// One of them, as users give it. Specs, flags, C, Python, JSON and the schema follow from its row.
struct MechanismNumber {
  std::string_view name;
  std::optional<double> MechanismNumbers::*value;
  const char* place;  ///< in a spec; empty if --band gives it
  const char* flag;
  double least;  ///< of its range, which `is_open` leaves out
  bool is_open;
  double below;
  const char* help;
};

[[nodiscard]] std::span<const MechanismNumber> mechanism_numbers() noexcept;

/// Throws InvalidInput for a value outside the range of its number.
void require_in_range(std::optional<double> MechanismNumbers::*number, double value);

/// Everything public that makes a sampler of one draw.
struct MechanismParameters {
  Mechanism mechanism = Mechanism::kMinimax;
  std::size_t outcome_count = 0;
  /// Reference masses, one for each outcome and positive; empty represents uniform.
  std::span<const double> reference = {};
  /// For every mechanism but kGaussianCurve: of one draw.
  std::optional<double> epsilon = std::nullopt;
  /// For kGaussianCurve: of one draw.
  std::optional<double> mu = std::nullopt;
  MechanismNumbers numbers = {};
  /// For kNaive and kConvex: the channel's rows, a mass for each outcome; empty stands for Laplace
  /// noise between equal cells (laplace_channel).
  std::span<const double> channel = {};
  /// For kGaussianCurve, if it is known: how many of MixtureChannel::kKeepTotal parts keep the
  /// value. It is found in doubles, whose last digits processors round differently.
  std::optional<std::uint64_t> kept = std::nullopt;

  /// The reference masses, or equal ones for uniform.
  [[nodiscard]] std::vector<double> masses() const;
  /// The reference, whose masses sum to one.
  [[nodiscard]] ReferenceMasses normalised() const;
};

/// A mechanism's use of a reference.
enum class ReferenceUse { kOptional, kNone, kNeeded };

/// All that is known of a mechanism. A new one is its value and name above, its row in
/// mechanism.cpp, and its numbers, if other mechanisms do not have them.
struct MechanismRow {
  Mechanism mechanism;
  std::array<std::optional<double> MechanismNumbers::*, 2> numbers{};  ///< null: fewer
  ReferenceUse reference = ReferenceUse::kOptional;
  bool in_mu = false;             ///< its budget is mu instead of epsilon
  bool is_for_any_space = false;  ///< its band does not depend on the number of outcomes
  bool judges_class = false;  ///< c1 and c2 are no numbers of it, but say where its risk is taken
  bool is_long = false;       ///< making it takes time in all outcomes, whatever is drawn
  bool has_channel = false;   ///< which no list of all mechanisms can know
  bool is_linear = false;     ///< its law is P times a public matrix that can be undone
  const char* why = "";       ///< why it is taken where nobody asks for it
  const char* law = "";       ///< the release in a clause, where there is no band constant
  /// Bands: the constant b, and the worst case; without one, a band's at b.
  double (*floor)(const MechanismParameters& parameters) = nullptr;
  WorstCaseRisk (*risk)(const MechanismParameters& parameters, const ReferenceMasses& reference,
                        double epsilon) = nullptr;
  /// The others: the sampler, and the least probability with which a value is reported as itself
  /// beside that probability's complement; or `risk`, if that does not decide it.
  std::unique_ptr<LocalSampler> (*sampler)(const MechanismParameters& parameters) = nullptr;
  std::array<double, 2> (*kept)(const MechanismParameters& parameters) = nullptr;

  [[nodiscard]] bool has(const MechanismNumber& number) const noexcept;
};

[[nodiscard]] const MechanismRow& row_of(Mechanism mechanism) noexcept;

/// Whether the mechanism is a reference and a constant b.
[[nodiscard]] inline bool is_band(Mechanism mechanism) {
  return row_of(mechanism).floor != nullptr;
}

/// The mechanisms that a spec can name: --band represents those with numbers of its own.
[[nodiscard]] std::vector<Named<Mechanism>> named_mechanisms();

/// Those of the numbers that the mechanism has.
[[nodiscard]] MechanismNumbers own_numbers(Mechanism mechanism, const MechanismNumbers& given);

/// The first mechanism that has one of the given numbers, later numbers first; none without any.
[[nodiscard]] std::optional<Mechanism> mechanism_with(const MechanismNumbers& given);

/// Throws InvalidInput for a budget in epsilon and in mu. A mechanism that is named takes one.
[[noreturn]] void refuse_two_budgets(std::optional<Mechanism> named);

/// Throws InvalidInput, in one sentence, if a parameter of the mechanism is missing or one that it
/// does not have is given, or if the outcomes' number or masses are wrong. `make_sampler` and
/// `band_floor_of` do this first.
void validate_parameters(const MechanismParameters& parameters);

/// The constant b of a band mechanism; InvalidInput for the others.
[[nodiscard]] double band_floor_of(const MechanismParameters& parameters);

/// The sampler, its guarantee checked in integers. Throws InvalidInput for parameters that are
/// missing, that the mechanism does not have, or that are out of range, in one sentence.
[[nodiscard]] std::unique_ptr<LocalSampler> make_sampler(const MechanismParameters& parameters);

// -----------------------------------------------------------------------------------------------
// How much of the value the Gaussian-curve sampler may keep.

/// The Gaussian trade-off curve as a hockey stick: delta(B) = Phi(nu/2 - B/nu) -
/// e^B Phi(-nu/2 - B/nu), for B >= 0. A mechanism is nu-Gaussian-DP exactly if between any two
/// inputs its hockey-stick divergence of order e^B is at most delta(B), for every B >= 0.
[[nodiscard]] double gaussian_curve(double nu, double b);

/// The greatest weight lambda for which lambda P + (1 - lambda) P0 is nu-Gaussian-DP for every P on
/// a finite space, P0 the reference [Ghoukasian et al. 2025, with c1 = 0 and c2 = 1 / h_min;
/// docs/theory/band.md]; rounded down by 2^-30.
///
/// Derivation. Rows x and x' of the mixture differ at x and x' only, so their hockey stick is
/// (lambda - (e^B - 1)(1 - lambda) h_x)_+, greatest at the least mass h_min. It must stay under
/// delta(B), which is convex in e^B with slope -Phi(-nu/2 - B/nu); the tightest B therefore solves
/// (1 - lambda) h_min = Phi(-nu/2 - B/nu), and lambda is found by bisection.
/// nu from 0.001 to 20; throws InvalidInput otherwise. `least_mass` is h_min in (0, 1/2].
[[nodiscard]] double gaussian_curve_weight_down(double nu, double least_mass);

/// The mixture with that weight, h_min being the least of its own integers: is_gaussian_private.
/// Throws InvalidInput for nu out of range and for a reference that MixtureChannel refuses.
[[nodiscard]] MixtureChannel gaussian_curve_channel(std::span<const double> reference, double nu);

/// Whether the channel's own integers keep it under the curve of nu, with 2^-40 to spare.
[[nodiscard]] bool is_gaussian_private(const MixtureChannel& channel, double nu);

// -----------------------------------------------------------------------------------------------
// A private distribution as integers, for the samplers that draw a record first.

/// The distribution a channel's input is drawn from: integer weights on some of k inputs.
///
/// Counts of records (whole numbers below 2^53 whose sum is below 2^53) are taken as they are, so a
/// draw is a uniform record; other weights are scaled to about 2^61 in all. NaN, negative and
/// infinite weights and inputs out of range count as nothing. Privacy does not depend on this step:
/// a channel is private for every input law.
class InputWeights {
 public:
  InputWeights(const ScoredOutcomes& p, std::size_t input_count);

  /// Whether no input has weight; then there is nothing to draw.
  [[nodiscard]] bool empty() const { return prefix_.back() == 0; }

  /// An input with probability proportional to its weight. O(log m). Requires not empty().
  [[nodiscard]] std::uint32_t draw(SecureRandom& random) const;

  /// All that `empty` and `draw` depend on. Valid as long as this is. NOT PRIVATE.
  [[nodiscard]] LawIntegers integers() const {
    return {.outcomes = inputs_, .numerators = prefix_};
  }

  /// The weights, one for each of k inputs. NOT PRIVATE.
  [[nodiscard]] std::vector<std::uint64_t> dense() const;

 private:
  std::size_t input_count_;
  std::vector<std::uint32_t> inputs_;
  std::vector<std::uint64_t> prefix_;  // of the weights, with one entry more
};

// -----------------------------------------------------------------------------------------------
// The worst case of every local mechanism, in closed form.

/// The worst case of a band mechanism with this reference and epsilon, whatever those in
/// `parameters`; InvalidInput for the linear ones.
[[nodiscard]] WorstCaseRisk band_risk(const MechanismParameters& parameters,
                                      const ReferenceMasses& reference, double epsilon);

/// The worst-case divergence of P from the released law.
///
/// Bands: band_risk. Linear samplers: the law is linear in P and the divergence convex, so
/// the worst P is a point mass; of a point mass that keeps probability m the divergence is m f(1/m)
/// + (1 - m) f(0), decreasing in m, so the least entry on the matrix's diagonal decides. It is
/// attained. Convex: no row K of the channel has sum_x P(x) K(x) / Q(x) > 1 at the nearest mixture
/// Q, as moving to it would be nearer. So P <= Q / m, m being the least of all columns' greatest
/// entries, and a ratio between 0 and 1/m whose mean by Q is 1 has at most that same divergence.
/// The point mass on that column attains it. For the relative mollifier c1 and c2 may name the
/// class that the risk is taken over. O(k); for classes on other references see worst_case_risk.h.
[[nodiscard]] WorstCaseRisk mechanism_risk(const MechanismParameters& parameters);

}  // namespace mollify
