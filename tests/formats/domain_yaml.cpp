#include "formats/domain_yaml.h"

#include <rapidcheck.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/times.h"
#include "formats/scratch.h"
#include "name_lists.h"
#include "random_domain.h"
#include "refusal.h"

namespace mollify {

namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string refusal(std::string_view yaml) {
  return test::refusal_of([&] { (void)parse_domain(yaml, "d.yaml"); });
}

constexpr std::string_view kExample = R"(# a domain
seed: 7
columns:
  age:     {type: integer, min: 0, max: 110, bins: 11, outside: 40}
  income:
    type: number
    min: 0
    max: 2e5
    bins: 20
    "null": category
    outside: clip
  region:  {type: categorical, values: [north, south], null: south}
  insured: {type: boolean, values: ["no", yes]}
)";

TEST(ParseDomain, ReadsAMapping) {
  const Domain domain = parse_domain(kExample, "d.yaml");
  EXPECT_EQ(domain.canonical_text(),
            "mollify-domain 1 seed 7\n"
            "integer 3:age 0 110 11 null 11 outside 4\n"
            "number 6:income 0x0p+0 0x1.86ap+17 20 null 20\n"
            "categorical 6:region 5:north 5:south null 1 outside 1\n"
            "boolean 7:insured 2:no 3:yes null 2 outside 2\n");
  EXPECT_EQ(domain.size(), 12U * 21 * 2 * 3);
}

TEST(ParseDomain, ReadsAListOfColumns) {
  const Domain domain = parse_domain(
      "columns:\n- name: b\n  type: boolean\n- {type: integer, name: a, min: -1, max: 1}\n",
      "d.yaml");
  EXPECT_EQ(domain.columns()[0].name(), "b");
  EXPECT_EQ(domain.columns()[1].name(), "a");
}

TEST(ParseDomain, KeepsValuesAsTheyAreWritten) {
  const Domain domain = parse_domain(
      "columns: {1: {type: categorical, values: [yes, No, 1, 2.0, 0x1F, true, 2020-01-01, 'null', "
      "\"~\", \"\", .inf]}}",
      "d.yaml");
  EXPECT_EQ(domain.columns()[0].canonical_text(),
            "categorical 1:1 3:yes 2:No 1:1 3:2.0 4:0x1F 4:true 10:2020-01-01 4:null 1:~ 0: "
            "4:.inf null 9 outside 9");
}

// Quoted or not, a word of the format is one, unless the column has it as a value.
TEST(ParseDomain, WordsInQuotesAreWordsWhereNoValueIs) {
  const Domain domain = parse_domain(
      "columns:\n"
      "  a: {type: integer, min: 0, max: 9, null: \"category\", outside: \"clip\"}\n"
      "  b: {type: categorical, values: [x, y], \"null\": 'category'}\n",
      "d.yaml");
  EXPECT_TRUE(domain.columns()[0].mapping().null_is_category);
  EXPECT_FALSE(domain.columns()[0].mapping().outside_value);
  EXPECT_TRUE(domain.columns()[1].mapping().null_is_category);
}

TEST(ParseDomain, OutsideMayBeNullWhereNullIsAValue) {
  for (const char* null : {"null", "~", "\"null\"", "\"\""}) {
    const std::string column =
        std::string("{type: categorical, values: [x, y], null: category, outside: ") + null + "}";
    const Domain domain = parse_domain("columns:\n  a: " + column + "\n", "d.yaml");
    EXPECT_EQ(domain.columns()[0].canonical_text(), "categorical 1:a 1:x 1:y null 2 outside 2");
    EXPECT_EQ(parse_domain(domain_yaml(domain), "again").columns()[0].mapping(),
              domain.columns()[0].mapping());
  }
  const Domain plain = parse_domain(
      "columns: {a: {type: integer, min: 0, max: 9, null: category, outside: null}}", "d.yaml");
  EXPECT_NE(domain_yaml(plain).find("    outside: null\n"), std::string::npos);
  EXPECT_EQ(refusal("columns:\n  a: {type: integer, min: 0, max: 9, null: 0, outside: null}\n"),
            "d.yaml line 2: column \"a\": outside can be null only with null: category, which "
            "makes null a value");
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::filesystem::path repository() {
  return std::filesystem::path(MOLLIFY_SCHEMA).parent_path().parent_path();
}

TEST(ParseDomain, ReadsTheExampleOfTheDocuments) {
  const std::string page = content_of(repository() / "docs/reference/domain.md");
  const std::size_t begin = page.find("```yaml\n") + 8;
  ASSERT_NE(begin, std::string::npos + 8);
  const Domain domain = parse_domain(page.substr(begin, page.find("```", begin) - begin), "page");
  std::set<std::string> types;
  for (const Column& column : domain.columns()) types.emplace(kind_of(column.cells()).name);
  EXPECT_EQ(types.size(), column_kinds().size()) << "every type is shown";
  EXPECT_EQ(domain.columns()[4].size(), 5U);
  EXPECT_EQ(domain.columns()[6].size(), 21U) << "the spike is a cell of its own";
  EXPECT_EQ(domain.columns()[7].size(), 85U) << "seven years of months, and null";
  EXPECT_EQ(parse_domain(domain_yaml(domain), "again").canonical_text(), domain.canonical_text());
}

// Written by it, too: MOLLIFY_WRITE=1 formats_tests --gtest_filter='*TheSchema*'
TEST(ParseDomain, KnowsWhatTheSchemaKnows) {
  const auto path = repository() / "schema/domain.schema.json";
  if (std::getenv("MOLLIFY_WRITE") != nullptr) std::ofstream(path) << domain_schema();
  EXPECT_EQ(content_of(path), domain_schema());
}

TEST(ParseDomain, WordsInQuotesAreValues) {
  const Domain domain = parse_domain(
      "columns: {c: {type: categorical, values: [a, clip, category], null: \"category\", outside: "
      "'clip'}}",
      "d.yaml");
  EXPECT_EQ(domain.columns()[0].canonical_text(),
            "categorical 1:c 1:a 4:clip 8:category null 2 outside 1");
}

TEST(ParseDomain, BinsMayBePrivate) {
  const std::string yaml =
      "columns: {i: {type: integer, min: 0, max: 99999, bins: private}, j: {type: integer, min: 0, "
      "max: 9, bins: private}, x: {type: number, min: 0, max: 1, bins: private, spikes: [0]}}";
  const Domain domain = parse_domain(yaml, "d.yaml");
  const std::uint32_t sizes[] = {57'769, 11, 34'818};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(has_private_bins(domain.columns()[i].cells()));
    EXPECT_EQ(domain.columns()[i].size(), sizes[i]);
  }
  EXPECT_EQ(parse_domain(domain_yaml(domain), "again").canonical_text(), domain.canonical_text());
  EXPECT_EQ(
      refusal("columns: {i: {type: integer, min: 0, max: 9, bins: privat}}"),
      "d.yaml line 1: column \"i\": bins must be private or a whole number, but is \"privat\" "
      "(did you mean \"private\"?)");
}

TEST(ParseDomain, NamesTheLineOfWhatItRefuses) {
  EXPECT_EQ(refusal(""), "d.yaml must declare columns, but is empty");
  EXPECT_EQ(refusal("# nothing\n"), "d.yaml must declare columns, but is empty");
  EXPECT_EQ(refusal("x"),
            "d.yaml line 1 must map `columns` to the domain's columns: a domain is a YAML file, "
            "and mollify domain --public FILE.csv drafts one from public data");
  EXPECT_EQ(refusal("seed: 1\n"), "d.yaml line 1: columns is missing");
  EXPECT_EQ(
      refusal("columns: {a: {type: boolean}}\nepsilon: 1\n"),
      "d.yaml line 2: it must not hold the key \"epsilon\": a domain has columns, rules, seed");
  EXPECT_EQ(refusal("columns: {a: {type: boolean}}\nseed: -1\n"),
            "d.yaml line 2: seed must be an integer from 0 to 2^64 - 1, but is \"-1\"");
  EXPECT_EQ(refusal("columns: age\n"),
            "d.yaml line 1 must map the names of columns to their settings");
  EXPECT_EQ(refusal("columns: {}\n"),
            "d.yaml line 1: a domain must have at least one column, but has none");
  EXPECT_EQ(refusal("columns:\n  age:\n"), "d.yaml line 2 must map column \"age\" to its settings");
  EXPECT_EQ(refusal("columns:\n  age: {min: 1}\n"),
            "d.yaml line 2: column \"age\": type is missing");
  EXPECT_EQ(refusal("columns:\n  age: {type: int}\n"),
            "d.yaml line 2: column \"age\": type must be " + test::column_type_names() +
                ", but is \"int\" (did you mean \"integer\"?)");
  EXPECT_THAT(refusal("columns:\n  age: {type: ordnial}\n"),
              HasSubstr("but is \"ordnial\" (did you mean \"ordinal\"?)"));
  EXPECT_EQ(refusal("columns:\n  age:\n    type: integer\n    min: 0\n"),
            "d.yaml line 2: column \"age\": max is missing");
  EXPECT_EQ(refusal("columns:\n  age:\n    type: integer\n    min: 0\n    maximum: 4\n"),
            "d.yaml line 5: column \"age\": it must not hold the key \"maximum\": type integer has "
            "type, min, max, bins, edges, values, spikes, step, missing, null, outside");
  EXPECT_EQ(refusal("columns:\n  age:\n    type: integer\n    min: 0\n    max: 4.5\n"),
            "d.yaml line 5: column \"age\": max must be an integer of 64 bits, but is \"4.5\"");
  EXPECT_EQ(refusal("columns:\n  age: {type: integer, min: 9, max: 4}\n"),
            "d.yaml line 2: column \"age\": min must be at most max, but they are 9 and 4");
  EXPECT_EQ(refusal("columns:\n  x: {type: number, min: 0, max: .inf, bins: 2}\n"),
            "d.yaml line 2: column \"x\": max must be a finite number, but is \".inf\"");
  EXPECT_EQ(refusal("columns:\n  x: {type: categorical, values: a}\n"),
            "d.yaml line 2: column \"x\": values must be a list, but is not");
  EXPECT_EQ(refusal("columns:\n  x: {type: categorical, values: [a, null]}\n"),
            "d.yaml line 2: column \"x\": an item of values must be a text, but is null (in quotes "
            "it is a word)");
  EXPECT_EQ(refusal("columns:\n  x: {type: categorical, values: [a, [b]]}\n"),
            "d.yaml line 2: column \"x\": an item of values must be one text, but is a list");
  EXPECT_EQ(refusal("columns:\n  x: {type: boolean, values: [a]}\n"),
            "d.yaml line 2: column \"x\": values must be the words for false and for true, but are "
            "1 word");
  EXPECT_EQ(refusal("columns:\n  x: {type: categorical, values: [a], outside: b}\n"),
            "d.yaml line 2: column \"x\": outside must be the declared value \"a\" (or the word "
            "clip), but is \"b\"");
  EXPECT_EQ(refusal("columns:\n  x: {type: integer, min: 0, max: 9, null: none}\n"),
            "d.yaml line 2: column \"x\": null must be an integer from 0 to 9 (or the word "
            "category), but is \"none\"");
  EXPECT_EQ(refusal("columns:\n  x: {type: integer, min: 0, edges: [0, 9]}\n"),
            "d.yaml line 2: column \"x\": min must not be given with edges");
  EXPECT_EQ(refusal("columns:\n  x: {type: number, edges: [0, 9, 9]}\n"),
            "d.yaml line 2: column \"x\": edges must be ascending, but 9 is followed by 9");
  EXPECT_EQ(refusal("columns:\n  x: {type: number, min: 0, max: 9, spikes: [0]}\n"),
            "d.yaml line 2: column \"x\": spikes must be given with bins or edges");
  EXPECT_EQ(refusal("columns:\n  x: {type: number, min: 0, max: 9, bins: 3, spikes: [10]}\n"),
            "d.yaml line 2: column \"x\": spikes must be numbers from 0 to 9, but one is 10");
  EXPECT_EQ(refusal("columns:\n  x: {type: date, min: 2026-01-01, max: 2026-02-01, bins: moon}\n"),
            "d.yaml line 2: column \"x\": bins must be " + all_names<Period>() +
                " or a number, but is \"moon\"");
  EXPECT_EQ(refusal("columns:\n  a: {type: boolean}\n  a: {type: boolean}\n"),
            "d.yaml line 3 must not repeat the column \"a\"");
  EXPECT_EQ(refusal("columns:\n- {name: a, type: boolean}\n- {name: a, type: boolean}\n"),
            "d.yaml line 2: column names must be distinct, but \"a\" is declared twice");
  EXPECT_EQ(refusal("columns:\n- {type: boolean}\n"),
            "d.yaml line 2 must give the column a `name`");
  EXPECT_EQ(refusal("columns:\n  null: {type: boolean}\n"),
            "d.yaml line 2 must have a text as a column's name (in quotes null is one)");
}

TEST(ParseDomain, RefusesWhatADomainNeedsNot) {
  EXPECT_EQ(refusal("columns: &x {a: {type: boolean}}\n"),
            "d.yaml line 1 must not use anchors (&name)");
  EXPECT_THAT(refusal("a: *x\n"),
              StartsWith("d.yaml line 1 must be valid YAML, but here the parser found: "));
  EXPECT_EQ(refusal("a: !!str x\n"), "d.yaml line 1 must not use tags (!name)");
  EXPECT_EQ(refusal("? [a]\n: b\n"), "d.yaml line 1 must have plain text as the keys of a mapping");
  EXPECT_EQ(refusal("columns: {a: {type: boolean}}\n---\nx\n"),
            "d.yaml must hold one YAML document, but holds more");
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "- ";
  EXPECT_EQ(refusal(deep), "d.yaml line 1 must not be nested more than 16 deep");
  EXPECT_THAT(refusal(std::string(100000, '[')), StartsWith("d.yaml line 1 must "));
  EXPECT_THAT(refusal(std::string(100000, '{')), StartsWith("d.yaml line 1 must "));
  EXPECT_EQ(refusal(std::string(5000000, '[')),
            "d.yaml must have at most 4194304 brackets, braces and commas, but has 5000000");
  EXPECT_EQ(refusal("a: [b\nc: d\n"), "d.yaml line 1: the bracket [ is never closed");
  EXPECT_EQ(refusal("a: {b: c}\n# it's {\nd: {e: [f, 'g]'\n"),
            "d.yaml line 3: the bracket [ is never closed");
  EXPECT_EQ(refusal("a: {b: [c], d: \"}\"\n\n\n"), "d.yaml line 1: the brace { is never closed");
  EXPECT_EQ(refusal(std::string("a\0b", 3)),
            "d.yaml must be a YAML file in UTF-8, but holds other bytes");
  EXPECT_EQ(refusal("columns:\n  \"a\\0b\": x\n"),
            "d.yaml line 2 must hold no NUL, but holds \"a\\0b\"");
  EXPECT_EQ(refusal("\xff\xfe"
                    "a"),
            "d.yaml must be a YAML file in UTF-8, but holds other bytes");
  EXPECT_EQ(refusal("\x7f"
                    "ELF\x02\x01"),
            "d.yaml must be a YAML file in UTF-8, but holds other bytes");
}

TEST(ReadDomain, RefusesWhatIsNotAFile) {
  const test::Scratch scratch;
  EXPECT_EQ(test::refusal(scratch, [&] { (void)read_domain(scratch.path("none.yaml")); }),
            "none.yaml cannot be read: there is no such file in ");
  EXPECT_EQ(test::refusal(scratch, [&] { (void)read_domain(scratch.path("")); }),
            " cannot be read: it is a folder");
  scratch.write("large.yaml", std::string((64U << 20U) + 1, ' '));
  EXPECT_EQ(test::refusal(scratch, [&] { (void)read_domain(scratch.path("large.yaml")); }),
            "large.yaml must have at most 67108864 bytes, but is larger");
  scratch.write("good.yaml", "\xef\xbb\xbf" + std::string(kExample));
  EXPECT_EQ(
      test::refusal(scratch,
                    [&] { (void)read_domain(scratch.path("good.yaml") + std::string("\0b", 2)); }),
      "a path must be text without NUL, but is \"good.yaml\\0b\"");
  EXPECT_EQ(read_domain(scratch.path("good.yaml")), parse_domain(kExample, ""));
}

TEST(DomainYaml, IsReadableAndCommented) {
  EXPECT_EQ(domain_yaml(parse_domain(kExample, ""), {"Review this."}),
            R"(# Review this.
seed: 7
columns:
  age:
    type: integer
    min: 0
    max: 110
    bins: 11
    null: category
    outside: 40
  income:
    type: number
    min: 0
    max: 200000
    bins: 20
    null: category
    outside: clip
  region:
    type: categorical
    values: [north, south]
    null: south
  insured:
    type: boolean
    values: [no, yes]
    null: category
)");
}

TEST(DomainYaml, NotesStayInTheirComments) {
  const Domain domain = parse_domain("columns: {a: {type: boolean}}", "");
  EXPECT_EQ(
      domain_yaml(domain, {"from a\nseed: 1", "\xff", "\xc3\xa9"}),
      "# from a?seed: 1\n# ?\n# \xc3\xa9\ncolumns:\n  a:\n    type: boolean\n    null: category\n");
}

RC_GTEST_PROP(DomainYaml, IsReadBackAsItWas, ()) {
  const Domain domain = *test::domain();
  const std::string yaml = domain_yaml(domain, {"a note"});
  const Domain again = parse_domain(yaml, "written.yaml");
  if (!(again == domain)) {
    RC_FAIL(yaml + again.canonical_text() + domain.canonical_text());
  }
  RC_ASSERT(domain_yaml(again, {"a note"}) == yaml);
}

TEST(DomainHash, IsSha256OfTheCanonicalText) {
  const Domain domain = parse_domain("columns: {a: {type: boolean}}", "");
  ASSERT_EQ(domain.canonical_text(),
            "mollify-domain 1 seed 0\nboolean 1:a 5:false 4:true null 2 outside 2\n");
  // printf 'mollify-domain 1 seed 0\nboolean 1:a 5:false 4:true null 2 outside 2\n' | sha256sum
  EXPECT_EQ(domain.hash(), "8375bab189c770d73c2d0f59043ec96f1660f2a56714017e01bea8116c13066b");
}

}  // namespace

}  // namespace mollify
