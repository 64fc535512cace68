// Warnings as values: a stable code, how much it matters, a sentence in parts, and what to do.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "core/invalid_input.h"

namespace mollify {

/// How much a message matters to someone who reads few lines.
enum class Severity {
  kNote,     ///< good to know
  kWarning,  ///< dangerous, or nearly useless, in one respect
  kNoise,    ///< the release is mostly noise; never left out
};

/// What would help: typed ways out, and sentences about ways that need more words than a part.
struct Remedy {
  std::vector<WayOut> ways_out{};
  std::vector<std::string> others{};
  /// The ways out that `others`, or a message's clauses, tell of in words.
  std::vector<WayOut> told{};

  /// "13 outcomes or --epsilon 6.27 would do; for shares use ..."; empty if nothing helps.
  [[nodiscard]] std::string words() const;
  /// Of both kinds.
  [[nodiscard]] std::vector<WayOut> all() const;
  friend bool operator==(const Remedy&, const Remedy&) = default;
};

/// A message about public things: no private value has a place in it. Interfaces choose by `code`
/// and `severity` what to show; nobody reads the sentence to decide. Refusals carry the same facts
/// (core/invalid_input.h).
struct Message {
  Code code;
  std::string verdict;                 ///< "the release is mostly noise"
  std::string reason{};                ///< why, with its numbers; may be empty
  std::vector<std::string> clauses{};  ///< what else to know, before what would help
  Remedy remedy{};
  Severity severity = Severity::kWarning;
  std::vector<Quantity> quantities{};  ///< the numbers that decide, for programs

  /// All of it in one sentence: "VERDICT: REASON; CLAUSE; REMEDY".
  [[nodiscard]] std::string text() const;
  /// The same for a terminal: "WARNING: TEXT [mostly-noise]".
  [[nodiscard]] std::string shown() const;
  /// Of that the verdict and the clause after it, without the code: for a line or two.
  [[nodiscard]] std::string brief() const;
  /// {"code": ..., "severity": ..., "text": ..., "quantities": [{"name", "value", "unit"}, ...],
  /// "ways_out": [{"action", "part", "value"}, ...]}
  [[nodiscard]] Json json() const;
  friend bool operator==(const Message&, const Message&) = default;
};

/// The word of a severity: "note", "warning", "noise".
[[nodiscard]] std::string_view name_of(Severity severity) noexcept;

[[nodiscard]] Json json_of(std::span<const Message> messages);
/// [{"action", "part", "value"}, ...]
[[nodiscard]] Json json_of(std::span<const WayOut> ways_out);
/// [{"name", "value", "unit"}, ...]
[[nodiscard]] Json json_of(std::span<const Quantity> quantities);
/// The unit of a parameter, by its flag or by its place in a spec: "records" of "count"; empty for
/// others.
[[nodiscard]] std::string_view unit_of(std::string_view parameter);
/// The numbers of a refusal, as every interface shows them: each with the unit that its parameter
/// counts in, and a number that was rounded to the side of safety as it was typed.
[[nodiscard]] std::vector<Quantity> shown_quantities(const InvalidInput& refused);
/// {"code": ..., "text": ..., "parameter": ..., "column": ..., "file": ..., "line": ...,
/// "quantities": [{"name", "value", "unit"}, ...], "ways_out": [...]}. Parts that
/// the refusal lacks are null.
[[nodiscard]] Json json_of(const InvalidInput& refused);

/// A sentence for people, and the refusal that it is, if it is one.
struct Why {
  Why() = default;
  Why(std::string sentence) : text(std::move(sentence)) {}                      // NOLINT
  Why(const InvalidInput& refusal) : text(refusal.what()), refused(refusal) {}  // NOLINT
  /// Puts the sentence at the key, and of a refusal next to it "code" and "parameter".
  void put(Json& json, const char* key) const;

  std::string text{};
  std::optional<InvalidInput> refused{};
};

/// Adds a message unless the same one is there.
void add_message(std::vector<Message>& messages, Message message);
void add_messages(std::vector<Message>& messages, std::vector<Message> more);

}  // namespace mollify
