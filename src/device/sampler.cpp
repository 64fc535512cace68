#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "base/decimal_text.h"
#include "core/random.h"
#include "core/table.h"
#include "device/errors.h"
#include "kernel/search.h"
#include "methods/local/band_draw.h"
#include "methods/local/floors.h"
#include "mollify/device.h"

struct mollify_device_sampler {
  mollify::Band band;
  mollify::SecureRandom random{};
  std::unique_ptr<mollify::Table> table{};  // of the last row; its memory is for the next one
};

namespace mollify::device {

namespace {

Checked check_reference(std::span<const double> reference) {
  double sum = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    if (!(reference[i] > 0) || !std::isfinite(reference[i])) {
      return Refusal{"not-a-distribution", "the reference mass of outcome " + whole_text(i) +
                                               " must be finite and positive, but is " +
                                               six_digits(reference[i])};
    }
    sum += reference[i];
  }
  if (!std::isfinite(sum)) {
    return Refusal{"not-a-distribution", "the reference masses must have a finite sum"};
  }
  return std::nullopt;
}

/// The constant b. Other bands than those of a location hold a table whatever their parameters. So
/// does a location: lower bounds sum to N b (1 + 2^-39) or more, and upper bounds to Ebar times
/// that less k. With Ebar > E (1 - 2^-39) this is N or more where b E is at least 1 + 2^-36.
/// Next to that a band of 2^24 outcomes may be short, and no such b is worth having.
Checked find_floor(std::uint32_t k, double epsilon, std::string_view band, double location,
                   double& floor) {
  if (band == "minimax") {
    floor = minimax_floor(k, epsilon);
  } else if (band == "relative") {
    floor = relative_floor(epsilon);
  } else if (band == "location") {
    if (!(location > 0 && location < 1)) {
      return Refusal{"out-of-range",
                     "location must be above 0 and below 1, but is " + six_digits(location)};
    }
    const double least = 1 / exponential_of(epsilon);
    if (!(location > least * (1 + 0x1p-36))) {
      return Refusal{"out-of-range",
                     "band location must lie between e^-epsilon = " + six_digits(least) +
                         " and 1, but is " + six_digits(location)};
    }
    floor = location;
  } else {
    return Refusal{"unknown-name", "band must be minimax, relative or location, but is \"" +
                                       std::string(band.substr(0, 60)) + "\""};
  }
  return std::nullopt;
}

template <class Score>
mollify_device_status draw_rows(mollify_device_sampler& sampler, const Score* scores,
                                std::size_t rows, std::uint32_t* released) {
  if (!sampler.random.is_ready()) return without_entropy();
  const std::size_t k = sampler.band.outcome_count();
  for (std::size_t row = 0; row < rows; ++row) {
    const std::span<const Score> of_row(scores + row * k, k);
    if (sampler.table == nullptr) {
      sampler.table = std::make_unique<Table>(projected(sampler.band, of_row));
    } else {
      project(*sampler.table, of_row);
    }
    released[row] = static_cast<std::uint32_t>(sampler.table->draw(sampler.random));
  }
  return MOLLIFY_DEVICE_OK;
}

}  // namespace

}  // namespace mollify::device

mollify_device_status mollify_device_new_sampler(uint32_t k, const char* epsilon, const char* band,
                                                 double location, const double* reference,
                                                 mollify_device_sampler** sampler) {
  using namespace mollify::device;
  double asked = 0, floor = 0;
  if (const Checked refusal = check_outcomes(k)) return refused(*refusal);
  if (const Checked refusal = read_epsilon(epsilon, asked)) return refused(*refusal);
  const std::span<const double> masses(reference, reference == nullptr ? 0 : k);
  if (const Checked refusal = check_reference(masses)) return refused(*refusal);
  if (const Checked refusal = find_floor(k, asked, band == nullptr ? "" : band, location, floor))
    return refused(*refusal);
  // One outcome has no bounds, but a spec of a band has.
  if (k == 1) floor = 0.5;
  auto* const made = new (std::nothrow) mollify_device_sampler{mollify::make_band(
      {.outcome_count = k, .reference = masses, .floor = floor, .epsilon = asked})};
  if (made == nullptr) return out_of_memory();
  *sampler = made;
  return MOLLIFY_DEVICE_OK;
}

void mollify_device_free_sampler(mollify_device_sampler* sampler) { delete sampler; }

uint32_t mollify_device_sampler_k(const mollify_device_sampler* sampler) {
  return static_cast<uint32_t>(sampler->band.outcome_count());
}
double mollify_device_sampler_epsilon(const mollify_device_sampler* sampler) {
  return sampler->band.epsilon();
}

mollify_device_status mollify_device_draw(mollify_device_sampler* sampler, const double* scores,
                                          size_t rows, uint32_t* released) {
  return mollify::device::draw_rows(*sampler, scores, rows, released);
}
#if !defined(MOLLIFY_DOUBLES_ONLY)
mollify_device_status mollify_device_draw_float(mollify_device_sampler* sampler,
                                                const float* scores, size_t rows,
                                                uint32_t* released) {
  return mollify::device::draw_rows(*sampler, scores, rows, released);
}
#endif

mollify_device_status mollify_device_draw_outcomes(mollify_device_sampler* sampler,
                                                   const uint32_t* outcomes, const double* weights,
                                                   size_t count, size_t draws, uint32_t* released) {
  if (!sampler->random.is_ready()) return mollify::device::without_entropy();
  const std::vector<double> ones(weights == nullptr ? count : 0, 1.0);
  const std::span<const double> counted(weights == nullptr ? ones.data() : weights, count);
  const auto words = [sampler](const mollify::LawIntegers&) -> mollify::SecureRandom& {
    return sampler->random;
  };
  mollify::draw_from_band(sampler->band, {outcomes, count}, counted, words, {released, draws});
  return MOLLIFY_DEVICE_OK;
}
