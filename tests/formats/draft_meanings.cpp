// Drafts of columns whose values say little by themselves: serial days, numbers of units, codes for "no
// answer", long tails, and fields that other programs write.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/column.h"
#include "formats/csv.h"
#include "formats/draft_domain.h"
#include "formats/drafted.h"
#include "formats/scratch.h"
#include "refusal.h"

namespace mollify {

namespace {

using testing::HasSubstr;

/// The type and, of days, the format of each drafted column: "start date excel".
std::vector<std::string> kinds_of(const DomainDraft& draft) {
  std::vector<std::string> kinds;
  for (const Column& column : draft.domain.columns()) {
    const auto* const moments = std::get_if<DateCells>(&column.cells());
    const auto format = moments == nullptr ? std::nullopt : moments->declared().format;
    kinds.push_back(fmt::format("{} {}{}", column.name(), kind_of(column.cells()).name,
                                format ? " " + *format : std::string()));
  }
  return kinds;
}

/// A row of `fields(i)` for each i.
template <class Fields>
DomainDraft draft_of(const std::string& header, int rows, const Fields& fields) {
  const test::Scratch scratch;
  std::string csv = header + "\n";
  for (int i = 0; i < rows; ++i) csv += fields(i) + "\n";
  return draft_domain(scratch.write("pub.csv", csv));
}

constexpr int kFirstOf2023 = 44927;

TEST(DraftMeanings, TakesNumbersForDaysIfTheirNamesAndOtherDaysSaySo) {
  const auto serial = [](int i) { return kFirstOf2023 + i * 37 % 300; };
  const auto day = [](int i) { return fmt::format("2023-{:02}-{:02}", 1 + i % 10, 1 + i % 28); };
  // Near columns of days, "start" and "until" are days; other numbers are not, however near they are.
  EXPECT_THAT(kinds_of(draft_of(
                  "start,contract_until,level,start_salary,day", 400,
                  [&](int i) { return fmt::format("{0},{0},{0},{0},{1}", serial(i), day(i)); })),
              testing::ElementsAre("start date excel", "contract_until date excel", "level integer",
                                   "start_salary integer", "day date"));
  // Far from the other days, and without any, they are not.
  EXPECT_THAT(
      kinds_of(draft_of("start,day", 400,
                        [&](int i) { return fmt::format("{},{}", serial(i) - 4000, day(i)); })),
      testing::ElementsAre("start integer", "day date"));
  EXPECT_THAT(kinds_of(draft_of("start,x", 400,
                                [&](int i) { return fmt::format("{},{}", serial(i), i % 7); })),
              testing::ElementsAre("start integer", "x integer"));
  // Words that are made of "date" need likely days, and "candidate" is not made of it.
  EXPECT_THAT(
      kinds_of(draft_of("startdate,day,orderdate,candidate", 400,
                        [&](int i) { return fmt::format("{0},{0},{1},{0}", serial(i), i % 50); })),
      testing::ElementsAre("startdate date excel", "day date excel", "orderdate integer",
                           "candidate integer"));
}

TEST(DraftMeanings, LeavesOutNumbersOfUnits) {
  const DomainDraft draft =
      draft_of("individual,respondentNr,family,unit,family_size", 900,
               [](int i) { return fmt::format("{0},{0},{0},{0},{1}", i % 300 + 1, i % 7 + 1); });
  EXPECT_THAT(draft.domain.names(), testing::ElementsAre("family_size"));
}

// The greatest of many numbers decide their mean, and a sample has few of them.
TEST(DraftMeanings, KeepsTheMeanOfALongTailInALargeFile) {
  constexpr std::size_t kRows = 200'003, kApart = 7919;
  std::vector<double> numbers;
  const DomainDraft draft = draft_of("x", kRows, [&](int i) {
    const auto place = static_cast<std::size_t>(i) * kApart % kRows;
    numbers.push_back(
        std::floor(1000 * std::pow((static_cast<double>(place) + 0.5) / kRows, -1 / 1.2)));
    return fmt::format("{:.0f}", numbers.back());
  });
  const Column& column = draft.domain.columns()[0];
  double mean = 0, squares = 0, drawn = 0;
  for (const double number : numbers) mean += number / kRows;
  for (const double number : numbers) squares += (number - mean) * (number - mean) / kRows;
  const auto& cells = std::get<IntegerCells>(column.cells());
  for (const double number : numbers) {
    const std::uint32_t cell = column.encode(Value(number));
    const std::uint64_t last = cells.points(cell) - 1;
    drawn +=
        (static_cast<double>(cells.value(cell, 0)) + static_cast<double>(cells.value(cell, last))) /
        2 / kRows;
  }
  EXPECT_LE(std::fabs(drawn - mean), 0.011 * std::sqrt(squares));
}

TEST(DraftMeanings, TakesARunOfCodesForNoAnswer) {
  const auto codes_of = [](const Column& column) {
    std::vector<std::string> codes;
    for (const MissingCode& one : column.mapping().missing) codes.push_back(one.code);
    return codes;
  };
  const std::vector<std::string> answers = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> values = answers;
    values.insert(values.end(), more.begin(), more.end());
    return test::drafted(values);
  };
  EXPECT_THAT(codes_of(with({"97", "98", "99"})), testing::ElementsAre("97", "98", "99"));
  EXPECT_THAT(codes_of(with({"-99", "-98", "-97"})), testing::ElementsAre("-99", "-98", "-97"));
  EXPECT_THAT(codes_of(with({"998", "999"})), testing::ElementsAre("998", "999"));
  // Without 99 at the end they may be anything, and no gap divides the last of many from the others.
  EXPECT_THAT(codes_of(with({"96", "97"})), testing::IsEmpty());
  std::vector<std::string> scores;
  for (int i = 60; i < 100; ++i) scores.push_back(std::to_string(i));
  EXPECT_THAT(codes_of(test::drafted(scores)), testing::IsEmpty());
}

TEST(DraftMeanings, SaysWhatItCannotKeep) {
  const DomainDraft odd =
      draft_of("x", 3000, [](int i) { return std::to_string(1 + 2 * (i * 7 % 1000)); });
  EXPECT_THAT(odd.seen[0], HasSubstr("; each is a multiple of 2 away from the others, as 1 and 3 "
                                     "are, but released ones may lie between"));
  const DomainDraft codes =
      draft_of("code,x", 4500, [](int i) { return fmt::format("{:05},{}", i % 1500, i % 5); });
  EXPECT_THAT(codes.notes, testing::Contains(HasSubstr(
                               "it has more than 1000 codes (numbers begin with a zero); to keep "
                               "it, group them, as by their first digits")));
}

TEST(DraftMeanings, ReadsLineBreaksWithinQuotes) {
  const test::Scratch scratch;
  const auto draft = [&](const std::string& csv) {
    return draft_domain(scratch.write("pub.csv", csv), {"k", "t"});
  };
  const DomainDraft made = draft("k,t\na,\"one\ntwo, \"\"three\"\"\n\n\"\nb,c\na,d\n");
  EXPECT_EQ(made.domain.columns()[0].canonical_text(), "categorical 1:k 1:a 1:b null 2 outside 2");
  EXPECT_EQ(made.domain.columns()[1].canonical_text(), "categorical 1:t 1:c 1:d null 2 outside 2");
  EXPECT_THAT(made.notes, testing::Contains(HasSubstr("1 record has line breaks within quotes")));
  EXPECT_THAT(
      made.notes,
      testing::Contains(HasSubstr("Column \"t\": line 2 holds a line break or a vertical tab")));
  // The record after it is on the line where it is in the file.
  EXPECT_EQ(test::refusal(scratch, [&] { draft("k,t\na,\"one\ntwo\"\nb\n"); }),
            "pub.csv line 4 must have 2 fields like the header, but has 1");
  EXPECT_THAT(test::refusal(scratch, [&] { draft("k,t\na,b\na,\"one\ntwo\n"); }),
              HasSubstr("pub.csv line 3 must have closed quotes, but a field holds a line break or "
                        "lacks its closing quote"));
}

TEST(DraftMeanings, NamesEncodingsAndJson) {
  const test::Scratch scratch;
  const auto draft = [&](const char* name, const std::string& text) {
    return draft_domain(scratch.write(name, text));
  };
  EXPECT_THAT(draft("latin.csv",
                    "gr\xf6\xdf"
                    "e,x\na,1\nb,2\n")
                  .notes,
              testing::Contains(HasSubstr("convert another encoding first, as by `iconv -f LATIN1 "
                                          "-t UTF-8 FILE`")));
  const CsvReader latin(scratch.path("latin.csv"));
  EXPECT_THAT(
      test::refusal(scratch,
                    [&] {
                      (void)latin.position("size", {"to read", "data"});
                    }),
      HasSubstr("its names are not UTF-8 text: if its encoding is Latin-1, `iconv -f LATIN1 "
                "-t UTF-8 FILE` converts it"));
  for (const auto& [name, text] :
       {std::pair{"rows.json", "{\n  \"a\": [1]\n}\n"}, std::pair{"rows.csv", "{\"a\": 1}\n"},
        std::pair{"rows.txt", "[ {\"a\": 1} ]\n"}, std::pair{"rows.jsonl", "[1, 2]\n"}}) {
    EXPECT_THAT(test::refusal(scratch, [&, n = name, t = text] { draft(n, t); }),
                HasSubstr("must be text, but looks like JSON: read it in Python by "
                          "`pandas.read_json(FILE)`"))
        << name;
  }
  EXPECT_EQ(draft("braces.csv", "{a},b\n1,2\n3,4\n").domain.names().front(), "{a}");
}

}  // namespace

}  // namespace mollify
