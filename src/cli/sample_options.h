// What `mollify sample` is asked for, and what each model makes of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "central/central_design.h"
#include "central_options.h"
#include "gaussian_options.h"
#include "kernel/core/secure_random.h"
#include "ledger_options.h"
#include "mechanism_options.h"
#include "space_options.h"

namespace mollify::cli {

/// As given; nothing is checked.
struct SampleOptions {
  std::optional<std::string> model, data, domain, unit, units, out, certificate;
  std::optional<std::uint64_t> count;
  MechanismOptions mechanism;
  SpaceOptions space;
  CentralOptions central;
  GaussianOptions gaussian;
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

/// The same with `--family gaussian`.
ReleaseJob gaussian_job(const SampleOptions& options);

/// What of the options model central does not take, refused (InvalidInput).
void refuse_local_options(const SampleOptions& options);

/// --rho, or --epsilon and --delta. Throws InvalidInput if neither or both are given.
Privacy central_budget(const SampleOptions& options);

}  // namespace mollify::cli
