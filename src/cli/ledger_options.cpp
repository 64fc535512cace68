#include "ledger_options.h"

#include <filesystem>
#include <system_error>

#include "io/ledger_file.h"
#include "kernel/core/invalid_input.h"

namespace mollify::cli {
namespace {

/// Makes no file before there is something to be charged.
class LedgerOnDemand final : public Ledger {
 public:
  explicit LedgerOnDemand(std::string path) : path_(std::move(path)) {}
  void charge(const ReleaseCharge& release) override {
    LedgerFile(path_, LedgerFile::Opening::kOrMakeNew).charge(release);
  }

 private:
  std::string path_;
};

}  // namespace

std::string data_set_of(const std::string& data_file) {
  std::error_code failed;
  const auto path = std::filesystem::canonical(data_file, failed);
  return failed ? data_file : path.string();
}

void LedgerOptions::add_to(CLI::App& command) {
  const std::string group = "Ledger";
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

std::unique_ptr<Ledger> LedgerOptions::open() const {
  if (!ledger) {
    if (data_set) throw InvalidInput("--data-set is a name in a ledger, but no --ledger is given");
    return nullptr;
  }
  if (data_set && data_set->empty()) {
    throw InvalidInput("--data-set must be the name of a data set, but is empty");
  }
  return std::make_unique<LedgerOnDemand>(*ledger);
}

std::string LedgerOptions::data_set_for(const std::string& data_file) const {
  return data_set.value_or(data_set_of(data_file));
}

}  // namespace mollify::cli
