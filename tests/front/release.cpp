#include "mollify/release.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/speech.h"
#include "domain/column.h"
#include "formats/scratch.h"
#include "front/message.h"
#include "message_texts.h"
#include "mollify/arrow_c.h"
#include "mollify/program.h"
#include "mollify/verify.h"
#include "refusal.h"
#include "release/spec.h"

namespace mollify::front {

namespace inside = ::mollify;

namespace {

using testing::HasSubstr;
using Texts = std::vector<std::string>;

const std::vector<std::string_view> kPeople{"ann", "ann", "bob", "bob", "cis", "cis"};
const std::vector<std::string_view> kCities{"Lille", "Lille", "Trier", "Trier", "Ghent", "Ghent"};
const std::vector<std::int64_t> kAges{30, 31, 32, 70, 71, 72};

constexpr const char* kCsv =
    "person,city,age\n"
    "ann,Lille,30\nann,Lille,31\nbob,Trier,32\nbob,Trier,70\ncis,Ghent,71\ncis,Ghent,72\n";

Domain domain() {
  return Domain::make(
      {Column::declare(
           "city",
           {{"type", "categorical"}, {"values", {"Ghent", "Lille", "Trier"}}, {"null", "Ghent"}}),
       Column::declare("age",
                       {{"type", "integer"}, {"min", 0}, {"max", 99}, {"bins", 10}, {"null", 0}})});
}

Source memory() { return Source::memory({{"person", kPeople}, {"city", kCities}, {"age", kAges}}); }

/// What each model can be asked for.
struct Asked {
  const char* model;
  const char* spec;
  std::size_t records;
  bool counts;
  friend void PrintTo(const Asked& asked, std::ostream* out) { *out << asked.model; }
};

class FrontRelease : public testing::TestWithParam<Asked> {
 protected:
  const ReleaseSpec spec = ReleaseSpec::parse(GetParam().spec, domain());

  /// The released columns are of the domain, and there are as many records as were asked for.
  void expect_released(const std::vector<ReleasedColumn>& columns) const {
    ASSERT_EQ(columns.size(), 2U);
    EXPECT_EQ(columns[0].name, "city");
    EXPECT_EQ(columns[1].name, "age");
    const auto& cities = std::get<Texts>(columns[0].values);
    const auto& ages = std::get<std::vector<std::int64_t>>(columns[1].values);
    EXPECT_EQ(cities.size(), GetParam().records);
    EXPECT_EQ(ages.size(), GetParam().records);
    for (const std::string& city : cities) {
      EXPECT_TRUE(city == "Ghent" || city == "Lille" || city == "Trier") << city;
    }
    for (const std::int64_t age : ages) EXPECT_TRUE(age >= 0 && age <= 99) << age;
  }
};

TEST_P(FrontRelease, IsTheSameFromAFileFromMemoryAndFromAStream) {
  const inside::test::Scratch scratch;
  const auto csv = Source::csv(scratch.write("private.csv", kCsv));
  const PreparedRelease prepared = prepare(spec, csv);
  EXPECT_EQ(prepare(spec, memory()).certificate().json(), prepared.certificate().json());
  std::vector<ReleasedColumn> released;
  const Certificate certificate = release(prepared, csv, Sink::memory(released));
  expect_released(released);
  // Measurements come last, if the method chooses them.
  std::string made = prepared.certificate().json();
  const std::string given = certificate.json();
  if (made.find("\"method\": \"marginals\"") == std::string::npos) {
    EXPECT_EQ(given, made);
  } else {
    made.resize(made.size() - std::string_view("\n}\n").size());
    EXPECT_THAT(given,
                ::testing::StartsWith(made + ",\n  \"measured\": {\n    \"model_sha256\": "));
  }
  EXPECT_TRUE(verify(certificate, domain()).holds());
  EXPECT_EQ(certificate.records().has_value(), GetParam().counts);

  // Out of memory into a stream, and on from there.
  ArrowArrayStream stream{};
  release(prepare(spec, memory()), memory(), Sink::arrow(&stream));
  const auto again = Source::arrow(&stream);
  EXPECT_EQ(stream.release, nullptr);
  const auto of_it = ReleaseSpec::parse(
      R"({"method": "integral", "count": 1, "privacy": {"epsilon": 1}})", domain());
  release(prepare(of_it, again), again, Sink::memory(released));
  EXPECT_EQ(released.size(), 2U);
}

TEST_P(FrontRelease, IsVerified) {
  const PreparedRelease prepared = prepare(spec, memory());
  const Certificate& certificate = prepared.certificate();
  const Verification found = verify(Certificate::parse(certificate.json()), domain());
  EXPECT_TRUE(found.holds());
  const auto said = test::texts_of(found.warnings);
  EXPECT_THAT(said, ::testing::IsSupersetOf(test::texts_of(prepared.report().warnings)));
  for (const std::string& warning : said) {
    EXPECT_THAT(found.text, HasSubstr("WARNING: " + warning + "\n"));
  }
  EXPECT_EQ(certificate.spec().json(), Certificate::parse(certificate.json()).spec().json());
  const auto other = Domain::make(
      {Column::declare("city", {{"type", "boolean"}, {"null", "false"}}),
       Column::declare("age",
                       {{"type", "integer"}, {"min", 0}, {"max", 99}, {"bins", 10}, {"null", 0}})});
  EXPECT_FALSE(verify(certificate, other).domain_matches);
  EXPECT_FALSE(verify(certificate, other).holds());
  EXPECT_EQ(verify(certificate, other).guarantee_holds, std::nullopt);
  EXPECT_EQ(verify(certificate, other).verdict, "not checked: this is not the release's domain");
  EXPECT_EQ(found.verdict, "holds");
}

TEST_P(FrontRelease, LeavesAFileAndItsCertificate) {
  const inside::test::Scratch scratch;
  const Certificate certificate =
      release(prepare(spec, memory()), memory(),
              Sink::csv(scratch.path("out.csv"), scratch.path("out.json")));
  EXPECT_EQ(scratch.read("out.json"), certificate.json());
  EXPECT_THAT(scratch.read("out.csv"), HasSubstr("city,age\n"));
  EXPECT_EQ(scratch.file_count(), 2U);
  EXPECT_EQ(Certificate::read(scratch.path("out.json")).json(), certificate.json());
}

TEST_P(FrontRelease, LeavesNoFileWithoutTheOther) {
  const inside::test::Scratch scratch;
  const PreparedRelease prepared = prepare(spec, memory());
  EXPECT_THROW(release(prepared, memory(), Sink::csv("/dev/full", scratch.path("out.json"))),
               std::system_error);
  EXPECT_THROW(release(prepared, memory(), Sink::csv(scratch.path("out.csv"), "/dev/full")),
               std::system_error);
  EXPECT_EQ(scratch.file_count(), 0U);
}

TEST_P(FrontRelease, IsChargedBeforeItIsDrawn) {
  const inside::test::Scratch scratch;
  const PreparedRelease prepared = prepare(spec, memory());
  const Ledger ledger(scratch.path("ledger"));
  std::vector<ReleasedColumn> released;
  release(prepared, memory(), Sink::memory(released), Charging{ledger, "people", true});
  const LedgerBalance balance = ledger.balance("people");
  EXPECT_EQ(balance.releases, 1U);
  EXPECT_EQ(balance.spent, Privacy::pure(2));
}

/// Wants to stop as soon as a ledger has been charged.
class UntilCharged final : public Watch {
 public:
  [[nodiscard]] bool wants_stop() override { return is_charged_; }
  void reached(const std::string&, std::uint64_t, std::uint64_t) override {}
  void charged() override { is_charged_ = true; }
  [[nodiscard]] bool is_charged() const { return is_charged_; }

 private:
  bool is_charged_ = false;
};

TEST_P(FrontRelease, StopsAfterItsChargeAndLeavesNothingElse) {
  const inside::test::Scratch scratch;
  const PreparedRelease prepared = prepare(spec, memory());
  const Ledger ledger(scratch.path("ledger"));
  UntilCharged watch;
  {
    const Watching watching(watch);
    EXPECT_THROW(
        release(prepared, memory(), Sink::csv(scratch.path("out.csv"), scratch.path("out.json")),
                Charging{ledger, "people", true}),
        std::exception);
  }
  EXPECT_TRUE(watch.is_charged());
  EXPECT_EQ(ledger.balance("people").releases, 1U);
  EXPECT_EQ(scratch.read("out.csv") + scratch.read("out.json"), "");
}

TEST_P(FrontRelease, IsNotDrawnWhereTheLedgerRefuses) {
  const inside::test::Scratch scratch;
  Ledger ledger(scratch.path("ledger"));
  ledger.declare("people", Privacy::pure(1), "unit=nobody");
  std::vector<ReleasedColumn> released;
  EXPECT_NE(test::refusal_of([&] {
              release(prepare(spec, memory()), memory(),
                      Sink::csv(scratch.path("out.csv"), scratch.path("out.json")),
                      Charging{ledger, "people"});
            }),
            "accepted");
  EXPECT_EQ(ledger.balance("people").releases, 0U);
  EXPECT_EQ(scratch.read("out.csv") + scratch.read("out.json"), "");
}

/// The private table once, as a stream of another program.
Source streamed() {
  std::vector<ReleasedColumn> table{
      {.name = "person", .values = Texts(kPeople.begin(), kPeople.end())},
      {.name = "city", .values = Texts(kCities.begin(), kCities.end())},
      {.name = "age", .values = kAges}};
  for (ReleasedColumn& column : table) column.valid.assign(kAges.size(), 1);
  ArrowArrayStream exported{};
  export_columns(table, &exported);
  return Source::arrow(&exported);
}

TEST_P(FrontRelease, IsMadeOfAStreamForOneCharge) {
  const inside::test::Scratch scratch;
  const Source data = streamed();
  const Ledger ledger(scratch.path("ledger"));
  std::vector<ReleasedColumn> released;
  release(prepare(spec, data), data, Sink::memory(released), Charging{ledger, "people", true});
  expect_released(released);
  EXPECT_EQ(ledger.balance("people").releases, 1U);
}

INSTANTIATE_TEST_SUITE_P(
    Every, FrontRelease,
    testing::Values(
        Asked{"local",
              R"({"method": "local", "unit": "person", "count": 2, "privacy": {"epsilon": 2}})", 6,
              false},
        Asked{"integral", R"({"method": "integral", "count": 3, "privacy": {"epsilon": 2}})", 3,
              false},
        Asked{
            "central",
            R"({"method": "central", "count": 2, "privacy": {"epsilon": 2}, "accept_error": true})",
            2, true},
        Asked{
            "central_by_unit",
            R"({"method": "central", "unit": "person", "count": 2, "privacy": {"epsilon": 2}, "accept_error": true})",
            2, true},
        Asked{
            "marginals_by_unit",
            R"({"method": "marginals", "unit": "person", "count": 2, "privacy": {"epsilon": 2}, "accept_error": true})",
            2, true}),
    [](const auto& asked) { return std::string(asked.param.model); });

TEST(FrontSpec, RefusesInOneSentence) {
  EXPECT_NE(test::refusal_of([] { (void)ReleaseSpec::parse("{", domain()); }), "accepted");
  EXPECT_NE(test::refusal_of([] { (void)ReleaseSpec::parse("{}"); }), "accepted");
  EXPECT_EQ(test::refusal_of([] {
              (void)ReleaseSpec::parse(R"({"method": "integral", "domain": {"file": "d.yaml"}})",
                                       domain());
            }),
            "the spec must name no domain where one is given, but it names one");
  EXPECT_NE(test::refusal_of([] { (void)Certificate::parse("{}"); }), "accepted");
  const auto spec = ReleaseSpec::parse(
      R"({"method": "integral", "count": 1, "privacy": {"epsilon": 2}})", domain());
  const auto lacking = Source::memory({{"city", kCities}});
  EXPECT_THAT(test::refusal_of([&] { (void)prepare(spec, lacking); }), HasSubstr("age"));
}

TEST(FrontSpec, ReadsWhatItWrites) {
  const auto spec = ReleaseSpec::parse(
      R"({"method": "integral", "count": 1, "privacy": {"epsilon": 0.1}})", domain());
  EXPECT_EQ(ReleaseSpec::parse(spec.json()).json(), spec.json());
  const inside::test::Scratch scratch;
  EXPECT_EQ(ReleaseSpec::read(scratch.write("spec.json", spec.json())).json(), spec.json());
}

TEST(FrontSource, TakesNullsAndEveryType) {
  const auto domain = Domain::make(
      {Column::declare(
           "height",
           {{"type", "number"}, {"min", 0}, {"max", 2}, {"bins", 4}, {"null", "category"}}),
       Column::declare("insured", {{"type", "boolean"}, {"null", "false"}})});
  const auto spec = ReleaseSpec::parse(
      R"({"method": "integral", "count": 1, "privacy": {"epsilon": 30}})", domain);
  // Enough epsilon for the record of all rows.
  const std::vector<double> heights(40, 1.75);
  const std::vector<std::uint8_t> insured(40, 1);
  const std::vector<std::uint8_t> valid(40, 0);
  const auto data = Source::memory({{"height", heights, valid}, {"insured", std::span(insured)}});
  std::vector<ReleasedColumn> released;
  release(prepare(spec, data), data, Sink::memory(released));
  ASSERT_EQ(released.size(), 2U);
  EXPECT_EQ(released[0].valid, std::vector<std::uint8_t>{0});
  EXPECT_EQ(std::get<std::vector<std::uint8_t>>(released[1].values), std::vector<std::uint8_t>{1});
}

TEST(FrontSpec, NamesItsPartsByTheCommandsFlags) {
  const auto parts = spec_parts();
  const auto epsilon = std::find_if(parts.begin(), parts.end(),
                                    [](const SpecPart& part) { return part.name == "epsilon"; });
  ASSERT_NE(epsilon, parts.end());
  EXPECT_EQ(epsilon->place, "/privacy/epsilon");
  EXPECT_EQ(epsilon->kind, "decimal number");
  for (const SpecPart& part : parts) {
    EXPECT_NE(part.kind, "") << part.name;
    EXPECT_FALSE(part.methods.empty()) << part.name;
  }
  EXPECT_THAT(epsilon->methods, testing::SizeIs(inside::names<inside::Method>().size()));
  EXPECT_THAT(test::refusal_of([] { (void)ReleaseSpec::parse(R"({"method": "integral"})", ""); }),
              HasSubstr("--domain"));
}

TEST(FrontPublicTexts, StandForFiles) {
  const inside::test::Scratch scratch;
  const std::string roster = "person\nann\nbob\ndot\n";
  const std::string file = scratch.write("roster.csv", roster);
  const auto spec_with = [](const std::string& name) {
    return ReleaseSpec::parse(R"({"method": "local", "count": 1, "unit": "person",
        "roster": {"file": ")" + name +
                                  R"("}, "privacy": {"epsilon": 2}})",
                              domain());
  };
  const auto from_file = prepare(spec_with(file), memory()).certificate().json();
  auto from_text =
      prepare(spec_with("a list"), memory(), {{"a list", roster}}).certificate().json();
  const std::size_t at = from_text.find("a list");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(from_text.replace(at, 6, file), from_file);
  EXPECT_NE(test::refusal_of([&] { (void)prepare(spec_with("a list"), memory()); }), "accepted");
}

TEST(FrontSource, IsWrittenAsAFile) { EXPECT_EQ(memory().csv_text(), kCsv); }

TEST(FrontReleasedColumns, AreAStreamAndAFileOfTheSameValues) {
  std::vector<ReleasedColumn> columns = {
      {"city", Texts{"Lille", "", "Ghent"}, {1, 0, 1}, {"Ghent", "Lille"}},
      {"name", Texts{"ann", "", "x, y"}, {1, 0, 1}, {}},
      {"age", std::vector<std::int64_t>{1, 2, 0}, {1, 1, 0}, {}},
      {"height", std::vector<double>{1.5, 2, 0}, {1, 1, 0}, {}},
      {"insured", std::vector<std::uint8_t>{1, 0, 0}, {1, 1, 0}, {}},
      {"stars",
       Texts{"3.0", "", "1"},
       {1, 0, 1},
       {"1", "3.0"},
       ReleasedColumn::WordType::kInteger,
       true},
      {"price",
       Texts{"1", "", "4.99"},
       {1, 0, 1},
       {"4.99", "1"},
       ReleasedColumn::WordType::kNumber}};
  for (int time = 0; time < 2; ++time) {
    ArrowArrayStream stream{};
    export_columns(columns, &stream);
    const Source read = Source::arrow(&stream);
    EXPECT_EQ(read.ordered_words(), (OrderedWords{{"stars", {"1", "3"}}}));
    EXPECT_EQ(read.csv_text(),
              "city,name,age,height,insured,stars,price\nLille,ann,1,1.5,true,3,1\n,,2,2,false,,\n"
              "Ghent,\"x, y\",,,,1,4.99\n");
  }
  columns[3].exponent = -2;
  EXPECT_EQ(
      csv_text(columns),
      "city,name,age,height,insured,stars,price\nLille,ann,1,1.50,true,3.0,1\n,,2,2.00,false,,\n"
      "Ghent,\"x, y\",,,,1,4.99\n");
}

TEST(FrontCounts, AreTheTableOfWhichEachRowIsARecord) {
  const std::vector<std::string_view> cities{"Lille", "Trier", "Ghent", "Lille"};
  const std::vector<std::int64_t> counts{3, 2, 0, 1};
  const std::vector<std::string_view> records{"Lille", "Lille", "Lille", "Trier", "Trier", "Lille"};
  const Domain only_city = Domain::make({Column::declare(
      "city",
      {{"type", "categorical"}, {"values", {"Ghent", "Lille", "Trier"}}, {"null", "Ghent"}})});
  const Source counted = Source::memory({{"city", cities}, {"n", counts}}).with_counts("n");
  const Source plain = Source::memory({{"city", records}});
  for (const char* text :
       {R"({"method": "integral", "count": 500, "privacy": {"epsilon": 20}, "accept_error": true})",
        R"({"method": "central", "count": 3, "privacy": {"epsilon": 1}, "accept_error": true})"}) {
    const ReleaseSpec spec = ReleaseSpec::parse(text, only_city);
    const PreparedRelease prepared = prepare(spec, counted);
    EXPECT_EQ(prepared.certificate().json(), prepare(spec, plain).certificate().json());
    std::vector<ReleasedColumn> released;
    release(prepared, counted, Sink::memory(released));
    EXPECT_EQ(released.at(0).valid.size(), prepared.certificate().records() ? 3U : 500U);
  }
  EXPECT_EQ(
      test::refusal_of([&] {
        static_cast<void>(prepare(
            ReleaseSpec::parse(
                R"({"method": "integral", "count": 1, "space": {"kind": "grid"}, "privacy": {"epsilon": 2}, "accept_error": true})",
                Domain::make({Column::declare(
                    "age", {{"type", "number"}, {"min", 0}, {"max", 99}, {"null", 0}})})),
            Source::memory({{"age", counts}, {"n", counts}}).with_counts("n")));
      }),
      "a release whose records are scored needs a row for each record, but each row of the "
      "data counts as a number of them");
}

// As docs/reference/messages.md promises of C++.
TEST(FrontRefusals, NamePartsByTheirPlaces) {
  const inside::Speaking places(inside::Speech::kSpec);
  const std::string domain =
      R"("domain": {"text": "columns:\n  a: {type: boolean, null: false}\n"}, "unit": "id")";
  const auto refused = [&](const std::string& parts) {
    try {
      static_cast<void>(
          ReleaseSpec::parse(R"({"method": "local", )" + domain + ", " + parts + "}", "the spec"));
    } catch (const InvalidInput& error) {
      EXPECT_EQ(spoken_parameter(error), error.parameter());
      std::string text = std::string(error.what()) + " | " + error.parameter() + " |";
      for (const WayOut& way : error.ways_out()) text += " " + way.part;
      return text;
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused(R"("privacy": {"epsilon": -1})"),
            "privacy/epsilon in the spec must be finite and positive, but is -1 | privacy/epsilon "
            "| privacy/epsilon");
  EXPECT_EQ(
      refused(R"("privacy": {"epsilon": 1}, "roster": 2)"),
      "roster in the spec must be a file, and at most its sha256, but is 2 | roster | roster");
  EXPECT_EQ(refused(R"("epsilom": 1)"),
            "epsilom in the spec is no part of a release's spec (did you mean "
            "\"privacy/epsilon\"?) | epsilom | privacy/epsilon epsilom");
  const InvalidInput noise("indistinct-from-noise", "noise", "candidates-file",
                           {WayOut::add("accept-error"), WayOut::use("local")}, {{"error", 1}});
  const auto of_a_spec = [&] {
    inside::speak_of_parts(inside::spec_parts());  // which the last refusal ended
    return placed(noise);
  };
  for (const InvalidInput& once : {of_a_spec(), placed(of_a_spec())}) {
    EXPECT_EQ(once.parameter(), "space/list");
    EXPECT_EQ(once.ways_out(),
              (std::vector{WayOut::set("accept_error", "true"), WayOut::use("local")}));
    EXPECT_EQ(once.quantities(), noise.quantities());
  }
}

}  // namespace
}  // namespace mollify::front
