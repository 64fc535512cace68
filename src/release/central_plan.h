// How many records, outcomes or outputs, how much budget and accuracy: finite samples.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "central/central_design.h"
#include "release/plan.h"

namespace mollify {

using CentralQuestion = PlanQuestion<CentralRequest>;

/// What one mechanism needs.
struct CentralAnswer {
  CentralMechanism mechanism;
  /// The design with the unknown solved for: at the value of the unknown that is in it, the
  /// question is certainly served. None if no value up to the limits of the library is found.
  std::optional<CentralDesign> design;
  /// Its total variation, in the sense of the question.
  double alpha = 1;
  /// Why there is no design.
  std::string refusal;
};

/// The mechanisms that plans compare: subsampled-rr, subset-rr, poisson-rr and histogram. What is
/// left out has the numbers of subsampled-rr in the worst case (reveal-or-obscure, ds-roo), those
/// of subset-rr (shuffled-rr), or needs independent columns (product).
std::span<const CentralMechanism> planned_mechanisms();

/// The question with an answer in place of its unknown.
[[nodiscard]] CentralQuestion answered(PlanUnknown unknown, CentralQuestion question,
                                       const CentralAnswer& answer);

/// The value of the unknown in an answer that has a design.
[[nodiscard]] double value_of(PlanUnknown unknown, const CentralAnswer& answer);

/// The total variation, in the sense of the question, of a design.
double alpha_of(const CentralDesign& design, bool strong);

/// Every planned mechanism's answer. Numbers come from the designs themselves, by bisection and
/// secants over design_central: whole numbers are the least or greatest that serve, others are so
/// to within 1e-6 of themselves. Limits: n to 2^39, k to 2^24, epsilon from 1e-6 to 30, delta from
/// 1e-100 to 0.5 (or 0 where that serves). InvalidInput for a question that is wrong in itself.
/// Milliseconds to a second.
[[nodiscard]] std::vector<CentralAnswer> plan(PlanUnknown unknown, const CentralQuestion& question);

/// The index of the best answer: fewest records, most outcomes or outputs, least epsilon, delta or
/// alpha, among those whose outputs are independent; the first of equals. None if there is none.
std::optional<std::size_t> best_answer(PlanUnknown unknown,
                                       const std::vector<CentralAnswer>& answers);

/// Records that any mechanism needs, up to a constant factor that the sources do not give:
/// k/(alpha epsilon) for independent outputs [Raskhodnikova et al. 2021], k sqrt(m)/(alpha epsilon)
/// for a joint law within alpha [Cheu, Nayak 2024, Theorems 22 and 23].
double records_lower_bound_order(const CentralQuestion& question);

/// Records that the papers ask for [Cheu, Nayak 2024]: m(k - 1)/(alpha epsilon) for m subsampled
/// outputs (Theorem 11, Lemma 8; pure), and the least n whose closed form (Lemma 12), with all
/// reports released, allows alpha within its regime; none without delta or up to 2^39.
double papers_subsampled_records(const CentralQuestion& question);
std::optional<std::uint64_t> papers_shuffled_records(const CentralQuestion& question);

/// Total variation of each planned mechanism against the number of records (curve_records).
[[nodiscard]] std::vector<CurvePoint> curve(const CentralQuestion& question);

}  // namespace mollify
