// The front: one private draw, and one release of a table in memory.
#include <iostream>
#include <string_view>
#include <vector>

#include <mollify/mollify.h>

int main() {
  const mollify::Sampler sampler({.k = 3, .epsilon = 1});
  const std::vector<double> scores{0.7, 0.2, 0.1};
  const std::uint32_t outcome = sampler.draw(scores);
  std::cout << "released outcome " << outcome << " of 3\n";

  const auto domain =
      mollify::Domain::make({mollify::Column::declare("insured", {{"type", "boolean"}})});
  const auto spec = mollify::ReleaseSpec::parse(
      R"({"method": "integral", "count": 2, "privacy": {"epsilon": 1}})", domain);
  const std::vector<std::string_view> insured{"true", "false", "true"};
  const auto data = mollify::Source::memory({{"insured", insured}});
  std::vector<mollify::ReleasedColumn> released;
  const auto certificate =
      mollify::release(mollify::prepare(spec, data), data, mollify::Sink::memory(released));
  std::cout << certificate.json();
  const bool refused = [] {
    try {
      static_cast<void>(mollify::Domain::parse("columns: 3"));
    } catch (const mollify::InvalidInput&) {
      return true;
    }
    return false;
  }();
  return outcome < 3 && released.size() == 1 && refused &&
                 mollify::verify(certificate, domain).holds()
             ? 0
             : 1;
}
