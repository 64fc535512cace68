// Private rows of numbers in, Gaussian samples out, under the central model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "central/gaussian_sampler.h"
#include "release/gaussian_certificate.h"
#include "space/domain.h"
#include "space/real_columns.h"

namespace mollify {

/// What a user asks for. All of it is public but the content of `data`; the number of its records
/// (rows, or units) is public too.
struct GaussianReleaseRequest {
  std::string data;                       ///< the private CSV file
  std::string domain;                     ///< the domain file, whose columns are all numbers
  std::vector<std::string> logarithms;    ///< columns whose logarithms are Gaussian
  std::optional<std::string> unit;        ///< column whose values name the units; none: rows
  std::optional<std::string> roster;      ///< public CSV of the units
  std::uint64_t count = 0;                ///< M
  std::optional<std::string> covariance;  ///< public CSV: the covariance, or its lower bound
  /// K: the covariance is known only to lie between that of the file (or I) and K times it. One of
  /// the two must be given.
  std::optional<double> covariance_bound;
  /// R: the mean lies within R standard deviations (of the whitened coordinates, as a Euclidean
  /// norm) of the middle of the declared ranges. Without it a coarse centre is found first, from
  /// other records, within the ranges.
  std::optional<double> mean_bound;
  bool paper_variance = false;
  Privacy budget;
};

/// A release that is ready to run. The file's lines have been counted, nothing else has been looked
/// at; units are read, and one row of each drawn.
///
/// Making one throws InvalidInput for whatever is wrong with public inputs, which the number of
/// records is one of. After that `run` is total: for any records of that number it succeeds, in the
/// same form. Rows are streamed: memory is 4 bytes a row, whatever its columns; with units it is
/// theirs, one row each.
class GaussianRelease {
 public:
  explicit GaussianRelease(const GaussianReleaseRequest& request);
  GaussianRelease(const GaussianRelease&) = delete;
  GaussianRelease& operator=(const GaussianRelease&) = delete;

  const GaussianCertificate& certificate() const { return certificate_; }

  /// Releases: CSV text with a header and one line for each output, in an order that tells nothing.
  std::string run(SecureRandom& random) const;

 private:
  GaussianCertificate certificate_;
  Domain domain_;
  RealColumns columns_;
  std::unique_ptr<const NumericTable> table_;  // of these columns
  std::optional<GaussianSampler> sampler_;
};

}  // namespace mollify
