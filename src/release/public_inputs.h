// What stands behind the names of a spec, and a band as a file.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/candidates.h"
#include "records/units.h"
#include "release/spec.h"
#include "scores/records.h"

namespace mollify {

class Domain;
class Measure;
class RealColumns;

// -----------------------------------------------------------------------------------------------
// A band as a public file.

/// Lower bounds of all outcomes, as shares of one; upper bounds are e^epsilon times these.
struct PublicBand {
  double epsilon = 0;  ///< of one draw
  std::vector<double> lower{};
};

/// Pretty JSON that ends in a line feed: "format", "epsilon", "k" and "lower".
[[nodiscard]] std::string public_band_text(const PublicBand& band);

/// The reverse. Throws InvalidInput, naming `name`, for anything else, and for bounds that are not
/// above 0 or that no law fits. At most 2^24.
[[nodiscard]] PublicBand parse_public_band(const std::string& text, const std::string& name);

/// Throws InvalidInput unless the band is for draws of `epsilon` over this many outcomes.
void require_band_fits(const PublicBand& band, const std::string& name, double epsilon,
                       std::uint64_t outcomes);

/// A channel's rows from JSON: an array of arrays, each of as many positive numbers as there are
/// outcomes, at most 2^16 in all, because certificates state them. One row after the other. Throws
/// InvalidInput, naming `name`.
[[nodiscard]] std::vector<double> parse_channel(const std::string& text, const std::string& name,
                                                std::uint64_t outcomes);

// -----------------------------------------------------------------------------------------------
// What stands behind the names of a spec.

/// The public inputs of releases, by the names that specs give them: files
/// (formats/public_files.h), or whatever a program holds. Strict: each function throws
/// InvalidInput, in one sentence, for the first thing that is not as it must be.
class PublicInputs {
 public:
  PublicInputs() = default;
  PublicInputs(const PublicInputs&) = delete;
  PublicInputs& operator=(const PublicInputs&) = delete;
  virtual ~PublicInputs() = default;

  [[nodiscard]] virtual Domain domain(const SpecDomain& domain) const = 0;
  /// The units, each once, in their order.
  [[nodiscard]] virtual Roster roster(const std::string& name,
                                      const UnitColumns& columns) const = 0;
  /// Public records as digits of the domain, a record after the other.
  [[nodiscard]] virtual std::vector<std::uint32_t> records(const std::string& name,
                                                           const Domain& domain) const = 0;
  /// A public distribution of numbers by its density.
  [[nodiscard]] virtual std::shared_ptr<const Measure> density(const std::string& name) const = 0;
  [[nodiscard]] virtual Candidates candidates(const std::string& name,
                                              const Domain& domain) const = 0;
  [[nodiscard]] virtual PublicBand band(const std::string& name) const = 0;
  /// Rows of so many masses, one after the other.
  [[nodiscard]] virtual std::vector<double> channel(const std::string& name,
                                                    std::uint64_t outcomes) const = 0;
  /// The covariance matrix of the columns, row by row in their order.
  [[nodiscard]] virtual std::vector<double> covariance(const std::string& name,
                                                       const RealColumns& columns) const = 0;
  /// Of the input's bytes; empty if it has none.
  [[nodiscard]] virtual std::string sha256(const std::string& name) const = 0;
};

/// Values in memory: what each name represents, whatever the name.
class GivenInputs final : public PublicInputs {
 public:
  explicit GivenInputs(const Domain& domain);

  std::optional<Roster> units{};
  std::vector<std::uint32_t> reference{};  ///< digits of the space's domain
  std::shared_ptr<const Measure> measure{};
  std::optional<Candidates> list{};
  std::optional<PublicBand> lower_bounds{};
  std::vector<double> rows{};    ///< a channel's
  std::vector<double> matrix{};  ///< the covariance

  [[nodiscard]] Domain domain(const SpecDomain&) const override;
  [[nodiscard]] Roster roster(const std::string& name, const UnitColumns&) const override;
  [[nodiscard]] std::vector<std::uint32_t> records(const std::string& name,
                                                   const Domain& domain) const override;
  [[nodiscard]] std::shared_ptr<const Measure> density(const std::string& name) const override;
  [[nodiscard]] Candidates candidates(const std::string& name, const Domain&) const override;
  [[nodiscard]] PublicBand band(const std::string& name) const override;
  [[nodiscard]] std::vector<double> channel(const std::string& name,
                                            std::uint64_t outcomes) const override;
  [[nodiscard]] std::vector<double> covariance(const std::string& name,
                                               const RealColumns& columns) const override;
  [[nodiscard]] std::string sha256(const std::string&) const override { return {}; }

 private:
  std::shared_ptr<const Domain> domain_;
};

/// Reads the domain and fills in the hashes of all that the spec names. Throws InvalidInput if the
/// spec states another hash than the one found.
[[nodiscard]] Domain complete_spec(ReleaseSpec& spec, const PublicInputs& inputs);

/// The roster that the spec names, if it names one.
[[nodiscard]] std::optional<Roster> roster_of(const ReleaseSpec& spec, const PublicInputs& inputs);

}  // namespace mollify
