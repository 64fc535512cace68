#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "formats/arrow.h"
#include "formats/ledger.h"
#include "formats/scratch.h"
#include "mollify/mollify_c.h"
#include "records/source.h"

namespace mollify {
namespace {

using testing::HasSubstr;

constexpr const char* kTableDomain = "columns: {age: {type: integer, min: 0, max: 99, bins: 10}}";
constexpr const char* kSpec =
    R"({"method": "central", "count": 3, "privacy": {"epsilon": 1},
        "domain": {"text": "columns: {age: {type: integer, min: 0, max: 99, bins: 10}}"}})";

/// A thousand ages, as a stream.
ArrowArrayStream ages() {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < 1000; ++i) values.push_back(i % 100);
  const Values column{std::span<const std::int64_t>(values)};
  ArrowSink sink;
  sink.begin({{.name = "age", .type = ValueType::kInteger}});
  sink.write({.rows = values.size(), .columns = {&column, 1}});
  ArrowArrayStream stream{};
  sink.export_to(&stream);
  return stream;
}

/// A text that is freed.
class Text {
 public:
  ~Text() { mollify_free_text(text_); }
  char** out() {
    mollify_free_text(text_);
    text_ = nullptr;
    return &text_;
  }
  [[nodiscard]] std::string str() const { return text_ == nullptr ? "" : text_; }

 private:
  char* text_ = nullptr;
};

TEST(CRelease, GoesFromStreamToStream) {
  ArrowArrayStream data = ages();
  ArrowArrayStream released{};
  Text certificate;
  Text warnings;
  ASSERT_EQ(
      mollify_release(kSpec, &data, nullptr, nullptr, &released, certificate.out(), warnings.out()),
      MOLLIFY_OK)
      << mollify_last_error();
  EXPECT_EQ(warnings.str(), "[]");
  EXPECT_EQ(data.release, nullptr);
  const ArrowSource table(&released);
  EXPECT_EQ(table.columns(), std::vector<std::string>{"age"});
  EXPECT_EQ(table.record_count(), 3U);

  Text prepared;
  ASSERT_EQ(mollify_prepare(kSpec, 1000, prepared.out()), MOLLIFY_OK) << mollify_last_error();
  EXPECT_EQ(prepared.str(), certificate.str());

  Text report;
  ASSERT_EQ(mollify_verify(certificate.str().c_str(), kTableDomain, report.out()), MOLLIFY_OK);
  EXPECT_TRUE(nlohmann::json::parse(report.str()).at("holds"));
  Text other;
  ASSERT_EQ(
      mollify_verify(certificate.str().c_str(), "columns: {age: {type: boolean}}", other.out()),
      MOLLIFY_OK);
  const auto unchecked = nlohmann::json::parse(other.str());
  EXPECT_FALSE(unchecked.at("holds"));
  EXPECT_EQ(unchecked.at("verdict"), "not checked: this is not the release's domain");
  EXPECT_TRUE(unchecked.at("guarantee_holds").is_null());
}

// Each function that releases says what mollify_release_report says before.
TEST(CRelease, WarnsOfNoise) {
  const test::Scratch scratch;
  const auto spec = [](const std::string& method) {
    return R"({"count": 3, "privacy": {"epsilon": 0.01, "delta": 1e-6},
               "accept_error": true, "domain": {"text":
               "columns: {age: {type: integer, min: 0, max: 99, bins: 100}}"}, "method": ")" +
           method + R"("})";
  };
  const std::string finite = spec("central");
  const std::string family = spec("marginals");
  const auto expected = [](const std::string& asked) {
    Text report;
    EXPECT_EQ(mollify_release_report(asked.c_str(), 1000, report.out()), MOLLIFY_OK);
    return nlohmann::json::parse(report.str()).at("warnings");
  };
  ArrowArrayStream released{};
  Text certificate;
  Text warnings;
  ArrowArrayStream data = ages();
  ASSERT_EQ(mollify_release(finite.c_str(), &data, nullptr, nullptr, &released, certificate.out(),
                            warnings.out()),
            MOLLIFY_OK)
      << mollify_last_error();
  released.release(&released);
  EXPECT_THAT(warnings.str(), HasSubstr("noise"));
  EXPECT_EQ(nlohmann::json::parse(warnings.str()), expected(finite));

  data = ages();
  Text certificate_of_model;
  Text model;
  Text of_model;
  ASSERT_EQ(mollify_release_model(family.c_str(), &data, nullptr, nullptr, &released,
                                  certificate_of_model.out(), model.out(), of_model.out()),
            MOLLIFY_OK)
      << mollify_last_error();
  released.release(&released);
  EXPECT_THAT(of_model.str(), HasSubstr("noise"));
  EXPECT_EQ(nlohmann::json::parse(of_model.str()), expected(family));

  std::string csv = "age\n";
  for (int i = 0; i < 1000; ++i) csv += std::to_string(i % 100) + "\n";
  Text of_file;
  ASSERT_EQ(mollify_release_csv(finite.c_str(), scratch.write("data.csv", csv).c_str(), nullptr,
                                nullptr, scratch.path("r.csv").c_str(),
                                scratch.path("c.json").c_str(), of_file.out()),
            MOLLIFY_OK)
      << mollify_last_error();
  EXPECT_EQ(of_file.str(), warnings.str());
}

TEST(CRelease, OfIntegralModelHandsItsModelOut) {
  const std::string spec =
      R"({"method": "integral-model", "count": 20, "privacy": {"epsilon": 2},
          "space": {"candidates": 100}, "accept_error": true,
          "domain": {"text": "columns: {age: {type: integer, min: 0, max: 99, bins: 10}}"}})";
  ArrowArrayStream data = ages();
  ArrowArrayStream released{};
  Text certificate;
  Text model;
  ASSERT_EQ(mollify_release_model(spec.c_str(), &data, nullptr, nullptr, &released,
                                  certificate.out(), model.out(), nullptr),
            MOLLIFY_OK)
      << mollify_last_error();
  released.release(&released);
  ArrowArrayStream rows{};
  ASSERT_EQ(mollify_generate(model.str().c_str(), 70, nullptr, &rows), MOLLIFY_OK)
      << mollify_last_error();
  EXPECT_EQ(ArrowSource(&rows).record_count(), 70U);
}

TEST(CRelease, ModelsGiveMoreRows) {
  const std::string spec =
      R"({"method": "marginals", "count": 20,
          "privacy": {"epsilon": 50, "delta": 1e-6},
          "domain": {"text": "columns: {age: {type: integer, min: 0, max: 99, bins: 10}}"}})";
  ArrowArrayStream data = ages();
  ArrowArrayStream released{};
  Text certificate;
  Text model;
  ASSERT_EQ(mollify_release_model(spec.c_str(), &data, nullptr, nullptr, &released,
                                  certificate.out(), model.out(), nullptr),
            MOLLIFY_OK)
      << mollify_last_error();
  EXPECT_EQ(ArrowSource(&released).columns(), std::vector<std::string>{"age"});
  const std::string text = model.str();
  ArrowArrayStream rows{};
  ASSERT_EQ(mollify_generate(text.c_str(), 70, R"({"age": "33"})", &rows), MOLLIFY_OK)
      << mollify_last_error();
  const ArrowSource more(&rows);
  EXPECT_EQ(more.record_count(), 70U);
  more.visit(std::vector<std::size_t>{0}, [](const Block& block) {
    for (std::size_t row = 0; row < block.rows; ++row) {
      const auto age = std::get<std::int64_t>(block.columns[0][row]);
      EXPECT_TRUE(age >= 30 && age < 40) << age;
    }
  });
  for (const auto& [given, count] : std::vector<std::pair<const char*, std::uint64_t>>{
           {R"({"age": 33})", 1}, {R"({"town": "33"})", 1}, {"[]", 1}, {nullptr, 0}}) {
    ArrowArrayStream none{};
    EXPECT_EQ(mollify_generate(text.c_str(), count, given, &none), MOLLIFY_INVALID_INPUT);
    EXPECT_EQ(none.release, nullptr);
  }
  data = ages();
  EXPECT_EQ(mollify_release_model(kSpec, &data, nullptr, nullptr, &released, certificate.out(),
                                  model.out(), nullptr),
            MOLLIFY_INVALID_INPUT);
  EXPECT_EQ(std::string(mollify_last_error()),
            "a model is released by methods integral-model and marginals, but the method is "
            "central");
}

TEST(CRelease, TellsThePopulationFromRecords) {
  const test::Scratch scratch;
  const std::string spec =
      R"({"method": "integral", "count": 400, "privacy": {"epsilon": 400},
          "mechanism": "randomized-response",
          "domain": {"text": "columns: {age: {type: integer, min: 0, max: 99, bins: 10}}"}})";
  std::string csv = "age\n";
  for (int i = 0; i < 1000; ++i) csv += i % 4 == 0 ? "5\n" : "95\n";
  scratch.write("data.csv", csv);
  ASSERT_EQ(
      mollify_release_csv(spec.c_str(), scratch.path("data.csv").c_str(), nullptr, nullptr,
                          scratch.path("r.csv").c_str(), scratch.path("c.json").c_str(), nullptr),
      MOLLIFY_OK)
      << mollify_last_error();
  const std::string certificate = scratch.read("c.json");
  Text report;
  ASSERT_EQ(mollify_estimate(certificate.c_str(), kTableDomain, scratch.path("r.csv").c_str(),
                             R"({"confidence": 0.999999})", report.out()),
            MOLLIFY_OK)
      << mollify_last_error();
  const auto found = nlohmann::json::parse(report.str());
  EXPECT_EQ(found["records"], 400);
  EXPECT_LE(found["estimates"][0]["lower"], 0.25);
  EXPECT_GE(found["estimates"][0]["upper"], 0.25);
  Text none;
  EXPECT_EQ(mollify_estimate(certificate.c_str(), kTableDomain, scratch.path("r.csv").c_str(),
                             R"({"certainty": 1})", none.out()),
            MOLLIFY_INVALID_INPUT);
  EXPECT_THAT(mollify_last_error(), HasSubstr("its parts are confidence, method, pairs"));
  // A release given twice has twice the records.
  const std::string file = scratch.path("r.csv");
  const std::array certificates{certificate.c_str(), certificate.c_str()};
  const std::array domains{kTableDomain, kTableDomain};
  const std::array files{file.c_str(), file.c_str()};
  Text together;
  ASSERT_EQ(mollify_estimate_together(certificates.data(), domains.data(), files.data(), 2, nullptr,
                                      together.out()),
            MOLLIFY_OK)
      << mollify_last_error();
  const auto joint = nlohmann::json::parse(together.str());
  EXPECT_EQ(joint["records"], 800);
  EXPECT_EQ(joint["releases"][1]["weight"], 0.5);
  EXPECT_NEAR(joint["estimates"][0]["probability"], found["estimates"][0]["probability"], 1e-12);
  Text nothing;
  EXPECT_EQ(mollify_estimate_together(certificates.data(), nullptr, files.data(), 2, nullptr,
                                      nothing.out()),
            MOLLIFY_INVALID_INPUT);
  EXPECT_THAT(mollify_last_error(), HasSubstr("domains must be texts, but is NULL"));
  EXPECT_EQ(mollify_estimate_together(certificates.data(), domains.data(), files.data(), 0, nullptr,
                                      nothing.out()),
            MOLLIFY_INVALID_INPUT);
  EXPECT_THAT(mollify_last_error(), HasSubstr("there must be a release to estimate from"));
  ASSERT_EQ(mollify_check(kTableDomain, scratch.path("r.csv").c_str(), nullptr, report.out()),
            MOLLIFY_OK)
      << mollify_last_error();
  EXPECT_EQ(nlohmann::json::parse(report.str())["findings"], 0);
}

TEST(CRelease, RefusesAndLeavesNothing) {
  ArrowArrayStream data = ages();
  ArrowArrayStream released{};
  char* certificate = nullptr;
  char* warnings = nullptr;
  EXPECT_EQ(mollify_release("{}", &data, nullptr, nullptr, &released, &certificate, &warnings),
            MOLLIFY_INVALID_INPUT);
  EXPECT_EQ(data.release, nullptr) << "it is taken over, whatever comes of it";
  EXPECT_EQ(released.release, nullptr);
  EXPECT_EQ(certificate, nullptr);
  EXPECT_THAT(mollify_last_error(), HasSubstr("model"));
  EXPECT_THAT(mollify_last_error(), ::testing::Not(HasSubstr("--"))) << "C has keys of a spec";
  const auto facts = nlohmann::json::parse(mollify_last_error_facts());
  EXPECT_EQ(facts["code"], mollify_last_error_code());
  EXPECT_EQ(facts["text"], mollify_last_error());
  EXPECT_EQ(facts["parameter"], "method");
  EXPECT_TRUE(facts["file"].is_null());
  EXPECT_EQ(facts["ways_out"][0]["action"], "set");

  data = ages();
  EXPECT_EQ(mollify_release(kSpec, &data, nullptr, "people", &released, &certificate, &warnings),
            MOLLIFY_INVALID_INPUT);
  EXPECT_EQ(released.release, nullptr);
  EXPECT_THAT(mollify_last_error(), HasSubstr("ledger"));
  EXPECT_EQ(mollify_verify("{}", kTableDomain, &certificate), MOLLIFY_INVALID_INPUT);
  EXPECT_EQ(mollify_verify("nothing", kTableDomain, &certificate), MOLLIFY_INVALID_INPUT);
  EXPECT_EQ(certificate, nullptr);
  EXPECT_EQ(warnings, nullptr);
}

TEST(CRelease, GoesFromFileToFileAndIsCharged) {
  const test::Scratch scratch;
  std::string csv = "age\n";
  for (int i = 0; i < 1000; ++i) csv += std::to_string(i % 100) + "\n";
  const std::string data = scratch.write("private.csv", csv);
  const std::string ledger = scratch.path("ledger");
  const std::string out = scratch.path("out.csv");
  const std::string certificate = scratch.path("out.json");
  EXPECT_EQ(mollify_release_csv(kSpec, data.c_str(), ledger.c_str(), "people", out.c_str(),
                                certificate.c_str(), nullptr),
            MOLLIFY_INVALID_INPUT);
  EXPECT_THAT(mollify_last_error(), HasSubstr("\"people\" has no total"));
  EXPECT_EQ(scratch.read("out.csv"), "");
  static_cast<void>(
      LedgerFile(ledger, LedgerFile::Opening::kExisting)
          .declare("people", {ProtectionScope::row(), ExactPrivacy::pure(Decimal(1))}, false));
  ASSERT_EQ(mollify_release_csv(kSpec, data.c_str(), ledger.c_str(), "people", out.c_str(),
                                certificate.c_str(), nullptr),
            MOLLIFY_OK)
      << mollify_last_error();
  EXPECT_THAT(scratch.read("out.csv"), HasSubstr("age\n"));
  EXPECT_EQ(nlohmann::json::parse(scratch.read("out.json")).at("spec").at("method"), "central");
  EXPECT_GT(scratch.read("ledger").size(), 0U);
  EXPECT_EQ(mollify_release_csv(kSpec, scratch.path("none").c_str(), nullptr, nullptr, out.c_str(),
                                certificate.c_str(), nullptr),
            MOLLIFY_INVALID_INPUT);
}

TEST(CRelease, ReplacesNoFileThatItReads) {
  const test::Scratch scratch;
  const std::string domain = "columns: {age: {type: integer, min: 0, max: 1}}\n";
  std::string csv = "age\n";
  for (int i = 0; i < 1000; ++i) csv += std::to_string(i % 2) + "\n";
  const std::string data = scratch.write("data.csv", csv);
  const std::string file = scratch.write("domain.yaml", domain);
  const std::string spec = nlohmann::json{
      {"method", "central"},
      {"count", 1},
      {"privacy", {{"epsilon", 1}}},
      {"domain",
       {{"file", file}}}}.dump();
  const auto released = [&](const std::string& out, const std::string& certificate) {
    return mollify_release_csv(spec.c_str(), data.c_str(), nullptr, nullptr, out.c_str(),
                               certificate.c_str(), nullptr);
  };
  const std::string out = scratch.path("out.csv");
  const std::string other = scratch.path("out.json");
  for (const auto& [rows, certificate] :
       {std::pair(data, other), std::pair(out, data), std::pair(file, other), std::pair(out, file),
        std::pair(scratch.path("./data.csv"), other)}) {
    EXPECT_EQ(released(rows, certificate), MOLLIFY_INVALID_INPUT) << rows << " " << certificate;
    EXPECT_STREQ(mollify_last_error_code(), "same-file");
  }
  EXPECT_EQ(scratch.read("data.csv"), csv);
  EXPECT_EQ(scratch.read("domain.yaml"), domain);
  EXPECT_EQ(released(out, other), MOLLIFY_OK) << mollify_last_error();
}

TEST(CRelease, RefusesNull) {
  Text report;
  EXPECT_EQ(mollify_plan(nullptr, report.out()), MOLLIFY_INVALID_INPUT);
  EXPECT_STREQ(mollify_last_error(), "question must be a text, but is NULL");
  EXPECT_EQ(mollify_prepare(nullptr, 0, report.out()), MOLLIFY_INVALID_INPUT);
  EXPECT_EQ(mollify_release_csv(kSpec, nullptr, nullptr, nullptr, "r.csv", "c.json", nullptr),
            MOLLIFY_INVALID_INPUT);
  EXPECT_STREQ(mollify_last_error(), "data must be a text, but is NULL");
  EXPECT_EQ(mollify_verify("{}", nullptr, report.out()), MOLLIFY_INVALID_INPUT);
  mollify_sampler* sampler = nullptr;
  EXPECT_EQ(mollify_new_sampler(nullptr, &sampler, nullptr), MOLLIFY_INVALID_INPUT);
  EXPECT_STREQ(mollify_last_error_code(), "missing-parameter");
}

}  // namespace
}  // namespace mollify
