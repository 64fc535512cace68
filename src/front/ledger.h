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

}  // namespace mollify::front
