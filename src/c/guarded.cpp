#include "c/guarded.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include <nlohmann/json.hpp>

#include "mollify/version.h"

namespace mollify::c {
namespace {

// No memory is asked for when there is none left to ask for.
thread_local char last_error[4096] = "";

}  // namespace

void remember(const char* sentence) noexcept {
  std::snprintf(last_error, sizeof last_error, "%s", sentence);
}

char* text_for_c(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

CText warnings_for_c(const std::vector<std::string>& sentences) {
  const auto text =
      nlohmann::json(sentences).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return {text_for_c(text), mollify_free_text};
}

}  // namespace mollify::c

const char* mollify_last_error() { return mollify::c::last_error; }
const char* mollify_version() { return mollify::kVersion; }
void mollify_free_text(char* text) { std::free(text); }
