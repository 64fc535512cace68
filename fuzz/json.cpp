// Any bytes as JSON of measures, densities and models: refused in one sentence, or usable, and a
// model survives being written.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/invalid_input.h"
#include "laboratory/boosting/likelihood.h"
#include "laboratory/measure/measure.h"

namespace {

void read_model(std::string_view bytes) {
  const mollify::BoostedDensity model = mollify::boosted_model_from_json(bytes, "file");
  const std::string text = mollify::boosted_model_json(model);
  try {
    if (mollify::boosted_model_json(mollify::boosted_model_from_json(text, "file")) != text) {
      std::abort();
    }
  } catch (const mollify::InvalidInput&) {
    std::abort();  // what was written must be readable
  }
}

void read_measure(std::string_view bytes) {
  const auto measure = mollify::measure_from_json(bytes, "file");
  if (measure->box().size() != measure->dimension()) std::abort();
  const std::vector<double> origin(measure->dimension());
  if (!(measure->density(origin) >= 0)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    if (data[0] % 2 == 0) {
      read_model(bytes);
    } else {
      read_measure(bytes);
    }
  } catch (const mollify::InvalidInput& refusal) {
    if (std::string_view(refusal.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
