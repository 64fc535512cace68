// Any bytes as JSON of a measure, and of noisy counts: refused in one sentence, or usable.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/invalid_input.h"
#include "formats/domain_yaml.h"
#include "formats/public_files.h"
#include "measures/measure.h"

namespace {

void read_measure(std::string_view bytes) {
  const auto measure = mollify::measure_from_json(bytes, "file");
  if (measure->box().size() != measure->dimension()) std::abort();
  const std::vector<double> origin(measure->dimension());
  if (!(measure->density(origin) >= 0)) std::abort();
}

/// The bytes as the member "measurements" of a file, about two columns.
void read_measurements(std::string_view bytes) {
  static const mollify::Domain domain = mollify::parse_domain(
      "columns:\n  a: {type: integer, min: 0, max: 3, null: 0}\n"
      "  b: {type: boolean, null: false}\n",
      "domain");
  const std::string text = "{\"measurements\": " + std::string(bytes) + "}";
  const auto made = mollify::parse_measurements_file(text, "file", domain).measurements;
  const mollify::Json json = measurements_json(made, domain);
  if (measurements_from_json(json, domain, "file") != made) std::abort();
}

void refused_in_one_sentence(void (*read)(std::string_view), std::string_view bytes) {
  try {
    read(bytes);
  } catch (const mollify::InvalidInput& refusal) {
    if (std::string_view(refusal.what()).find('\n') != std::string_view::npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  refused_in_one_sentence(read_measure, bytes);
  refused_in_one_sentence(read_measurements, bytes);
  return 0;
}
