// What stands behind the front's ledger.
#pragma once

#include <string>

#include "io/ledger_file.h"
#include "mollify/ledger.h"

namespace mollify::front {

namespace inside = ::mollify;

class Ledger::Inside {
 public:
  Inside(const std::string& path, inside::LedgerFile::Opening opening) : file(path, opening) {}
  inside::LedgerFile file;
};

/// Throws InvalidInput for a data set's name with a NUL, at which sentences that quote it would
/// end.
void require_without_nul(const std::string& data_set);

}  // namespace mollify::front
