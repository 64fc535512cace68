// What stands behind the names of a spec.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "records/unit_ids.h"
#include "release/public_band.h"
#include "release/spec.h"
#include "space/candidates.h"
#include "space/domain.h"
#include "space/real_columns.h"

namespace mollify {

/// The public inputs of releases, by the names that specs give them: files (io/public_files.h), or
/// whatever a program holds. Strict: each function throws InvalidInput, in one sentence, for the
/// first thing that is not as it must be.
class PublicInputs {
 public:
  PublicInputs() = default;
  PublicInputs(const PublicInputs&) = delete;
  PublicInputs& operator=(const PublicInputs&) = delete;
  virtual ~PublicInputs() = default;

  [[nodiscard]] virtual Domain domain(const SpecDomain& domain) const = 0;
  /// The units, each once, in their order.
  [[nodiscard]] virtual Roster roster(const std::string& name,
                                      const std::string& unit_column) const = 0;
  /// Public records as digits of the domain, a record after the other.
  [[nodiscard]] virtual std::vector<std::uint32_t> records(const std::string& name,
                                                           const Domain& domain) const = 0;
  [[nodiscard]] virtual Candidates candidates(const std::string& name,
                                              const Domain& domain) const = 0;
  [[nodiscard]] virtual PublicBand band(const std::string& name) const = 0;
  /// The covariance matrix of the columns, row by row in their order.
  [[nodiscard]] virtual std::vector<double> covariance(const std::string& name,
                                                       const RealColumns& columns) const = 0;
  /// Of the input's bytes; empty if it has none.
  [[nodiscard]] virtual std::string sha256(const std::string& name) const = 0;
};

/// Values in memory: what each name stands for, whatever the name.
class GivenInputs final : public PublicInputs {
 public:
  explicit GivenInputs(Domain domain) : domain_(std::move(domain)) {}

  std::optional<Roster> units{};
  std::vector<std::uint32_t> reference{};  ///< digits of the space's domain
  std::optional<Candidates> list{};
  std::optional<PublicBand> lower_bounds{};
  std::vector<double> matrix{};  ///< the covariance

  [[nodiscard]] Domain domain(const SpecDomain&) const override { return domain_; }
  [[nodiscard]] Roster roster(const std::string& name, const std::string&) const override;
  [[nodiscard]] std::vector<std::uint32_t> records(const std::string& name,
                                                   const Domain& domain) const override;
  [[nodiscard]] Candidates candidates(const std::string& name, const Domain&) const override;
  [[nodiscard]] PublicBand band(const std::string& name) const override;
  [[nodiscard]] std::vector<double> covariance(const std::string& name,
                                               const RealColumns& columns) const override;
  [[nodiscard]] std::string sha256(const std::string&) const override { return {}; }

 private:
  Domain domain_;
};

/// Reads the domain and fills in the hashes of all that the spec names. Throws InvalidInput where
/// the spec states another hash than what is found.
[[nodiscard]] Domain complete_spec(ReleaseSpec& spec, const PublicInputs& inputs);

/// The roster that the spec names, if it names one.
[[nodiscard]] std::optional<Roster> roster_of(const ReleaseSpec& spec, const PublicInputs& inputs);

}  // namespace mollify
