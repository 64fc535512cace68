// What every release is charged to before it is drawn.
#pragma once

#include <cstdint>
#include <string>

#include "accounting/privacy.h"
#include "accounting/protection_scope.h"

namespace mollify {

/// What is charged for a release. All of it is public.
struct ReleaseCharge {
  std::string data_set;   ///< the name under which releases of the same data are counted
  ProtectionScope scope;  ///< whose data the promise is about
  ExactPrivacy cost;      ///< of all that is released together
  std::string model;      ///< "local", "integral" or "central"
  std::string mechanism;
  std::uint64_t count = 0;         ///< records asked for, for each unit
  std::string certificate_sha256;  ///< of the certificate's bytes
};

/// Keeps account of releases (io/ledger_file.h).
class Ledger {
 public:
  Ledger() = default;
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  virtual ~Ledger() = default;

  /// Records a release that is about to be drawn, so that the charge stays whatever happens then;
  /// or refuses it (InvalidInput) and records nothing.
  virtual void charge(const ReleaseCharge& release) = 0;
};

}  // namespace mollify
