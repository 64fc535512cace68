// `mollify verify --certificate`: its confirmations, denials and refusals.
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "command_line.h"
#include "methods/local/method.h"
#include "sanitized.h"

namespace mollify::test {
namespace {

/// Makes a certificate with these options; the sampled records are thrown away.
Json certificate(const Release& command, const Arguments& options) {
  const Ended ended =
      command.run(kSample + options +
                  Arguments{"--out", "out.csv", "--certificate", "valid.json", "--overwrite"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  return Json::parse(command.files.read("valid.json"));
}

Ended verified(const Release& command, const std::string& text,
               const std::string& domain = "domain.yaml") {
  command.files.write("tried.json", text);
  return command.run({"verify", "--certificate", "tried.json", "--domain", domain});
}

/// After a change the certificate is denied (1) or refused (2), never confirmed.
void expect_caught(const Release& command, const Json& valid, const char* what,
                   const std::function<void(Json&)>& change) {
  Json changed = valid;
  change(changed);
  ASSERT_NE(changed, valid) << what;
  const Ended ended = verified(command, changed.dump(2));
  EXPECT_TRUE(ended.status == 1 || ended.status == 2) << what << ": " << ended.out << ended.err;
  if (std::string_view(what) == "/spec/domain/sha256") {
    EXPECT_EQ(lines_of(ended.out).back(), "not checked: this is not the release's domain");
    EXPECT_EQ(ended.status, 2);
  } else if (ended.status == 1) {
    EXPECT_EQ(lines_of(ended.out).back(), "DOES NOT HOLD") << what;
  } else {
    EXPECT_EQ(lines_of(ended.err).size(), 1U) << what << ": " << ended.err;
    EXPECT_TRUE(ended.err.starts_with("mollify: ")) << what;
  }
}

TEST(Certificate, HoldsForEveryMechanismAndModel) {
  const Release command;
  for (const Arguments& mechanism : kMechanisms) {
    for (const Arguments& model : {kIntegral, kLocal, kRostered}) {
      for (const char* count : {"1", "7"}) {
        certificate(command, model + mechanism + Arguments{"--count", count});
        const Ended ended = verified(command, command.files.read("valid.json"));
        EXPECT_EQ(ended.status, 0) << ended.err << ended.out;
        EXPECT_EQ(lines_of(ended.out).back(), "holds");
      }
    }
  }
}

TEST(Certificate, HoldsForEverySpace) {
  const Release command;
  const auto holds = [&](const char* domain, const Arguments& options,
                         const Arguments& proof = {}) {
    command.files.write("domain.yaml", domain);
    certificate(command, kRostered + Arguments{"--epsilon", "2", "--count", "2"} + options);
    const Ended ended = command.run(
        Arguments{"verify", "--certificate", "valid.json", "--domain", "domain.yaml"} + proof);
    EXPECT_EQ(ended.status, 0) << ended.err << ended.out;
    return ended.out;
  };
  const auto says = [](const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
  };
  holds(kTwoNumbers, {});
  holds(kTwoNumbers, {"--cells", "1000", "--reference", "reference.csv"});
  const char* const line = "the candidates are those of the release       ";
  EXPECT_TRUE(
      says(holds(kManyNumbers, {"--candidates", "500"}), (line + std::string("yes")).c_str()));
  EXPECT_TRUE(says(holds(kManyNumbers, {"--candidates", "500", "--fresh"}),
                   (line + std::string("cannot be told")).c_str()));
  command.files.write("public.csv", "sex,age,smoker,weight,note\nf,3,true,50,0.5\n");
  EXPECT_TRUE(says(holds(kManyNumbers, {"--candidates", "500", "--reference", "public.csv"},
                         {"--reference", "public.csv"}),
                   (line + std::string("yes")).c_str()));
  command.files.write("domain.yaml", kManyNumbers);
  const Ended made = command.run(
      {"candidates", "--domain", "domain.yaml", "--candidates", "300", "--out", "list", "--json"});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_TRUE(
      says(holds(kManyNumbers, {"--candidates-file", "list"}, {"--candidates-file", "list"}),
           (line + std::string("yes")).c_str()));
  const Json released = Json::parse(command.files.read("valid.json"));
  EXPECT_EQ(released["facts"]["list_sha256"], Json::parse(made.out)["sha256"]);
  EXPECT_EQ(released["spec"]["space"]["list"]["file"], "list");
}

TEST(Certificate, OfASpaceIsNotConfirmedOnceItIsTamperedWith) {
  const Release command;
  command.files.write("domain.yaml", kManyNumbers);
  const Json valid = certificate(
      command,
      kRostered + Arguments{"--epsilon", "2", "--count", "2", "--candidates", "500", "--c2", "5"});
  const auto caught = [&](const char* pointer, const Json& value) {
    expect_caught(command, valid, pointer,
                  [&](Json& json) { json[Json::json_pointer(pointer)] = value; });
  };
  ASSERT_EQ(verified(command, valid.dump()).status, 0);
  EXPECT_EQ(valid["mechanism"], "class");
  caught("/spec/space/kind", "grid");
  caught("/spec/space/kind", "categories");
  caught("/spec/space/kind", "sphere");
  caught("/spec/space/candidates", 499);
  caught("/design/list", "fresh");
  caught("/spec/space/fresh", true);
  caught("/spec/space/list", Json{{"file", "list"}});
  caught("/spec/space/list", nullptr);
  caught("/facts/list_sha256", std::string(64, '0'));
  caught("/facts/list_sha256", nullptr);
  caught("/spec/space/cells", 500);
  caught("/spec/space", nullptr);
  caught("/spec/space/scorer", "guess");
  caught("/design/scorer", nullptr);
  caught("/spec/band", "relative");
  caught("/facts/k", 499);
}

TEST(Certificate, HoldsAtTheEndsOfEpsilon) {
  const Release command;
  for (const char* epsilon : {"1e-6", "30", "100"}) {
    certificate(command, kIntegral + Arguments{"--epsilon", epsilon, "--count", "1"});
    EXPECT_EQ(verified(command, command.files.read("valid.json")).status, 0) << epsilon;
  }
}

TEST(Certificate, PrintsJson) {
  const Release command;
  certificate(command, kIntegral + kMechanisms.front() + Arguments{"--count", "4"});
  const Json found = Json::parse(
      command.run({"verify", "--certificate", "valid.json", "--domain", "domain.yaml", "--json"})
          .out);
  EXPECT_EQ(found["holds"], true);
  EXPECT_EQ(found["promised"]["epsilon"], 1.0);
  EXPECT_LE(found["epsilon_realised"], 0.25);
}

TEST(Certificate, IsNotConfirmedOnceItIsTamperedWith) {
  const Release command;
  const Json valid =
      certificate(command, kRostered + Arguments{"--mechanism", "class", "--c1", "0.5", "--c2", "3",
                                                 "--epsilon", "2", "--count", "4", "--reference",
                                                 "reference.csv"});
  ASSERT_EQ(verified(command, valid.dump()).status, 0) << "the order of members means nothing";
  const auto caught = [&](const char* pointer, const Json& value) {
    expect_caught(command, valid, pointer,
                  [&](Json& json) { json[Json::json_pointer(pointer)] = value; });
  };
  caught("/draw/epsilon", 0.25);
  caught("/draw/epsilon", 1);
  caught("/draw/epsilon", -1);
  caught("/privacy/epsilon", 1);
  caught("/spec/count", 5);
  caught("/spec/count", 0);
  caught("/spec/count", -1);
  caught("/spec/count", 4.5);
  caught("/privacy/notion", "gaussian");
  caught("/mechanism", "minimax");
  caught("/spec/mechanism", "minimax");
  caught("/spec/mechanism", "randomized-response");
  caught("/spec/privacy/epsilon", "1");
  caught("/spec/privacy/epsilon", "-1");
  caught("/spec/privacy/mu", "1");
  caught("/spec/privacy", nullptr);
  caught("/spec/colour", "blue");
  caught("/design/floor", 0.5);
  caught("/design/floor", nullptr);
  caught("/spec/c1", 0.4);
  caught("/spec/c2", 2);
  caught("/spec/gamma", 2);
  caught("/spec/domain/sha256", std::string(64, '0'));
  caught("/facts/k", 121);
  caught("/facts/k", 120.9);
  caught("/design/integers_sha256", std::string(64, '0'));
  caught("/design/N", "1");
  caught("/facts/reference/0/1", 9);
  caught("/facts/reference/0/0", 119);
  caught("/facts/reference/0/0", 4294967296 + 1);
  caught("/facts/reference/0/1", 1e300);
  caught("/facts/reference/0/1", -1.5);
  caught("/facts/reference/0/1", -1);
  caught("/facts/reference", Json::array());
  caught("/spec/reference", nullptr);
  caught("/spec/model", "integral");
  caught("/spec/model", "central");
  caught("/spec/unit", nullptr);
  caught("/spec/roster", nullptr);
  caught("/facts/units", -1);
  caught("/facts/records", 4);
  caught("/facts/mean_ranges", Json::array({Json::array({0, 1})}));
  caught("/represents", Json::array({"Shares of rows."}));
  caught("/promised/0", "Nothing can ever be learned.");
  caught("/not_promised", Json::array());
  caught("/format", "mollify certificate 3");
  caught("/also", "this is certified");
  // Both numbers and all words that follow from them: only the integers tell.
  expect_caught(command, valid, "half the budget", [&](Json& json) {
    json = certificate(command, kRostered + Arguments{"--mechanism", "class", "--c1", "0.5", "--c2",
                                                      "3", "--epsilon", "1", "--count", "4",
                                                      "--reference", "reference.csv"});
    json["design"]["integers_sha256"] = valid["design"]["integers_sha256"];
  });
}

TEST(Certificate, IsNotConfirmedForAnotherDomain) {
  const Release command;
  certificate(command, kIntegral + kMechanisms.front() + Arguments{"--count", "1"});
  std::string other = kDomain;
  other.replace(other.find("[f, m, x]"), 9, "[m, f, x]");
  command.files.write("other.yaml", other);
  const Ended ended = verified(command, command.files.read("valid.json"), "other.yaml");
  EXPECT_EQ(ended.status, 2) << "the guarantee was not found broken";
  EXPECT_EQ(lines_of(ended.out).back(), "not checked: this is not the release's domain");
}

// Fixed seed: the same mutations every time.
TEST(Certificate, OfAnyBytesNeverCrashes) {
  const Release command;
  certificate(command, kRostered + kMechanisms[3] + Arguments{"--count", "2"});
  const std::string valid = command.files.read("valid.json");
  std::mt19937 random(20'240'607);
  const auto below = [&](std::size_t bound) { return random() % bound; };
  const std::vector<std::string> pieces = {"0", "-1", "1e999", "null", "true", "\"",   "{",
                                           "}", "[",  "]",     ",",    ":",    "\xff", "\\",
                                           "9", "e",  "1e-9",  "NaN",  "[[[[", "{}"};
  std::size_t statuses[3] = {0, 0, 0};
  for (int trial = 0; trial < whole_or_sanitized(300, 60); ++trial) {
    std::string text = valid;
    for (std::size_t edit = 0; edit <= below(3); ++edit) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = static_cast<char>(below(256));
          break;
        case 1:
          text.erase(at, below(20));
          break;
        case 2:
          text.insert(at, pieces[below(pieces.size())]);
          break;
        default:
          text.replace(at, below(8), pieces[below(pieces.size())]);
          break;
      }
      if (text.empty()) text = " ";
    }
    const Ended ended = verified(command, text);
    ASSERT_LE(ended.status, 2) << text;
    ++statuses[ended.status];
    if (ended.status == 2) {
      EXPECT_EQ(ended.out, "");
      EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
    }
  }
  std::printf("confirmed %zu (edits of blanks or of names), denied %zu, refused %zu\n", statuses[0],
              statuses[1], statuses[2]);
  EXPECT_GT(statuses[2], whole_or_sanitized(200U, 40U));
}

TEST(Certificate, RefusesWhatIsNone) {
  const Release command;
  const auto sentence = [&](const std::string& text) {
    const Ended ended = verified(command, text);
    EXPECT_EQ(ended.status, 2) << text.substr(0, 100);
    return ended.err;
  };
  EXPECT_EQ(sentence(""), "mollify: tried.json must be JSON, but is empty\n");
  EXPECT_EQ(sentence("[]"),
            "mollify: tried.json must be a certificate, a JSON object, but is not\n");
  EXPECT_EQ(sentence("{}"),
            "mollify: tried.json is not a certificate, because it has no format: mollify sample "
            "writes the "
            "certificate to OUT.certificate.json, or to the file of --certificate\n");
  sentence(std::string(100'000, '['));
  sentence("{\"format\": \"mollify certificate 2\"}");
  const Ended missing =
      command.run({"verify", "--certificate", "none.json", "--domain", "domain.yaml"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.err, "mollify: none.json cannot be read: there is no such file in " +
                             command.files.path("") + "\n");
  EXPECT_EQ(command.run({"verify", "--certificate", ".", "--domain", "domain.yaml"}).status, 2);
  EXPECT_EQ(command.run({"verify", "--certificate", "domain.yaml"}).status, 2);
}

// Readers differ in which of two equal keys counts, and a reader's stack is finite.
TEST(Certificate, IsOneThingToEveryReader) {
  const Release command;
  ASSERT_EQ(command.run(kSample + kIntegral + kOneDraw + Arguments{"--out", "o.csv"}).status, 0);
  const std::string good = command.files.read("o.csv.certificate.json");
  const auto with_first = [&](const std::string& member) {
    command.files.write("odd.json", "{" + member + "," + good.substr(good.find('{') + 1));
    return command.run({"verify", "--certificate", "odd.json", "--domain", "domain.yaml"});
  };
  const Ended twice = with_first("\"privacy\": {\"notion\": \"pure\"}");
  EXPECT_EQ(twice.status, 2);
  EXPECT_EQ(twice.err,
            "mollify: odd.json must be JSON without repeated keys, but repeats \"privacy\"\n");
  const Ended deep = with_first("\"x\": " + std::string(200'000, '[') + std::string(200'000, ']'));
  EXPECT_EQ(deep.status, 2);
  EXPECT_EQ(deep.err, "mollify: odd.json must be JSON nested at most 64 deep, but is deeper\n");
}

TEST(Certificate, WithoutAReferenceIsNotHelpedByOne) {
  const Release command;
  command.files.write("domain.yaml", kManyNumbers);
  command.files.write("public.csv",
                      "sex,age,smoker,weight,note\nf,3,true,50,0.5\nm,9,false,60,0\n");
  const Arguments verify = {"verify",    "--certificate", "o.csv.certificate.json",
                            "--domain",  "domain.yaml",   "--reference",
                            "public.csv"};
  const Arguments release = kSample + kIntegral + kOneDraw +
                            Arguments{"--candidates", "50", "--out", "o.csv", "--overwrite"};
  ASSERT_EQ(command.run(release + Arguments{"--reference", "public.csv"}).status, 0);
  EXPECT_EQ(command.run(verify).status, 0);
  ASSERT_EQ(command.run(release).status, 0);
  const Ended refused = command.run(verify);
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err,
            "mollify: --reference is not for this certificate: its release had no reference\n");
}

}  // namespace
}  // namespace mollify::test
