#include "gaussian_options.h"

#include <fmt/format.h>

#include "command.h"
#include "kernel/core/invalid_input.h"

namespace mollify::cli {

void GaussianOptions::add_to(CLI::App& command) {
  constexpr const char* kGaussianGroup = "Model central, family gaussian, all of it public";
  command
      .add_option("--family", family,
                  "gaussian: the rows are taken for draws from one Gaussian, and so are the "
                  "records released. How near they come rests on that; privacy rests on nothing "
                  "about the data. Every column of the domain must be a number")
      ->type_name("NAME")
      ->group(kGaussianGroup);
  command
      .add_option("--covariance", covariance,
                  "public CSV of the covariance matrix, columns named in the header; of "
                  "logarithms where --log says so")
      ->type_name("FILE")
      ->group(kGaussianGroup);
  add_number(command, "--covariance-bound", covariance_bound,
             "the covariance lies between that of --covariance (default: 1 for each column, and "
             "independent) and this many times it; with --rho, or with --delta")
      ->group(kGaussianGroup);
  add_number(command, "--mean-bound", mean_bound,
             "the mean lies within so many standard deviations of the middle of the declared "
             "ranges (default: it is found first, by a part of the rows)")
      ->group(kGaussianGroup);
  command
      .add_option("--log", logarithms, "columns whose logarithms are Gaussian, separated by commas")
      ->type_name("COLUMN,...")
      ->delimiter(',')
      ->group(kGaussianGroup);
  command
      .add_flag("--paper-variance", paper_variance,
                "with --epsilon alone: the published variance of the noise, not the corrected one")
      ->group(kGaussianGroup);
}

bool GaussianOptions::chosen(const std::string& model) const {
  if (family) {
    if (model != "central") {
      throw InvalidInput(fmt::format("--family is for model central, but the model is {}", model));
    }
    if (*family != "gaussian") {
      throw InvalidInput(fmt::format("family must be gaussian, but is \"{}\"", *family));
    }
    return true;
  }
  for (const auto& [flag, given] :
       {std::pair{"--covariance", covariance.has_value()},
        std::pair{"--covariance-bound", covariance_bound.has_value()},
        std::pair{"--mean-bound", mean_bound.has_value()}, std::pair{"--log", !logarithms.empty()},
        std::pair{"--paper-variance", paper_variance}}) {
    if (given) {
      throw InvalidInput(fmt::format("{} is for --family gaussian, but no family is given", flag));
    }
  }
  return false;
}

}  // namespace mollify::cli
