#include "mollify/sampler.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "c/guarded.h"
#include "kernel/core/invalid_input.h"
#include "mollify/accounting.h"

struct mollify_sampler {
  mollify::front::Sampler sampler;
};

namespace mollify::c {
namespace {

using nlohmann::json;

/// Throws InvalidInput for text that is no object of the parameters' names and types.
front::SamplerParameters parse(const char* text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) throw InvalidInput("the sampler's parameters must be a JSON object");
  front::SamplerParameters parameters;
  for (const auto& item : object.items()) {
    const std::string& key = item.key();
    const json& value = item.value();
    const auto require = [&](bool fits, const char* what) {
      if (!fits) throw InvalidInput(key + " must be " + what + ", but is " + value.dump());
    };
    const auto number = [&](std::optional<double>& parameter) {
      require(value.is_number(), "a number");
      parameter = value.get<double>();
    };
    if (key == "mechanism") {
      require(value.is_string(), "a name");
      parameters.mechanism = value.get<std::string>();
    } else if (key == "outcomes") {
      require(value.is_number_unsigned(), "a whole number");
      parameters.outcomes = value.get<std::size_t>();
    } else if (key == "reference") {
      require(value.is_array() && std::all_of(value.begin(), value.end(),
                                              [](const json& mass) { return mass.is_number(); }),
              "an array of numbers");
      parameters.reference = value.get<std::vector<double>>();
    } else if (key == "epsilon") {
      number(parameters.epsilon);
    } else if (key == "mu") {
      number(parameters.mu);
    } else if (key == "c1") {
      number(parameters.c1);
    } else if (key == "c2") {
      number(parameters.c2);
    } else if (key == "gamma") {
      number(parameters.gamma);
    } else if (key == "location") {
      number(parameters.location);
    } else {
      throw InvalidInput("a sampler has no parameter \"" + key + "\"");
    }
  }
  return parameters;
}

template <class Score>
mollify_status draw(const mollify_sampler* sampler, const Score* scores, std::uint64_t rows,
                    std::uint32_t* released) {
  return guarded([&] {
    sampler->sampler.draw(std::span<const Score>(scores, rows * sampler->sampler.outcomes()),
                          std::span<std::uint32_t>(released, rows));
  });
}

}  // namespace
}  // namespace mollify::c

using mollify::c::guarded;

mollify_status mollify_new_sampler(const char* parameters, mollify_sampler** sampler,
                                   char** warnings) {
  return guarded([&] {
    const auto parsed = mollify::c::parse(parameters);
    auto made = std::make_unique<mollify_sampler>(mollify_sampler{mollify::front::Sampler(parsed)});
    if (warnings != nullptr) {
      const auto draw = parsed.mu ? mollify::front::Privacy::gaussian(*parsed.mu)
                                  : mollify::front::Privacy::pure(parsed.epsilon.value_or(0));
      *warnings = mollify::c::warnings_for_c(mollify::front::epsilon_warnings(draw)).release();
    }
    *sampler = made.release();
  });
}

void mollify_free_sampler(mollify_sampler* sampler) { delete sampler; }

uint64_t mollify_sampler_outcomes(const mollify_sampler* sampler) {
  return sampler->sampler.outcomes();
}

double mollify_sampler_epsilon_realised_up(const mollify_sampler* sampler) {
  return sampler->sampler.epsilon_realised_up();
}

mollify_status mollify_draw(const mollify_sampler* sampler, const double* scores, uint64_t rows,
                            uint32_t* released) {
  return mollify::c::draw(sampler, scores, rows, released);
}

mollify_status mollify_draw_float(const mollify_sampler* sampler, const float* scores,
                                  uint64_t rows, uint32_t* released) {
  return mollify::c::draw(sampler, scores, rows, released);
}

mollify_status mollify_draw_units(const mollify_sampler* sampler, const uint32_t* outcomes,
                                  const uint64_t* offsets, const double* weights, uint64_t units,
                                  uint32_t* released) {
  return guarded([&] {
    const std::size_t records = offsets[units];
    sampler->sampler.draw_units(
        {outcomes, records}, {offsets, units + 1},
        weights == nullptr ? std::span<const double>() : std::span(weights, records),
        {released, units});
  });
}
