#include "formats/text_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

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
  // If the file system has no nameless files, one named as partial may stay.
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

TEST(ReadTextFile, NamesTheFolderThatWasSearchedAndTheNearestFile) {
  const test::Scratch scratch;
  scratch.write("people.json", "{}");
  const auto reading = [&](const std::string& name) {
    return test::refusal(scratch, [&] { static_cast<void>(read_text_file(scratch.path(name))); });
  };
  EXPECT_EQ(reading("poeple.json"),
            "poeple.json cannot be read: there is no such file in  (did you mean "
            "\"people.json\"?)");
  EXPECT_EQ(reading("other"), "other cannot be read: there is no such file in ");
  EXPECT_EQ(reading("none/people.json"),
            "none/people.json cannot be read: there is no folder none");
  EXPECT_EQ(reading("people.json/a"), "people.json/a cannot be read: Not a directory");
}

TEST(ReadTextFile, EndsAtADeviceThatHasNoEnd) {
  const test::Scratch scratch;
  EXPECT_EQ(test::refusal(scratch, [] { static_cast<void>(read_text_file("/dev/zero")); }),
            "/dev/zero must have at most 1073741824 bytes, but is larger");
}

TEST(AtomicFile, RefusesPlacesThatCannotBeWritten) {
  const test::Scratch scratch;
  EXPECT_EQ(test::refusal(scratch, [&] { AtomicFile(scratch.path("none/out.csv")); }),
            "none/out.csv cannot be written: make the folder none first (mkdir -p none)");
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

TEST(AtomicFile, SeveralAppearOrNone) {
  const test::Scratch scratch;
  const auto commit = [&](const std::string& last) {
    AtomicFile one(scratch.path("one"));
    AtomicFile other(last);
    one.write("1");
    other.write("2");
    commit_all(std::array{&one, &other});
  };
  EXPECT_THROW(commit("/dev/full"), std::system_error);
  EXPECT_EQ(scratch.file_count(), 0U);
  commit(scratch.path("other"));
  EXPECT_EQ(scratch.read("one") + scratch.read("other"), "12");
}

}  // namespace

}  // namespace mollify
