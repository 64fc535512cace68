#include <algorithm>

#include <fmt/format.h>

#include "marginals/marginal_error.h"
#include "release/advice.h"
#include "release/certificate.h"
#include "release/models_release.h"
#include "space/same_functions.h"

namespace mollify {
namespace {

/// All records of one unit, or the whole table.
std::string protected_whole(const Certificate& certificate) {
  const auto& unit = certificate.spec.unit;
  return unit ? fmt::format("all records of one {}", *unit)
              : std::string("all rows of the data, and so any group of them");
}

std::vector<std::string> local_promises(const Certificate& certificate) {
  const std::string whole = protected_whole(certificate);
  if (certificate.total.notion == PrivacyNotion::kGaussian) {
    return {fmt::format(
        "Telling from the output whether {} were one set of values or any other is no easier than "
        "telling one draw of N(0,1) from one of N({:.6g},1).",
        whole, certificate.total.mu)};
  }
  return {fmt::format("No event, and no decision taken later on the output, has its probability "
                      "changed by more than a factor e^{:.6g} = {:.4g} by {}, whatever they are.",
                      certificate.total.epsilon, same_exp(certificate.total.epsilon), whole),
          "This holds for any data, any prior knowledge and any later use of the output; it was "
          "decided in integers, and `mollify verify` recomputes it."};
}

/// What the promise means for a row or a unit.
std::string protection(const Certificate& certificate) {
  const auto& unit = certificate.spec.unit;
  const std::string record =
      unit ? fmt::format("all records of any one {}", *unit) : "any one row of the table";
  const std::string change =
      certificate.spec.hides_count()
          ? fmt::format("Taking {} out of the data, or putting it in,", record)
          : fmt::format("Replacing {} by anything else", record);
  const Privacy& total = certificate.total;
  if (total.notion == PrivacyNotion::kConcentrated) {
    return fmt::format(
        "{} changes the law of the output by a Rényi divergence of at most {:.6g} a at every order "
        "a > 1 (zCDP).",
        change, total.rho);
  }
  return fmt::format(
      "{} changes the probability of no event by more than a factor "
      "e^{:.6g} = {:.4g}{}.",
      change, total.epsilon, same_exp(total.epsilon),
      total.delta > 0 ? fmt::format(" and an addition of {:.6g}", total.delta) : "");
}

std::string finite_accuracy(const Certificate& certificate) {
  const CentralDesign& design = certificate.finite()->design;
  const std::string accuracy = fmt::format(
      "If the {} are independent draws from one distribution{}, each released record follows that "
      "distribution to within {:.6g} in total variation",
      certificate.spec.unit ? "units' records" : "rows",
      certificate.finite()->hint
          ? " and the hint holds of it, so that the interval found has all of them"
          : "",
      design.total_variation_up);
  if (!design.independent_outputs) {
    return accuracy + "; the records released together are not independent of each other.";
  }
  if (!design.outputs) return accuracy + ", independently of the others.";
  const double together = design.total_variation_up * static_cast<double>(*design.outputs);
  // At 1 nothing is promised of all together.
  if (*design.outputs == 1 || !(together < 1)) return accuracy + ".";
  return fmt::format("{}, and all {} together follow independent draws from it to within {:.6g}.",
                     accuracy, *design.outputs, together);
}

constexpr const char* kSharedNoise =
    "The released records are not independent: all share the noise of one model. Where it errs "
    "they err together, and more of them do not make it better.";

/// What noise is expected to do to rows that share it, from public numbers alone.
std::string shared_gaussian_noise(const MomentDesign& design) {
  return fmt::format(
      "By that noise alone the released records are expected to be as good as new rows of the same "
      "Gaussian but for about {} (total variation {:.3g}), {}.",
      times_words(design.expected_total_variation), design.expected_total_variation,
      spread_condition());
}

std::vector<std::string> marginals_noise(const Certificate& certificate) {
  const MarginalDesign& design = *certificate.marginals();
  const auto& records = certificate.facts.records;
  const MarginalError error = records ? marginal_error(design, *records) : noise_in_records(design);
  const std::string things = certificate.spec.unit ? "units" : "rows";
  const std::string in = records ? " in total variation" : " " + things;
  std::vector<std::string> said;
  said.push_back(
      fmt::format("Noise is expected to move a column by {:.3g}{} on average, and by "
                  "{:.3g} at worst.",
                  error.columns.mean, in, error.columns.worst));
  if (!error.seen.empty()) {
    std::string pairs;
    for (const MarginalError::Seen& one : error.seen) {
      pairs += fmt::format("{}{:.3g} in {}x{} cells", pairs.empty() ? "" : ", ", one.distance,
                           one.groups, one.groups);
    }
    said.push_back(
        fmt::format("The noise of a measured pair of columns is expected to be {}{}. "
                    "The other pairs are as the model guesses them.",
                    pairs, records ? "" : " " + things));
  }
  if (!records) {
    said.push_back(fmt::format(
        "How many {0} there are is protected: divide by their number, or give `mollify plan` an "
        "assumed one with --n.",
        things));
  } else if (error.usual > 0) {
    said.push_back(marginals_error_words(error));
  }
  return said;
}

std::string gaussian_accuracy(const Certificate& certificate) {
  const GaussianDesign& design = *certificate.gaussian();
  const GaussianSpec& spec = *certificate.spec.gaussian();
  const GaussianRequest& request = design.request;
  const std::string covariance = spec.covariance ? "that of the file given" : "I";
  const std::string assumed =
      request.covariance_bound > 1
          ? fmt::format("a covariance between {0} and {1:g} times {0}", covariance,
                        request.covariance_bound)
          : (spec.covariance ? "the covariance of the file given" : "covariance I");
  return fmt::format(
      "If the {} are independent draws from one Gaussian with {}{}, {} each released record "
      "follows that Gaussian to within {:.6g} in total variation{}.",
      certificate.spec.unit ? "units' records" : "rows", assumed,
      spec.logarithms.empty() ? "" : " (of logarithms, in the columns that say so)",
      request.mean_bound
          ? fmt::format("whose mean lies within {:g} standard deviations of the middle of the "
                        "declared ranges,",
                        *request.mean_bound)
          : "whose mean lies in the declared ranges,",
      design.total_variation_up(),
      request.outputs == 1
          ? ""
          : fmt::format(", and all {} together follow independent draws from it to within {:.6g}",
                        request.outputs, design.strong_total_variation_up()));
}

}  // namespace

std::vector<std::string> represented(const ReleaseSpec& spec) {
  if (!spec.unit) {
    return {
        "Shares among the released records stand for shares of rows: each row counts once, so that "
        "a person with many rows counts many times."};
  }
  std::vector<std::string> sentences = {fmt::format(
      "Shares among the released records stand for shares of units, not of rows: each {} counts "
      "once, however many rows it has.",
      *spec.unit)};
  if (!spec.roster) return sentences;
  const char* stand_in = "a uniform record";
  const char* pulled_to = "uniform shares";
  if (spec.gaussian() != nullptr) {
    stand_in = "a row in the middle of the declared ranges";
    pulled_to = "that middle";
  } else if (spec.local() != nullptr) {
    stand_in = "one distributed as the public reference";
    pulled_to = "the reference's shares";
  }
  sentences.push_back(fmt::format(
      "Each {0} of the roster without rows counts too, as {1}. If half of the roster has no rows, "
      "what is released lies halfway between the data and {2}.",
      *spec.unit, stand_in, pulled_to));
  return sentences;
}

std::string marginals_error_words(const MarginalError& error) {
  const bool is_copula = error.at_worst == 0;
  return fmt::format(
      "Expect two columns of the released rows to be usually at most {:.3g}{} in total variation "
      "from the table's, on average over pairs, if as many rows are released as the table has. "
      "Fewer rows are further off by chance. {} Other tables can be further off, and rows can "
      "break rules of the table.",
      error.usual, is_copula ? "" : fmt::format(", and at worst {:.3g},", error.at_worst),
      is_copula ? "This held on tables of two kinds."
                : "The first held on tables of twelve kinds, but not on tables in which one column "
                  "determines all others: there the second held, too.");
}

std::vector<std::string> promises(const Certificate& certificate) {
  if (certificate.local() != nullptr) return local_promises(certificate);
  if (certificate.finite() != nullptr)
    return {protection(certificate), finite_accuracy(certificate)};
  if (certificate.marginals() != nullptr) {
    return {protection(certificate),
            "This holds for any values whatever: it rests on no assumption about the data.",
            "The released records, and any number of further ones drawn from the same model, are "
            "made of noisy counts alone: more of them cost no more."};
  }
  if (certificate.moments() != nullptr) {
    return {protection(certificate),
            "This holds for any values whatever: it rests on no assumption about the data.",
            "The released records are made of one noisy mean and one noisy covariance alone: more "
            "of them cost no more."};
  }
  return {protection(certificate),
          "This holds for any values whatever: it rests on no assumption about the data.",
          gaussian_accuracy(certificate)};
}

std::vector<std::string> non_promises(const Certificate& certificate) {
  const auto& unit = certificate.spec.unit;
  const bool roster = certificate.spec.roster.has_value();
  std::vector<std::string> limits;
  if (certificate.gaussian() != nullptr) {
    limits.emplace_back(
        "How near the released records are to the data rests on the data being Gaussian, as "
        "assumed: of other data they keep the mean, roughly, and the covariance that was given.");
    limits.emplace_back(
        "Values beyond the ranges that the domain declares are taken at their bounds before all "
        "else, which the accuracy above leaves out; released records may lie beyond them.");
  }
  if (certificate.moments() != nullptr) {
    limits.emplace_back(kSharedNoise);
    limits.push_back(shared_gaussian_noise(*certificate.moments()));
    limits.emplace_back(
        "How near the released records are to the data rests on the data being Gaussian: of other "
        "data they keep each column's mean and each pair's covariance, as well as the noise "
        "allows, and nothing else (--family marginals --copula keeps each column's own law, "
        "however skewed). Values beyond the ranges that the domain declares are taken at "
        "their bounds, rows far from all others are moved nearer, and released records are cut to "
        "the ranges.");
  }
  if (certificate.marginals() != nullptr) {
    limits.emplace_back(kSharedNoise);
    for (std::string& words : marginals_noise(certificate)) limits.push_back(std::move(words));
    limits.emplace_back(
        certificate.marginals()->request.copula
            ? "How near the model is to the data is not promised: it keeps each column and the "
              "rank correlation of each pair, as well as noise allows; dependence of another kind "
              "than a Gaussian copula's is not kept."
            : "How near the model is to the data is not promised: it keeps each column and the "
              "pairs that depend most on each other, each as well as its noise allows; what three "
              "columns have in common only together is not kept.");
  }
  if (certificate.spec.shares_model()) {
    limits.emplace_back(
        "The released records all come from one model, which was chosen among public ones: they "
        "tell no more about the table than which model it was, and more of them tell no more.");
    const ModelsOutlook outlook = models_outlook(certificate);
    limits.push_back(fmt::format(
        "Where the table tells models apart, this one is among the {} likeliest of {} with "
        "probability {:.4g} at least.",
        outlook.best, certificate.facts.outcomes, outlook.probability));
    limits.push_back(fmt::format(
        "How near the model is to the table is not promised: no model among them may be near, and "
        "columns are independent in {}.",
        certificate.spec.local()->space.trees ? "every second one" : "each"));
  }
  if (certificate.local() != nullptr) {
    if (unit && !roster) {
      limits.emplace_back(
          "Who is in the data, and how many units there are, is not protected: no roster was "
          "given.");
    }
    if (unit) {
      limits.push_back(fmt::format(
          "What many units have in common is learned, and is meant to be: each {} is protected, "
          "not what is true of all.",
          *unit));
    }
  } else {
    if (certificate.facts.records) {
      limits.push_back(fmt::format("The number of {}, {}, is public and not protected.",
                                   unit ? "units" : "rows", *certificate.facts.records));
    } else {
      limits.emplace_back(
          "What replacing one by another changes may cost twice this epsilon: to replace is to "
          "take out and to put in. A ledger is charged for that.");
    }
    limits.emplace_back(
        "Each line of the file is one row: a value with a line break in it is two of them.");
    if (unit && !roster && !certificate.spec.hides_count()) {
      limits.emplace_back("Who is in the data is not protected: no roster was given.");
    }
    if (!unit) {
      limits.emplace_back(
          "A person with several rows is protected less: give --unit for the whole person.");
    }
    limits.emplace_back(
        "What many records have in common is learned, and is meant to be: no single one can change "
        "much, but a group can.");
  }
  limits.emplace_back(
      "Time and memory used while releasing, and other releases from the same data, are outside "
      "this promise; budgets of further releases add to this one.");
  return limits;
}

}  // namespace mollify
