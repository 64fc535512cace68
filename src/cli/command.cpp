#include "command.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include <fmt/format.h>

#include "kernel/core/band.h"
#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"
#include "release/acceptance.h"

namespace mollify::cli {
namespace {

template <class Value>
Value parse_as(std::string_view text, std::string_view flags, std::string_view expected) {
  Value value{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end) {
    throw InvalidInput(
        fmt::format("{} must be {}, but is \"{}\"", flags.substr(2), expected, text));
  }
  return value;
}

}  // namespace

CLI::Option* add_number(CLI::App& command, const std::string& flags, std::optional<double>& value,
                        const std::string& help) {
  return command
      .add_option_function<std::string>(
          flags,
          [flags, &value](const std::string& text) {
            value = parse_as<double>(text, flags, "a number");
          },
          help)
      ->type_name("NUMBER");
}

CLI::Option* add_whole_number(CLI::App& command, const std::string& flags,
                              std::optional<std::uint64_t>& value, const std::string& help) {
  return command
      .add_option_function<std::string>(
          flags,
          [flags, &value](const std::string& text) {
            value = parse_as<std::uint64_t>(text, flags, "a whole number");
          },
          help)
      ->type_name("NUMBER");
}

CLI::Option* add_text(CLI::App& command, const std::string& flags,
                      std::optional<std::string>& value, const std::string& type,
                      const std::string& help) {
  return command.add_option(flags, value, help)->type_name(type);
}

void refuse_missing(std::string_view flag) {
  throw InvalidInput(fmt::format("{} is needed, but is not given", flag));
}

std::size_t outcome_count(const std::optional<std::uint64_t>& k, std::string_view flag) {
  const std::uint64_t count = needed(k, flag);
  require_between("the number of outcomes", count, 1, Band::kMostOutcomes);
  return count;
}

void print_json(const Json& json) {
  // Names of files and columns may hold any bytes; JSON holds text.
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

std::string printable(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x20 || byte == 0x7f) {
      safe += fmt::format("\\x{:02x}", byte);
    } else {
      safe += letter;
    }
  }
  return safe;
}

void tell(std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

void tell_undeclared(const Domain& domain) {
  const std::string words = domain.undeclared_words();
  if (!words.empty()) tell("WARNING: " + printable(words) + "\n");
}

void tell_large_epsilon(const std::optional<double>& epsilon_of_draw,
                        const std::optional<double>& mu_of_draw) {
  Privacy asked = Privacy::pure(epsilon_of_draw.value_or(0));
  if (mu_of_draw) asked = Privacy::gaussian(*mu_of_draw);
  Privacy released = asked;
  released.epsilon = std::min<double>(asked.epsilon, ExpBound::kGreatestEpsilon);
  for (const std::string& words : epsilon_warnings(asked, released, 1)) tell(words + "\n");
}

void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw std::runtime_error("standard output cannot be written");
  }
}

}  // namespace mollify::cli
