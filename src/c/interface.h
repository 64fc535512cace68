// Nothing is thrown across the C interface.
#pragma once

#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/invalid_input.h"
#include "mollify/message.h"
#include "mollify/mollify_c.h"

namespace mollify::c {

/// Keeps the sentence for mollify_last_error; the reason is no public input.
void remember(const char* sentence) noexcept;
/// Keeps a refusal, with its facts.
void remember(const InvalidInput& refused) noexcept;

/// Does what is asked for; whatever it throws becomes a status and a sentence.
template <class Action>
[[nodiscard]] mollify_status guarded(const Action& action) noexcept {
  try {
    action();
    return MOLLIFY_OK;
  } catch (const InvalidInput& error) {
    remember(error);
    return MOLLIFY_INVALID_INPUT;
  } catch (const std::exception& error) {
    remember(error.what());
  } catch (...) {
    remember("an exception of a kind that nobody knows");
  }
  return MOLLIFY_FAILURE;
}

/// A copy that mollify_free_text frees.
[[nodiscard]] char* text_for_c(const std::string& text);

using CText = std::unique_ptr<char, decltype(&mollify_free_text)>;

/// Each message as an object of a JSON array.
[[nodiscard]] CText warnings_for_c(const std::vector<front::Message>& messages);

}  // namespace mollify::c
