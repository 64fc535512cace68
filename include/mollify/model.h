// Rows from the model of a release, at no cost.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "mollify/domain.h"
#include "mollify/handle.h"
#include "mollify/namespace.h"
#include "mollify/release.h"

namespace MOLLIFY_NAMESPACE {

/// What a release by method "marginals" drew its rows from. It was paid for when it was released:
/// what is drawn from it costs nothing, and tells no more about the data than it does. Immutable,
/// cheap to copy, safe to share between threads.
class Model : public Handle<const class ModelInside> {
 public:
  using Handle::Handle;

  /// What Sink::with_model or `mollify sample --model-out` wrote. Throws InvalidInput, one sentence
  /// naming `name`, for anything else.
  [[nodiscard]] static Model parse(std::string_view text, const std::string& name = "the model");
  [[nodiscard]] static Model read(const std::string& path);

  /// `parse` makes an equal model of it.
  [[nodiscard]] const std::string& text() const noexcept;
  /// Of its rows.
  [[nodiscard]] Domain domain() const;
};

/// Columns and their values, as a file would hold them.
using GivenValues = std::map<std::string, std::string>;

/// Passes so many rows, from 1 to 10^8, to the sink; with `given` under the model's own law of rows
/// in which the columns lie in those values' cells. There is no certificate, for there is no
/// release. Throws InvalidInput for other counts, and columns and values that the domain has not.
/// O(count * columns), and the memory of as many rows.
void generate(const Model& model, std::uint64_t count, const GivenValues& given, const Sink& sink);

}  // namespace MOLLIFY_NAMESPACE
