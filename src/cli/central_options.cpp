#include "central_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.h"
#include "kernel/core/invalid_input.h"

namespace mollify::cli {

void CentralOptions::add_to(CLI::App& command) {
  const auto number = [&](const char* flag, std::optional<double>& value, const char* help) {
    add_number(command, flag, value, help)->group("Model central, all of it public");
  };
  number("--delta", delta, "what (epsilon, delta)-DP adds (default: 0, which is pure)");
  number("--rho", rho,
         "budget in zCDP, instead of epsilon and delta; for mechanism product and family gaussian");
  number("--rate", rate,
         "releases as many records as come when each is looked at with this probability, instead "
         "of --count; for mechanism poisson-rr");
  command
      .add_option(
          "--support", support,
          "what is known of where the records lie in a large domain of integers: contiguous, "
          "bounded, width=W or subgaussian=S; half of the budget finds it")
      ->type_name("HINT")
      ->group("Model central, all of it public");
}

void CentralOptions::refuse_for(const std::string& model) const {
  for (const auto& [flag, value] :
       {std::pair{"--delta", delta.has_value()}, std::pair{"--rho", rho.has_value()},
        std::pair{"--rate", rate.has_value()}, std::pair{"--support", support.has_value()}}) {
    if (value) {
      throw InvalidInput(fmt::format("{} is for model central, but the model is {}", flag, model));
    }
  }
}

std::optional<CentralMechanism> chosen_central_mechanism(const std::optional<std::string>& name) {
  if (!name || *name == "auto") return std::nullopt;
  const auto mechanism = named<CentralMechanism>(*name);
  if (!mechanism) {
    throw InvalidInput(fmt::format("mechanism must be one of {} in model central, but is \"{}\"",
                                   central_mechanisms_text(), *name));
  }
  return mechanism;
}

std::string central_mechanisms_text() {
  return "auto, " + all_names<CentralMechanism>();
}

}  // namespace mollify::cli
