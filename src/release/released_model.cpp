#include "release/released_model.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/json.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "mollify/version.h"
#include "release/methods.h"

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
  const bool is_object = text.find_first_not_of(" \t\r\n") != text.npos &&
                         text[text.find_first_not_of(" \t\r\n")] == '{';
  if (is_object) require_json(text, name);
  const auto json = is_object ? nlohmann::ordered_json::parse(text) : nlohmann::ordered_json();
  if (!is_object || json.value("format", nlohmann::ordered_json()) != kModelFormat) {
    refuse_input("wrong-kind-of-file", "model",
                 "{} is not a model in the format \"{}\": {} writes a model of {}", name,
                 kModelFormat,
                 words_of_speech("mollify sample --model-out", "release.model.write", "release()"),
                 kPublishedModels.text());
  }
  const auto hash = json.find("domain_sha256");
  refuse_if(hash == json.end() || !hash->is_string(), "missing-key", "model",
            "{} must have a hash at /domain_sha256", name);
  return {hash->get<std::string>(), marginal_model_from_json(json, name)};
}

template <class Random>
void write_rows(const MarginalModel& model, std::uint64_t count, const std::vector<Evidence>& given,
                Random& random, RecordWriter& writer) {
  std::vector<std::uint32_t> record(model.columns().size());
  const auto words = [&, drawn = std::uint32_t{0}]() mutable {
    if (++drawn % 1024 == 0) keep_going();
    return random.word();
  };
  Progress progress("rows", count);
  for (std::uint64_t left = count; left > 0;) {
    progress.reached(count - left);
    const auto now = static_cast<std::size_t>(std::min(left, kRowsAtOnce));
    left -= now;
    const ModelRows rows = model.rows(now, words, given);
    std::vector<std::uint32_t> order(now);
    for (std::uint32_t i = 0; i < now; ++i) order[i] = i;
    // As the kernel's shuffle, which takes no seeded words.
    for (std::size_t rest = now; rest > 1; --rest) {
      std::swap(order[rest - 1], order[random.below(rest)]);
    }
    for (const std::uint32_t row : order) {
      for (std::size_t i = 0; i < record.size(); ++i) record[i] = rows[i][row];
      writer.write_digits(record, random);
    }
  }
}

template void write_rows(const MarginalModel&, std::uint64_t, const std::vector<Evidence>&,
                         SecureRandom&, RecordWriter&);
template void write_rows(const MarginalModel&, std::uint64_t, const std::vector<Evidence>&,
                         SeededRandom&, RecordWriter&);

namespace {

/// "; city has Lyon, Metz, Nancy": ten values of a column that declares them; of others nothing.
std::string declared_words(const Column& column) {
  constexpr std::uint32_t kMostListed = 10;
  const auto* const categories = std::get_if<Categories>(&column.cells());
  if (categories == nullptr) return "";
  std::vector<std::string> values;
  for (std::uint32_t cell = 0; cell < std::min(categories->size(), kMostListed); ++cell) {
    values.emplace_back(categories->value(cell));
  }
  return fmt::format("; \"{}\" has {}{}", column.name(), list_words(values),
                     categories->size() > kMostListed ? ", ..." : "");
}

}  // namespace

namespace {

/// To give this value of a column instead; of the caller's choice if the column or value is empty.
WayOut to_give(const std::string& column, const std::string& value) {
  if (column.empty() || value.empty()) return WayOut::set("given");
  Json object;
  object[column] = value;
  const std::string text = object.dump(-1, ' ', false, Json::error_handler_t::replace);
  return WayOut::set("given",
                     std::string(words_of_speech(fmt::format("{}={}", column, value), text, text)));
}

}  // namespace

Evidence evidence_of(const Domain& domain, std::string_view column, std::string_view value) {
  Concern given("given");
  given.column = column;
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const Column& asked = domain.columns()[i];
    if (asked.name() != column) continue;
    const Value field = value.empty() ? Value() : Value(value);
    const Verdict verdict = asked.read(field).verdict;
    if (verdict == Verdict::kValue || verdict == Verdict::kNull) return {i, asked.encode(field)};
    const std::string nearest = did_you_mean(asked, value);
    refuse_input("unknown-value", given, {to_give(asked.name(), nearest_word(asked, value))},
                 "\"{}\" in given must be {}, but is \"{}\"{}", column, asked.expectation(), value,
                 nearest.empty() ? declared_words(asked) : nearest);
  }
  std::vector<std::string> known;
  for (const Column& one : domain.columns()) known.push_back(one.name());
  refuse_input("unknown-column", given, {to_give(nearest_name(column, known), std::string(value))},
               "the model has no column \"{}\"; it has {}{}", column, list_words(known),
               did_you_mean(column, known));
}

}  // namespace mollify
