// For the data holder: what private data have that their domain does not declare, and how close a
// release is to them. NOT PRIVATE. And where a band lies best, from public units.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mollify/advice.h"
#include "mollify/namespace.h"
#include "mollify/release.h"

namespace MOLLIFY_NAMESPACE {

/// Files, or names of texts. Columns are names.
struct CheckOptions {
  std::optional<std::string> unit{};           ///< names whom a row belongs to
  std::optional<std::string> units{};          ///< a file of all units
  std::optional<std::string> units_column{};   ///< of that file; none: as `unit` is called
  std::optional<std::string> counts_column{};  ///< how many records a row stands for
  std::vector<std::string> references{};  ///< public files: how many of their records the data has
  std::optional<std::uint64_t> most{};    ///< so many findings are listed; none: 1000
};

/// Every value of a CSV file, or of a text of that name, that the domain does not declare, by line
/// and column, and what a release takes it for. The fact "findings" is 0 if there is none.
[[nodiscard]] Answer check(const Domain& domain, const std::string& data,
                           const CheckOptions& options = {}, const PublicTexts& texts = {});

/// How close the law of a release to come is to the data, beside its reference. Each spec is a JSON
/// object, without a count for 1; with several, which differ in their budget, or with the mechanism
/// "all", a table of distances. Nothing is released or charged.
[[nodiscard]] Answer compare(std::span<const std::string> specs, const Source& data,
                             const PublicTexts& texts = {});

/// How close rows that are released already are to the data, by whatever method they were made. Of
/// a spec, a JSON object, it takes domain, unit, roster, units_column and logarithms. `name` is
/// that of the released rows.
[[nodiscard]] Answer compare_released(std::string_view spec, const Source& data,
                                      const Source& released, const std::string& name,
                                      const PublicTexts& texts = {});

struct TuneOptions {
  std::optional<std::string> divergence{};  ///< "kl" (none too), "tv", "hellinger2" or "chi2"
  bool best = false;                        ///< finds the best band there is, and its limit
  std::optional<std::string> out{};         ///< what the text calls the file of the best band
  /// The private file, or the name of its text: the units must not be from it.
  std::optional<std::string> data{};
};

/// An answer, and with `best` what a file for "band": "file=..." holds.
struct Tuning {
  Answer answer;
  std::string band{};
};

/// Where the band of a release by method local lies best, from PUBLIC units: a CSV file or a text.
[[nodiscard]] Tuning tune(const ReleaseSpec& spec, const std::string& public_units,
                          const TuneOptions& options = {}, const PublicTexts& texts = {});

// All of them throw InvalidInput for what is wrong in public.

}  // namespace MOLLIFY_NAMESPACE
