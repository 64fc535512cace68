// From a budget and public sizes to the best mechanism for them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "accounting/privacy.h"
#include "accounting/shuffling.h"
#include "core/invalid_input.h"
#include "methods/central/samplers.h"

namespace mollify {

/// Everything public about a release.
struct CentralRequest {
  /// n, 1 to 2^40.
  std::uint64_t records = 0;
  /// k, 1 to 2^24.
  std::uint64_t outcomes = 0;
  /// m, the number of outputs, at least 1.
  std::uint64_t outputs = 0;
  /// For all outputs together; rho for the product mechanism alone.
  Privacy budget;
  /// The greatest weight of a row or a unit, in steps, if they have weights. Then n is how many of
  /// these are assumed to weigh as much as the table.
  std::optional<std::uint64_t> greatest_weight{};
};

/// A mechanism with all its public parameters, and their promise. Two designs of one request and
/// mechanism are equal, so a certificate can be checked by designing anew.
struct CentralDesign {
  CentralMechanism mechanism = CentralMechanism::kSubsampledRr;
  std::uint64_t records = 0;
  std::uint64_t outcomes = 0;
  /// None where the number of outputs is random.
  std::optional<std::uint64_t> outputs = std::nullopt;
  /// Disjoint parts of the records that a mechanism runs on, each for one output (ds-roo, and
  /// product under rho); 1 for mechanisms that use all records at once.
  std::uint64_t runs = 1;
  /// Of each randomized response: ln(E0). For the pure mechanisms it follows from the guarantee and
  /// is stated, rounded up; subset-rr, shuffled-rr and poisson-rr are made from it. None elsewhere.
  std::optional<double> epsilon0 = std::nullopt;
  /// With which probability poisson-rr looks at a record; 1 elsewhere.
  double rate = 1;
  Privacy guarantee;
  /// See CentralSampler.
  double total_variation_up = 1;
  bool independent_outputs = true;
  /// One sentence for the user: why this mechanism, with these parameters.
  std::string why;
  std::optional<std::uint64_t> greatest_weight{};  ///< as of the request

  friend bool operator==(const CentralDesign&, const CentralDesign&) = default;
};

/// All that is known of a mechanism. A new one is its value and name in samplers.h, its sampler, and
/// its row in design.cpp.
struct CentralRow {
  CentralMechanism mechanism;
  /// Each output is a randomized response of one record, drawn evenly. Then the distribution of an
  /// output is known exactly, and `estimate` takes the noise back.
  bool is_randomized_response = false;
  /// Its outcomes are vectors of bits, and its total variation is for product distributions alone.
  bool is_for_bits = false;
  bool reports_all = false;  ///< has as many outputs as there are records
  bool takes_weights = false;
  /// A plainer name of the same sampler; one that reports all has the sampler of those that do.
  std::optional<CentralMechanism> plainer = std::nullopt;
  /// The sampler adds total variation and independence to the design.
  CentralDesign (*design)(const CentralRequest& request) = nullptr;
  std::unique_ptr<CentralSampler> (*sampler)(const CentralDesign& design) = nullptr;
  /// Of those that shuffling amplifies: an upper bound on the delta that the design's responses
  /// spend at its guarantee's epsilon, to be compared with the guarantee's delta, and found soonest
  /// if that is all; null where a plan makes designs instead.
  double (*spent)(const CentralDesign& design, bool only_decides) = nullptr;

  /// Whether it is another mechanism's sampler, of all records or of fewer.
  [[nodiscard]] bool is_second_name(bool of_all) const;
};

[[nodiscard]] const CentralRow& row_of(CentralMechanism mechanism) noexcept;

/// The greatest probability with which poisson-rr is designed to look at fewer records than it
/// releases; its total variation counts it.
inline constexpr double kShortfall = 1e-12;

/// The parameters with which the mechanism spends the budget at the least total variation. Throws
/// InvalidInput, in one sentence that says what would do, if it cannot meet the request.
[[nodiscard]] CentralDesign design_central(CentralMechanism mechanism,
                                           const CentralRequest& request);

/// Throws InvalidInput for a budget in mu, which nothing here spends, and for one with parameters
/// that its notion does not have.
void require_central_budget(const Privacy& budget);

/// poisson-rr at a rate in (0, 1], releasing a random number of outputs with the law Bin(n, rate).
/// `request.outputs` is not read. Needs delta > 0; throws InvalidInput otherwise.
[[nodiscard]] CentralDesign design_poisson(const CentralRequest& request, double rate);

/// One mechanism's answer to a request: a design, or a reason.
struct CentralOption {
  CentralMechanism mechanism;
  std::optional<CentralDesign> design;
  /// The sentence of the InvalidInput; empty if there is a design.
  std::string refusal;
  std::optional<InvalidInput> refused{};
};

/// All mechanisms, in the order of the enumeration. Throws InvalidInput only for a request that is
/// wrong in itself (no records, epsilon not positive, ...).
[[nodiscard]] std::vector<CentralOption> central_options(const CentralRequest& request);

/// `auto`: of the options that promise independent outputs for every distribution of the records
/// (so never product, nor histogram with several outputs), the one with the least
/// total_variation_up, the first in the order of the enumeration if some are equal; of two names of
/// one sampler, the plainer. `why` says so, and states the others' cost. Uses public information
/// alone. Throws InvalidInput if none exists. `chosen`, if it is given, is taken where it is as
/// good except for last digits, which another processor may find otherwise.
[[nodiscard]] CentralDesign best_central_design(
    const CentralRequest& request, std::optional<CentralMechanism> chosen = std::nullopt);

/// The mechanism for this many outcomes in place of the design's, for draws from a support that was
/// found.
[[nodiscard]] CentralDesign with_outcomes(const CentralDesign& design, std::uint64_t outcomes);

/// The sampler of a design. Its promise is the design's. Its integers are checked against the
/// guarantee; throws InvalidInput for a design that keeps no promise.
[[nodiscard]] std::unique_ptr<CentralSampler> make_central_sampler(const CentralDesign& design);

}  // namespace mollify
