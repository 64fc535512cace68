// Four records of one table in, one private record out.
#include <iostream>
#include <string_view>
#include <vector>

#include "mollify/mollify.h"

int main() {
  const auto domain = mollify::front::Domain::make(
      {mollify::front::Column::categorical("city", {"Ghent", "Lille", "Trier"})});
  const auto spec = mollify::front::ReleaseSpec::parse(
      R"({"model": "integral", "count": 1, "privacy": {"epsilon": 2}})", domain);

  const std::vector<std::string_view> cities{"Lille", "Lille", "Ghent", "Lille"};  // private
  const auto data = mollify::front::Source::memory({{"city", cities}});
  std::vector<mollify::front::ReleasedColumn> released;
  const auto certificate = mollify::front::release(mollify::front::prepare(spec, data), data,
                                                   mollify::front::Sink::memory(released));
  std::cout << std::get<std::vector<std::string>>(released[0].values)[0] << " with "
            << certificate.total().text() << '\n';
}
