#include "accounting/decimal_words.h"

#include <cstddef>

#include <fmt/format.h>

namespace mollify {

std::string words_of(const Decimal& number) {
  const std::string text = number.text();
  if (!text.starts_with("0.")) return text;
  const std::size_t first = text.find_first_not_of('0', 2);
  const std::size_t power = first - 1;  // of a tenth
  if (power < 5) return text;
  const std::string rest = text.substr(first + 1);
  return fmt::format("{}{}{}e-{:02}", text[first], rest.empty() ? "" : ".", rest, power);
}

}  // namespace mollify
