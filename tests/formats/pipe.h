// A pipe that can be opened like a file, for tests.
#pragma once

#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mollify::test {

/// Holds a short text that can be read once.
class Pipe {
 public:
  explicit Pipe(std::string_view text) {
    if (::pipe(ends_.data()) != 0 ||
        ::write(ends_[1], text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      throw std::runtime_error("no pipe");
    }
    ::close(ends_[1]);
  }
  ~Pipe() { ::close(ends_[0]); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }

 private:
  std::array<int, 2> ends_{};
};

}  // namespace mollify::test
