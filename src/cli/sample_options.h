// What `mollify sample` is asked for, and what each model makes of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "central_options.h"
#include "ledger_options.h"
#include "mechanism_options.h"
#include "mollify/kernel/secure_random.h"
#include "space_options.h"

namespace mollify::cli {

/// As given; nothing is checked.
struct SampleOptions {
  std::optional<std::string> model, data, domain, unit, units, out, certificate;
  std::optional<std::uint64_t> count;
  MechanismOptions mechanism;
  SpaceOptions space;
  CentralOptions central;
  LedgerOptions ledger;
  bool json = false;
};

/// A release that is ready to be charged, drawn and written, in this order.
struct ReleaseJob {
  std::string certificate;                         ///< its text
  LedgerOptions::Release charge;                   ///< but for the certificate's text
  std::function<std::string(SecureRandom&)> draw;  ///< the records as CSV
  std::string summary;                             ///< what is public about it, for people
};

/// The release of `--model central`. Throws InvalidInput for what is wrong with public inputs.
ReleaseJob central_job(const SampleOptions& options);

}  // namespace mollify::cli
