#include "base/progress.h"

#include <pty.h>
#include <unistd.h>

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mollify {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What `work` writes to standard error, if that is a terminal or a pipe.
template <class Work>
std::string said(bool on_terminal, const Work& work) {
  std::array<int, 2> ends{};  // to read and to write
  const bool is_open = on_terminal
                           ? ::openpty(ends.data(), &ends[1], nullptr, nullptr, nullptr) == 0
                           : ::pipe(ends.data()) == 0;
  EXPECT_TRUE(is_open);
  const int before = ::dup(STDERR_FILENO);
  ::dup2(ends[1], STDERR_FILENO);
  work();
  tell("\x04");  // so that there is something to read
  ::dup2(before, STDERR_FILENO);
  std::string text;
  while (text.find("\x04") == std::string::npos) {
    std::array<char, 256> part{};
    const auto size = ::read(ends[0], part.data(), part.size());
    if (size <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(size));
  }
  for (const int file : {ends[0], ends[1], before}) ::close(file);
  return text.substr(0, text.find("\x04"));
}

TEST(Progress, SaysOnATerminalAloneWhatTakesLong) {
  const auto work = [] { tell_takes_long("a curve at delta 1e-100"); };
  EXPECT_THAT(said(true, work),
              HasSubstr("note: a curve at delta 1e-100 may take longer than two seconds; Ctrl-C "
                        "ends it"));
  EXPECT_THAT(said(false, work), IsEmpty());
}

TEST(Progress, ShowsForHowLongSomethingRunsOnATerminalAlone) {
  const auto work = [] {
    const Elapsed elapsed("advising");
    ::usleep(2'300'000);
  };
  EXPECT_THAT(said(true, work), HasSubstr("advising, 2 s so far"));
  EXPECT_THAT(said(false, work), IsEmpty());
}

}  // namespace
}  // namespace mollify
