// The options that charge a release to a ledger, the same for every command that releases.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "accounting/ledger.h"

namespace mollify::cli {

/// The name of a data set that was given none: the file's full path, so that it is the same from
/// every folder and by every link.
std::string data_set_of(const std::string& data_file);

struct LedgerOptions {
  std::optional<std::string> ledger, data_set;

  /// Adds --ledger and --data-set.
  void add_to(CLI::App& command);

  /// The ledger, if one is given; its file is opened, or made, when something is charged. Throws
  /// InvalidInput for a --data-set without one, and for an empty name.
  std::unique_ptr<Ledger> open() const;

  /// --data-set, or the name of the data's file.
  std::string data_set_for(const std::string& data_file) const;
};

}  // namespace mollify::cli
