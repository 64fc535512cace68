// The model of a release, as a file that rows are drawn from at no cost.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/privacy.h"
#include "base/json.h"
#include "base/message.h"
#include "core/random.h"
#include "domain/candidates.h"
#include "methods/graphical/measurements.h"
#include "methods/graphical/table_model.h"
#include "records/sink.h"

namespace mollify {

class Domain;

/// The released numbers: all are public.
struct ReleasedModel {
  std::string domain_sha256;
  MarginalModel model;
};

/// {"format": "mollify model 1", "version", "domain_sha256", "released_with", "columns", "graph",
/// "measurements"}: JSON, ending in a line feed.
[[nodiscard]] std::string released_model_text(const MarginalModel& model, const Domain& domain,
                                              const Privacy& guarantee,
                                              const Measurements* measurements = nullptr);

/// SHA-256 of a model as released_model_text wrote it, without the line feed: of its file too,
/// which adds the member "domain". Requires JSON.
[[nodiscard]] std::string model_sha256(const std::string& text);

/// Throws InvalidInput, one sentence naming `name`, for anything else than released_model_text
/// writes; other members are ignored.
[[nodiscard]] ReleasedModel parse_released_model(const std::string& text, const std::string& name);

/// Whether it is a model of the domain's records.
[[nodiscard]] bool is_model_of(const ReleasedModel& released, const Domain& domain);

/// What the model whose JSON this is was made of; none of a model that was chosen from a list.
/// Throws InvalidInput as measurements_from_json.
[[nodiscard]] std::optional<Measurements> released_measurements(const Json& json,
                                                                const Domain& domain,
                                                                const std::string& name);

/// A warning where the measured rows may be as far from the table as independent columns would be.
[[nodiscard]] std::vector<Message> measured_warnings(const Measurements& made);

using SeeCells = std::function<void(std::span<const std::uint32_t>)>;

/// Writes rows drawn from the model under what is given of them, in no order that tells anything.
/// The writer is one of the domain that the model is of; it is not finished. Each row keeps the
/// domain's rules: what cannot occur has no mass in the model, and cells of groups and values of
/// cells are drawn under the rules. Throws InvalidInput if no record under the rules has what is
/// given.
///
/// `random` is a SecureRandom. For a model that is published it may be a SeededRandom instead: the
/// model has been paid for, and its rows are made of it alone, so anyone may make them again. A
/// release never has one: PreparedRelease::draw takes a SecureRandom (tests/misuse).
///
/// `see` is shown the cells of each row.
template <class Random>
void write_rows(const MarginalModel& model, std::uint64_t count, const std::vector<Evidence>& given,
                Random& random, RecordWriter& writer, const SeeCells& see = {});

extern template void write_rows(const MarginalModel&, std::uint64_t, const std::vector<Evidence>&,
                                SecureRandom&, RecordWriter&, const SeeCells&);
extern template void write_rows(const MarginalModel&, std::uint64_t, const std::vector<Evidence>&,
                                SeededRandom&, RecordWriter&, const SeeCells&);

/// Number of rows to draw at once from a model that was released.
inline constexpr std::uint64_t kMostGenerated = 100'000'000;

/// That a column of the domain has a value, which is given as a file would hold it: the cell that
/// it lies in. Throws InvalidInput for other columns and values.
[[nodiscard]] Evidence evidence_of(const Domain& domain, std::string_view column,
                                   std::string_view value);

}  // namespace mollify
