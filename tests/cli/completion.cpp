// Shell completion and manual pages, made from the help.
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

using ::testing::HasSubstr;

TEST(Completion, CompletesCommandsAndFlagsInBash) {
  const CommandLine command;
  const Ended ended = command.run({"--completion", "bash"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  command.files.write("mollify.bash", ended.out);
  const auto completed = [&](const std::string& words, int at) {
    const std::string script =
        "cd " + command.files.path("") + " && bash -c 'source mollify.bash; COMP_WORDS=(" + words +
        "); COMP_CWORD=" + std::to_string(at) + "; _mollify; echo \"${COMPREPLY[*]}\"' > said";
    EXPECT_EQ(std::system(script.c_str()), 0);
    return command.files.read("said");
  };
  EXPECT_EQ(completed("mollify sam", 1), "sample\n");
  EXPECT_EQ(completed("mollify sample --eps", 2), "--epsilon\n");
  EXPECT_EQ(completed("mollify verify --certi", 2), "--certificate\n");
  EXPECT_THAT(completed("mollify sample --data moll", 3), HasSubstr("mollify.bash"));
}

TEST(Completion, KnowsEveryShell) {
  const CommandLine command;
  EXPECT_THAT(command.run({"--completion", "zsh"}).out, HasSubstr("bashcompinit"));
  EXPECT_THAT(command.run({"--completion", "fish"}).out,
              HasSubstr("-n '__fish_seen_subcommand_from sample' -l epsilon -r -d"));
  const Ended other = command.run({"--completion", "tcsh"});
  EXPECT_EQ(other.status, 2);
  EXPECT_EQ(other.err, "mollify: completion must be bash, zsh or fish, but is \"tcsh\"\n");
  EXPECT_EQ(command.run({"--completion", "csh"}).err,
            "mollify: completion must be bash, zsh or fish, but is \"csh\"\n");
}

TEST(Completion, PrintsManualPages) {
  const CommandLine command;
  const Ended whole = command.run({"--manual", "mollify"});
  EXPECT_EQ(whole.status, 0) << whole.err;
  EXPECT_THAT(whole.out, HasSubstr(".BR mollify\\-sample (1)"));
  const Ended sample = command.run({"--manual", "sample"});
  EXPECT_THAT(sample.out, HasSubstr(".TH MOLLIFY-sample 1"));
  EXPECT_THAT(sample.out, HasSubstr(".B \\-\\-epsilon NUMBER"));
  for (const std::string& line : lines_of(sample.out)) {
    EXPECT_FALSE(line.starts_with("..")) << line;
  }
  EXPECT_EQ(command.run({"--manual", "nothing"}).status, 2);
}

// What cmake --install runs.
TEST(Completion, IsInstalledWithTheManualPages) {
  const CommandLine command;
  const std::string root = command.files.path("");
  const std::string install =
      "cmake '-DCOMMAND=" MOLLIFY_EMULATOR ";" MOLLIFY_COMMAND "' -DMANUALS=" + root +
      "man1 -DBASH=" + root + "bash -DFISH=" + root + "fish -DZSH=" + root +
      "zsh -P " MOLLIFY_TEST_DATA "/../../cmake/manuals.cmake";
  ASSERT_EQ(std::system(install.c_str()), 0) << install;
  EXPECT_EQ(command.files.read("man1/mollify-advise.1"), command.run({"--manual", "advise"}).out);
  EXPECT_EQ(command.files.read("man1/mollify.1"), command.run({"--manual", "mollify"}).out);
  EXPECT_EQ(command.files.read("bash/mollify"), command.run({"--completion", "bash"}).out);
  EXPECT_EQ(command.files.read("fish/mollify.fish"), command.run({"--completion", "fish"}).out);
  EXPECT_EQ(command.files.read("zsh/mollify.zsh"), command.run({"--completion", "zsh"}).out);
}

}  // namespace
}  // namespace mollify::test
