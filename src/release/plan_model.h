// What plans of the three models differ in.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "release/parts.h"
#include "release/plan.h"

namespace mollify {

/// The parts of a plan's question with the flags of `mollify plan`, and the question of a JSON
/// object of them; sentences as PartReader's.
[[nodiscard]] std::span<const Part> plan_parts();
[[nodiscard]] PlanQuestion plan_question_of(const Json& json, const std::string& name);

/// The ends between which an unknown is searched: `easy` is likeliest to serve. Where `hard` is 0,
/// the search ends just above it.
struct PlanSpan {
  double easy;
  double hard;
};

/// The question with a value for an unknown.
[[nodiscard]] PlanQuestion with(PlanQuestion question, PlanUnknown unknown, double value);

/// The mechanisms of one model, as functions of a question in which nothing is unknown.
class PlanModel {
 public:
  PlanModel() = default;
  PlanModel(const PlanModel&) = delete;
  PlanModel& operator=(const PlanModel&) = delete;
  virtual ~PlanModel() = default;

  [[nodiscard]] virtual std::size_t mechanisms() const { return 1; }

  /// What the mechanism of that index makes of the question; `value` is left open. Its alpha is
  /// infinite where it refuses, and `why` says so.
  [[nodiscard]] virtual PlanWay at(std::size_t mechanism, const PlanQuestion& question) const = 0;

  /// At most the question's alpha only where that of `at` is, and monotone like it: less work where
  /// a design is itself a search.
  [[nodiscard]] virtual double measure(std::size_t mechanism, const PlanQuestion& question) const {
    return at(mechanism, question).alpha;
  }

  /// The question of that mechanism alone.
  [[nodiscard]] virtual PlanQuestion settled(std::size_t, PlanQuestion question) const {
    return question;
  }

  /// Throws InvalidInput for an unknown that the model has not.
  [[nodiscard]] virtual PlanSpan span(PlanUnknown unknown, const PlanQuestion& question) const = 0;

  /// Throws InvalidInput for what is wrong whatever the unknown is.
  virtual void require_answerable(PlanUnknown unknown, const PlanQuestion& question) const = 0;

  /// What is given: "2000 records, 4 outcomes, 10 outputs, epsilon 1", but for the unknown; `whole`
  /// is the question with the answer in it.
  [[nodiscard]] virtual std::string subject(PlanUnknown unknown, const PlanQuestion& whole) const;

  /// Adds facts and lines to an answer that has a best way; `whole` is the question with the answer
  /// in it.
  virtual void tell(const PlanQuestion& whole, PlanAnswer& answer) const = 0;
};

/// Reads the domain and the reference that the question names; `inputs` may be null if it names
/// none.
[[nodiscard]] std::unique_ptr<const PlanModel> local_plan_model(PlanQuestion& question,
                                                                const PublicInputs* inputs);
[[nodiscard]] std::unique_ptr<const PlanModel> finite_plan_model();
[[nodiscard]] std::unique_ptr<const PlanModel> gaussian_plan_model();
[[nodiscard]] std::unique_ptr<const PlanModel> shared_gaussian_plan_model();
[[nodiscard]] std::unique_ptr<const PlanModel> marginal_plan_model();

/// For samples of finite domains [Raskhodnikova et al. 2021; Cheu, Nayak 2024, Theorems 22 and 23]:
/// records that any mechanism needs, up to a constant factor that the sources do not give:
/// k/(alpha epsilon) for independent outputs, k sqrt(m)/(alpha epsilon) for a joint law within
/// alpha.
[[nodiscard]] double records_lower_bound_order(const PlanQuestion& question);

/// Records that the papers ask for [Cheu, Nayak 2024]: m(k - 1)/(alpha epsilon) for m subsampled
/// outputs (Theorem 11, Lemma 8; pure), and the least n whose closed form (Lemma 12), with all
/// reports released, allows alpha within its regime; none without delta or up to 2^39.
[[nodiscard]] double papers_subsampled_records(const PlanQuestion& question);
[[nodiscard]] std::optional<std::uint64_t> papers_shuffled_records(const PlanQuestion& question);

/// The records that the papers' own parameters need for Gaussian samples, with B =
/// paper_clip_radius_up(beta), the mean bounded by R, for m outputs m times those of one at alpha
/// (strong: alpha/m):
///  - zCDP: 2 B^2/(n (n - 1)) <= rho, beta = alpha
///    [Cheu, Nayak 2024, Theorem 19; Ghazi et al. 2023, Algorithm 1];
///  - (epsilon, delta): the analytic Gaussian of sensitivity 2 B/n and variance 1 - 1/n, the same;
///  - pure: v = 1 - 1/n [Cheu, Nayak 2024, Algorithm 4], beta = alpha/2 and the shape's exact total
///    variation the rest;
///  - covariance from I to K I, zCDP: beta = alpha/2, s^2 sqrt(d/8) = alpha/2, 2 B^2 a^2/s^2 <= rho
///    with the greatest weight a = 1/n + sqrt((1 - 1/n)/n)
///    [Cheu, Nayak 2024, Theorem 30; Ghazi et al. 2023, Algorithm 3].
/// None without a mean bound, for bounded covariance under (epsilon, delta), or beyond 2^39.
[[nodiscard]] std::optional<std::uint64_t> papers_gaussian_records(const PlanQuestion& question);

/// Records that any Gaussian sampler needs (accounting/gaussian_lower_bound.h), for the mean bound
/// or the ball inside the ranges; 0 where that says nothing.
[[nodiscard]] double gaussian_records_lower_bound(const PlanQuestion& question);

}  // namespace mollify
