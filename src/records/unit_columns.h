// The columns that name whom a row belongs to, and the ids in them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "domain/same_value.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The columns.

/// The columns whose values together name the unit of a row. None if rows have no units, one, or
/// several, such as a household and the number of a person in it. Public.
class UnitColumns {
 public:
  UnitColumns() = default;
  UnitColumns(std::string column)  // NOLINT(google-explicit-constructor): one is the usual case
      : names_{std::move(column)} {}
  UnitColumns(const char* column)  // NOLINT(google-explicit-constructor)
      : UnitColumns(std::string(column)) {}
  /// Throws InvalidInput unless there is a name, and each comes once.
  explicit UnitColumns(std::vector<std::string> columns);

  /// The reverse of text(). Total.
  [[nodiscard]] static UnitColumns parse(std::string_view text);
  /// The reverse of json(). Requires a text or a list of texts.
  [[nodiscard]] static UnitColumns of(const Json& json);

  [[nodiscard]] explicit operator bool() const noexcept { return !names_.empty(); }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  [[nodiscard]] bool has(std::string_view column) const noexcept;

  /// As a sentence names them: "school", "(household, person)".
  [[nodiscard]] std::string words() const;
  /// One text for each list, as a flag and a ledger have it: "school", "household,person". A name
  /// with a comma is in quotes, as in the header of a CSV file.
  [[nodiscard]] std::string text() const;
  /// As a spec has it: one name is a text, several are a list.
  [[nodiscard]] Json json() const;

  friend bool operator==(const UnitColumns&, const UnitColumns&) = default;

 private:
  std::vector<std::string> names_;
};

// -----------------------------------------------------------------------------------------------
// The meaning of an id of the data, a text or a number.

/// True for a missing id: an empty text, and the other words for a null (`is_null_word`), for
/// programs write a missing id as `NA` or `nan`. There is no exception: a roster that lists one is
/// refused.
[[nodiscard]] bool is_missing_id(std::string_view text) noexcept;

/// The id that a field's text means: `1` for `1.0`, for so write programs a column of integers in
/// which an id is missing, and the text itself for any other. Valid as long as text and buffer.
[[nodiscard]] std::string_view id_text(std::string_view text, TextBuffer& buffer) noexcept;

/// Appends one more id to the text for several. Each comes after its length: `5:house2:17`.
///
/// Lists of equal length have one text only if they are one list. Proof. The digits before the
/// first colon are the length of the first id, so both lists begin with the same id. The rest of the
/// text is that of the other ids, which are the same by induction. QED
void append_id(std::string_view id, std::string& joint);

/// The reverse: the ids in their order. Requires a text that `append_id` made.
[[nodiscard]] std::vector<std::string_view> ids_in(std::string_view joint);

/// The text that stands for a row's ids, of one column or several: `id_text` of the only one, or
/// all of them joined. `joint` and `buffer` hold it.
[[nodiscard]] std::string_view unit_text(std::span<const std::string_view> ids, std::string& joint,
                                         TextBuffer& buffer);

}  // namespace mollify
