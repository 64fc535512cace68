// A whole method in two small classes, in the place of method central: this program is linked with
// a table of methods of its own, and no other file knows the toy.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/advice.h"
#include "analysis/compare.h"
#include "analysis/estimate.h"
#include "base/named.h"
#include "core/invalid_input.h"
#include "formats/csv.h"
#include "formats/public_files.h"
#include "formats/scratch.h"
#include "kernel/channels.h"
#include "kernel/order.h"
#include "records/private_table.h"
#include "records/sink.h"
#include "refusal.h"
#include "release/method.h"
#include "release/plan.h"
#include "release/release.h"
#include "release/verification.h"

namespace mollify {

namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

/// Some rows in a random order, each reported by randomized response.
class ToyRelease final : public PreparedRelease {
 public:
  ToyRelease(Certificate certificate, const Domain& domain)
      : PreparedRelease(std::move(certificate), domain), domain_(domain) {}

  void require_table(const Source& data) const override { require_columns(data, domain_); }

  RecordCounting counting_of_table() const override { return {&domain_, true}; }

  Drawn draw_table(const Source& data, SecureRandom& random, Sink& sink,
                   std::size_t) const override {
    std::vector<std::uint32_t> rows = read_outcomes(data, domain_);
    rows.resize(*certificate().facts.records);
    shuffle(rows, random);
    rows.resize(*certificate().spec.count);
    RecordWriter writer(domain_, sink);
    for (const std::uint32_t row : rows) {
      const auto report = certificate().as<RandomizedResponse>()->draw(row, random);
      writer.write_outcome(static_cast<std::uint32_t>(report), random);
    }
    writer.finish();
    return {};
  }

 private:
  Domain domain_;
};

/// All that it has to say of itself. It is planned by its design, compared by simulated releases,
/// and `estimate` refuses it.
class ToyMethod : public ReleaseMethod {
 public:
  ToyMethod() : ReleaseMethod({.word = Method::kCentral, .help = "reports of some rows\nA toy."}) {}

  std::unique_ptr<const PreparedRelease> prepare(
      ReleaseSpec spec, const PublicInputs& inputs,
      std::optional<std::uint64_t> records) const override {
    const Domain domain = complete_spec(spec, inputs);
    PublicFacts facts{.outcomes = domain.size()};
    static_cast<void>(count_records(spec, inputs, records, facts));
    return std::make_unique<ToyRelease>(design_release(spec, facts, domain).certificate, domain);
  }

  void design(const Domain&, const StatedCertificate*, DesignedRelease& made) const override {
    Certificate& certificate = made.certificate;
    const PublicFacts& facts = certificate.facts;
    require_facts(facts.records && facts.outcomes > 0 &&
                  facts == PublicFacts{.records = facts.records, .outcomes = facts.outcomes});
    if (certificate.spec.unit) {
      throw InvalidInput("not-for-this-method", "a toy has no units", "unit");
    }
    const RandomizedResponse response(static_cast<std::size_t>(facts.outcomes),
                                      certificate.spec.budget().epsilon, *facts.records,
                                      *certificate.spec.count);
    certificate.draw = certificate.total = Privacy::pure(response.epsilon());
    certificate.design = response;
  }

  KeptPromise keeps_promise(const DesignedRelease& made) const override {
    const auto& response = *made.certificate.as<RandomizedResponse>();
    return {.holds = response.satisfies(ExpBound(made.certificate.total.epsilon))};
  }

  ReleaseError error(const Certificate& certificate, const Domain&) const override {
    const auto& response = *certificate.as<RandomizedResponse>();
    const double other =
        static_cast<double>(response.other()) / static_cast<double>(response.total());
    return replacement_error(certificate.facts.outcomes,
                             other * static_cast<double>(response.outcome_count() - 1));
  }
};

/// One function more, and its records are estimated from.
class LawfulToy final : public ToyMethod {
 public:
  std::optional<RecordLaw> record_law(const DesignedRelease& made) const override {
    const auto& response = *made.certificate.as<RandomizedResponse>();
    return RecordLaw{.records = *made.certificate.spec.count, .response = response};
  }
};

const ToyMethod kToy;
const LawfulToy kLawfulToy;
const ReleaseMethod* toy = &kToy;

class Toy : public testing::Test {
 protected:
  static constexpr int kRows = 3000;

  Toy() {
    toy = &kToy;
    domain_ = scratch_.write("domain.yaml",
                             "columns:\n  a: {type: integer, min: 1, max: 3, outside: 1, null: 1}\n"
                             "  b: {type: boolean, outside: false, null: false}\n");
    std::string rows = "id,a,b\n";
    for (int i = 0; i < kRows; ++i) {
      rows += std::to_string(i % 60) + "," + std::to_string(1 + i % 3) + ",true\n";
    }
    scratch_.write("data.csv", rows);
  }

  [[nodiscard]] std::string text(double epsilon = 4, int count = 300) const {
    return R"({"method": "central", "domain": {"file": ")" + domain_ + R"("}, "count": )" +
           std::to_string(count) + R"(, "privacy": {"epsilon": )" + std::to_string(epsilon) + "}}";
  }
  [[nodiscard]] std::unique_ptr<const PreparedRelease> prepared(double epsilon = 4) const {
    return prepare(parse_spec(text(epsilon), "the spec"), PublicFiles(), kRows);
  }
  [[nodiscard]] std::string drawn() const {
    SecureRandom random;
    std::string csv;
    CsvSink sink(csv);
    prepared()->draw(data(), random, sink, 1);
    return csv;
  }
  [[nodiscard]] CsvSource data() const { return CsvSource(scratch_.path("data.csv")); }
  [[nodiscard]] Domain domain() const { return PublicFiles().domain({.file = domain_}); }
  [[nodiscard]] PlanQuestion question(const std::string& parts) const {
    return parse_plan_question(
        R"({"method": "central", "domain": {"file": ")" + domain_ + R"("}, )" + parts + "}", "it");
  }

  test::Scratch scratch_;
  std::string domain_;
};

TEST_F(Toy, HasNoPartsOfTheMethodInWhosePlaceItIs) {
  const ReleaseSpec asked = parse_spec(text(), "it");
  EXPECT_EQ(parse_spec(spec_text(asked), "again"), asked);
  EXPECT_THAT(test::refusal_of([&] {
                static_cast<void>(parse_spec(R"({"method": "central", "rate": 0.5})", "it"));
              }),
              HasSubstr("rate"));
  ReleaseSpec spec = asked;
  spec.own = std::string("another's");
  EXPECT_THAT(test::refusal_of([&] { validate_spec(spec); }),
              HasSubstr("must have the parts of its own"));
}

TEST_F(Toy, IsReleased) {
  const std::string csv = drawn();
  EXPECT_THAT(csv, testing::StartsWith("a,b\n"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 301);
  const auto release = prepared();
  const ReleaseReport report = release_report(*release, domain());
  EXPECT_NEAR(*report.total_variation, release->error().error, 1e-12);
  EXPECT_EQ(report.why, "method central has no other mechanism");
  EXPECT_THAT(protection_note(release->certificate().spec), HasSubstr("each row is protected"));
  EXPECT_EQ(toy->summary(release->certificate(), domain(), " to it").released,
            "released 300 records to it from 3000 rows by central with epsilon 4");
}

TEST_F(Toy, IsCertifiedAndVerified) {
  const std::string certificate = certificate_text(prepared()->certificate());
  const auto check = [&](const Json& json) {
    return verify_certificate(parse_certificate(json.dump(), "it"), "it", domain());
  };
  Json json = Json::parse(certificate);
  EXPECT_EQ(json["mechanism"], "central");
  EXPECT_EQ(json["design"], Json::object());
  EXPECT_THAT(json["promised"][0].get<std::string>(), HasSubstr("at most a factor e^4 = 54.6"));
  EXPECT_TRUE(check(json).holds());
  const StatedCertificate stated = parse_certificate(certificate, "it");
  EXPECT_THAT(check_answer(stated, check(json), "it").text, testing::EndsWith("\nholds\n"));
  // Of another space, of another budget, of other words.
  Json other = json;
  other["facts"]["k"] = 5U;
  EXPECT_FALSE(check(other).is_designed);
  other = json;
  other["facts"]["kept"] = "7";
  EXPECT_FALSE(check(other).is_designed);
  other = json;
  other["spec"]["privacy"]["epsilon"] = "3";
  EXPECT_FALSE(check(other).holds());
  other = json;
  other["promised"][0] = "nothing";
  EXPECT_THAT(test::refusal_of([&] { static_cast<void>(check(other)); }), HasSubstr("altered"));
}

TEST_F(Toy, IsRefusedWhereItIsNoiseOrAsItSays) {
  const std::string refused = test::refusal_of([&] { static_cast<void>(prepared(0.001)); });
  EXPECT_THAT(refused, HasSubstr("cannot be told apart from"));
  EXPECT_THAT(refused, HasSubstr("would do"));
  ReleaseSpec units = parse_spec(text(), "it");
  units.unit = "id";
  EXPECT_EQ(test::refusal_of([&] { static_cast<void>(prepare(units, PublicFiles(), kRows)); }),
            "a toy has no units");
}

TEST_F(Toy, IsPlannedByItsDesign) {
  const PublicFiles files;
  const PlanReport error =
      plan(question(R"("n": 3000, "count": 300, "privacy": {"epsilon": 4})"), files);
  EXPECT_EQ(error.answers.front().subject, "3000 records, 6 outcomes, 300 outputs, epsilon 4");
  EXPECT_NEAR(*error.answers.front().ways.front().value, prepared()->error().error, 1e-12);
  // The least that serve, next to what does not.
  const auto found = [&](const std::string& parts) {
    return *plan(question(parts), files).answers.front().ways.front().value;
  };
  const auto alpha = [&](double records) {
    return found(R"("count": 9, "privacy": {"epsilon": 1}, "n": )" +
                 std::to_string(static_cast<int>(records)));
  };
  const double records = found(R"("count": 9, "privacy": {"epsilon": 1}, "alpha": 0.1)");
  EXPECT_LE(alpha(records), 0.1);
  EXPECT_GT(alpha(records - 1), 0.1);
  const double epsilon = found(R"("count": 9, "n": 3000, "alpha": 0.1)");
  EXPECT_LT(epsilon, 1);
  EXPECT_EQ(found(R"("n": 3000, "privacy": {"epsilon": 4}, "alpha": 0.999)"), 3000);
  const Answer answer = plan_answer(std::vector{error});
  EXPECT_THAT(answer.text, HasSubstr("the worst-case total variation alpha: "));
  EXPECT_THAT(
      test::refusal_of([&] {
        static_cast<void>(plan(question(R"("n": 3000, "alpha": 0.1, "unknown": "rho")"), files));
      }),
      HasSubstr("method central"));
  EXPECT_THAT(test::refusal_of([] {
                static_cast<void>(parse_plan_question(R"({"method": "central", "n": 9})", "it"));
              }),
              HasSubstr("domain"));
}

TEST_F(Toy, IsComparedBySimulatedReleases) {
  const Json question = Json::parse(text());
  const Answer answer = compare({&question, 1}, PublicFiles(), data());
  EXPECT_THAT(answer.text, HasSubstr("central, epsilon 4, 3000 rows; "));
  EXPECT_THAT(answer.text, HasSubstr(" of simulated releases\n"));
  EXPECT_GE(answer.json["simulated_records"], 300);
  EXPECT_EQ(answer.json["records"], 3000);
  const Json less = Json::parse(text(0.5));
  const Answer several = compare(std::vector{question, less}, PublicFiles(), data());
  EXPECT_EQ(several.json["compared"].size(), 2U);
  EXPECT_THAT(several.text, HasSubstr("total variation of released rows from the real data"));
  // The laws are 0.006 and 0.24 from the truth. The figure of 20 000 simulated rows is more than 0.1
  // from that with probability e^-400.
  EXPECT_LT(several.json["compared"][0]["tv"], several.json["compared"][1]["tv"]);
}

TEST_F(Toy, IsEstimatedFromIfItStatesALaw) {
  const StatedCertificate stated =
      parse_certificate(certificate_text(prepared()->certificate()), "it");
  EXPECT_THAT(test::refusal_of([&] { ReleasedLaw(stated, "it", domain()); }),
              HasSubstr("method central states none: look at the shares of the records"));
  toy = &kLawfulToy;
  const ReleasedLaw law(stated, "it", domain());
  scratch_.write("released.csv", drawn());
  const CsvSource released(scratch_.path("released.csv"));
  const PopulationEstimate found =
      estimate_population(law, read_table(released, law.domain()), {}, "it");
  EXPECT_TRUE(found.is_linear);
  EXPECT_EQ(found.records, 300U);
  EXPECT_THAT(test::refusal_of([&] { law.require_count(299, "it"); }), HasSubstr("300 records"));
}

TEST_F(Toy, IsAdvisedForEveryPurposeOrRefused) {
  for (const auto& [purpose, name] : names<Purpose>()) {
    Advice advice;
    const std::string refused = test::refusal_of([&, purpose = purpose] {
      advice = advise({.purpose = purpose,
                       .method = Method::kCentral,
                       .records = kRows,
                       .domain = SpecDomain{.file = domain_},
                       .outputs = 3},
                      PublicFiles());
    });
    if (refused != "accepted") {
      EXPECT_THAT(refused, HasSubstr("central")) << name;
      continue;
    }
    ASSERT_TRUE(advice.chosen) << name;
    EXPECT_EQ(advice.budgets[*advice.chosen].mechanism, "central");
    EXPECT_THAT(advice.sample, HasSubstr("mollify sample central --data DATA.csv"));
    EXPECT_THAT(advice_answer(advice).text, testing::EndsWith("\n"));
  }
}

TEST_F(Toy, IsNotAnyOtherMethod) {
  EXPECT_NE(&release_method(Method::kMarginals), toy);
  EXPECT_EQ(release_method(Method::kMarginals).word(), Method::kMarginals);
}

}  // namespace

// In the place of the library's table: the linker takes this one.
const ReleaseMethod& release_method(Method word) {
  if (word == Method::kCentral) return *toy;
#define MOLLIFY_METHOD(word, name, function, traits) &function,
  static constexpr std::array kMethods = {MOLLIFY_METHODS(MOLLIFY_METHOD)};
#undef MOLLIFY_METHOD
  return (*kMethods[static_cast<std::size_t>(word)])();
}

}  // namespace mollify
