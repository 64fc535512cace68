#include "release/released_model.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "accounting/nearest_name.h"
#include "kernel/core/invalid_input.h"
#include "kernel/order/shuffle.h"
#include "mollify/version.h"
#include "release/json_syntax.h"
#include "space/nearest_word.h"

namespace mollify {
namespace {

constexpr const char* kModelFormat = "mollify model 1";
/// Rows that are held at a time.
constexpr std::uint64_t kRowsAtOnce = std::uint64_t{1} << 20U;

}  // namespace

std::string released_model_text(const MarginalModel& model, const Domain& domain,
                                const Privacy& guarantee) {
  nlohmann::ordered_json json{{"format", kModelFormat},
                              {"version", kVersion},
                              {"domain_sha256", domain.hash()},
                              {"released_with", guarantee.text()}};
  json.update(marginal_model_json(model));
  return json.dump() + "\n";
}

ReleasedModel parse_released_model(const std::string& text, const std::string& name) {
  require_json(text, name);
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(text);
  if (!json.is_object() || json.value("format", nlohmann::ordered_json()) != kModelFormat) {
    throw InvalidInput(fmt::format("{} must have the format \"{}\"", name, kModelFormat));
  }
  const auto hash = json.find("domain_sha256");
  if (hash == json.end() || !hash->is_string()) {
    throw InvalidInput(fmt::format("{} must have a hash at /domain_sha256", name));
  }
  return {hash->get<std::string>(), marginal_model_from_json(json, name)};
}

void write_rows(const MarginalModel& model, std::uint64_t count, const std::vector<Evidence>& given,
                SecureRandom& random, RecordWriter& writer) {
  std::vector<std::uint32_t> record(model.columns().size());
  while (count > 0) {
    const auto now = static_cast<std::size_t>(std::min(count, kRowsAtOnce));
    count -= now;
    const ModelRows rows = model.rows(
        now, [&] { return random.word(); }, given);
    std::vector<std::uint32_t> order(now);
    for (std::uint32_t i = 0; i < now; ++i) order[i] = i;
    shuffle(order, random);
    for (const std::uint32_t row : order) {
      for (std::size_t i = 0; i < record.size(); ++i) record[i] = rows[i][row];
      writer.write_digits(record, random);
    }
  }
}

Evidence evidence_of(const Domain& domain, std::string_view column, std::string_view value) {
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const Column& asked = domain.columns()[i];
    if (asked.name() != column) continue;
    const Value field = value.empty() ? Value() : Value(value);
    const Verdict verdict = asked.read(field).verdict;
    if (verdict == Verdict::kValue || (verdict == Verdict::kNull && asked.declares_nulls())) {
      return {i, asked.encode(field)};
    }
    throw InvalidInput(fmt::format("{} in given must be {}, but is \"{}\"{}", column,
                                   asked.expectation(), value, did_you_mean(asked, value)));
  }
  std::vector<std::string> known;
  for (const Column& one : domain.columns()) known.push_back(one.name());
  throw InvalidInput(fmt::format("given must name columns of the model, but \"{}\" is none{}",
                                 column, did_you_mean(column, known)));
}

}  // namespace mollify
