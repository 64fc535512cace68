// Numbers between commas, one question each: --epsilon 0.5,1,2.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.h"

namespace mollify::cli {

/// The texts between the commas. Throws InvalidInput, naming what they are, where one is empty.
std::vector<std::string> number_list(const std::string& text, const std::string& name);

/// One of them as a number. Throws InvalidInput for what is none.
double number_of(const std::string& text, const std::string& name);

/// Lets the command's --epsilon take a list, into `epsilons`.
void take_epsilon_list(CLI::App& command, std::optional<std::string>& epsilons);

/// The parts once for each epsilon that they list; once if they name none.
std::vector<Json> for_each_epsilon(const Json& parts);

}  // namespace mollify::cli
