#include "device/errors.h"

#include <algorithm>
#include <cstring>

#include "base/decimal_text.h"
#include "core/band.h"
#include "mollify/version.h"

namespace mollify::device {

namespace {

constexpr std::size_t kMostBytes = 1024;

constinit thread_local char last_error[kMostBytes] = "";
constinit thread_local char last_code[64] = "";

void keep(std::string_view text, char* memory, std::size_t size) noexcept {
  const std::size_t length = std::min(text.size(), size - 1);
  std::memcpy(memory, text.data(), length);
  memory[length] = '\0';
}

mollify_device_status keep(mollify_device_status status, std::string_view code,
                           std::string_view sentence) noexcept {
  keep(sentence, last_error, sizeof last_error);
  keep(code, last_code, sizeof last_code);
  return status;
}

}  // namespace

mollify_device_status refused(const Refusal& refusal) noexcept {
  return keep(MOLLIFY_DEVICE_INVALID_INPUT, refusal.code.name, refusal.sentence);
}

mollify_device_status out_of_memory() noexcept {
  return keep(MOLLIFY_DEVICE_FAILURE, "no-memory", "memory is exhausted");
}

mollify_device_status without_entropy() noexcept {
  return keep(MOLLIFY_DEVICE_NO_ENTROPY, "no-entropy",
              "the operating system gives no entropy, so nothing was released");
}

Checked check_outcomes(std::uint32_t k) {
  if (k >= 1 && k <= Band::kMostOutcomes) return std::nullopt;
  return Refusal{"out-of-range", "the number of outcomes must be from 1 to " +
                                     whole_text(Band::kMostOutcomes) + ", but is " + whole_text(k)};
}

Checked read_epsilon(const char* text, double& epsilon) {
  const std::string_view given = text == nullptr ? "" : text;
  const bool is_negative = given.starts_with('-');
  const std::string_view size = given.substr(is_negative ? 1 : 0);
  const std::optional<DecimalText> number = read_decimal(size);
  if (!number || is_negative) {
    const bool is_other_number =
        number ? !number->digits.empty() : size == "inf" || size == "infinity" || size == "nan";
    return Refusal{is_other_number ? Code("out-of-range") : Code("malformed-text"),
                   "epsilon must be a decimal number of at least 0, but is \"" +
                       std::string(given.substr(0, 60)) + "\""};
  }
  epsilon = double_down(*number);
  if (epsilon == 0) {
    return Refusal{"out-of-range", "epsilon must be finite and positive, but is 0"};
  }
  if (epsilon < ExpBound::kLeastEpsilon) {
    return Refusal{"out-of-range",
                   "epsilon of one draw must be at least 1e-6, but is " + six_digits(epsilon)};
  }
  return std::nullopt;
}

}  // namespace mollify::device

const char* mollify_device_last_error() { return mollify::device::last_error; }
const char* mollify_device_last_error_code() { return mollify::device::last_code; }
const char* mollify_device_version() { return mollify::kVersion; }
