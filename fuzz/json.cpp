// Any bytes as JSON of a measure: refused in one sentence, or usable.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/invalid_input.h"
#include "measures/measure.h"

namespace {

void read_measure(std::string_view bytes) {
  const auto measure = mollify::measure_from_json(bytes, "file");
  if (measure->box().size() != measure->dimension()) std::abort();
  const std::vector<double> origin(measure->dimension());
  if (!(measure->density(origin) >= 0)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    read_measure({reinterpret_cast<const char*>(data), size});
  } catch (const mollify::InvalidInput& refusal) {
    if (std::string_view(refusal.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
