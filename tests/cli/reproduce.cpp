// `mollify reproduce`: files, page and refusals.
#include <filesystem>

#include "cli/command_line.h"

namespace mollify::test {
namespace {

TEST(Reproduce, LeavesNumbersPicturesAndAPage) {
  const CommandLine command;
  const Ended ended =
      command.run({"reproduce", "park-2", "park-3", "husain-groups", "--out", "figures", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const Json json = Json::parse(ended.out);
  EXPECT_TRUE(json["notice"].get<std::string>().starts_with("NOT PRIVATE"));
  ASSERT_EQ(json["figures"].size(), 3U);
  for (const Json& figure : json["figures"]) {
    for (const Json& file : figure["files"]) {
      const std::string path = "figures/" + file.get<std::string>();
      EXPECT_TRUE(std::filesystem::exists(command.files.path(path))) << path;
    }
  }
  EXPECT_EQ(json["figures"][0]["comparisons"][0]["published"], 0.2809);
  const std::string page = command.files.read("figures/index.html");
  EXPECT_NE(page.find("NOT PRIVATE"), std::string::npos);
  EXPECT_NE(page.find("id=\"park-2\""), std::string::npos);
  EXPECT_EQ(page.find("id=\"park-4\""), std::string::npos);
}

TEST(Reproduce, IsTheSameForTheSameSeed) {
  const CommandLine command;
  for (const char* folder : {"first", "second"}) {
    const Ended ended =
        command.run({"reproduce", "husain-random-plane", "--quick", "--out", folder});
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_TRUE(ended.out.starts_with("NOT PRIVATE")) << ended.out;
  }
  EXPECT_EQ(command.files.read("first/husain-random-plane.svg"),
            command.files.read("second/husain-random-plane.svg"));
}

TEST(Reproduce, TakesTheBeginningOfNamesAndListsThem) {
  const CommandLine command;
  const Ended list = command.run({"reproduce", "--list", "--json"});
  ASSERT_EQ(list.status, 0);
  EXPECT_GE(Json::parse(list.out).size(), 17U);
  const Ended people = command.run({"reproduce", "--list"});
  EXPECT_NE(people.out.find("park-4"), std::string::npos);
  for (const auto& [arguments, said] :
       {std::pair{Arguments{"reproduce", "monte"},
                  "mollify: there is no figure \"monte\"; see mollify reproduce --list\n"},
        std::pair{Arguments{"reproduce", "par"},
                  "mollify: there is no figure \"par\"; see mollify reproduce --list\n"}}) {
    const Ended ended = command.run(arguments);
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(ended.err, said);
  }
  command.files.write("taken", "");
  const Ended ended = command.run({"reproduce", "park-2", "--out", "taken"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.err, "mollify: --out must be a folder that can be made, but is \"taken\"\n");
}

}  // namespace
}  // namespace mollify::test
