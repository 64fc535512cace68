#include "release/release_report.h"

#include <cmath>

#include <fmt/format.h>

#include "accounting/counted.h"
#include "release/acceptance.h"
#include "release/design.h"
#include "release/models_release.h"

namespace mollify {
namespace {

std::string mechanism_reason(const Certificate& certificate) {
  const LocalDesign& design = *certificate.local();
  const LocalSpec& spec = *certificate.spec.local();
  if (spec.mechanism || spec.band) {
    return fmt::format("{} was asked for", spec.mechanism ? std::string(name_of(*spec.mechanism))
                                                          : "band " + to_text(*spec.band));
  }
  switch (design.mechanism) {
    case Mechanism::kMinimax:
      return "minimax: no sampler has a smaller error in the worst case over all data";
    case Mechanism::kRelative:
      return spec.reference ? "relative: its band is made about the public reference"
                            : "relative: over so many outcomes no worst case can be small, and its "
                              "band does not depend on their number";
    case Mechanism::kGaussianCurve:
      return "gaussian-curve: the budget is in mu";
    default:
      return fmt::format("{}: its parameters were given", name_of(design.mechanism));
  }
}

std::string reason(const Certificate& certificate) {
  if (certificate.local() != nullptr) return mechanism_reason(certificate);
  if (const FiniteDesign* finite = certificate.finite()) return finite->design.why;
  if (const GaussianDesign* gaussian = certificate.gaussian()) return gaussian->why;
  if (const MomentDesign* moments = certificate.moments()) return moments->why;
  return certificate.marginals()->why;
}

std::optional<double> distance(const Certificate& certificate, const ReleaseError& error,
                               const Domain& domain) {
  if (certificate.local() != nullptr) {
    return draw_risk(certificate, domain).quoted_total_variation();
  }
  // Of a support that is found it is that of the whole domain.
  if (certificate.finite() != nullptr) return certificate.finite()->design.total_variation_up;
  if (error.is_least) return std::nullopt;
  return error.error;
}

std::vector<std::string> notes_of(const Certificate& certificate, const ReleaseError& error,
                                  const Domain& domain) {
  std::vector<std::string> notes;
  if (const LocalDesign* local = certificate.local()) {
    if (certificate.spec.shares_model()) {
      const ModelsOutlook outlook = models_outlook(certificate);
      notes.push_back(fmt::format(
          "if likelihoods tell models apart, the one released is among the {} likeliest of {} with "
          "probability {:.4g}",
          outlook.best, certificate.facts.outcomes, outlook.probability));
      notes.emplace_back("all rows are drawn from the one released model");
    } else if (local->floor) {
      notes.push_back(
          fmt::format("whatever the data, an outcome is released with {:.4g} to {:.4g} times its "
                      "reference mass",
                      *local->floor, *local->floor * std::exp(certificate.draw.epsilon)));
    } else {
      notes.emplace_back(
          "a record is one of the unit's own or noise: mollify estimate finds the population from "
          "all records");
    }
    if (const auto sparse = sparse_error(certificate, domain);
        sparse && sparse->is_mostly_noise() && !error.is_mostly_noise()) {
      notes.push_back(fmt::format("if the data lie on few of {}, {}",
                                  counted(certificate.facts.outcomes, "outcome"),
                                  noise_words(*sparse)));
    }
    if (*certificate.spec.count > 1 && !certificate.spec.shares_model()) {
      notes.push_back(fmt::format("each of {} of a unit has {} of the budget",
                                  counted(*certificate.spec.count, "draw"),
                                  certificate.draw.text()));
    }
  }
  if (const FiniteDesign* finite = certificate.finite()) {
    notes.emplace_back(finite->design.independent_outputs
                           ? "each record has noise of its own"
                           : "the records share noise: more of them do not lessen it");
    if (finite->hint) {
      notes.emplace_back("the error depends on the support that is found, and is not known before");
    }
  }
  if (certificate.gaussian() != nullptr) {
    notes.emplace_back("accuracy depends on the data being Gaussian as declared; privacy does not");
  }
  if (certificate.moments() != nullptr) {
    notes.push_back("the error is stated " + spread_condition());
  }
  if (certificate.spec.hides_count()) {
    notes.push_back(fmt::format(
        "the error depends on the number of {}s, which is protected, and is not known before",
        certificate.spec.unit ? "unit" : "row"));
  }
  if (certificate.moments() != nullptr || certificate.marginals() != nullptr) {
    notes.emplace_back("all rows share one noisy model: more of them do not lessen its error");
  }
  return notes;
}

}  // namespace

ReleaseReport release_report(const PreparedRelease& prepared, const Domain& domain) {
  const Certificate& certificate = prepared.certificate();
  return {distance(certificate, prepared.error(), domain), reason(certificate),
          notes_of(certificate, prepared.error(), domain), prepared.warnings()};
}

}  // namespace mollify
