#include "formats/public_files.h"

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "columns.h"
#include "domain/candidates.h"
#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "formats/scratch.h"
#include "random_domain.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Candidates file.

namespace {

constexpr const char* kDomain =
    "seed: 11\n"
    "columns:\n"
    "  x: {type: number, min: 0, max: 1, null: 0}\n"
    "  s: {type: categorical, values: [a, b, c], null: a}\n";

std::string text_of(const Candidates& list, const Domain& domain) {
  std::string text;
  write_candidates(list, domain, [&](std::string_view part) { text += part; });
  return text;
}

TEST(CandidatesFile, LooksAsDocumented) {
  const Domain domain = parse_domain(kDomain, "domain.yaml");
  const std::string hash = domain.hash();
  EXPECT_EQ(text_of(Candidates::of(domain, {17, 1, 1048575, 2}), domain),
            "mollify candidates 1\ndomain " + hash + "\nrecords 2 columns 2\n17,1\n1048575,2\n");
  EXPECT_EQ(text_of(Candidates::of(domain, {17, 1, 1048575, 2}, {0.25F, 3}), domain),
            "mollify candidates 1\ndomain " + hash +
                "\nrecords 2 columns 2 densities\n17,1,0x1p-2\n1048575,2,0x1.8p+1\n");
}

// On every machine and in every version: certificates name lists by this.
TEST(CandidatesFile, HasTheSameHashForEver) {
  const Domain domain = parse_domain(kDomain, "domain.yaml");
  EXPECT_EQ(candidates_hash(Candidates::seeded(domain, 65'536), domain),
            "81b61014c461ab9eef06f457abe4d76c3b0290313011642fcf734336e9df70df");
}

RC_GTEST_PROP(CandidatesFile, IsReadAsItWasWritten, ()) {
  const test::Scratch scratch;
  const Domain domain = *test::domain();
  const Candidates list = Candidates::seeded(domain, *rc::gen::inRange<std::uint64_t>(1, 50));
  const std::string path = scratch.write("list", text_of(list, domain));
  const Candidates read = read_candidates(path, domain);
  RC_ASSERT(text_of(read, domain) == text_of(list, domain));
  RC_ASSERT(candidates_hash(read, domain) == candidates_hash(list, domain));
  RC_ASSERT(std::equal(read.digits().begin(), read.digits().end(), list.digits().begin(),
                       list.digits().end()));
  RC_ASSERT(std::equal(read.densities().begin(), read.densities().end(), list.densities().begin(),
                       list.densities().end()));
}

TEST(CandidatesFile, IsRefusedInOneSentence) {
  const test::Scratch scratch;
  const Domain domain = parse_domain(kDomain, "domain.yaml");
  const std::string start = "mollify candidates 1\ndomain " + domain.hash() + "\n";
  const auto refusal = [&](const std::string& text) {
    return test::refusal(scratch,
                         [&] { (void)read_candidates(scratch.write("list", text), domain); });
  };
  EXPECT_EQ(refusal(""), "list must be a list of candidates, but ends after line 0");
  EXPECT_EQ(refusal("x,s\n1,a\n"), "list line 1 must be \"mollify candidates 1\"");
  EXPECT_EQ(refusal("mollify candidates 1\ndomain " + std::string(64, '0') + "\n"),
            "list line 2 must name this domain, but the list was made for another");
  EXPECT_EQ(refusal(start + "records -1 columns 2\n"),
            "list line 3 must say how many records and columns there are");
  EXPECT_EQ(refusal(start + "records 1 columns 2 density\n"),
            "list line 3 must say how many records and columns there are");
  EXPECT_EQ(refusal(start + "records 1 columns 3\n"),
            "list line 3 must have 2 columns like the domain, but has 3");
  EXPECT_EQ(refusal(start + "records 16777217 columns 2\n"),
            "list line 3 must have from 1 to 16777216 records, but has 16777217");
  EXPECT_EQ(refusal(start + "records 2 columns 2\n1,1\n"),
            "list must have 2 records, but ends after line 4");
  for (const char* line : {"1", "1,", "1,1,1", "1;1", "-1,1", "1,1 ", "4294967296,1", "a,b", ""}) {
    EXPECT_EQ(refusal(start + "records 1 columns 2\n" + line + "\n"),
              "list line 4 must have 2 digits with commas between them")
        << line;
  }
  for (const char* line : {"1,1", "1,1,1.5", "1,1,0x", "1,1,0x1p0,"}) {
    EXPECT_EQ(refusal(start + "records 1 columns 2 densities\n" + line + "\n"),
              "list line 4 must have 2 digits and a density with commas between them")
        << line;
  }
  EXPECT_EQ(refusal(start + "records 1 columns 2\n1,1\n1,1\n"),
            "list line 5 must not be there, for there are 1 records");
  EXPECT_EQ(refusal(start + "records 1 columns 2\n1,3\n"),
            "list: candidate 0 must have a digit below 3 for column \"s\", but has 3");
  EXPECT_EQ(test::refusal(scratch, [&] { (void)read_candidates(scratch.path("no"), domain); }),
            "no cannot be opened: there is no such file in ");
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Column names.

namespace {

TEST(ColumnNames, TellOfPeople) {
  for (const char* const name : {"id", "ID", "User_Id", "school id", "ticket-id", "hhid", "uid"}) {
    EXPECT_TRUE(names_an_id(name)) << name;
    EXPECT_TRUE(names_a_unit(name)) << name;
    EXPECT_FALSE(names_somebody(name, true)) << name;
  }
  for (const char* const name : {"phone", "home_phone", "birth_date", "DOB", "ssn"}) {
    for (const bool is_text : {false, true}) EXPECT_TRUE(names_somebody(name, is_text)) << name;
    EXPECT_FALSE(names_a_unit(name)) << name;
  }
  for (const char* const name : {"eMail", "Surname", "notes", "name", "street", "comments"}) {
    EXPECT_TRUE(names_somebody(name, true)) << name;
    EXPECT_FALSE(names_somebody(name, false)) << name << ": numbers are counts";
  }
  for (const char* const name :
       {"person", "School", "DEVICE", "individual", "respondentNr", "family_no", "unit", "units",
        "household code", "Case.Number", "twin2"}) {
    EXPECT_TRUE(names_a_unit(name)) << name;
    EXPECT_FALSE(names_an_id(name) || names_somebody(name, true)) << name;
  }
  for (const char* const name :
       {"", "d", "paid", "math", "visits", "births", "color_name", "family_size", "unit_price",
        "children", "school_type", "number", "code"}) {
    EXPECT_FALSE(names_an_id(name) || names_somebody(name, true) || names_a_unit(name)) << name;
  }
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Covariance file.

namespace {

RealColumns two_columns() {
  return RealColumns(Domain::make({test::without_nulls("a", NumberCells::make(0, 1)),
                                   test::without_nulls("b", NumberCells::make(0, 1))}));
}

std::string covariance_refusal(const std::string& content) {
  const test::Scratch scratch;
  return test::refusal(
      scratch, [&] { (void)read_covariance(scratch.write("c.csv", content), two_columns()); });
}

TEST(CovarianceFile, IsReadInTheOrderOfTheColumns) {
  const test::Scratch scratch;
  const auto covariance = [&](const std::string& content) {
    return read_covariance(scratch.write("c.csv", content), two_columns());
  };
  EXPECT_EQ(covariance("b,c,a\n1,2,3\n2,9,4\n3,4,7\n"), (std::vector<double>{7, 3, 3, 1}));
  EXPECT_EQ(covariance(",a,b\na,7,-3e0\nb,-3,1\n"), (std::vector<double>{7, -3, -3, 1}));
}

TEST(CovarianceFile, RefusesInOneSentence) {
  EXPECT_EQ(covariance_refusal("a,c\n1,2\n3,4\n"),
            "c.csv has no column \"b\", whose covariance is needed; it has \"a\", \"c\"");
  EXPECT_EQ(covariance_refusal("a,b\n1,2\n"), "c.csv must have 2 rows like its columns, but has 1");
  EXPECT_EQ(covariance_refusal("a,b\n1,2\n1,2\n1,2\n"),
            "c.csv must have 2 rows like its columns, but has more");
  EXPECT_EQ(covariance_refusal("a,b\n1,2\n1\n"),
            "c.csv line 3 must have 2 fields like the header, but has 1");
  EXPECT_EQ(covariance_refusal("a,b\n1,x\n1,2\n"),
            "c.csv line 2 must hold a finite number in column \"b\", but it is \"x\"");
  EXPECT_EQ(covariance_refusal("a,b\n1,0\n0,inf\n"),
            "c.csv line 3 must hold a finite number in column \"b\", but it is \"inf\"");
  EXPECT_EQ(covariance_refusal(",a,b\nb,1,0\na,0,1\n"),
            "c.csv line 2 must be labelled \"a\" like the header, but is \"b\"");
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Public records.

namespace {

using testing::ElementsAre;

TEST(ReadPublicRecords, IsStrict) {
  const test::Scratch scratch;
  const Domain domain = parse_domain(
      "columns: {age: {type: integer, min: 0, max: 100, null: 0}, sex: {type: categorical, values: "
      "[f, m], null: f}}",
      "");
  const auto read = [&](const std::string& content) {
    return read_public_digits(scratch.write("ref.csv", content), domain);
  };
  const auto refusal = [&](const std::string& content) {
    return test::refusal(scratch, [&] { (void)read(content); });
  };
  EXPECT_THAT(read("sex,age\nf,3\nm,3\nf,3\n"), ElementsAre(3U, 0U, 3U, 1U, 3U, 0U));
  EXPECT_EQ(
      refusal("sex,age\nf,3\nm,abc\n"),
      "ref.csv line 3 column \"age\" must be an integer from 0 to 100 or null, but is \"abc\"");
  EXPECT_EQ(
      refusal("sex,age\nf,101\n"),
      "ref.csv line 2 column \"age\" must be an integer from 0 to 100 or null, but is \"101\" "
      "(outside: clip is for private values)");
  EXPECT_EQ(refusal("sex,age\nf,1\nsex,age\nf,1\n"),
            "ref.csv line 3 is the header again: keep only the first one, as of files that were "
            "joined");
  EXPECT_EQ(refusal("sex,age\nx,3\n"),
            "ref.csv line 2 column \"sex\" must be one of 2 declared values or null, but is \"x\"");
  EXPECT_EQ(refusal("sex,age\nf\n"), "ref.csv line 2 must have 2 fields like the header, not 1");
}

TEST(ReadPublicRecords, MayBeCounted) {
  const test::Scratch scratch;
  const Domain domain = parse_domain(
      "columns: {age: {type: integer, min: 0, max: 100, null: 0}, sex: {type: boolean, null: "
      "false}}",
      "");
  const auto read = [&](const std::string& content) {
    return read_counted_outcomes(scratch.write("ref.csv", content), domain, "n");
  };
  const auto refusal = [&](const std::string& content) {
    return test::refusal(scratch, [&] { (void)read(content); });
  };
  const Empirical counted =
      read("n,sex,age\n3,true,7\n0,false,8\n1099511627776,false,9\n2,true,7\n");
  EXPECT_THAT(counted.outcomes(), ElementsAre(7U * 2 + 1, 9U * 2));
  EXPECT_THAT(counted.counts(), ElementsAre(5U, std::uint64_t{1} << 40U));
  for (const std::string bad : {"-1", "1.5", "", "many", "1099511627777"}) {
    EXPECT_THAT(refusal("n,sex,age\n3,true,7\n" + bad + ",true,7\n"),
                testing::StartsWith("ref.csv line 3 column \"n\" must be a whole number from 0 to "
                                    "1099511627776"))
        << bad;
  }
  EXPECT_EQ(refusal("n,sex,age\n0,true,7\n"),
            "ref.csv must count at least one record, but all of its counts are 0");
  EXPECT_EQ(refusal("n,sex,age\n1,true,101\n"),
            "ref.csv line 2 column \"age\" must be an integer from 0 to 100 or null, but is "
            "\"101\" (outside: clip is for private values)");
  EXPECT_THAT(refusal("sex,age\ntrue,1\n"), testing::HasSubstr("\"n\""));
}

TEST(SameFileOrContent, SeesLinksAndCopies) {
  const test::Scratch scratch;
  std::string content(100000, 'x');
  const std::string original = scratch.write("a", content);
  const std::string copy = scratch.write("b", content);
  content.back() = 'y';
  const std::string other = scratch.write("c", content);
  const std::string shorter = scratch.write("d", "x");
  std::filesystem::create_symlink("c", scratch.path("e"));
  std::filesystem::create_hard_link(other, scratch.path("f"));
  EXPECT_TRUE(same_file_or_content(original, original));
  EXPECT_TRUE(same_file_or_content(original, copy));
  EXPECT_FALSE(same_file_or_content(original, other));
  EXPECT_FALSE(same_file_or_content(original, shorter));
  EXPECT_TRUE(same_file_or_content(other, scratch.path("e")));
  EXPECT_TRUE(same_file_or_content(other, scratch.path("f")));
  EXPECT_FALSE(same_file_or_content(original, scratch.path("none")));
  EXPECT_FALSE(same_file_or_content(scratch.path("none"), scratch.path("none")));
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Roster.

namespace {

TEST(ReadRoster, KeepsTheFilesOrder) {
  const test::Scratch scratch;
  const Roster units =
      read_roster(scratch.write("r.csv", "name,id\nx,b\ny,\"a,1\"\n\nz,c\n"), "id");
  ASSERT_EQ(units.size(), 3U);
  EXPECT_EQ(units[0], "b");
  EXPECT_EQ(units[1], "a,1");
  EXPECT_EQ(units[2], "c");
}

TEST(ReadRoster, IsStrict) {
  const test::Scratch scratch;
  const auto refusal = [&](const std::string& content) {
    return test::refusal(scratch,
                         [&] { (void)read_roster(scratch.write("r.csv", content), "id"); });
  };
  EXPECT_EQ(refusal("id\n"), "r.csv must list units, but lists none");
  // A roster without a header would lose its first unit.
  for (const auto& [content, columns] :
       {std::pair{"a,b\n1,2\n", "\"a\", \"b\""}, std::pair{"ann\nbob\n", "\"ann\""}}) {
    EXPECT_EQ(refusal(content),
              std::string("r.csv has no column \"id\", which names the units (its first line must "
                          "be a header; --units-column names another column); it has ") +
                  columns);
  }
  EXPECT_EQ(refusal("id,x\n1,2\n,3\n"), "r.csv line 3 must name a unit, but its id is empty");
  EXPECT_EQ(refusal("id\n1\n\n2\n1\n"),
            "r.csv line 5 must name a new unit, but \"1\" is already listed");
  EXPECT_EQ(refusal("id,x\n1\n"), "r.csv line 2 must have 2 fields like the header, but has 1");
  EXPECT_EQ(refusal("id\n\"1\n"), std::string("r.csv line 2 must have ") + CsvReader::kOpenField);
  EXPECT_EQ(refusal("id\n" + std::string(2U << 20U, 'x')),
            "r.csv line 2 must have at most 1048576 bytes, but is longer");
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Noisy counts.

namespace {

constexpr const char* kCounts =
    R"({"tables": [{"columns": ["s"], "counts": [4.5, 5, -1], "variance": 2}]})";

std::string counts_file(const std::string& more = "") {
  return std::string(R"({"measurements": )") + kCounts + more + "}";
}

/// A member "domain" of this domain.
std::string own_domain(const std::string& text) {
  return ", \"domain\": " + nlohmann::json(text).dump();
}

TEST(MeasurementsFile, IsReadWithADomainOrItsOwn) {
  const test::Scratch scratch;
  const Domain domain = parse_domain(kDomain, "domain.yaml");
  const auto read = [&](const std::string& text, const std::optional<Domain>& given) {
    return read_measurements_file(scratch.write("counts.json", text), given);
  };
  for (const MeasurementsFile& file :
       {read(counts_file(), domain), read(counts_file(own_domain(kDomain)), std::nullopt),
        read(counts_file(own_domain(kDomain)), domain)}) {
    EXPECT_EQ(file.domain.hash(), domain.hash());
    ASSERT_EQ(file.measurements.tables.size(), 1U);
    EXPECT_EQ(file.measurements.tables[0].columns, std::vector<std::size_t>{1});
    EXPECT_EQ(file.measurements.tables[0].counts, (std::vector<double>{4.5, 5, -1}));
    EXPECT_EQ(file.measurements.tables[0].variance, 2);
  }
}

TEST(MeasurementsFile, IsRefusedInOneSentence) {
  const test::Scratch scratch;
  const Domain domain = parse_domain(kDomain, "domain.yaml");
  const auto refusal = [&](const std::string& text, const std::optional<Domain>& given) {
    return test::refusal(
        scratch, [&] { (void)read_measurements_file(scratch.write("c.json", text), given); });
  };
  EXPECT_EQ(refusal(counts_file(), std::nullopt),
            "c.json has no domain at /domain: give the domain of its columns");
  EXPECT_EQ(
      refusal(counts_file(own_domain("columns:\n  s: {type: boolean, null: false}\n")), domain),
      "the domain is not the one in c.json: leave it out, or give the same one");
  EXPECT_EQ(refusal(counts_file(", \"domain\": 3"), domain), "c.json must have a text at /domain");
  for (const char* text : {"[]", "3", R"({"tables": []})"}) {
    EXPECT_EQ(refusal(text, domain),
              "c.json has no noisy counts at /measurements: mollify sample --model-out writes them "
              "with a model of method marginals");
  }
  EXPECT_EQ(refusal(R"({"measurements": {"tables": [{"columns": ["t"], "counts": [],
                         "variance": 1}]}})",
                    domain),
            "c.json must name columns of the domain at /measurements/tables/0/columns");
  EXPECT_THAT(refusal(counts_file(", \"format\": \"mollify model 9\""), domain),
              testing::StartsWith("c.json is not a model in the format"));
  EXPECT_THAT(refusal("{", domain), testing::StartsWith("c.json"));
}

}  // namespace

}  // namespace mollify
