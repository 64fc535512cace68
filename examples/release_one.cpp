// Four records of one table in, one private record out.
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <mollify/mollify.h>

int main() {
  const auto city = mollify::Column::declare(
      "city", {{"type", "categorical"}, {"values", {"Ghent", "Lille", "Trier"}}});
  const auto domain = mollify::Domain::make({city});
  const auto spec = mollify::ReleaseSpec::parse(
      R"({"method": "integral", "count": 1, "privacy": {"epsilon": 2}})", domain);

  const std::vector<std::string_view> cities{"Lille", "Lille", "Ghent", "Lille"};  // private
  const auto data = mollify::Source::memory({{"city", cities}});
  std::vector<mollify::ReleasedColumn> released;
  const auto certificate =
      mollify::release(mollify::prepare(spec, data), data, mollify::Sink::memory(released));

  std::cout << std::get<std::vector<std::string>>(released[0].values)[0] << ", drawn with "
            << certificate.total().text() << '\n';
}
