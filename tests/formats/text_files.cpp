#include "formats/text_files.h"

#include <fcntl.h>
#include <rapidcheck.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "formats/scratch.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Atomic file.

namespace {

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const test::Scratch scratch;
  AtomicFile file(scratch.path("out.csv"));
  file.write("one\n");
  file.write(std::string(200000, 'x'));
  EXPECT_FALSE(std::filesystem::exists(scratch.path("out.csv")));
  file.commit();
  EXPECT_EQ(scratch.read("out.csv"), "one\n" + std::string(200000, 'x'));
  EXPECT_EQ(scratch.file_count(), 1U);
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  const test::Scratch scratch;
  scratch.write("out.csv", "before");
  try {
    AtomicFile file(scratch.path("out.csv"));
    file.write(std::string(200000, 'x'));
    throw std::runtime_error("stop");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(scratch.read("out.csv"), "before");
  EXPECT_EQ(scratch.file_count(), 1U);
}

TEST(AtomicFile, LeavesNothingWhenKilled) {
  const test::Scratch scratch;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    AtomicFile file(scratch.path("out.csv"));
    file.write(std::string(200000, 'x'));
    std::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  // Where the file system has no nameless files, one named as partial may stay.
  EXPECT_FALSE(std::filesystem::exists(scratch.path("out.csv")));
  const int probe = ::open(scratch.path("").c_str(), O_WRONLY | O_TMPFILE, 0600);
  if (probe >= 0) {
    ::close(probe);
    EXPECT_EQ(scratch.file_count(), 0U);
  }
}

TEST(AtomicFile, DoesNotMindPartialFilesOfOthers) {
  const test::Scratch scratch;
  const std::string partial = ".mollify-" + std::to_string(::getpid()) + "-0.partial";
  scratch.write(partial, "theirs");
  AtomicFile file(scratch.path("out.csv"));
  file.write("ours");
  file.commit();
  EXPECT_EQ(scratch.read("out.csv"), "ours");
  EXPECT_EQ(scratch.read(partial), "theirs");
  EXPECT_EQ(scratch.file_count(), 2U);
}

TEST(AtomicFile, ReplacesAFileAndFollowsALink) {
  const test::Scratch scratch;
  scratch.write("target.csv", "before");
  std::filesystem::create_symlink("target.csv", scratch.path("link.csv"));
  AtomicFile file(scratch.path("link.csv"));
  file.write("after");
  file.commit();
  EXPECT_EQ(scratch.read("target.csv"), "after");
  EXPECT_TRUE(std::filesystem::is_symlink(scratch.path("link.csv")));
  EXPECT_EQ(scratch.file_count(), 2U);
}

TEST(AtomicFile, WritesToDevicesDirectly) {
  AtomicFile file("/dev/null");
  file.write("x");
  file.commit();
  struct stat status {};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST(AtomicFile, TwoWritersDoNotMeet) {
  const test::Scratch scratch;
  AtomicFile first(scratch.path("out.csv"));
  AtomicFile second(scratch.path("out.csv"));
  first.write("first");
  second.write("second");
  first.commit();
  second.commit();
  EXPECT_EQ(scratch.read("out.csv"), "second");
}

TEST(AtomicFile, RefusesPlacesThatCannotBeWritten) {
  const test::Scratch scratch;
  EXPECT_EQ(test::refusal(scratch, [&] { AtomicFile(scratch.path("none/out.csv")); }),
            "none/out.csv cannot be written: No such file or directory");
  std::filesystem::create_directory(scratch.path("folder"));
  EXPECT_EQ(test::refusal(scratch, [&] { AtomicFile(scratch.path("folder")); }),
            "folder cannot be written: Is a directory");
  EXPECT_EQ(test::refusal(scratch, [&] { AtomicFile(scratch.path(std::string("a\0b", 3))); }),
            "a path must be text without NUL, but is \"a\\0b\"");
}

TEST(AtomicFile, FailsWhenTheDeviceIsFull) {
  AtomicFile file("/dev/full");
  EXPECT_THROW(
      {
        file.write("x");
        file.commit();
      },
      std::system_error);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Line reader.

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> lines_of(const test::Scratch& scratch, std::string_view content) {
  LineReader reader(scratch.write("file", content));
  std::vector<std::string> lines;
  while (reader.next()) {
    lines.emplace_back(reader.line());
    EXPECT_EQ(reader.number(), lines.size());
  }
  EXPECT_FALSE(reader.next());
  return lines;
}

TEST(LineReader, SplitsAtLineFeedsOnly) {
  const test::Scratch scratch;
  EXPECT_THAT(lines_of(scratch, ""), IsEmpty());
  EXPECT_THAT(lines_of(scratch, "\n"), ElementsAre(""));
  EXPECT_THAT(lines_of(scratch, "a"), ElementsAre("a"));
  EXPECT_THAT(lines_of(scratch, "a\nb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of(scratch, "a\r\n\r\nb\rc\r\r\nd\r"), ElementsAre("a", "", "b\rc\r", "d\r"));
  EXPECT_THAT(lines_of(scratch, std::string("a\0b\nc", 5)),
              ElementsAre(std::string("a\0b", 3), "c"));
}

TEST(LineReader, SkipsOneByteOrderMark) {
  const test::Scratch scratch;
  EXPECT_THAT(lines_of(scratch, "\xef\xbb\xbf"), IsEmpty());
  EXPECT_THAT(lines_of(scratch,
                       "\xef\xbb\xbf"
                       "a\n\xef\xbb\xbf"
                       "b"),
              ElementsAre("a",
                          "\xef\xbb\xbf"
                          "b"));
  EXPECT_THAT(lines_of(scratch, "\xef\xbb"), ElementsAre("\xef\xbb"));
}

TEST(LineReader, CutsLinesAtOneMebibyte) {
  const test::Scratch scratch;
  constexpr std::size_t kMax = LineReader::kMaxLineBytes;
  for (const std::string end : {"\n", "\r\n"}) {
    for (const std::size_t length : {kMax - 1, kMax, kMax + 1, kMax + 2, 3 * kMax, 5 * kMax + 7}) {
      LineReader reader(scratch.write("file", std::string(length, 'x') + end + "next" + end));
      ASSERT_TRUE(reader.next());
      EXPECT_EQ(reader.line().size(), std::min(length, kMax));
      EXPECT_EQ(reader.overlong(), length > kMax);
      ASSERT_TRUE(reader.next()) << length;
      EXPECT_EQ(reader.line(), "next");
      EXPECT_FALSE(reader.overlong());
      EXPECT_FALSE(reader.next());
    }
  }
  LineReader unended(scratch.write("file", std::string(2 * kMax, 'x')));
  ASSERT_TRUE(unended.next());
  EXPECT_EQ(unended.line().size(), kMax);
  EXPECT_FALSE(unended.next());
}

TEST(LineReader, ReadsAcrossItsBuffers) {
  const test::Scratch scratch;
  std::string content;
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < 3000; ++i) {
    expected.emplace_back((i * i) % 1111, static_cast<char>('a' + i % 26));
    content += expected.back() + '\n';
  }
  ASSERT_GT(content.size(), 1U << 20U);
  EXPECT_EQ(lines_of(scratch, content), expected);
}

TEST(LineReader, GivesManyLinesAtOnceAsOneByOne) {
  const test::Scratch scratch;
  std::mt19937_64 random(3);
  std::string content = "\xef\xbb\xbf\xef\xbb\xbfstart\n";
  for (int i = 0; i < 4000; ++i) {
    const std::size_t size = random() % 400 == 0 ? random() % 3'000'000 : random() % 60;
    content +=
        std::string(size, random() % 9 == 0 ? '\r' : 'x') + (random() % 2 == 0 ? "\n" : "\r\n");
  }
  content += "end\r";
  const auto path = scratch.write("file", content);
  LineReader one(path);
  LineReader many(path);
  std::size_t lines_seen = 0, most_at_once = 0;
  for (std::string_view lines = many.next_lines(100); !lines.empty();
       lines = many.next_lines(100)) {
    std::size_t at_once = 0;
    for (; !lines.empty(); ++at_once) {
      const std::size_t feed = lines.find('\n');
      std::string_view line = lines.substr(0, feed);
      if (feed != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
      lines.remove_prefix(feed == std::string_view::npos ? lines.size() : feed + 1);
      ASSERT_TRUE(one.next());
      ASSERT_TRUE(one.line() == line) << "line " << one.number();
    }
    EXPECT_EQ(many.number(), one.number());
    EXPECT_EQ(many.terminated(), one.terminated());
    EXPECT_EQ(many.overlong(), one.overlong());
    lines_seen += at_once;
    most_at_once = std::max(most_at_once, at_once);
  }
  EXPECT_FALSE(one.next());
  EXPECT_EQ(lines_seen, 4002U);
  EXPECT_EQ(most_at_once, 100U);
}

TEST(LineReader, RefusesWhatIsNotAFile) {
  const test::Scratch scratch;
  EXPECT_EQ(test::refusal(scratch, [&] { LineReader(scratch.path("none.csv")); }),
            "none.csv cannot be opened: No such file or directory");
  std::filesystem::create_directory(scratch.path("folder"));
  EXPECT_EQ(test::refusal(scratch, [&] { LineReader(scratch.path("folder")); }),
            "folder must be a file, but is a directory");
  const std::string cut = scratch.write("a", "x\n") + std::string("\0b", 2);
  EXPECT_EQ(test::refusal(scratch, [&] { LineReader{cut}; }),
            "a path must be text without NUL, but is \"a\\0b\"");
}

RC_GTEST_PROP(LineReader, KeepsEveryByteOfShortLines, (const std::vector<std::string>& texts)) {
  const test::Scratch scratch;
  std::string content;
  std::vector<std::string> expected;
  for (std::string text : texts) {
    std::erase(text, '\n');
    while (text.ends_with('\r')) text.pop_back();
    if (expected.empty() && text.starts_with("\xef\xbb\xbf")) text.clear();
    content += text + (text.size() % 2 == 0 ? "\n" : "\r\n");
    expected.push_back(std::move(text));
  }
  RC_ASSERT(lines_of(scratch, content) == expected);
}

}  // namespace

}  // namespace mollify
