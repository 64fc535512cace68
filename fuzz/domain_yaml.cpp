// Any bytes as a domain file: refused in one sentence, or a domain that survives being written.

#include "formats/domain_yaml.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/invalid_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto parse = [](std::string_view yaml) { return mollify::parse_domain(yaml, "domain"); };
  try {
    const mollify::Domain domain = parse(bytes);
    std::string yaml;
    try {
      yaml = mollify::domain_yaml(domain);
      if (!(parse(yaml) == domain)) std::abort();
      if (mollify::domain_yaml(parse(yaml)) != yaml) std::abort();
    } catch (const mollify::InvalidInput&) {
      std::abort();  // what was written must be readable
    }
  } catch (const mollify::InvalidInput& refusal) {
    const std::string_view sentence = refusal.what();
    if (!sentence.starts_with("domain ")) std::abort();
  }
  return 0;
}
