// Statuses and sentences: the device library throws nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/invalid_input.h"
#include "mollify/device.h"

namespace mollify::device {

/// A public input that cannot be used: what InvalidInput says of it elsewhere, in equal words
/// (tests/device/refusals.cpp). The checks of this module come before anything that would throw.
struct Refusal {
  Code code;
  std::string sentence;
};

/// None: the input can be used.
using Checked = std::optional<Refusal>;

/// Keeps the reason for mollify_device_last_error.
mollify_device_status refused(const Refusal& refusal) noexcept;
mollify_device_status out_of_memory() noexcept;
mollify_device_status without_entropy() noexcept;

/// "WHAT must be from 1 to 2^24, but is K".
[[nodiscard]] Checked check_outcomes(std::uint32_t k);

/// Reads an epsilon of one draw and rounds it down to a double.
[[nodiscard]] Checked read_epsilon(const char* text, double& epsilon);

}  // namespace mollify::device
