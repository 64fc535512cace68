// The options that say what boosting learns with.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "boosting/weak_learner.h"

namespace mollify::cli {

/// As given; nothing is checked.
struct LearnerOptions {
  std::optional<std::string> learner, schedule, optimiser;
  std::optional<std::uint64_t> width, depth, epochs, minibatches, patience;
  std::optional<double> rate;

  /// Adds --learner, --schedule, --width, --depth, --epochs, --minibatches, --optimiser and --rate.
  void add_to(CLI::App& command);

  /// Whether any of them is given.
  [[nodiscard]] bool is_given() const;

  /// The learner asked for. Throws InvalidInput for unknown names, options that it does not have,
  /// and values out of range.
  [[nodiscard]] std::unique_ptr<WeakLearner> make() const;
};

}  // namespace mollify::cli
