// Files as the public inputs of releases.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "release/public_inputs.h"

namespace mollify {

/// The names of a spec as those of files: a domain in YAML, and CSV.
class PublicFiles final : public PublicInputs {
 public:
  /// What is public must not be the private file itself, nor hold the very same bytes: then a
  /// reading function throws InvalidInput. Whatever else two files share is not looked at, because
  /// a refusal would tell of it (check_overlap does, for the data holder). None given: nothing is
  /// private. Given the private bytes, which must outlive this, the file is only their name.
  /// `texts` are, by name, what is in memory and no file.
  explicit PublicFiles(std::optional<std::string> private_file = std::nullopt,
                       std::optional<std::string_view> private_bytes = std::nullopt,
                       std::map<std::string, std::string> texts = {})
      : private_file_(std::move(private_file)),
        private_bytes_(private_bytes),
        bytes_(std::move(texts)) {}

  [[nodiscard]] Domain domain(const SpecDomain& domain) const override;
  [[nodiscard]] Roster roster(const std::string& name,
                              const std::string& unit_column) const override;
  [[nodiscard]] std::vector<std::uint32_t> records(const std::string& name,
                                                   const Domain& domain) const override;
  [[nodiscard]] Candidates candidates(const std::string& name, const Domain& domain) const override;
  [[nodiscard]] PublicBand band(const std::string& name) const override;
  [[nodiscard]] std::vector<double> covariance(const std::string& name,
                                               const RealColumns& columns) const override;
  /// Of the very bytes that the others parse; empty for what cannot be read.
  [[nodiscard]] std::string sha256(const std::string& name) const override;

 private:
  void require_public(const char* what, const std::string& name) const;

  [[nodiscard]] const std::string& bytes(const std::string& name) const;

  std::optional<std::string> private_file_;
  std::optional<std::string_view> private_bytes_;
  // Each file is read once: a pipe has nothing for a second reader, and a file may have changed.
  mutable std::map<std::string, std::string> bytes_;
  mutable std::map<std::string, Domain> domains_;
};

}  // namespace mollify
