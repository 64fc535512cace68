// Private records in, private samples out, under the central model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "central/central_design.h"
#include "records/unit_table.h"
#include "release/central_certificate.h"
#include "space/domain.h"

namespace mollify {

/// What a user asks for. All of it is public but the content of `data`; the number of its records
/// (rows, or units) is public too.
struct CentralReleaseRequest {
  std::string data;                    ///< the private CSV file
  std::string domain;                  ///< the domain file, of at most 2^24 outcomes
  std::optional<std::string> unit;     ///< column whose values name the units; none: rows
  std::optional<std::string> roster;   ///< public CSV of the units, so that membership is protected
  std::optional<std::uint64_t> count;  ///< M; none: a random number, with `rate`
  std::optional<double> rate;          ///< of poisson-rr, instead of a count
  std::optional<CentralMechanism> mechanism;  ///< none: the most accurate (best_central_design)
  /// For a domain of one integer column: half of the budget finds the interval that the records lie
  /// in, and the rest samples from it; records outside count as its nearest end.
  std::optional<SupportHint> support;
  Privacy budget;
};

/// A release that is ready to run: the records have been read, and nothing but their number has
/// been looked at. Records are rows, or units that each give one of their rows, drawn evenly; a
/// unit of the roster without rows gives a uniform outcome.
///
/// Making one throws InvalidInput for whatever is wrong with public inputs, which the number of
/// records is one of. After that `run` is total: for any records of that number it succeeds, in the
/// same form (tests/cli/sample_central.cpp). 4 bytes of memory a row; 12 with units.
class CentralRelease {
 public:
  explicit CentralRelease(const CentralReleaseRequest& request);

  const CentralCertificate& certificate() const { return certificate_; }
  const Domain& domain() const { return domain_; }
  const CentralSampler& sampler() const { return *sampler_; }

  /// Releases: CSV text with a header and one line for each output, in an order that tells nothing.
  std::string run(SecureRandom& random) const;

 private:
  std::vector<std::uint32_t> unit_records(SecureRandom& random) const;
  std::vector<std::uint32_t> draw_within_support(std::span<const std::uint32_t> records,
                                                 SecureRandom& random) const;

  Domain domain_;
  std::variant<std::vector<std::uint32_t>, UnitTable> data_;
  std::optional<SupportFinder> finder_;
  std::unique_ptr<CentralSampler> sampler_;  // over the whole domain
  CentralCertificate certificate_;
};

}  // namespace mollify
