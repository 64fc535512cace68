// What every method must do, whichever it is: one release of each, asked for everything.
#include "release/method.h"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/advice.h"
#include "analysis/compare.h"
#include "analysis/estimate.h"
#include "core/invalid_input.h"
#include "formats/csv.h"
#include "formats/public_files.h"
#include "formats/scratch.h"
#include "message_texts.h"
#include "methods/gaussian/method.h"
#include "refusal.h"
#include "release/acceptance.h"
#include "release/plan.h"
#include "release/prepared.h"

namespace mollify {

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// One method's question: its own parts of a spec, in addition to a domain and a count of 3.
struct Asked {
  Method word;
  const char* parts;
  const char* subject;  ///< the purpose in a plan's words
  friend void PrintTo(const Asked& asked, std::ostream* out) { *out << name_of(asked.word); }
};

/// One line for each method; Methods.EachIsAskedHere finds one that is missing.
constexpr Asked kAsked[] = {
    {Method::kLocal, R"("unit": "id", "privacy": {"epsilon": 9})",
     "minimax over 6 outcomes, epsilon 9 in all, 3 for each of 3 draws"},
    {Method::kIntegral, R"("privacy": {"epsilon": 9})",
     "minimax over 6 outcomes, epsilon 9 in all, 3 for each of 3 draws"},
    {Method::kIntegralModel, R"("space": {"candidates": 64}, "privacy": {"epsilon": 4})",
     "relative over 64 models, epsilon 4 for the one draw"},
    {Method::kCentral, R"("privacy": {"epsilon": 2, "delta": 1e-6})",
     "3000 records, 6 outcomes, 3 outputs"},
    {Method::kGaussian,
     R"("covariance_bound": 1, "mean_bound": 3, "privacy": {"epsilon": 4, "delta": 1e-6})",
     "3000 records, 2 coordinates, 3 outputs"},
    {Method::kGaussianModel, R"("privacy": {"epsilon": 8, "delta": 1e-6})",
     "3000 records, 2 coordinates, epsilon 8"},
    {Method::kMarginals, R"("privacy": {"epsilon": 4, "delta": 1e-6})", "3000 records, 2 columns"},
};

class EveryMethod : public testing::TestWithParam<Asked> {
 protected:
  static constexpr int kRows = 3000;

  EveryMethod() {
    const bool points = kGaussianMethods.has(word());
    domain_ = scratch_.write(
        "domain.yaml", points ? "columns:\n"
                                "  a: {type: number, min: -5, max: 5, null: 0, outside: 0}\n"
                                "  b: {type: number, min: -5, max: 5, null: 0, outside: 0}\n"
                              : "columns:\n"
                                "  a: {type: integer, min: 1, max: 3, null: 1, outside: 1}\n"
                                "  b: {type: integer, min: 1, max: 2, null: 1, outside: 1}\n");
    write_data("2");
  }

  /// Every row of the data has this value in both columns.
  void write_data(const std::string& value) const {
    std::string rows = "id,a,b\n";
    for (int i = 0; i < kRows; ++i) {
      rows += std::to_string(i % 60) + "," + value + "," + value + "\n";
    }
    scratch_.write("data.csv", rows);
  }

  [[nodiscard]] static Method word() { return GetParam().word; }
  [[nodiscard]] static const ReleaseMethod& method() { return release_method(word()); }
  [[nodiscard]] std::string text_of(const Asked& asked) const {
    return R"({"method": ")" + std::string(name_of(asked.word)) + R"(", "domain": {"file": ")" +
           domain_ + R"("}, "count": 3, )" + asked.parts + "}";
  }
  [[nodiscard]] ReleaseSpec spec_of(const Asked& asked) const {
    return parse_spec(text_of(asked), "the spec");
  }
  [[nodiscard]] ReleaseSpec spec() const { return spec_of(GetParam()); }
  [[nodiscard]] std::unique_ptr<const PreparedRelease> prepared() const {
    return test::prepared(scratch_, spec());
  }
  [[nodiscard]] Domain domain() const { return PublicFiles().domain({.file = domain_}); }

  test::Scratch scratch_;
  std::string domain_;
};

/// The spec with a part of this place and some value of its kind.
std::string with_part(const std::string& spec, const Part& part) {
  Json json = Json::parse(spec);
  Json& member = json[Json::json_pointer(part.place)];
  switch (part.kind) {
    case PartKind::kObject:
      member = Json::object();
      break;
    case PartKind::kText:
      member = "a";
      break;
    case PartKind::kWhole:
      member = 7U;
      break;
    case PartKind::kNumber:
    case PartKind::kDecimal:
      member = 0.5;
      break;
    case PartKind::kTruth:
      member = true;
      break;
    case PartKind::kTexts:
    case PartKind::kColumns:
      member = {"a"};
      break;
    case PartKind::kWholes:
      member = {7U};
      break;
    case PartKind::kFile:
    case PartKind::kDomain:
      member = {{"file", "a"}};
      break;
  }
  return json.dump();
}

TEST_P(EveryMethod, IsFoundByItsWordAlone) {
  EXPECT_EQ(method().word(), word());
  EXPECT_EQ(&method(), &release_method(word()));
}

TEST_P(EveryMethod, WritesTheSpecThatItReads) {
  const ReleaseSpec asked = spec();
  EXPECT_EQ(parse_spec(spec_text(asked), "again"), asked);
}

/// The table of parts says which ones: a method reads these, or says which value is wrong, and
/// refuses all others as another method's.
TEST_P(EveryMethod, HasTheWholeOfItsPartsAndNoOthers) {
  const std::string text = text_of(GetParam());
  for (const Part& part : spec_parts()) {
    if (part.kind == PartKind::kObject) continue;
    const std::string refused =
        test::refusal_of([&] { static_cast<void>(parse_spec(with_part(text, part), "the spec")); });
    if (part.methods.has(word())) {
      EXPECT_THAT(refused, Not(HasSubstr("but the method is"))) << part.place;
    } else {
      EXPECT_THAT(refused, HasSubstr("but the method is " + std::string(name_of(word()))))
          << part.place;
    }
  }
}

TEST_P(EveryMethod, RefusesThePartsOfAnother) {
  const ReleaseSpec whole = spec();
  int refused = 0;
  for (const Asked& other : kAsked) {
    ReleaseSpec changed = whole;
    changed.own = spec_of(other).own;
    if (changed.own.has_type_of(whole.own)) continue;
    EXPECT_THAT(test::refusal_of([&] { validate_spec(changed); }),
                HasSubstr("must have the parts of its own"));
    EXPECT_THAT(
        test::refusal_of([&] { static_cast<void>(prepare(changed, PublicFiles(), kRows)); }),
        HasSubstr("must have the parts of its own"));
    ++refused;
  }
  EXPECT_GT(refused, 0);
}

TEST_P(EveryMethod, NeedsACountOrSaysHowManyComeWithout) {
  ReleaseSpec without = spec();
  without.count.reset();
  EXPECT_FALSE(method().own_facts(without).needs_no_count);
  EXPECT_THAT(test::refusal_of([&] { validate_spec(without); }), HasSubstr("--count is missing"));
}

TEST_P(EveryMethod, DrawsWhatItsCertificateSaysAndThatHolds) {
  const auto release = prepared();
  const Certificate& certificate = release->certificate();
  EXPECT_EQ(certificate.spec.method, word());
  EXPECT_THAT(certificate.mechanism(), Not(IsEmpty()));
  EXPECT_EQ(certificate.mechanism(), method().mechanism(certificate));
  EXPECT_FALSE(certificate.total.text().empty());
  EXPECT_THAT(promises(certificate), Not(IsEmpty()));
  EXPECT_THAT(non_promises(certificate), Not(IsEmpty()));
  const CertificateCheck check = test::checked(*release, domain());
  EXPECT_TRUE(check.holds());
  EXPECT_TRUE(check.is_designed);
  // A letter changed in any promise is found.
  Json changed = Json::parse(certificate_text(certificate));
  changed["promised"][0] = changed["promised"][0].get<std::string>() + "!";
  EXPECT_THAT(test::refusal_of([&] {
                static_cast<void>(
                    verify_certificate(parse_certificate(changed.dump(), "it"), "it", domain()));
              }),
              HasSubstr("was altered"));
}

TEST_P(EveryMethod, ReportsAnErrorThatItsPlanTells) {
  const auto release = prepared();
  const ReleaseReport report = release_report(*release, domain());
  ASSERT_TRUE(report.total_variation);
  EXPECT_GT(*report.total_variation, 0);
  EXPECT_LE(*report.total_variation, 1);
  EXPECT_THAT(report.why, Not(IsEmpty()));
  EXPECT_THAT(report.notes, Not(IsEmpty()));
  const ReleaseError& error = release->error();
  EXPECT_GE(error.share(), 0);
  EXPECT_LE(error.share(), 1 + 1e-9);
  // The release is the answer to its own question.
  const Certificate& certificate = release->certificate();
  PlanQuestion question{.method = word(),
                        .unknowns = {PlanUnknown::kAlpha},
                        .records = certificate.facts.records.value_or(1),
                        .outcomes = std::max<std::uint64_t>(certificate.facts.outcomes, 1),
                        .outputs = 3,
                        .budget = certificate.spec.budget()};
  method().ask(certificate, domain(), question);
  const PlanAnswer answer = plan(question).answers.front();
  ASSERT_TRUE(answer.best);
  EXPECT_THAT(answer.subject, HasSubstr(GetParam().subject));
  double nearest = 1;
  for (const PlanWay& way : answer.ways) {
    if (way.mechanism != certificate.mechanism()) continue;
    nearest = std::min(nearest, std::abs(way.alpha - *report.total_variation));
  }
  EXPECT_LT(nearest, 1e-9);
}

/// Whatever the records are: as many rows, of the domain's columns, and the same warnings.
TEST_P(EveryMethod, IsTotal) {
  std::set<std::string> headers;
  std::set<std::size_t> lines;
  std::set<std::vector<std::string>> warnings;
  for (const char* value : {"2", "", "no number", "1e300", "\"\"\"\""}) {
    write_data(value);
    const auto release = prepared();
    const std::string csv = test::drawn(*release, scratch_);
    headers.insert(csv.substr(0, csv.find('\n')));
    lines.insert(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')));
    warnings.insert(test::texts_of(release->warnings()));
  }
  EXPECT_THAT(headers, testing::ElementsAre("a,b"));
  const std::size_t units = kUnitDraws.has(word()) ? 60 : 1;
  EXPECT_THAT(lines, testing::ElementsAre(1 + 3 * units));
  EXPECT_EQ(warnings.size(), 1U);
}

/// Whether the method answers; if it refuses, then in one sentence that names it.
template <class Ask>
bool is_answered(Method method, Ask ask) {
  Answer answer;
  const std::string refused = test::refusal_of([&] { answer = ask(); });
  if (refused != "accepted") {
    EXPECT_THAT(refused, HasSubstr(name_of(method)));
    EXPECT_THAT(refused, Not(HasSubstr("\n")));
    return false;
  }
  EXPECT_THAT(answer.text, testing::EndsWith("\n"));
  EXPECT_GT(answer.json.size(), 1U);
  EXPECT_EQ(Json::parse(answer.facts()).size(),
            answer.json.size() + (answer.outcomes == nullptr ? 0 : 1));
  return true;
}

TEST_P(EveryMethod, IsComparedWithItsData) {
  const CsvSource data(scratch_.path("data.csv"));
  const Json question = Json::parse(text_of(GetParam()));
  Json half = question;
  half["privacy"]["epsilon"] = 0.5 * question["privacy"]["epsilon"].get<double>();
  for (const auto& questions : {std::vector{question}, std::vector{question, half}}) {
    EXPECT_TRUE(is_answered(word(), [&] { return compare(questions, PublicFiles(), data); }));
  }
  Json every = question;
  every["mechanism"] = "all";
  is_answered(word(), [&] { return compare({&every, 1}, PublicFiles(), data); });
}

TEST_P(EveryMethod, IsEstimatedOrRefused) {
  const auto release = prepared();
  scratch_.write("released.csv", test::drawn(*release, scratch_));
  const StatedCertificate stated =
      parse_certificate(certificate_text(release->certificate()), "it");
  is_answered(word(), [&] {
    const ReleasedLaw law(stated, "it", domain());
    const CsvSource released(scratch_.path("released.csv"));
    const auto found = estimate_population(law, read_table(released, law.domain()), {}, "it");
    return estimate_answer(found, stated.spec);
  });
}

TEST_P(EveryMethod, IsAdvisedForSomePurposeOrRefused) {
  for (const auto& [purpose, name] : names<Purpose>()) {
    is_answered(word(), [&, purpose = purpose] {
      return advice_answer(advise({.purpose = purpose,
                                   .method = word(),
                                   .records = kRows,
                                   .domain = SpecDomain{.file = domain_},
                                   .outputs = 3,
                                   .epsilon = 4},
                                  PublicFiles()));
    });
  }
}

TEST_P(EveryMethod, IsVerifiedInWords) {
  const std::string text = certificate_text(prepared()->certificate());
  const StatedCertificate stated = parse_certificate(text, "it");
  const Answer answer = check_answer(stated, verify_certificate(stated, "it", domain()), "it");
  EXPECT_EQ(answer.json["holds"], true);
  EXPECT_EQ(answer.json["promised"], Json::parse(text)["privacy"]);
  EXPECT_THAT(answer.text, HasSubstr("\n  as declared, not checked: /version, "));
  EXPECT_THAT(answer.text, testing::EndsWith("\nholds\n"));
  EXPECT_THAT(answer.text, Not(HasSubstr("NO")));
}

TEST_P(EveryMethod, SaysWhatLacksInItsData) {
  const auto release = prepared();
  scratch_.write("other.csv", "id,a,c\n1,2,3\n");
  EXPECT_THAT(test::refusal_of([&] { release->require(CsvSource(scratch_.path("other.csv"))); }),
              HasSubstr("\"b\""));
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, testing::ValuesIn(kAsked), [](const auto& one) {
  std::string name(name_of(one.param.word));
  std::erase(name, '-');
  return name;
});

TEST(Methods, EachIsAskedHere) {
  std::set<Method> asked;
  for (const Asked& one : kAsked) asked.insert(one.word);
  EXPECT_EQ(asked.size(), names<Method>().size());
}

}  // namespace

}  // namespace mollify
