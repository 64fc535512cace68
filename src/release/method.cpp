#include "release/method.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "accounting/gaussian.h"
#include "base/names.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "domain/domain.h"
#include "domain/numbers.h"
#include "release/acceptance.h"
#include "release/methods.h"

namespace mollify {

std::string Methods::text() const {
  std::vector<std::string_view> found;
  for (const auto& [method, name] : names<Method>()) {
    if (has(method)) found.push_back(name);
  }
  return methods_words(found);
}

ExactPrivacy ReleaseMethod::read_privacy(const PartReader& reader, const ReleaseSpec&) const {
  const auto epsilon = reader.find_decimal("/privacy/epsilon");
  if (const auto rho = reader.find_decimal("/privacy/rho")) {
    if (epsilon) reader.in_file([] { refuse_both("rho", "epsilon"); });
    if (reader.has("/privacy/delta")) {
      refuse_input("contradicting-parameters", "delta",
                   {WayOut::leave("delta"), WayOut::leave("rho")},
                   "{} includes its own delta: leave {} out, or give {} instead", flag_words("rho"),
                   flag_words("delta"), flag_words("epsilon"));
    }
    return ExactPrivacy::concentrated(*rho);
  }
  reader.require_budget(word());
  return ExactPrivacy::approximate(*epsilon,
                                   reader.find_decimal("/privacy/delta").value_or(Decimal()));
}

void ReleaseMethod::validate(const ReleaseSpec& spec) const {
  if (!spec.own.has_type_of(Held())) refuse_own(spec.method);
}

void ReleaseMethod::look_at_space(const StatedCertificate& stated, const Domain& domain,
                                  const KnownInputs&, CertificateCheck&) const {
  const std::uint64_t outcomes = stated.facts.outcomes;
  if (outcomes == 0 || (domain.is_enumerable() && outcomes == domain.size())) return;
  throw InvalidInput("internal-error",
                     "a release must have the outcomes of its space, but has others");
}

std::string MethodStatement::mechanism(const Certificate& certificate) const {
  return std::string(name_of(certificate.spec.method));
}

Pledge MethodStatement::pledge(const Certificate& certificate) const {
  return {.promises = {protection(certificate), kHoldsForAnyValues}};
}

ReleaseReport MethodStatement::report(const Certificate& certificate, const ReleaseError& error,
                                      const Domain&) const {
  return {.total_variation = error.is_least ? std::nullopt : std::optional(error.error),
          .why = fmt::format("{} has no other mechanism",
                             method_words(name_of(certificate.spec.method)))};
}

ReleaseSummary MethodStatement::summary(const Certificate& certificate, const Domain&,
                                        const std::string& to) const {
  return {released_words(certificate, to, certificate.mechanism())};
}

std::optional<Message> MethodStatement::error_warning(const ReleaseError& error) const {
  return records_warning(error.error);
}

Remedy MethodPlans::remedy(const Certificate& certificate, const Domain& domain) const {
  return {.ways_out = noise_remedy(certificate, domain)};
}

// -----------------------------------------------------------------------------------------------
// What several methods say or ask alike.

std::string released_words(const Certificate& certificate, const std::string& to,
                           const std::string& by) {
  const auto& count = certificate.spec.count;
  const auto& records = certificate.facts.records;
  const char* const thing = certificate.spec.unit ? "unit" : "row";
  return fmt::format(
      "released {}{} from {} by {} with {}",
      count ? counted(*count, "record") : "a random number of records", to,
      records ? counted(*records, thing) : fmt::format("a protected number of {}s", thing), by,
      certificate.total.text());
}

std::string accuracy_words(const Certificate& certificate, const char* assumed,
                           const std::string& more, double total_variation) {
  return fmt::format(
      "If the {} are independent draws from one {}{}, each released record follows that {} to "
      "within {:.6g} in total variation",
      certificate.spec.unit ? "units' records" : "rows", assumed, more, assumed, total_variation);
}

std::string together_words(std::uint64_t outputs, double total_variation) {
  return fmt::format(", and all {} together follow independent draws from it to within {:.6g}",
                     outputs, total_variation);
}

std::vector<std::string> mechanisms_of(Method method) {
  for (const OwnPart& part : release_method(method).profile().parts) {
    if (std::string_view(part.place) == "/mechanism") return part.words();
  }
  return {};
}

void require_mechanism_or_all(const Json& parts, Method method) {
  const auto given = parts.find("mechanism");
  if (given == parts.end() || !given->is_string() || *given == "all") return;
  const std::vector<std::string> known = mechanisms_of(method);
  const auto name = given->get<std::string>();
  if (known.empty() || std::find(known.begin(), known.end(), name) != known.end()) return;
  refuse_mechanism(name, method, true);
}

void refuse_mechanism(const std::string& name, Method method, bool takes_all) {
  Methods others;
  for (const auto& [other, word] : names<Method>()) {
    const std::vector<std::string> known = mechanisms_of(other);
    if (std::find(known.begin(), known.end(), name) != known.end()) others = others.with(other);
  }
  std::vector<std::string> known = mechanisms_of(method);
  if (takes_all) known.emplace_back("all");
  std::vector<WayOut> ways;
  for (const auto& [other, word] : names<Method>()) {
    if (others.has(other)) ways.push_back(WayOut::use(word));
  }
  if (ways.empty()) ways = ways_to_mean("mechanism", name, known);
  refuse_input("unknown-name", "mechanism", std::move(ways),
               "mechanism must be {}{}, but is \"{}\"{}", choice_words(known),
               kDrawMethods.has(method) ? "" : " in " + method_words(name_of(method)), name,
               others.intersects(kEveryMethod) ? fmt::format(", which is for {}", others.text())
                                               : did_you_mean(name, known));
}

void require_facts(bool hold) {
  refuse_if(!hold, "internal-error", {},
            "a release must have the facts of its spec, but has others");
}

KeptPromise kept_if_accepted(const std::function<void()>& check) {
  try {
    check();
    return {.holds = true};
  } catch (const InvalidInput&) {
    return {};
  }
}

std::string protection_note(const ReleaseSpec& spec) {
  std::string_view who = release_method(spec.method).profile().without_units;
  if (who.empty() && kRowMethods.has(spec.method)) {
    who = "each row is protected, and a person with several rows less";
  }
  if (spec.unit || who.empty()) return "";
  return fmt::format("note: no {}: {}\n", flag_words("unit"), who);
}

std::optional<Roster> count_records(const ReleaseSpec& spec, const PublicInputs& inputs,
                                    std::optional<std::uint64_t> records, PublicFacts& facts) {
  std::optional<Roster> roster = roster_of(spec, inputs);
  if (roster) records = roster->size();
  if (!records) {
    refuse_missing("the number of records", "a release that protects rows needs it", "records");
  }
  facts.records = records;
  return roster;
}

bool is_as_found(double stated, double found) {
  return std::abs(stated - found) <= 0x1p-20 * found;
}

std::optional<double> steps_amount(const Privacy& budget, std::string_view method,
                                   PublicFacts& facts) {
  const bool is_found = budget.notion == PrivacyNotion::kApproximate;
  require_facts(is_found || !facts.amount);
  if (!is_found) return std::nullopt;
  const double found = adaptive_amount_down(budget, method);
  if (!facts.amount) {
    facts.amount = found;
  } else if (*facts.amount < found && !is_as_found(*facts.amount, found)) {
    refuse_input("certificate-altered", {}, "the steps of {} spend {:.15g} in all of {:.15g}",
                 method_words(method), *facts.amount, found);
  }
  return facts.amount;
}

std::string protection(const Certificate& certificate) {
  const auto& unit = certificate.spec.unit;
  const std::string record =
      unit ? fmt::format("all records of any one {}", unit.words()) : "any one row of the table";
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
      "{} changes the probability of any output by at most a factor "
      "e^{:.6g} = {:.4g}{}.",
      change, total.epsilon, same_exp(total.epsilon),
      total.delta > 0 ? fmt::format(" and an addition of {:.6g}", total.delta) : "");
}

Json ratio_json(const Ratio& ratio) {
  return {{"numerator", std::to_string(ratio.numerator)},
          {"denominator", std::to_string(ratio.denominator)}};
}

Json dyadic_json(double value) {
  int exponent = 0;
  const auto mantissa = static_cast<std::uint64_t>(
      std::ldexp(std::frexp(value, &exponent), std::numeric_limits<double>::digits));
  return {{"mantissa", std::to_string(mantissa)},
          {"shift", std::numeric_limits<double>::digits - exponent}};
}

}  // namespace mollify
