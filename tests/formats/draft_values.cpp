// Drafts of columns whose values have a meaning of their own: days, codes, words for nulls and names.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/column.h"
#include "formats/draft_domain.h"
#include "formats/drafted.h"
#include "formats/scratch.h"

namespace mollify {

namespace {

using test::drafted;

// -----------------------------------------------------------------------------------------------
// Days and times.

const DateCells::Declaration& declared_moments_of(const Column& column) {
  return std::get<DateCells>(column.cells()).declared();
}

/// 400 days of three years.
std::vector<std::string> days_of_three_years() {
  std::vector<std::string> days;
  for (int i = 0; i < 400; ++i)
    days.push_back(fmt::format("202{}-{:02}-{:02}", i / 134, 1 + i * 11 % 12, 1 + i * 13 % 28));
  return days;
}

TEST(DraftedValues, ListsFewDaysAndTimes) {
  const std::vector<std::string> visits = {"2020-01-31", "2020-06-30", "2023-12-31"};
  const Column days = drafted(visits);
  EXPECT_EQ(declared_moments_of(days).values, visits);
  EXPECT_EQ(kind_of(days.cells()).name, "date");
  std::vector<std::string> firsts;
  for (int month = 1; month <= 12; ++month) firsts.push_back(fmt::format("2023-{:02}-01", month));
  EXPECT_EQ(declared_moments_of(drafted(firsts)).values, firsts);
  const std::vector<std::string> shifts = {"2023-01-01T06:00:00", "2023-01-01T14:00:00",
                                           "2023-01-02T22:00:00"};
  EXPECT_EQ(declared_moments_of(drafted(shifts)).values, shifts);
  EXPECT_EQ(declared_moments_of(drafted({"Jan 2020", "Mar 2021"})).values,
            (std::vector<std::string>{"Jan 2020", "Mar 2021"}));
  // Days without a gap between them are a range.
  const Column week = drafted({"2023-01-01", "2023-01-02", "2023-01-03"});
  EXPECT_TRUE(declared_moments_of(week).values.empty());
  EXPECT_EQ(week.cell_count(), 3U);
  EXPECT_EQ(drafted({"2020-11", "2020-12", "2021-01"}).cell_count(), 3U);
  // Days that come once, among nulls.
  std::string csv = "k,x\n";
  for (int i = 0; i < 60; ++i)
    csv += "1," + (i % 10 == 0 ? fmt::format("2020-{:02}-05", 1 + i / 10 * 2) : "") + "\n";
  const test::Scratch scratch;
  const Domain domain = draft_domain(scratch.write("pub.csv", csv), {"x"}).domain;
  EXPECT_TRUE(declared_moments_of(domain.columns()[0]).values.empty());
}

TEST(DraftedValues, GivesFrequentDaysACell) {
  std::vector<std::string> days = days_of_three_years();
  days.insert(days.end(), 60, "2021-07-15");
  const Column column = drafted(days);
  EXPECT_EQ(declared_moments_of(column).spikes, std::vector<std::string>{"2021-07-15"});
  EXPECT_EQ(column.points(column.encode("2021-07-15")), 1U);
  EXPECT_GT(column.points(column.encode("2021-07-16")), 1U);
  std::vector<std::string> times;
  for (const std::string& day : days) {
    const bool is_frequent = day == "2021-07-15";
    times.push_back(fmt::format("{} {:02}:30:00+01:00", day,
                                is_frequent ? 12 : static_cast<int>(times.size() % 24)));
  }
  EXPECT_EQ(declared_moments_of(drafted(times)).spikes,
            std::vector<std::string>{"2021-07-15T12:30:00+01:00"});
}

TEST(DraftedValues, TakesDaysFarFromTheOthersForCodes) {
  const std::vector<std::string> days = days_of_three_years();
  const auto with = [&](const std::string& code, const std::string& format) {
    std::vector<std::string> all;
    for (const std::string& day : days)
      all.push_back(format == "de" ? day.substr(8) + "." + day.substr(5, 2) + "." + day.substr(0, 4)
                                   : day + format);
    all.insert(all.end(), 20, code);
    return drafted(all);
  };
  for (const auto& [code, format] :
       {std::pair{"9999-12-31", ""}, std::pair{"1900-01-01", ""}, std::pair{"1970-01-01", ""},
        std::pair{"0001-01-01", ""}, std::pair{"9999-12-31T23:59:59", "T10:20:30"},
        std::pair{"31.12.9999", "de"}}) {
    const Column column = with(code, format);
    ASSERT_EQ(column.mapping().missing.size(), 1U) << code;
    EXPECT_EQ(column.mapping().missing[0].code, code);
    EXPECT_EQ(column.cell_count(), 36U) << "months";
    EXPECT_TRUE(column.is_missing_code(column.encode(code)));
  }
  // Real days, though far from the others.
  const Column real = with("1950-06-01", "");
  EXPECT_TRUE(real.mapping().missing.empty());
  EXPECT_EQ(real.points(real.encode("1950-06-01")), 1U);
}

TEST(DraftedValues, TakesMidnightsOfTheirOwnClocksForDays) {
  std::vector<std::string> midnights;
  for (int month = 1; month <= 12; ++month) {
    for (int day = 1; day <= 28; ++day)
      midnights.push_back(fmt::format("2023-{:02}-{:02} 00:00:00+0{}:00", month, day,
                                      month > 3 && month < 11 ? 2 : 1));
  }
  const Column column = drafted(midnights);
  EXPECT_EQ(kind_of(column.cells()).name, "date");
  EXPECT_EQ(column.cell_count(), 12U);
  EXPECT_EQ(column.encode("2023-06-01 00:00:00+02:00"), 5U);
}

TEST(DraftedValues, SortsPeriodsByTime) {
  const std::vector<std::vector<std::string>> all = {{"Q3 2021", "Q4 2021", "Q1 2022", "Q2 2022"},
                                                     {"2021-Q4", "2022-Q1"},
                                                     {"4Q21", "1Q22"},
                                                     {"Dec-22", "Jan-23", "Apr-23", "May-23"},
                                                     {"2022M12", "2023M02", "2023M10"},
                                                     {"2022-W52", "2023-W01"},
                                                     {"January", "March", "April"},
                                                     {"Q1", "Q2", "Q4"}};
  for (const std::vector<std::string>& sorted : all) {
    std::vector<std::string> words;
    const Column column = drafted({sorted.rbegin(), sorted.rend()});
    EXPECT_EQ(kind_of(column.cells()).name, "ordinal") << sorted[0];
    for (std::uint32_t outcome = 0; outcome + 1 < column.size(); ++outcome)
      column.write(outcome, 0, words.emplace_back());
    EXPECT_EQ(words, sorted);
  }
  for (const std::vector<std::string>& words : {std::vector<std::string>{"Q1 2022", "2022"},
                                                {"Q1 2022", "Q2"},
                                                {"Q5 2022", "Q1 2021"},
                                                {"W1-2", "W2-1"},
                                                {"H1 2022", "Q1 2022"},
                                                {"23-Apr", "24-May"}}) {
    EXPECT_EQ(kind_of(drafted(words).cells()).name, "categorical") << words[0];
  }
}

TEST(DraftedValues, ReadsWholeNumbersThatAreDaysWithTheMonthFirst) {
  std::vector<std::string> days;
  for (int i = 0; i < 100; ++i)
    days.push_back(fmt::format("{}{:02}202{}", 1 + i % 12, 1 + i * 7 % 28, i % 3));
  EXPECT_EQ(declared_moments_of(drafted(days)).format, "%m%d%Y");
}

// -----------------------------------------------------------------------------------------------
// Codes.

TEST(DraftedValues, TakesNumbersFarFromTheOthersForCodes) {
  std::vector<std::string> ages, amounts, few, tens;
  for (int i = 0; i < 400; ++i) {
    ages.push_back(i % 20 == 0 ? "999" : std::to_string(i % 96));
    amounts.push_back(i % 20 == 0 ? "-999" : fmt::format("{:.2f}", i * i % 3571 / 100.0));
    few.push_back(i % 20 == 0 ? "-9" : std::to_string(1 + i % 5));
    tens.push_back(i % 20 == 0 ? "-1" : std::to_string(100 + i % 97 * 10));
  }
  const auto codes = [](const Column& column) {
    std::vector<std::string> texts;
    for (const MissingCode& one : column.mapping().missing) texts.push_back(one.code);
    return texts;
  };
  const Column age = drafted(ages), amount = drafted(amounts), answer = drafted(few),
               ten = drafted(tens);
  EXPECT_THAT(codes(age), testing::ElementsAre("999"));
  EXPECT_THAT(codes(amount), testing::ElementsAre("-999"));
  EXPECT_THAT(codes(answer), testing::ElementsAre("-9"));
  EXPECT_THAT(codes(ten), testing::ElementsAre("-1"));
  EXPECT_EQ(std::get<IntegerCells>(age.cells()).max(), 95);
  EXPECT_GE(std::get<NumberCells>(amount.cells()).declared().edges.front(), 0);
  EXPECT_EQ(answer.cell_count(), 5U);
  EXPECT_EQ(std::get<IntegerCells>(ten.cells()).declared().step, 10);
  // A frequent zero below the others is a number, and so is a greatest one without a gap.
  std::vector<std::string> doses, percents, scores;
  for (int i = 0; i < 400; ++i) {
    doses.push_back(i % 3 == 0 ? "0" : std::to_string(40 + i % 61));
    percents.push_back(i % 3 == 0 ? "99" : std::to_string(i % 98));
    scores.push_back(i % 20 == 0 ? "99" : std::to_string(i % 90));
  }
  EXPECT_TRUE(codes(drafted(doses)).empty());
  EXPECT_TRUE(codes(drafted(percents)).empty());
  EXPECT_TRUE(codes(drafted(scores)).empty());
}

TEST(DraftedValues, ListsIntegersWithAGapBetweenThem) {
  const auto values = [](const std::vector<std::string>& texts) {
    return std::get<IntegerCells>(drafted(texts).cells()).declared().values;
  };
  EXPECT_EQ(values({"1", "5"}), (std::vector<std::int64_t>{1, 5}));
  EXPECT_EQ(values({"1", "2", "3", "4", "5", "9"}), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 9}));
  EXPECT_TRUE(values({"0", "1", "2", "3"}).empty());
  // One row of 6 does not show that nobody has 5.
  const test::Scratch scratch;
  std::string csv = "children\n6\n";
  for (int i = 0; i < 100; ++i) csv += fmt::format("{}\n", i % 5);
  const Domain domain = draft_domain(scratch.write("pub.csv", csv)).domain;
  EXPECT_EQ(domain.columns()[0].cell_count(), 7U);
}

TEST(DraftedValues, KeepsCodesThatDifferByZerosAlone) {
  const Column disease = drafted({"250", "250.0", "250.00", "V27", "E849.7"});
  EXPECT_EQ(disease.cell_count(), 5U);
  EXPECT_NE(disease.encode("250"), disease.encode("250.00"));
  // Numbers of a file may be written in several ways; texts of a table in memory may not.
  const std::string csv = "x\n1\n1.0\n2\n1.00\n2\n";
  const test::Scratch scratch;
  EXPECT_EQ(kind_of(draft_domain(scratch.write("pub.csv", csv)).domain.columns()[0].cells()).name,
            "integer");
  const DomainDraft texts = draft_domain("the table", {}, {}, csv);
  EXPECT_EQ(texts.domain.columns()[0].canonical_text(),
            "categorical 1:x verbatim 1:1 3:1.0 4:1.00 1:2 null 4 outside 4");
  EXPECT_THAT(texts.seen[0],
              testing::EndsWith("verbatim, because \"1\" and \"1.0\" differ by zeros alone."));
  EXPECT_EQ(drafted({"low", "1", "2.50"}).canonical_text(),
            "categorical 1:x 1:1 4:2.50 3:low null 3 outside 3");
}

TEST(DraftedValues, KeepsWordsThatLookLikeNulls) {
  const test::Scratch scratch;
  const auto draft = [&](const std::string& values, bool is_in_memory) {
    const std::string csv = "k,x\n" + values;
    return is_in_memory ? draft_domain("the table", {"x"}, {}, csv)
                        : draft_domain(scratch.write("pub.csv", csv), {"x"});
  };
  const auto text = [](const DomainDraft& made) {
    return made.domain.columns()[0].canonical_text();
  };
  const std::string levels = "1,None\n1,Some\n1,Marked\n";
  const std::string with_none = "categorical 1:x 6:Marked 4:None 4:Some null 3 outside 3";
  EXPECT_EQ(text(draft(levels, true)), with_none);
  EXPECT_EQ(text(draft(levels, false)), with_none);
  EXPECT_EQ(text(draft(levels + "1,\n", false)), with_none);
  const std::string regions = "1,NA\n1,EU\n1,None\n";
  EXPECT_EQ(text(draft(regions, false)), "categorical 1:x 2:EU 4:None null 2 outside 2");
  EXPECT_EQ(text(draft(regions + "1,\n", false)),
            "categorical 1:x 2:EU 2:NA 4:None null 3 outside 3");
  EXPECT_THAT(draft(levels, true).seen[0],
              testing::EndsWith("; \"None\" is kept as a word, because the table writes nulls "
                                "otherwise."));
  EXPECT_THAT(draft(levels, false).seen[0],
              testing::EndsWith("; \"None\" is kept as a word; leave it out of values if it means "
                                "null."));
  EXPECT_THAT(
      draft(regions, false).seen[0],
      testing::EndsWith("; \"None\" is kept as a word; leave it out of values if it means "
                        "null; \"NA\" is read as null; list it in values if it is a word."));
  // Not among numbers, days and truths that are seen with one.
  EXPECT_EQ(text(draft("1,3\n1,NA\n1,5\n", true)), "integer 1:x 3 5 3 null 3");
  EXPECT_THAT(text(draft("1,2023-01-01\n1,NA\n", true)), testing::StartsWith("date "));
  EXPECT_EQ(text(draft("1,yes\n1,no\n1,NA\n", false)), "boolean 1:x 2:no 3:yes null 2 outside 2");
  EXPECT_EQ(text(draft("1,yes\n1,no\n1,None\n", false)), "boolean 1:x 2:no 3:yes null 2 outside 2");
  EXPECT_EQ(text(draft("1,3\n1,None\n1,5\n", false)), "integer 1:x 3 5 3 null 3");
}

TEST(DraftedValues, TakesNumbersThatNoTypeHoldsForCodes) {
  const Column keys = drafted({"18446744073709551615", "18446744073709551614", "5"});
  EXPECT_EQ(keys.cell_count(), 3U);
  EXPECT_NE(keys.encode("18446744073709551615"), keys.encode("18446744073709551614"));
  EXPECT_EQ(kind_of(drafted({"100000000000000000000", "5"}).cells()).name, "number");
  const test::Scratch scratch;
  std::string csv = "key,x\n";
  for (int i = 0; i < 100; ++i) csv += fmt::format("184467440737095{:05},{}\n", i * 971, i % 3);
  const DomainDraft draft = draft_domain(scratch.write("pub.csv", csv));
  EXPECT_THAT(draft.domain.names(), testing::ElementsAre("x"));
  EXPECT_THAT(draft.notes, testing::Contains(testing::HasSubstr("as in an identifier")));
}

// -----------------------------------------------------------------------------------------------
// Names.

TEST(DraftedValues, LeavesOutColumnsWithoutANameOfTheirOwn) {
  const test::Scratch scratch;
  const std::string path = scratch.write("pub.csv", ",a,b,a\n1,2,3,4\n5,6,7,8\n");
  const DomainDraft draft = draft_domain(path);
  EXPECT_THAT(draft.domain.names(), testing::ElementsAre("b"));
  EXPECT_THAT(draft.notes,
              testing::IsSupersetOf({"Column \"\" is left out: its name is empty.",
                                     "Column \"a\" is left out: another column has its name."}));
  EXPECT_THAT(draft_domain(path, {}, {"a"}).domain.names(), testing::ElementsAre("b"));
  EXPECT_EQ(test::refusal(scratch, [&] { (void)draft_domain(path, {"a"}); }),
            "pub.csv has more than one column \"a\", to draft from");
}

TEST(DraftedValues, SaysThatNamesLookLikeARecord) {
  const test::Scratch scratch;
  const auto is_noted = [&](const std::string& csv) {
    const auto notes = draft_domain(scratch.write("pub.csv", csv)).notes;
    return std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
      return note.find("The names of the columns look like a record") != note.npos;
    });
  };
  std::string rows, words, years;
  for (int i = 0; i < 60; ++i) {
    rows +=
        fmt::format("{},{},2023-01-{:02}\n", i % 2 == 0 ? "f" : "m", 20 + i * 7 % 50, 1 + i % 28);
    words += fmt::format("{},{}\n", i % 2 == 0 ? "f" : "m", i % 3 == 0 ? "Lille" : "Ghent");
    years += fmt::format("{},{},{}\n", i % 7, i % 5, i % 11);
  }
  EXPECT_TRUE(is_noted("f,31,2023-01-05\n" + rows));
  EXPECT_TRUE(is_noted("f,Ghent\n" + words));
  EXPECT_TRUE(is_noted("f,,2023-01-05\n" + rows)) << "a null";
  EXPECT_TRUE(is_noted("f,70+,2023-01-05\n" + rows));
  std::string towns;
  for (int i = 0; i < 60; ++i)
    towns += fmt::format("{},{},{}\n", i % 2 == 0 ? "f" : "m", 20 + i * 7 % 50,
                         i % 3 == 0 ? "Lille" : "Ghent");
  EXPECT_TRUE(is_noted("f,31,Paris\n" + towns)) << "a town that comes once";
  EXPECT_FALSE(is_noted("f,age,Ghent\n" + towns));
  EXPECT_FALSE(is_noted("f,town\n" + words));
  EXPECT_FALSE(is_noted("sex,age,day\n" + rows));
  EXPECT_FALSE(is_noted("2001,2002,2003\n" + years)) << "names of years";
}

}  // namespace

}  // namespace mollify
