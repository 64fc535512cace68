#include "front/privacy.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "accounting/composition.h"
#include "accounting/gaussian.h"
#include "accounting/shuffling.h"
#include "base/decimals.h"
#include "base/message.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "front/message.h"
#include "front/release.h"
#include "mollify/privacy.h"
#include "mollify/program.h"
#include "release/acceptance.h"

namespace mollify::front {

// -----------------------------------------------------------------------------------------------
// Promises, from the inside to the front and back.

namespace {

using Notion = Privacy::Notion;
constexpr double kGreatest = std::numeric_limits<double>::max();

// Both sides name the notions in one order.
inside::PrivacyNotion inward(Notion notion) noexcept {
  return static_cast<inside::PrivacyNotion>(notion);
}
Notion outward(inside::PrivacyNotion notion) noexcept { return static_cast<Notion>(notion); }
static_assert(static_cast<int>(Notion::kGaussian) ==
              static_cast<int>(inside::PrivacyNotion::kGaussian));

double parameter(const Privacy& privacy) noexcept {
  if (privacy.notion == Notion::kConcentrated) return privacy.rho;
  return privacy.notion == Notion::kGaussian ? privacy.mu : privacy.epsilon;
}

inside::Decimal as_typed(double number, const inside::Called& name) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  return inside::Decimal::parse({text, end}, name);
}

/// The least double that means no less than the number, and the greatest that means no more.
double typed_up(const inside::Decimal& number) {
  double typed = number.down();
  while (as_typed(typed, {"a sum", ""}) < number) typed = std::nextafter(typed, kGreatest);
  return typed;
}
double typed_down(const inside::Decimal& number) {
  double typed = std::min(number.up(), kGreatest);
  while (as_typed(typed, {"a sum", ""}) > number) typed = std::nextafter(typed, 0.0);
  return typed;
}

}  // namespace

std::string Privacy::text() const { return inward(*this).text(); }

Privacy outward(const inside::Privacy& privacy) noexcept {
  return {outward(privacy.notion), privacy.epsilon, privacy.delta, privacy.rho, privacy.mu};
}

inside::Privacy inward(const Privacy& privacy) {
  return inside::Privacy::of(inward(privacy.notion), parameter(privacy), privacy.delta);
}

inside::ExactPrivacy inward_exactly(const Privacy& privacy) {
  const inside::PrivacyNotion notion = inward(privacy.notion);
  return inside::ExactPrivacy::of(notion,
                                  as_typed(parameter(privacy), {inside::parameter_name(notion),
                                                                inside::parameter_name(notion)}),
                                  as_typed(privacy.delta, "delta"));
}

Privacy outward_up(const inside::ExactPrivacy& privacy) {
  return {outward(privacy.notion), typed_up(privacy.epsilon), typed_up(privacy.delta),
          typed_up(privacy.rho), typed_up(privacy.mu)};
}

Privacy outward_down(const inside::ExactPrivacy& privacy) {
  return {outward(privacy.notion), typed_down(privacy.epsilon), typed_down(privacy.delta),
          typed_down(privacy.rho), typed_down(privacy.mu)};
}

// -----------------------------------------------------------------------------------------------
// Accounting.

namespace {

using Notion = Privacy::Notion;

inside::ShuffledResponse inward(const ShuffledReports& reports) {
  return {reports.n, reports.k, reports.epsilon0, reports.rate};
}

}  // namespace

Privacy composed_up(std::span<const Privacy> releases) {
  std::vector<inside::Privacy> parts;
  parts.reserve(releases.size());
  for (const Privacy& release : releases) parts.push_back(inward(release));
  return outward(inside::composed_up(parts));
}

Privacy replacing_up(const Privacy& add_remove) {
  const inside::Privacy promised = inward(add_remove);
  return outward_up(inside::replacing_up(inside::ExactPrivacy::of(
      promised.notion, inside::Decimal(promised.parameter()), inside::Decimal(promised.delta))));
}

double composed_epsilon_up(double epsilon, std::uint64_t releases, double delta) {
  return inside::OptimalComposition(epsilon, releases).epsilon_up(delta);
}

double epsilon_per_release_down(double total, std::uint64_t releases) {
  return inside::epsilon_per_draw_down(total, releases);
}

double delta_up(const Privacy& release, double epsilon) {
  switch (release.notion) {
    case Notion::kConcentrated:
      return inside::concentrated_delta_up(release.rho, epsilon);
    case Notion::kGaussian:
      return inside::gaussian_delta_up(release.mu, epsilon);
    case Notion::kPure:
    case Notion::kApproximate:
      break;
  }
  // The tight curve of a pure part and an event of probability delta.
  return inside::OptimalComposition(release.epsilon, 1, release.delta).delta_up(epsilon);
}

double epsilon_up(const Privacy& release, double delta) {
  switch (release.notion) {
    case Notion::kConcentrated:
      return inside::concentrated_epsilon_up(release.rho, delta);
    case Notion::kGaussian:
      return inside::gaussian_epsilon_up(release.mu, delta);
    case Notion::kPure:
    case Notion::kApproximate:
      break;
  }
  return inside::OptimalComposition(release.epsilon, 1, release.delta).epsilon_up(delta);
}

double rho_up(const Privacy& release) {
  switch (release.notion) {
    case Notion::kPure:
      return inside::concentrated_rho_of_pure_up(release.epsilon);
    case Notion::kConcentrated:
      return release.rho;
    case Notion::kGaussian:
      return inside::concentrated_rho_of_gaussian_up(release.mu);
    case Notion::kApproximate:
      break;
  }
  throw InvalidInput("not-for-this-budget", "an (epsilon, delta) release promises no rho", "rho",
                     {WayOut::leave("delta")});
}

double shuffled_delta_up(const ShuffledReports& reports, double epsilon) {
  return inside::shuffle_delta(inward(reports), epsilon).upper;
}

double shuffled_epsilon_up(const ShuffledReports& reports, double delta) {
  return inside::shuffle_epsilon_up(inward(reports), delta);
}

double shuffled_epsilon0_down(std::uint64_t n, std::uint64_t k, double epsilon, double delta,
                              double rate) {
  return inside::shuffle_epsilon0_down(n, k, epsilon, delta, rate);
}

double sampled_gaussian_epsilon_up(double rate, double deviation, std::uint64_t steps,
                                   double delta) {
  return inside::sampled_gaussian_epsilon_up({rate, deviation, steps}, delta);
}

std::vector<Message> epsilon_warnings(const Privacy& draw) {
  const inside::Privacy asked = inward(draw);
  inside::Privacy released = asked;
  released.epsilon = std::min<double>(asked.epsilon, inside::ExpBound::kGreatestEpsilon);
  return outward(inside::epsilon_warnings(asked, released, 1));
}

// -----------------------------------------------------------------------------------------------
// Who waits for a computation.

/// The watch inside that hands all on to one of a program.
class Watching::Inside : public inside::Watch {
 public:
  explicit Inside(front::Watch& asked) : asked_(asked), watching_(*this) {}
  [[nodiscard]] bool wants_stop() override { return asked_.wants_stop(); }
  void reached(const std::string& steps_name, std::uint64_t step, std::uint64_t steps) override {
    asked_.reached(steps_name, step, steps);
  }
  void charged() override { asked_.charged(); }
  void takes_long(const std::string& what) override { asked_.takes_long(what); }

 private:
  front::Watch& asked_;
  inside::Watching watching_;
};

Watching::Watching(Watch& watch) : inside_(std::make_unique<Inside>(watch)) {}

Watching::~Watching() = default;

// -----------------------------------------------------------------------------------------------
// Sentences.

void speak(Speech speech) noexcept {
  inside::speak(speech == Speech::kPython ? inside::Speech::kPython : inside::Speech::kSpec);
}

std::string nearest_name(std::string_view typed, std::span<const std::string> known) {
  return inside::nearest_name(typed, known);
}

std::string nearest_parameter(std::string_view typed, std::span<const std::string> known) {
  const auto flag_of = [](std::string_view name) {
    std::string flag = fmt::format("--{}", name);
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
  };
  std::vector<std::string> flags;
  for (const std::string& one : known) flags.push_back(flag_of(one));
  const auto found =
      std::find(flags.begin(), flags.end(), inside::nearest_name(flag_of(typed), flags));
  return found == flags.end() ? "" : known[static_cast<std::size_t>(found - flags.begin())];
}

SpokenWay spoken(const WayOut& way) {
  return {std::string(inside::action_name(way)), inside::part_name(way),
          std::string(inside::value_name(way))};
}

std::vector<Quantity> spoken_quantities(const InvalidInput& refused) {
  return inside::shown_quantities(refused);
}

std::string unit_of(std::string_view parameter) { return std::string(inside::unit_of(parameter)); }

std::string spoken_parameter(const InvalidInput& refused) {
  return inside::parameter_name_of(refused.parameter());
}

// -----------------------------------------------------------------------------------------------
// The inside of the front's ledger.

namespace {

LedgerBalance outward(const inside::DataSetSummary& summary) {
  LedgerBalance balance{.data_set = summary.data_set, .releases = summary.account.releases()};
  if (!summary.total) {
    if (const auto sum = summary.account.plain_sum()) balance.spent = outward_up(*sum);
    return balance;
  }
  const auto& [scope, total] = *summary.total;
  balance.scope = scope.text();
  balance.total = outward_down(total);
  if (const auto spent = summary.account.spent(total)) balance.spent = outward_up(spent->cost);
  const inside::Decimal left = summary.account.remaining(total);
  balance.remaining = outward_down(total.notion == inside::PrivacyNotion::kConcentrated
                                       ? inside::ExactPrivacy::concentrated(left)
                                       : inside::ExactPrivacy::pure(left));
  return balance;
}

inside::ProtectionScope scope_of(const std::string& scope) {
  const auto parsed = inside::ProtectionScope::parse(scope);
  if (parsed) return *parsed;
  inside::refuse_name("scope", "row, unit=COLUMN or table", scope,
                      std::vector<std::string>{"row", "unit", "table"});
}

}  // namespace

Ledger::Ledger(const std::string& path)
    : Handle(std::make_shared<Inside>(path, inside::LedgerFile::Opening::kOrMakeNew)) {}

Ledger Ledger::existing(const std::string& path) {
  return Ledger(std::make_shared<Inside>(path, inside::LedgerFile::Opening::kExisting));
}

void Ledger::declare(const std::string& data_set, const Privacy& total, const std::string& scope,
                     bool replace) {
  inside::speak_of({});  // its parameters have names of their own, not a spec's
  const bool keeps_scope = scope.empty();
  static_cast<void>(inside_->file.declare(
      data_set, {scope_of(keeps_scope ? "row" : scope), inward_exactly(total)}, replace,
      std::nullopt, keeps_scope));
}

void Ledger::charge(const std::string& data_set, const Privacy& cost, const std::string& scope,
                    const std::string& mechanism, std::uint64_t count) {
  refuse_if(data_set.empty(), "malformed-text", "data-set",
            "data_set must be a name, but is empty");
  static_cast<void>(inside_->file.charge({.data_set = data_set,
                                          .scope = scope_of(scope),
                                          .cost = inward_exactly(cost),
                                          .method = "draws",
                                          .mechanism = mechanism,
                                          .count = count,
                                          .certificate_sha256 = {}}));
}

LedgerBalance Ledger::balance(const std::string& data_set) const {
  for (LedgerBalance& known : balances()) {
    if (known.data_set == data_set) return std::move(known);
  }
  return {.data_set = data_set};
}

std::string Ledger::history(const std::string& data_set) const {
  inside::Json entries = inside::Json::array();
  for (const inside::LedgerEntry& entry : inside_->file.history()) {
    if (entry.data_set == data_set) entries.push_back(inside::entry_json(entry));
  }
  if (entries.empty())
    refuse_input("unknown-data-set", "data-set", {WayOut::set("data-set")},
                 "the ledger has no data set named \"{}\"", data_set);
  return inside::json_text(entries);
}

std::vector<LedgerBalance> Ledger::balances() const {
  std::vector<LedgerBalance> all;
  for (const auto& summary : inside::summarise(inside_->file.history())) {
    all.push_back(outward(summary));
  }
  return all;
}

// -----------------------------------------------------------------------------------------------
// The randomness of releases.

SecureRandom& entropy() {
  static thread_local SecureRandom random;
  return random;
}

}  // namespace mollify::front
