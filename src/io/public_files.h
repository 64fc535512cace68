// Files as the public inputs of releases.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "release/public_inputs.h"

namespace mollify {

/// The names of a spec as those of files: a domain in YAML, and CSV.
class PublicFiles final : public PublicInputs {
 public:
  /// What is public must not be the private file itself, nor a copy of it: then a reading function
  /// throws InvalidInput. None given: nothing is private.
  explicit PublicFiles(std::optional<std::string> private_file = std::nullopt)
      : private_file_(std::move(private_file)) {}

  [[nodiscard]] Domain domain(const SpecDomain& domain) const override;
  [[nodiscard]] StringIndex roster(const std::string& name,
                                   const std::string& unit_column) const override;
  [[nodiscard]] std::vector<std::uint32_t> records(const std::string& name,
                                                   const Domain& domain) const override;
  [[nodiscard]] Candidates candidates(const std::string& name, const Domain& domain) const override;
  [[nodiscard]] std::vector<double> covariance(const std::string& name,
                                               const RealColumns& columns) const override;
  /// Empty for what is no regular file: reading a pipe would take its data away.
  [[nodiscard]] std::string sha256(const std::string& name) const override;

 private:
  void require_public(const char* what, const std::string& name) const;

  std::optional<std::string> private_file_;
};

}  // namespace mollify
