#include "number_list.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify::cli {

std::vector<std::string> number_list(const std::string& text, const std::string& name) {
  std::vector<std::string> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    list.push_back(text.substr(begin, end - begin));
    if (list.back().empty()) {
      throw InvalidInput(
          fmt::format("{} must be a number, or several between commas, but is \"{}\"", name, text));
    }
    begin = end + 1;
  }
  return list;
}

double number_of(const std::string& text, const std::string& name) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end) {
    throw InvalidInput(fmt::format("{} must be a number, but is \"{}\"", name, text));
  }
  return value;
}

void take_epsilon_list(CLI::App& command, std::optional<std::string>& epsilons) {
  CLI::Option* const one = command.get_option("--epsilon");
  const std::string help = one->get_description();
  const std::string group = one->get_group();
  command.remove_option(one);
  command.add_option("--epsilon", epsilons, help + "; several between commas")
      ->type_name("NUMBER,...")
      ->group(group);
}

std::vector<Json> for_each_epsilon(const Json& parts) {
  const Json::json_pointer place("/privacy/epsilon");
  if (!parts.contains(place)) return {parts};
  std::vector<Json> each;
  for (const std::string& epsilon : number_list(parts[place].get<std::string>(), "epsilon")) {
    each.push_back(parts);
    each.back()[place] = epsilon;
  }
  return each;
}

}  // namespace mollify::cli
