// Drafts of columns whose values lie on grids, have steps of nearly all, or have an order among
// words that have none.
#include "formats/draft_grids.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
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

/// A draft of column x, and its line for people.
struct DraftOfOne {
  Column column;
  std::string seen;

  static DraftOfOne of(const std::vector<std::string>& values) {
    const test::Scratch scratch;
    std::string csv = "x\n";
    for (const std::string& value : values) csv += value + "\n";
    const DomainDraft draft = draft_domain(scratch.write("pub.csv", csv), {"x"});
    return {draft.domain.columns()[0], draft.seen[0]};
  }

  /// Texts that the cells of the values are released as, at an epsilon at which nothing else acts,
  /// with the chance of each.
  [[nodiscard]] std::map<std::string, double> released(
      const std::vector<std::string>& values) const {
    std::map<std::uint32_t, double> held;
    const double each = 1.0 / static_cast<double>(values.size());
    for (const std::string& value : values) held[column.encode(std::string_view(value))] += each;
    std::map<std::string, double> texts;
    for (const auto& [cell, share] : held) {
      const std::uint64_t points = column.points(cell);
      EXPECT_LE(points, 100'000U);
      for (std::uint64_t point = 0; point < points; ++point) {
        std::string text;
        column.write(cell, point, text);
        texts[text] += share / static_cast<double>(points);
      }
    }
    return texts;
  }
};

/// The share of texts that are multiples of the step.
double share_of(const std::map<std::string, double>& texts, double step) {
  double all = 0;
  for (const auto& [text, share] : texts) {
    const double multiple = std::stod(text) / step;
    if (std::fabs(multiple - std::round(multiple)) < 1e-6) all += share;
  }
  return all;
}

std::vector<std::string> words_of(const Column& column) {
  std::vector<std::string> words;
  for (std::uint32_t cell = 0; cell < column.cell_count(); ++cell)
    column.write(cell, 0, words.emplace_back());
  return words;
}

// -----------------------------------------------------------------------------------------------
// Steps of nearly all numbers.

// Few of the numbers are halves, have cents or are between hundreds.
TEST(DraftGrids, KeepsSharesOfWholeNumbers) {
  std::mt19937_64 random(1);
  const auto skewed = [&](int most) {
    const double share = static_cast<double>(random() % 10'000) / 1e4;
    return static_cast<int>(most * share * share);
  };
  struct Case {
    double coarse;
    double most_wrong;
    std::vector<std::string> values{};
  };
  // As many as are not whole, if no domain keeps both.
  std::vector<Case> cases = {{1, 0.0201},   {1, 1e-9},   {1, 0.0201},
                             {100, 0.0201}, {1, 0.0201}, {1, 0.0834}};
  for (int i = 0; i < 3000; ++i) {
    const bool is_rare = i % 50 == 0;
    cases[0].values.push_back(fmt::format("{}", skewed(1000) + (is_rare ? 0.5 : 0)));
    cases[1].values.push_back(fmt::format("{}", skewed(80) + (i % 7 == 0 ? 0.5 : 0)));
    cases[2].values.push_back(fmt::format("{}{}", skewed(5000), is_rare ? ".37" : ""));
    cases[3].values.push_back(fmt::format("{}", 100 * skewed(5000) + (is_rare ? i % 97 : 0)));
    cases[4].values.push_back(is_rare ? "137.2345678" : fmt::format("{}", skewed(1000)));
    cases[5].values.push_back(fmt::format("{}{}", skewed(300), i % 12 == 0 ? ".25" : ""));
  }
  for (const Case& one : cases) {
    std::map<std::string, double> given;
    for (const std::string& value : one.values) given[value] += 1.0 / 3000;
    const DraftOfOne draft = DraftOfOne::of(one.values);
    const auto released = draft.released(one.values);
    EXPECT_NEAR(share_of(released, one.coarse), share_of(given, one.coarse), one.most_wrong)
        << draft.seen;
  }
}

// Hours that are mostly multiples of five, and whole numbers among which is their mean.
TEST(DraftGrids, GivesFewMultiplesACellEach) {
  std::mt19937_64 random(3);
  std::vector<std::string> hours, imputed;
  for (int i = 0; i < 3000; ++i) {
    const auto number = static_cast<int>(random() % 250);
    hours.push_back(std::to_string(i % 7 == 0 ? number : number / 5 * 5));
    imputed.push_back(i % 20 == 0 ? "27.2345678" : std::to_string(number / 5));
  }
  for (const auto& [values, coarser] : {std::pair{&hours, 5.0}, std::pair{&imputed, 1.0}}) {
    std::map<std::string, double> given;
    for (const std::string& value : *values) given[value] += 1.0 / 3000;
    const DraftOfOne draft = DraftOfOne::of(*values);
    const auto released = draft.released(*values);
    EXPECT_NEAR(share_of(released, coarser), share_of(given, coarser), 1e-9) << draft.seen;
    for (const auto& [text, share] : given) {
      if (share < 0.02) continue;
      const std::uint32_t cell = draft.column.encode(std::string_view(text));
      EXPECT_EQ(draft.column.points(cell), 1U) << text;
    }
  }
}

TEST(DraftGrids, SaysHowManyNumbersAreNotOnTheStep) {
  std::vector<std::string> values;
  for (int i = 0; i < 3000; ++i)
    values.push_back(fmt::format("{}{}", i * i % 1999, i % 50 == 0 ? ".5" : ""));
  const DraftOfOne draft = DraftOfOne::of(values);
  EXPECT_EQ(std::get<NumberCells>(draft.column.cells()).declared().step, 1);
  EXPECT_THAT(draft.seen, testing::EndsWith("; most are multiples of 1; 2 % of the values are "
                                            "between two multiples and become the nearer."));
  // Nothing is rounded if chance gives as many multiples, as of few rows, or if they are spikes.
  std::vector<std::string> even, spikes;
  for (int i = 0; i < 25; ++i)
    even.push_back(std::to_string(1000 + i * i * 14 + (i % 5 == 0 ? 1 : 0)));
  EXPECT_FALSE(std::get<IntegerCells>(DraftOfOne::of(even).column.cells()).declared().step);
  for (int i = 0; i < 3000; ++i) spikes.push_back(std::to_string(i % 20 == 0 ? i * 7 % 9973 : 40));
  EXPECT_FALSE(std::get<IntegerCells>(DraftOfOne::of(spikes).column.cells()).declared().step);
  std::vector<std::string> cents;
  for (int i = 0; i < 3000; ++i) cents.push_back(fmt::format("{:.2f}", i * i % 99'991 / 100.0));
  EXPECT_EQ(std::get<NumberCells>(DraftOfOne::of(cents).column.cells()).declared().step, 0.01);
}

// 64-bit copies of 32-bit floats, among which are a few that are not.
TEST(DraftGrids, ReadsThe32BitFloatsOfOtherProgramsAmongOthers) {
  std::vector<std::string> values;
  for (int i = 0; i < 2000; ++i) {
    values.push_back(
        i % 100 == 0
            ? fmt::format("{}", 51.23456789 + i * 1e-7)
            : fmt::format("{}", static_cast<double>(static_cast<float>(10 + i * 37 % 811 * 0.1))));
  }
  const DraftOfOne draft = DraftOfOne::of(values);
  EXPECT_EQ(std::get<NumberCells>(draft.column.cells()).declared().step, 0.1);
  for (const auto& [text, share] : draft.released(values)) EXPECT_LE(text.size(), 4U) << text;
}

// -----------------------------------------------------------------------------------------------
// Grids.

TEST(DraftGrids, ListsNumbersBesideMultiples) {
  for (const auto& [step, offset, count] :
       {std::tuple{2.0, 1.0, 60}, std::tuple{1.0, 0.5, 50}, std::tuple{1.0, 0.99, 150},
        std::tuple{10.0, 5.0, 40}, std::tuple{0.5, 0.25, 100}}) {
    std::vector<std::string> values;
    for (int i = 0; i < 10 * count; ++i)
      values.push_back(fmt::format("{}", offset + step * (i * 7 % count)));
    const DraftOfOne draft = DraftOfOne::of(values);
    const auto released = draft.released(values);
    EXPECT_EQ(released.size(), static_cast<std::size_t>(count)) << draft.seen;
    EXPECT_THAT(draft.seen, testing::HasSubstr("listed because nothing between them is one"));
    // All of the grid, and not only what happened to be seen.
    std::erase(values, values[3]);
    EXPECT_EQ(DraftOfOne::of(values).column.cell_count(), static_cast<std::uint32_t>(count));
  }
  // Chance: two in four have one distance.
  std::vector<std::string> few;
  for (int i = 0; i < 200; ++i) few.push_back(std::to_string(101 + i * i % 7 * 40));
  EXPECT_LE(DraftOfOne::of(few).column.cell_count(), 5U);
}

std::string day_text(int day) {
  const std::chrono::year_month_day date = std::chrono::sys_days(std::chrono::days(day));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string last_of_month(int month) {
  const auto date = std::chrono::year(2010 + month / 12) /
                    std::chrono::month(static_cast<unsigned>(1 + month % 12)) / std::chrono::last;
  return fmt::format("{:04}-{:02}-{:02}", 2010 + month / 12, 1 + month % 12,
                     static_cast<unsigned>(date.day()));
}

TEST(DraftGrids, KeepsDaysOnTheirGrid) {
  std::map<std::string, std::vector<std::string>> all;
  for (int i = 0; i < 1200; ++i) {
    const int month = i * 7 % 120;
    all["firsts"].push_back(fmt::format("{}-{:02}-01", 2010 + month / 12, 1 + month % 12));
    all["german"].push_back(fmt::format("15.{:02}.{}", 1 + month % 12, 2010 + month / 12));
    all["quarters"].push_back(last_of_month(2 + 3 * (i % 40)));
    all["ends"].push_back(last_of_month(month));
    all["mondays"].push_back(day_text(17'532 + 7 * (i * 11 % 150)));
    all["noons"].push_back(day_text(17'532 + i * 11 % 200) + "T12:00:00");
    all["noons_of_mondays"].push_back(day_text(17'532 + 7 * (i * 11 % 90)) + "T12:30:00+01:00");
    all["shifts"].push_back(
        fmt::format("{}T{:02}:00:00", day_text(17'532 + i % 30), 6 + i % 2 * 8));
    all["elections"].push_back(day_text(15'000 + i % 40 * (i % 40) * 3));
  }
  for (const auto& [name, values] : all) {
    const DraftOfOne draft = DraftOfOne::of(values);
    const std::set<std::string> given(values.begin(), values.end());
    EXPECT_GT(given.size(), 20U);
    for (const auto& [text, share] : draft.released(values))
      EXPECT_TRUE(given.contains(text)) << name << " " << text << " " << draft.seen;
  }
  // A series has each of them once.
  std::vector<std::string> series;
  for (int i = 0; i < 120; ++i) series.push_back(last_of_month(i));
  EXPECT_EQ(DraftOfOne::of(series).column.cell_count(), 120U);
  // Days without a grid, and months that are all there can be.
  std::vector<std::string> days, months;
  for (int i = 0; i < 900; ++i) {
    days.push_back(day_text(17'532 + i * i % 1009));
    months.push_back(fmt::format("{}-{:02}", 2010 + i % 10, 1 + i % 12));
  }
  EXPECT_EQ(DraftOfOne::of(days).column.cell_count(), 34U);
  EXPECT_EQ(DraftOfOne::of(months).column.cell_count(), 10U);
}

TEST(DraftGrids, TakesInfinitiesForDays) {
  std::vector<std::string> values;
  for (int i = 0; i < 400; ++i)
    values.push_back(i % 40 == 0 ? (i % 80 == 0 ? "infinity" : "-infinity")
                                 : day_text(17'532 + i * 11 % 300));
  const test::Scratch scratch;
  std::string csv = "x\n";
  for (const std::string& value : values) csv += value + "\n";
  const DomainDraft draft = draft_domain(scratch.write("pub.csv", csv));
  const Column& column = draft.domain.columns()[0];
  EXPECT_EQ(kind_of(column.cells()).name, "date");
  EXPECT_EQ(column.encode(std::string_view("infinity")), column.cell_count() - 1);
  EXPECT_EQ(column.encode(std::string_view("-infinity")), 0U);
  EXPECT_THAT(draft.notes, testing::Contains("Column \"x\": 10 values are infinite, and the "
                                             "nearest cell holds it."));
  std::vector<std::string> german = {"infinity", "31.12.2020"};
  for (int i = 0; i < 60; ++i)
    german.push_back(fmt::format("{:02}.{:02}.2020", 1 + i % 28, 1 + i / 6));
  const DraftOfOne written = DraftOfOne::of(german);
  EXPECT_EQ(std::get<DateCells>(written.column.cells()).declared().format, "%d.%m.%Y");
  EXPECT_EQ(written.column.encode(std::string_view("infinity")),
            written.column.encode(std::string_view("31.12.2020")));
}

TEST(DraftGrids, ReadsMonthsOfSlashes) {
  std::vector<std::string> values;
  for (int i = 0; i < 200; ++i) values.push_back(fmt::format("{:02}/{}", 1 + i % 12, 2010 + i % 7));
  const DraftOfOne draft = DraftOfOne::of(values);
  EXPECT_EQ(std::get<DateCells>(draft.column.cells()).declared().format, "%m/%Y");
}

// Whole numbers whose last digits are quarters, minutes, days or weeks: no other last digits.
TEST(DraftGrids, ReleasesNoLastDigitsThatAreImpossible) {
  std::map<std::string, std::vector<std::string>> all;
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  std::mt19937_64 random(2);
  const auto any = [&](int most) {
    return static_cast<int>(random() % static_cast<unsigned>(most));
  };
  for (int i = 0; i < 3000; ++i) {
    const int month = any(12);
    all["quarters"].push_back(std::to_string(19981 + 10 * any(25) + any(4)));
    all["minutes"].push_back(std::to_string(any(24) * 100 + any(60)));
    all["fives"].push_back(std::to_string(any(24) * 100 + any(12) * 5));
    all["days"].push_back(
        std::to_string((month + 1) * 100 + 1 + any(kDays[static_cast<std::size_t>(month)])));
    all["weeks"].push_back(std::to_string((2005 + any(15)) * 100 + 1 + any(52)));
    all["days_of_year"].push_back(std::to_string((2005 + any(15)) * 1000 + 1 + any(365)));
  }
  using Digits = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  const std::map<std::string, Digits> all_digits = {
      {"quarters", {10, 1, 4}}, {"minutes", {100, 0, 59}}, {"fives", {100, 0, 55}},
      {"days", {100, 1, 31}},   {"weeks", {100, 1, 52}},   {"days_of_year", {1000, 1, 365}}};
  for (const auto& [name, values] : all) {
    const DraftOfOne draft = DraftOfOne::of(values);
    const auto& [modulus, least, greatest] = all_digits.at(name);
    EXPECT_THAT(draft.seen, testing::HasSubstr("; their last ")) << name;
    for (const auto& [text, share] : draft.released(values)) {
      EXPECT_LE(std::stol(text) % modulus, greatest) << name << " " << text;
      EXPECT_GE(std::stol(text) % modulus, least) << name << " " << text;
      EXPECT_FALSE(name == "days" && text == "231");
    }
  }
  // Numbers of all last digits.
  std::vector<std::string> others;
  for (int i = 0; i < 3000; ++i) others.push_back(std::to_string(i * 7 % 2400));
  EXPECT_THAT(DraftOfOne::of(others).seen, testing::Not(testing::HasSubstr("last")));
}

// Codes that come in one of a hundred rows.
TEST(DraftGrids, GivesRareCodesACell) {
  std::vector<std::string> ages, amounts;
  for (int i = 0; i < 3000; ++i) {
    const int rare = i % 100;
    ages.push_back(std::to_string(rare < 3 ? 97 + rare : 1 + i % 90));
    amounts.push_back(std::to_string(rare < 3 ? 777 + 111 * rare : i * 7 % 1000));
  }
  const DraftOfOne age = DraftOfOne::of(ages), amount = DraftOfOne::of(amounts);
  for (const std::int64_t code : {97, 98, 99})
    EXPECT_EQ(age.column.points(age.column.encode(code)), 1U) << code;
  for (const std::int64_t code : {777, 888, 999})
    EXPECT_EQ(amount.column.points(amount.column.encode(code)), 1U) << code;
}

// -----------------------------------------------------------------------------------------------
// Words.

TEST(DraftGrids, KeepsTheOrderBesideWordsForUnknown) {
  const std::vector<std::vector<std::string>> all = {
      {"0-4", "5-9", "10-14", "Unknown"},
      {"<5", "5-9", "10-14", "20+", "Prefer not to say"},
      {"<5", "5", "6", "11", "20+"},
      {"0", "9", "10", "90+", "Refused"},
      {"5", "9", "10", "Not stated", "Unknown"},
      {"none", "1-4", "5-9", "10+"},
      {"Never", "1 to 2", "3 to 9"},
      {"FY1999", "FY2000", "FY2001"},
      {"FY98", "FY99", "FY00", "unknown"},
      {"1999/00", "2000/01", "2015/16"},
      {"9-Aug-20", "31-Aug-20", "1-Feb-21", "31-Aug-21"},
      {"2020-Q4", "2021-Q1", "?"}};
  for (const std::vector<std::string>& sorted : all) {
    std::vector<std::string> values;
    for (int i = 0; i < 5; ++i) values.insert(values.end(), sorted.rbegin(), sorted.rend());
    const DraftOfOne draft = DraftOfOne::of(values);
    EXPECT_EQ(kind_of(draft.column.cells()).name, "ordinal") << sorted[0];
    EXPECT_EQ(words_of(draft.column), sorted) << draft.seen;
  }
  EXPECT_THAT(DraftOfOne::of({"0-4", "5-9", "Unknown", "0-4"}).seen,
              testing::EndsWith("an ordinal, because all but \"Unknown\" are ranges of numbers."));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"1-4", "5-9", "mixed"}, {"red", "Unknown"}, {"5", "10", "low"}}) {
    EXPECT_EQ(kind_of(DraftOfOne::of(words).column.cells()).name, "categorical") << words[0];
  }
}

// In an ordinal of many numbers each would have few rows, and days make no ordinal.
TEST(DraftGrids, TakesWordsForUnknownAmongManyNumbersAndDaysForNulls) {
  std::vector<std::string> ages, days, mixed;
  for (int i = 0; i < 800; ++i) {
    const std::string word = i % 80 == 0 ? "Refused" : i % 40 == 0 ? "Unknown" : "";
    ages.push_back(word.empty() ? std::to_string(i * 7 % 99) : word);
    days.push_back(word.empty() ? day_text(17'532 + i * i % 1009) : word);
    mixed.push_back(word.empty() ? std::to_string(i * 7 % 99) : i % 80 == 0 ? "low" : word);
  }
  for (const auto& [values, kind] : {std::pair{&ages, "integer"}, std::pair{&days, "date"}}) {
    const DraftOfOne draft = DraftOfOne::of(*values);
    EXPECT_EQ(kind_of(draft.column.cells()).name, kind);
    EXPECT_EQ(draft.column.encode(std::string_view("Unknown")), draft.column.size() - 1);
    EXPECT_THAT(draft.seen, testing::EndsWith("; \"Refused\", \"Unknown\" become null."));
  }
  EXPECT_EQ(kind_of(DraftOfOne::of(mixed).column.cells()).name, "categorical");
}

TEST(DraftGrids, TakesHundredsOfWeeksForNoIdentifiers) {
  const test::Scratch scratch;
  std::string csv = "week,day\n";
  for (int i = 0; i < 900; ++i)
    csv += fmt::format("{}-W{:02},{}-{}-{:02}\n", 2005 + i % 15, 1 + i * 7 % 52, 1 + i % 28,
                       i % 2 == 0 ? "Jan" : "Feb", i % 9);
  const DomainDraft draft = draft_domain(scratch.write("pub.csv", csv));
  EXPECT_THAT(draft.domain.names(), testing::ElementsAre("week", "day"));
  for (const Column& column : draft.domain.columns())
    EXPECT_EQ(kind_of(column.cells()).name, "ordinal");
}

TEST(DraftGrids, KeepsWordsThatWriteOneNumber) {
  const DraftOfOne draft = DraftOfOne::of({"0x1", "1e5", "1E5", "0x1"});
  EXPECT_EQ(draft.column.cell_count(), 3U);
  EXPECT_THAT(draft.seen,
              testing::EndsWith("verbatim, because \"1e5\" and \"1E5\" write one number."));
}

}  // namespace

}  // namespace mollify
