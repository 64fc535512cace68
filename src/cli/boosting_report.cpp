#include "boosting_report.h"

#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "boosting/bounding.h"

namespace mollify::cli {
namespace {

Json optional_number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

std::string claim_text(const std::optional<double>& claimed, bool fails) {
  if (!claimed) return "none";
  return fmt::format("{:.4f}{}", *claimed, fails ? " (fails)" : "");
}

}  // namespace

Json boosting_json(const BoostingRun& run, const BoostingProblem& problem, const MbdeSpec& spec) {
  Json iterations = Json::array();
  for (std::size_t t = 0; t < run.steps.size(); ++t) {
    const IterationDiagnostics& d = run.steps[t].diagnostics;
    iterations.push_back({{"t", t + 1},
                          {"theta", d.theta},
                          {"cross_entropy", optional_number(run.steps[t].cross_entropy)},
                          {"c_star", d.c_star},
                          {"gamma_p", d.gamma_p},
                          {"gamma_q", d.gamma_q},
                          {"regime", name_of(d.regime)},
                          {"kl_drop", d.drop},
                          {"guaranteed", d.guaranteed},
                          {"papers_claim", optional_number(d.claimed)},
                          {"papers_claim_fails", d.claim_fails()}});
  }
  Json regions = Json::array();
  for (const RegionDiagnostics& region : run.regions) {
    regions.push_back({{"p", region.mass_p},
                       {"reference", region.mass_reference},
                       {"q", region.mass_q},
                       {"guaranteed", region.guaranteed},
                       {"papers_claim", optional_number(region.claimed)},
                       {"papers_claim_fails", region.claim_fails()}});
  }
  Json draws = Json::array();
  for (std::size_t i = 0; i < run.draws.size(); i += run.density.dimension()) {
    draws.push_back(std::span(run.draws).subspan(i, run.density.dimension()));
  }
  const LogNormaliser& normaliser = *run.density.log_normaliser();
  const auto fit_json = [](const std::optional<BoostingFit>& fit) -> Json {
    if (!fit) return nullptr;
    return {{"nll", number(fit->nll.value)},
            {"nll_error", fit->nll.standard_error},
            {"coverage", fit->coverage.value},
            {"coverage_error", fit->coverage.standard_error}};
  };
  return {
      {"notice", kNotPrivate},
      {"p", problem.p_text},
      {"reference", problem.reference_text},
      {"epsilon", spec.boosting.epsilon},
      {"outputs", spec.boosting.outputs},
      {"classifier", name_of(spec.boosting.bounding)},
      {"samples", spec.sample_size},
      {"seed", spec.seed},
      {"exact", problem.evaluation.is_exact()},
      {"iterations", iterations},
      {"delta",
       {{"value", run.gain.value},
        {"error", run.gain.standard_error},
        {"guaranteed", run.all.guaranteed},
        {"limit", run.all.limit},
        {"papers_claim", optional_number(run.all.claimed)},
        {"papers_claim_fails", run.all.claim_fails()}}},
      {"log_ratio",
       {{"least", run.range.least},
        {"greatest", run.range.greatest},
        {"limit", run.range.limit},
        {"within", run.range.within()}}},
      {"log_normaliser", {{"value", normaliser.value}, {"error", normaliser.error}}},
      {"fit", {{"reference", fit_json(run.of_reference)}, {"boosted", fit_json(run.of_boosted)}}},
      {"regions", regions},
      {"draws", draws}};
}

void print_boosting(const BoostingRun& run, const BoostingProblem& problem, const MbdeSpec& spec) {
  fmt::print("{}\n", kNotPrivate);
  fmt::print("P: {}; Q0: {}; epsilon {:g} for {} output{}\n", problem.p_text,
             problem.reference_text, spec.boosting.epsilon, spec.boosting.outputs,
             spec.boosting.outputs == 1 ? "" : "s");
  fmt::print("{:>2} {:>7} {:>7} {:>8} {:>8} {:>7} {:>9} {:>11} {:>15} {:>14}\n", "t", "theta", "c*",
             "gamma_P", "gamma_Q", "regime", "KL drop", "guaranteed", "papers' claim",
             "cross-entropy");
  for (std::size_t t = 0; t < run.steps.size(); ++t) {
    const IterationDiagnostics& d = run.steps[t].diagnostics;
    fmt::print("{:>2} {:>7.4f} {:>7.4f} {:>8.4f} {:>8.4f} {:>7} {:>9.4f} {:>11.4f} {:>15} {:>14}\n",
               t + 1, d.theta, d.c_star, d.gamma_p, d.gamma_q, name_of(d.regime), d.drop,
               d.guaranteed, claim_text(d.claimed, d.claim_fails()),
               run.steps[t].cross_entropy ? fmt::format("{:.4f}", *run.steps[t].cross_entropy)
                                          : "not known");
  }
  const std::string error =
      problem.evaluation.is_exact() ? "" : fmt::format(" +- {:.4f}", run.gain.standard_error);
  fmt::print(
      "KL(P, Q0) - KL(P, Q_T) = {:.4f}{}: guaranteed {:.4f}, at most {:.4f}, papers' claim {}\n",
      run.gain.value, error, run.all.guaranteed, run.all.limit,
      claim_text(run.all.claimed, run.all.claim_fails()));
  fmt::print("log Q_T/Q0 lies between {:.4f} and {:.4f}, and can never leave +-{:.4f}\n",
             run.range.least, run.range.greatest, run.range.limit);
  const auto print_fit = [&](const char* law, const BoostingFit& fit) {
    const auto text = [&](const Estimate& estimate) {
      return problem.evaluation.is_exact()
                 ? fmt::format("{:.4f}", estimate.value)
                 : fmt::format("{:.4f} +- {:.4f}", estimate.value, estimate.standard_error);
    };
    fmt::print("{}: negative log-likelihood {}, mode coverage {}\n", law, text(fit.nll),
               text(fit.coverage));
  };
  if (run.of_reference) print_fit("Q0 ", *run.of_reference);
  if (run.of_boosted) print_fit("Q_T", *run.of_boosted);
  for (const RegionDiagnostics& region : run.regions) {
    fmt::print(
        "region: {:.4f} of P, {:.4f} of Q0, {:.4f} of Q_T; guaranteed {:.4f}, papers' claim "
        "{}\n",
        region.mass_p, region.mass_reference, region.mass_q, region.guaranteed,
        claim_text(region.claimed, region.claim_fails()));
  }
}

void print_draws(const BoostingRun& run, const std::string& sampler) {
  fmt::print("drawn by {} from a seed, NOT PRIVATE:\n", sampler);
  for (std::size_t i = 0; i < run.draws.size(); i += run.density.dimension()) {
    fmt::print("{}\n", fmt::join(std::span(run.draws).subspan(i, run.density.dimension()), ","));
  }
}

}  // namespace mollify::cli
