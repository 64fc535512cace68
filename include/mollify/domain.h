// All possible records: public, and declared before any data is opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "mollify/handle.h"
#include "mollify/message.h"
#include "mollify/namespace.h"

namespace MOLLIFY_NAMESPACE {

/// One value of a column's settings: a number, a truth, a text, null, a list, or labels of codes.
class Setting {
 public:
  template <class Integer>
  requires std::is_integral_v<Integer> Setting(Integer value)
      : form_(Form::kNumber), text_(text_of(value)) {}
  Setting(double value);
  Setting(std::string value) : text_(std::move(value)) {}
  Setting(const char* value) : text_(value) {}
  Setting(std::nullptr_t) : form_(Form::kNull) {}
  Setting(std::initializer_list<Setting> items) : form_(Form::kList), items_(items) {}
  template <class Item>
  Setting(const std::vector<Item>& items)
      : form_(Form::kList), items_(items.begin(), items.end()) {}

  /// A value of the column, also if it is a word of the format: category or clip.
  [[nodiscard]] static Setting value(std::string text) {
    Setting setting(std::move(text));
    setting.form_ = Form::kValue;
    return setting;
  }

  /// Codes with labels, for `missing`: {{-9, "refused"}, {-8, "does not apply"}}.
  [[nodiscard]] static Setting labels(const std::vector<std::pair<Setting, std::string>>& labels) {
    Setting setting(nullptr);
    setting.form_ = Form::kLabels;
    for (const auto& [code, label] : labels) {
      setting.items_.push_back(code);
      setting.items_.push_back(value(label));
    }
    return setting;
  }

  class Inside;

 private:
  enum class Form : std::uint8_t { kText, kValue, kNumber, kNull, kList, kLabels };

  template <class Integer>
  static std::string text_of(Integer value) {
    if constexpr (std::is_same_v<Integer, bool>) return value ? "true" : "false";
    return std::to_string(value);
  }

  Form form_ = Form::kText;
  std::string text_{};
  std::vector<Setting> items_{};
};

/// Keys and values, as a domain file has them (docs/reference/domain.md).
using Settings = std::vector<std::pair<std::string, Setting>>;

/// A named column of finitely many values. Immutable, cheap to copy, safe to share between threads.
///
///     Column::declare("age", {{"type", "integer"}, {"min", 0}, {"max", 110}, {"bins", 11}})
///     Column::declare("city", {{"type", "categorical"}, {"values", {"Ghent", "Lille", "Trier"}}})
class Column : public Handle<const class ColumnInside> {
 public:
  using Handle::Handle;

  /// Throws InvalidInput, naming the column, for settings that a domain file must not have either.
  [[nodiscard]] static Column declare(const std::string& name, const Settings& settings);

  [[nodiscard]] const std::string& name() const noexcept;
  /// How many values, groups or cells; one more with a category for nulls.
  [[nodiscard]] std::uint32_t size() const noexcept;
};

/// A product of columns. Immutable, cheap to copy, safe to share between threads.
class Domain : public Handle<const class DomainInside> {
 public:
  using Handle::Handle;

  /// `seed` fixes the public candidates of releases that use them. Throws InvalidInput unless there
  /// is at least one column and names are distinct.
  [[nodiscard]] static Domain make(const std::vector<Column>& columns, std::uint64_t seed = 0);

  /// Reads a domain file (docs/reference/domain.md); throws InvalidInput with file and line.
  [[nodiscard]] static Domain read(const std::string& path);
  /// Reads the text of a domain file; `name` names it in messages. If it is empty, the text was
  /// made by a program, and messages name columns but no lines.
  [[nodiscard]] static Domain parse(std::string_view yaml, const std::string& name = "the domain");

  /// The text of a domain file; `parse` makes an equal domain of it.
  [[nodiscard]] std::string yaml() const;
  /// Its content, for programs: {"seed": 7, "columns": [{"name": "sex", "type": "categorical",
  /// ...}], "rules": [...]}. Values are texts, and {"value": TEXT} where a text would be a word of the format.
  [[nodiscard]] std::string json() const;
  /// Its rules as a rule file of R's package validate, with a comment for each rule that R cannot
  /// say. Throws InvalidInput for a domain without rules.
  [[nodiscard]] std::string rules_for_validate() const;
  /// SHA-256, in 64 hexadecimal digits, of the domain's meaning: equal for equal domains only, and
  /// the same on every machine. Certificates name it.
  [[nodiscard]] std::string hash() const;

  [[nodiscard]] std::vector<std::string> column_names() const;

  /// Sentences for anyone who made the domain, with the words to write: columns of more than 2^24
  /// integers, which are cut into cells, and columns that do not declare what values beyond their
  /// bounds become.
  [[nodiscard]] std::vector<Message> warnings() const;

  /// How many records there can be: exact up to 2^53, and possibly infinite. Up to 2^24,
  /// records that break a rule do not count.
  [[nodiscard]] double outcome_count() const;
  /// Whether these are at most 2^24. Then a record is also a number 0 ... outcome_count() - 1, in
  /// the lexicographic order of the columns.
  [[nodiscard]] bool is_enumerable() const noexcept;

  /// The outcome of a record, given by the texts of its fields in the columns' order. O(columns).
  ///
  /// Total, because records are private: any text is mapped as declared, missing fields are nulls,
  /// further ones are ignored. Throws InvalidInput only if the domain is not enumerable.
  [[nodiscard]] std::uint32_t encode(std::span<const std::string_view> fields) const;

  /// A record of the outcome: one text for each column. If an outcome represents several values,
  /// one of them is drawn evenly, by the operating system's entropy. Throws InvalidInput for a
  /// number that is not an outcome.
  [[nodiscard]] std::vector<std::string> decode(std::uint32_t outcome) const;

  friend bool operator==(const Domain& left, const Domain& right);
};

/// A domain that was drafted, and notes for its author.
struct DomainDraft {
  Domain domain;
  std::vector<std::string> notes{};  ///< each of one line
  std::string yaml{};                ///< a domain file with these notes and what was seen
  std::vector<std::string> seen{};   ///< of each column, and why it was declared so
};

/// Texts of a column's values in an order, by the column's name.
using OrderedWords = std::map<std::string, std::vector<std::string>>;

/// What `mollify domain` drafts from a **public** CSV file: a domain in which every value of the
/// file lies, to be reviewed. Never draft a domain from private data. `columns` selects columns and
/// orders them, empty for all; those in `excluded` are left out. `text` is the file's text if it
/// lies in memory, and `unread` are the columns that it leaves out (Source::unread), for the notes.
/// Columns in `words` are ordinals of these words. Throws InvalidInput for a file that is not
/// well-formed or is without a column that is left.
[[nodiscard]] DomainDraft draft_domain(
    const std::string& public_csv, const std::vector<std::string>& columns = {},
    const std::vector<std::string>& excluded = {},
    std::optional<std::string_view> text = std::nullopt,
    const std::vector<std::pair<std::string, std::string>>& unread = {},
    const OrderedWords& words = {});

}  // namespace MOLLIFY_NAMESPACE
