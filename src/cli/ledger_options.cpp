#include "ledger_options.h"

#include <filesystem>
#include <system_error>

#include "io/ledger_file.h"
#include "io/sha256.h"
#include "kernel/core/invalid_input.h"

namespace mollify::cli {
namespace {

/// The number typed for a flag; none if the command has no such flag or it was not given.
std::optional<Decimal> typed(const CLI::App& command, const std::string& flag) {
  const CLI::Option* option = command.get_option_no_throw(flag);
  if (option == nullptr || option->empty()) return std::nullopt;
  return Decimal::parse(option->results().back(), flag.substr(2));
}

}  // namespace

std::string data_set_of(const std::string& data_file) {
  std::error_code failed;
  const auto path = std::filesystem::canonical(data_file, failed);
  return failed ? data_file : path.string();
}

void LedgerOptions::add_to(CLI::App& command) {
  const std::string group = "Ledger";
  command_ = &command;
  command
      .add_option(
          "--ledger", ledger,
          "file in which the release is charged before anything is drawn, and refused if it "
          "would pass the data set's total; made if there is none")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--data-set", data_set,
                  "public name of the data in the ledger (default: the full path of --data)")
      ->type_name("NAME")
      ->group(group);
}

std::optional<double> LedgerOptions::budget(const std::string& flag,
                                            std::optional<double> given) const {
  if (!ledger || !given) return given;
  const std::optional<Decimal> number = typed(*command_, flag);
  return number ? number->down() : given;
}

Decimal LedgerOptions::exactly(const std::string& flag, double promised) const {
  const std::optional<Decimal> number = typed(*command_, flag);
  return number && number->down() == promised ? *number : Decimal(promised);
}

ExactPrivacy LedgerOptions::cost_of(const Privacy& promised) const {
  switch (promised.notion) {
    case Privacy::Notion::kPure:
      return ExactPrivacy::pure(exactly("--epsilon", promised.epsilon));
    case Privacy::Notion::kApproximate:
      return ExactPrivacy::approximate(exactly("--epsilon", promised.epsilon),
                                       exactly("--delta", promised.delta));
    case Privacy::Notion::kConcentrated:
      return ExactPrivacy::concentrated(exactly("--rho", promised.rho));
    case Privacy::Notion::kGaussian:
      break;
  }
  return ExactPrivacy::gaussian(exactly("--mu", promised.mu));
}

void LedgerOptions::charge(const Release& release) const {
  if (!ledger) {
    if (data_set) throw InvalidInput("--data-set is a name in a ledger, but no --ledger is given");
    return;
  }
  if (data_set && data_set->empty()) {
    throw InvalidInput("--data-set must be the name of a data set, but is empty");
  }
  Sha256 hash;
  hash.add(release.certificate);
  LedgerFile(*ledger, LedgerFile::Opening::kOrMakeNew)
      .charge({.data_set = data_set.value_or(data_set_of(release.data)),
               .scope = release.scope,
               .cost = release.cost,
               .model = release.model,
               .mechanism = release.mechanism,
               .count = release.count,
               .certificate_sha256 = hash.hex()});
}

}  // namespace mollify::cli
