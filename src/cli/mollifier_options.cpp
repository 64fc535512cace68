#include "mollifier_options.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "accounting/nearest_name.h"
#include "command.h"
#include "io/text_file.h"
#include "kernel/channel/matrix_channel.h"
#include "kernel/core/invalid_input.h"
#include "laboratory/mollifier/convex_mollifier.h"
#include "laboratory/mollifier/laplace_channel.h"
#include "local/channel_sampler.h"

namespace mollify::cli {
namespace {

constexpr const char* kNaive = "naive";
constexpr const char* kConvex = "convex";
constexpr const char* kScaleAndShift = "scale-and-shift";
constexpr const char* kLaplace = "laplace";

/// A JSON array of rows, each an array of as many masses as there are outcomes.
MatrixChannel channel_from(const std::string& path, std::size_t outcome_count, double epsilon) {
  const Json json = Json::parse(read_text_file(path), nullptr, false);
  if (!json.is_array() || json.empty()) {
    throw InvalidInput(
        fmt::format("{} must be a JSON array of rows, each an array of masses, but is not", path));
  }
  std::vector<double> rows;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const Json& row = json[i];
    const bool is_row =
        row.is_array() && row.size() == outcome_count &&
        std::all_of(row.begin(), row.end(), [](const Json& mass) { return mass.is_number(); });
    if (!is_row) {
      throw InvalidInput(
          fmt::format("row {} of {} must be an array of {} masses, one for each "
                      "outcome, but is not",
                      i, path, outcome_count));
    }
    for (const Json& mass : row) rows.push_back(mass.get<double>());
  }
  return MatrixChannel::make(rows, outcome_count, epsilon);
}

}  // namespace

void MollifierOptions::add_to(CLI::App& command) {
  const std::string group = "Mollifiers of the sources, in place of --mechanism";
  add_text(
      command, "--mollifier", mollifier, "NAME",
      "naive: a value of p through a channel; convex: the mixture of a channel's rows nearest "
      "to p; scale-and-shift: p squeezed towards the reference until it fits the relative band")
      ->group(group);
  add_text(command, "--channel", channel, "FILE",
           "for naive and convex: a JSON array with a row of masses for each input, or the word "
           "laplace for outcomes that are equal cells of an interval")
      ->group(group);
}

bool MollifierOptions::given() const {
  if (!mollifier) {
    if (channel) throw InvalidInput("--channel is for --mollifier, but none is given");
    return false;
  }
  if (*mollifier != kNaive && *mollifier != kConvex && *mollifier != kScaleAndShift) {
    refuse_name("mollifier", *mollifier, std::vector<std::string>{kNaive, kConvex, kScaleAndShift});
  }
  if (is_scale_and_shift() && channel) {
    throw InvalidInput("--channel is for naive and convex, but scale-and-shift has none");
  }
  if (!is_scale_and_shift()) needed(channel, "--channel");
  return true;
}

bool MollifierOptions::is_scale_and_shift() const { return mollifier == kScaleAndShift; }

std::unique_ptr<LocalSampler> MollifierOptions::sampler(std::size_t outcome_count,
                                                        double epsilon) const {
  MatrixChannel matrix = *channel == kLaplace ? laplace_channel(outcome_count, epsilon)
                                              : channel_from(*channel, outcome_count, epsilon);
  if (*mollifier == kConvex) {
    return std::make_unique<ConvexMollifierSampler>(std::move(matrix), epsilon);
  }
  if (matrix.input_count() != outcome_count) {
    throw InvalidInput(
        fmt::format("the naive sampler needs a row for each of {} outcomes, but the channel has {}",
                    outcome_count, matrix.input_count()));
  }
  return std::make_unique<ChannelSampler<MatrixChannel>>(std::move(matrix), Privacy::pure(epsilon));
}

}  // namespace mollify::cli
