// mollify: samples of private data under differential privacy.
//
//   // Four records of one table in, one private record out.
//   #include <iostream>
//   #include <string>
//   #include <string_view>
//   #include <vector>
//
//   #include <mollify/mollify.h>
//
//   int main() {
//     const auto city = mollify::Column::declare(
//         "city", {{"type", "categorical"}, {"values", {"Ghent", "Lille", "Trier"}}});
//     const auto domain = mollify::Domain::make({city});
//     const auto spec = mollify::ReleaseSpec::parse(
//         R"({"method": "integral", "count": 1, "privacy": {"epsilon": 2}})", domain);
//
//     const std::vector<std::string_view> cities{"Lille", "Lille", "Ghent", "Lille"};  // private
//     const auto data = mollify::Source::memory({{"city", cities}});
//     std::vector<mollify::ReleasedColumn> released;
//     const auto certificate =
//         mollify::release(mollify::prepare(spec, data), data, mollify::Sink::memory(released));
//
//     std::cout << std::get<std::vector<std::string>>(released[0].values)[0] << ", drawn with "
//               << certificate.total().text() << '\n';
//   }
//
// What is wrong in public throws mollify::InvalidInput, a std::invalid_argument whose what() is one
// sentence. No private value makes anything here throw, print or change shape.
#pragma once

#include "mollify/answers.h"
#include "mollify/core/invalid_input.h"
#include "mollify/distributed.h"
#include "mollify/domain.h"
#include "mollify/message.h"
#include "mollify/privacy.h"
#include "mollify/program.h"
#include "mollify/release.h"
#include "mollify/sampler.h"
#include "mollify/verify.h"
#include "mollify/version.h"
