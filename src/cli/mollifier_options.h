// The samplers that sources put in a band's place, for `mollify law`.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "local/sampler.h"

namespace mollify::cli {

/// As given; nothing is checked.
struct MollifierOptions {
  std::optional<std::string> mollifier, channel;

  /// Adds --mollifier and --channel to a command.
  void add_to(CLI::App& command);

  /// Whether a mollifier is named. Throws InvalidInput for an unknown name, for a channel that the
  /// mollifier does not have or lacks, and for one without a mollifier.
  [[nodiscard]] bool given() const;

  /// Whether it is scale-and-shift, which has no channel: a band whose scores are changed.
  [[nodiscard]] bool is_scale_and_shift() const;

  /// The sampler of naive or convex over so many outcomes. Throws InvalidInput for a channel file
  /// that is none, whose columns do not satisfy epsilon, or of another shape.
  [[nodiscard]] std::unique_ptr<LocalSampler> sampler(std::size_t outcome_count,
                                                      double epsilon) const;
};

}  // namespace mollify::cli
