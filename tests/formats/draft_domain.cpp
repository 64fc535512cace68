#include "formats/draft_domain.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/column.h"
#include "formats/check.h"
#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "formats/drafted.h"
#include "formats/scratch.h"

namespace mollify {

namespace {

using test::drafted;

TEST(DraftDomain, InfersTypes) {
  const test::Scratch scratch;
  const std::string path = scratch.write("pub.csv",
                                         "flag,small,large,num,word,zip,none,odd\n"
                                         "True,3,-1000,0.5,x,01234,,t\n"
                                         "False,1,20,1.25,a,10000,NA,u\n"
                                         "True,5,7,,b,00001,,t\n");
  const DomainDraft draft = draft_domain(path);
  EXPECT_EQ(draft.domain.canonical_text(),
            "mollify-domain 1 seed 0\n"
            "boolean 4:flag 5:false 4:true null 2 outside 2\n"
            "integer 5:small 1 5 5 null 5\n"
            "integer 5:large -1000 20 10 null 10\n"
            "number 3:num 0x1p-1 0x1.4p+0 10 null 10\n"
            "categorical 4:word 1:a 1:b 1:x null 3 outside 3\n"
            "categorical 3:zip verbatim 5:00001 5:01234 5:10000 null 3 outside 3\n"
            "categorical 3:odd 1:t 1:u null 2 outside 2\n");
  ASSERT_EQ(draft.notes.size(), 3U);
  EXPECT_EQ(draft.notes[2], "Column \"none\" is left out: it holds nulls only.");
  EXPECT_THAT(domain_yaml(draft.domain, draft.notes), testing::StartsWith("# Drafted from "));
  // Everything it was drafted from lies in it.
  const CheckCounts counts =
      check_table(path, draft.domain, {}, std::nullopt, [](const Finding&) { ADD_FAILURE(); });
  EXPECT_EQ(counts.records, 3U);
}

TEST(DraftDomain, SelectsColumns) {
  const test::Scratch scratch;
  const DomainDraft draft = draft_domain(scratch.write("pub.csv", "a,b,c\n1,2,3\n"), {"c", "a"});
  EXPECT_EQ(draft.domain.canonical_text(),
            "mollify-domain 1 seed 0\ninteger 1:c 3 3 1 null 1\ninteger 1:a 1 1 1 null 1\n");
}

TEST(DraftDomain, HandlesExtremes) {
  const test::Scratch scratch;
  const auto text = [&](const std::string& content) {
    return draft_domain(scratch.write("pub.csv", content)).domain.columns()[0].canonical_text();
  };
  EXPECT_EQ(text("a\n1.5\n1.5\n"), "categorical 1:a 3:1.5 null 1 outside 1");
  EXPECT_EQ(text("a\n0\n63\n"), "integer 1:a 0 63 64 null 64");
  EXPECT_EQ(text("a\n0\n64\n"), "integer 1:a 0 64 10 null 10");
  EXPECT_EQ(text("a\ninf\n1\n"), "integer 1:a 1 1 1 null 1");
  EXPECT_EQ(text("a\ninf\ninf\n"), "categorical 1:a 3:inf null 1 outside 1");
  EXPECT_EQ(text("a\n-0\n1\n"), "integer 1:a 0 1 2 null 2");
  EXPECT_EQ(text("a\nno\nYES\n"), "boolean 1:a 2:no 3:YES null 2 outside 2");
  EXPECT_EQ(text("a\nno\nno\n"), "categorical 1:a 2:no null 1 outside 1");
}

TEST(DraftDomain, SaysWhichMethodTakesManyColumns) {
  const test::Scratch scratch;
  const auto draft = [&](int columns) {
    std::string header, low, high;
    for (int i = 0; i < columns; ++i) {
      const char* comma = i + 1 < columns ? "," : "\n";
      header += "x" + std::to_string(i) + comma;
      low += std::string("0.5") + comma;
      high += std::string("99.5") + comma;
    }
    return draft_domain(scratch.write("pub.csv", header + low + high));
  };
  EXPECT_EQ(draft(6).domain.size(), 1'771'561U) << "ten cells and null";
  EXPECT_EQ(draft(6).notes.size(), 2U);
  const DomainDraft wide = draft(8);
  EXPECT_FALSE(wide.domain.is_enumerable());
  EXPECT_EQ(wide.domain.columns()[6].canonical_text(), "number 2:x6 0x1p-1 0x1.8ep+6 10 null 10");
  EXPECT_EQ(wide.notes.back(),
            "This domain is for method marginals; methods local and integral choose from public "
            "candidates of it. In method central there can be at most 16777216 possible records, "
            "and here "
            "are 2.14e+08: draft fewer columns for it (--columns).");
}

TEST(DraftDomain, TakesIntegersThatWereWrittenWithAPoint) {
  const test::Scratch scratch;
  const auto text = [&](const std::string& content) {
    return draft_domain(scratch.write("pub.csv", content)).domain.columns()[0].canonical_text();
  };
  EXPECT_EQ(text("a\n3.0\n1.0\n\"\"\n5.0\n"), "integer 1:a 1 5 5 null 5");
  EXPECT_EQ(text("a\n3.0\n-1\n2.00\n"), "integer 1:a -1 3 5 null 5");
  EXPECT_EQ(text("a\n0.0\n1.0\n"), "integer 1:a 0 1 2 null 2");
  EXPECT_EQ(text("a\n3.0\n1.5\n"), "number 1:a 0x1.8p+0 0x1.8p+1 10 null 10");
}

TEST(DraftDomain, CutsNumbersWhereTheyLie) {
  const test::Scratch scratch;
  // Half of the records are 0; the others lie between 1 and 1000, and most of them below 100.
  std::string csv = "cost,visits\n";
  for (int i = 0; i < 2000; ++i) {
    const double share = (i / 2 % 1000 + 0.5) / 1000;
    const double cost = i % 2 == 0 ? 0 : std::pow(1000, share * share);
    csv += fmt::format("{:.2f},{}\n", cost, static_cast<int>(cost));
  }
  const std::string path = scratch.write("pub.csv", csv);
  const DomainDraft draft = draft_domain(path);
  EXPECT_EQ(parse_domain(domain_yaml(draft.domain, draft.notes), "draft"), draft.domain);
  const auto& cost = std::get<NumberCells>(draft.domain.columns()[0].cells());
  EXPECT_EQ(cost.declared().spikes, std::vector<double>{0});
  EXPECT_GE(cost.size(), 10U);
  const auto& visits = std::get<IntegerCells>(draft.domain.columns()[1].cells());
  EXPECT_THAT(visits.declared().spikes, testing::Contains(0));
  EXPECT_EQ(visits.min(), 0);
  // No cell has more than a third of the records that are not 0, or less than one in two hundred.
  CsvReader records(path);
  std::vector<std::vector<int>> counts = {std::vector<int>(cost.size()),
                                          std::vector<int>(visits.size())};
  while (records.next()) {
    for (std::size_t i = 0; i < 2; ++i) {
      ++counts[i][draft.domain.columns()[i].encode(std::string_view(records.fields()[i]))];
    }
  }
  for (const std::vector<int>& of_column : counts) {
    for (const int count : of_column) {
      EXPECT_TRUE(count >= 1000 || (count > 5 && count < 333)) << count << " in a cell";
    }
  }
  // Cells are bounded by numbers of few digits.
  for (const double edge : cost.declared().edges) {
    EXPECT_LE(fmt::format("{}", edge).size(), 7U) << edge;
  }
}

TEST(DraftDomain, ListsFewNumbers) {
  const Column codes = drafted({"200", "301", "404", "500"});
  EXPECT_EQ(std::get<IntegerCells>(codes.cells()).declared().values,
            (std::vector<std::int64_t>{200, 301, 404, 500}));
  const Column prices = drafted({"4.99", "9.99", "14.99", "49.99"});
  EXPECT_EQ(std::get<NumberCells>(prices.cells()).declared().values,
            (std::vector<double>{4.99, 9.99, 14.99, 49.99}));
  const Column halves = drafted({"0.5", "1", "1.5", "2.0"});
  for (std::uint32_t outcome = 0; outcome < halves.size(); ++outcome) {
    EXPECT_EQ(halves.points(outcome), 1U) << "nothing between them";
  }
  EXPECT_EQ(halves.cell_count(), 4U);
}

TEST(DraftDomain, KeepsStepsAndCodes) {
  std::vector<std::string> prices, tens, diseases;
  for (int i = 0; i < 200; ++i) {
    prices.push_back(fmt::format("{:.2f}", i * i / 100.0 + 0.99));
    tens.push_back(std::to_string(10 * i));
    diseases.push_back(fmt::format("{:04}", i % 40));
    diseases.push_back(std::to_string(i % 40 + 400));
  }
  const Column price = drafted(prices);
  EXPECT_EQ(std::get<NumberCells>(price.cells()).declared().step, 0.01);
  for (std::uint32_t outcome = 0; outcome < price.cell_count(); ++outcome) {
    std::string text;
    price.write(outcome, price.points(outcome) / 2, text);
    EXPECT_EQ(text.size() - text.find('.'), 3U) << text;
  }
  EXPECT_EQ(std::get<IntegerCells>(drafted(tens).cells()).declared().step, 10);
  const Column disease = drafted(diseases);
  EXPECT_NE(disease.encode("0012"), disease.encode("12"));
  EXPECT_EQ(disease.encode("12"), disease.size() - 1) << "another code is null";
}

// No cell reaches from a sentinel to the values: nothing is released where nobody is.
TEST(DraftDomain, CutsBesideSentinels) {
  std::vector<std::string> ages, amounts;
  for (int i = 0; i < 400; ++i) {
    ages.push_back(i % 33 == 0 ? "-9" : i % 34 == 0 ? "-8" : std::to_string(18 + i % 77));
    amounts.push_back(i % 33 == 0 ? "99999" : fmt::format("{:.3f}", 7 + (i % 391) * 0.173));
  }
  const Column age = drafted(ages);
  for (std::uint32_t outcome = 0; outcome < age.cell_count(); ++outcome) {
    const auto least = std::get<std::int64_t>(age.value(outcome, 0));
    const auto greatest = std::get<std::int64_t>(age.value(outcome, age.points(outcome) - 1));
    if (least < 18 && age.encode(std::int64_t{18}) == outcome) ADD_FAILURE() << least;
    if (least == -9 || least == -8) {
      EXPECT_EQ(greatest, least);
    }
  }
  const Column amount = drafted(amounts);
  const std::uint32_t last = amount.encode(74.47), sentinel = amount.encode(99999.0);
  EXPECT_EQ(amount.points(sentinel), 1U);
  EXPECT_LT(std::get<double>(amount.value(last, amount.points(last) - 1)), 80);
}

TEST(DraftDomain, KeepsStepsThatAreNoPowersOfTen) {
  std::vector<std::string> halves, twentieths;
  std::string hours = "x\n";
  for (int i = 0; i < 120; ++i) {
    halves.push_back(fmt::format("{}", i / 2.0));
    twentieths.push_back(fmt::format("{:.2f}", i * 0.05));
    hours += fmt::format("2020-06-{:02}T{:02}:00:00\n", 1 + i % 28, i % 24);
  }
  EXPECT_EQ(std::get<NumberCells>(drafted(halves).cells()).declared().step, 0.5);
  EXPECT_EQ(std::get<NumberCells>(drafted(twentieths).cells()).declared().step, 0.05);
  const test::Scratch scratch;
  const DomainDraft draft = draft_domain(scratch.write("pub.csv", hours), {"x"});
  EXPECT_EQ(std::get<DateCells>(draft.domain.columns()[0].cells()).declared().step,
            TimeStep::kHour);
}

TEST(DraftDomain, LeavesOutOneColumnThatNoCellsFit) {
  std::string csv = "a,h\n";
  for (int i = 0; i < 100; ++i) csv += fmt::format("{},{}\n", i % 2, std::pow(10.0, i * 6 - 290));
  const test::Scratch scratch;
  const DomainDraft draft = draft_domain(scratch.write("pub.csv", csv));
  EXPECT_THAT(draft.domain.names(), testing::ElementsAre("a"));
  EXPECT_THAT(draft.notes,
              testing::Contains(testing::HasSubstr("no cells can be made of its values")));
}

TEST(DraftDomain, SortsRangesByTheirNumbers) {
  // Each in the order of its numbers, which is not the order of its letters.
  const std::vector<std::vector<std::string>> all = {
      {"<1", "1-4", "5-9", "10-14", "15-19", "90+"},
      {"under 5", "5 to 9", "10 to 14", "100 or more"},
      {"\"$0-$999\"", "\"$1,000-$9,999\"", "\"$10,000 and over\""},
      {"\"(0,5]\"", "\"(5,10]\"", "\"(10,100]\""},
      {"0-9g/day", "10-19", "20-29", "100+"},
      {"1st-4th", "5th-6th", "10th-12th"},
      {"-5 to -1", "0 to 4", "5 to 10"},
      {"Grade 1", "Grade 2", "Grade 10"},
      {"Age <5", "Age 5-9", "Age 10-14", "Age 90+"},
      {"0%-5%", "5%-10%", "10%-20%"},
      {"<1 year", "1-2 years", "3-5 years", "10+ years"},
      {"1st", "2nd", "3rd", "4th", "10th"},
      {"\"(-Inf,0]\"", "\"(0,5]\"", "\"(5,1e+03]\"", "\"(1e+03,Inf]\""},
      {"1:00-2:00", "2:00-9:30", "9:30-10:00", "10:00-11:00"},
      {"€0", "€1", "€10"},
      {"1 child", "2 childs", "10 childs"},
      {"Covid19 dose 2", "Covid19 dose 10"},
      {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"},
      {"Monday", "Wednesday", "Friday"}};
  for (std::vector<std::string> sorted : all) {
    std::vector<std::string> shuffled(sorted.rbegin(), sorted.rend());
    const Column ages = drafted(shuffled);
    EXPECT_EQ(kind_of(ages.cells()).name, "ordinal") << sorted[0];
    std::vector<std::string> words;
    for (std::uint32_t outcome = 0; outcome + 1 < ages.size(); ++outcome)
      ages.write(outcome, 0, words.emplace_back());
    for (std::string& word : sorted) std::erase(word, '"');
    EXPECT_EQ(words, sorted);
  }
  for (const std::vector<std::string>& words : {std::vector<std::string>{"1-4", "5-9", "mixed"},
                                                {"1 ward 4", "2 ward 3"},
                                                {"9-1", "8-2"}}) {
    EXPECT_EQ(kind_of(drafted(words).cells()).name, "categorical") << words[0];
  }
}

// An output distribution at an epsilon so large that only the cells act.
struct Released {
  double mean = 0;
  double deviation = 0;  // of the public values
  double moved = 0;      // of the mean, in these

  Released(const Column& column, const std::vector<double>& values) {
    double in_cells = 0;
    const auto all = static_cast<double>(values.size());
    for (const double value : values) {
      const std::uint32_t cell = column.encode(value);
      mean += value / all;
      for (const std::uint64_t point : {std::uint64_t{0}, column.points(cell) - 1}) {
        const Value one = column.value(cell, point);
        const auto* integer = std::get_if<std::int64_t>(&one);
        in_cells += (integer ? static_cast<double>(*integer) : std::get<double>(one)) / 2 / all;
      }
    }
    for (const double value : values) deviation += (value - mean) * (value - mean) / all;
    deviation = std::sqrt(deviation);
    moved = std::fabs(in_cells - mean) / deviation;
  }
};

TEST(DraftDomain, KeepsMeansOfEveryForm) {
  std::vector<std::vector<double>> all(7);
  for (int i = 0; i < 400; ++i) {
    const double share = (i * 37 % 400 + 0.5) / 400;
    all[0].push_back(std::round(std::pow(1 - share, -1.5) * 100));  // a long tail
    all[1].push_back(std::round(std::pow(share, 8) * 1e6) / 100);   // most near 0
    all[2].push_back(i == 7 ? 1e6 : std::round(30 + 20 * share));   // one far away
    all[3].push_back(i % 2 == 0 ? 20 + i % 61 : 500 + i % 77);      // two heaps
    if (i < 40) all[4].push_back(std::round(1e4 * share * share));  // few rows
    all[5].push_back(i % 40 * 0.1 + i % 3 * 1e-16 * (i % 40));      // sums with rounding errors
    all[6].push_back(std::pow(10, i % 97 - 70));                    // as constants of physics
  }
  for (const std::vector<double>& values : all) {
    std::vector<std::string> texts;
    for (const double value : values) texts.push_back(fmt::format("{}", value));
    const Released released(drafted(texts), values);
    EXPECT_LE(released.moved, 0.02) << texts[0];
  }
}

TEST(DraftDomain, GivesEveryFrequentValueACell) {
  std::vector<std::string> incomes;
  for (int i = 0; i < 1700; ++i) incomes.push_back(std::to_string(100 + 3 * i));
  incomes.insert(incomes.end(), 160, "-9");
  incomes.insert(incomes.end(), 140, "-8");
  incomes.insert(incomes.end(), 120, "1000");
  const Column income = drafted(incomes);
  for (const std::int64_t frequent : {-9, -8, 1000}) {
    EXPECT_EQ(income.points(income.encode(frequent)), 1U) << frequent;
  }
}

TEST(DraftDomain, GivesTheMostFrequentValueACell) {
  std::vector<std::string> values;
  for (int i = 0; i < 400; ++i)
    values.push_back(i % 25 == 0 ? "1234" : std::to_string(i * i % 3571));
  const Column column = drafted(values);
  EXPECT_EQ(column.points(column.encode(std::int64_t{1234})), 1U);
  EXPECT_GT(column.points(column.encode(std::int64_t{1233})), 1U);
}

TEST(DraftDomain, ReadsThe32BitFloatsOfOtherPrograms) {
  std::vector<std::string> values;
  for (int i = 0; i < 100; ++i)
    values.push_back(fmt::format("{}", static_cast<double>(static_cast<float>(3.2 + 0.1 * i))));
  EXPECT_GT(values[0].size(), 10U);
  const Column column = drafted(values);
  EXPECT_EQ(std::get<NumberCells>(column.cells()).declared().step, 0.1);
}

TEST(DraftDomain, KeepsWholeNumbersThatAreMeasured) {
  const test::Scratch scratch;
  std::string csv = "income,written,row,code,year\n";
  for (int i = 0; i < 300; ++i) {
    const double share = ((i * 37 % 300) + 0.5) / 300;
    const int income = 10'000 + static_cast<int>(20'000 / (1.02 - share));
    csv += fmt::format("{0},{0}.0,{1},{2},{3}\n", income, i * 7 % 300,
                       100'000 + i * 89 % 300 * 2971, 1721 + i);
  }
  const DomainDraft draft = draft_domain(scratch.write("pub.csv", csv));
  EXPECT_THAT(draft.domain.names(), testing::ElementsAre("income", "written", "year"));
  EXPECT_THAT(draft.notes, testing::Contains(testing::HasSubstr(
                               "\"code\" is left out: it may tell who somebody is (nearly every "
                               "value is another, and they are spread as evenly as identifiers)")));
}

TEST(DraftDomain, LeavesOutByNameOnlyWhatTheValuesConfirm) {
  const test::Scratch scratch;
  std::string csv = "births,birthcontrol,phone,color_name,dob,hhid,firm,firm_size,phones,name\n";
  for (int i = 0; i < 600; ++i) {
    csv += fmt::format("{},{},{},{},19{:02}-01-{:02},{},{},{},55{:05},n{}\n", i * i % 977,
                       i % 2 == 0 ? "pill" : "none", i % 2 == 0 ? "yes" : "no",
                       i % 3 == 0 ? "red" : "blue", i % 90, 1 + i % 28, i / 3, i % 200, i * i % 911,
                       i * 7919 % 99991, i % 50);
  }
  const DomainDraft draft = draft_domain(scratch.write("pub.csv", csv));
  EXPECT_THAT(draft.domain.names(),
              testing::ElementsAre("births", "birthcontrol", "phone", "color_name", "firm_size"));
  for (const char* name : {"dob", "hhid", "firm", "phones", "name"}) {
    EXPECT_THAT(draft.notes, testing::Contains(testing::StartsWith(
                                 fmt::format("Column \"{}\" is left out: it may tell", name))));
  }
}

// A bound among numbers that do not come again is a null; among others it is the last word.
TEST(DraftDomain, SaysHowToKeepTopCodes) {
  const test::Scratch scratch;
  std::string csv = "age,income,dose,years\n";
  for (int i = 0; i < 3000; ++i)
    csv += fmt::format("{},{},{},{}\n", i % 20 == 0 ? "90+" : fmt::format("{:.3f}", i / 34.0),
                       i % 33 == 0 ? "250000+" : std::to_string(i * i % 239'977),
                       i % 50 == 0 ? "<0.01" : fmt::format("{:.4f}", 1 + i * 37 % 2999 / 100.0),
                       i % 30 == 0 ? "90+" : std::to_string(i % 90));
  const DomainDraft draft = draft_domain(scratch.write("pub.csv", csv));
  ASSERT_THAT(draft.domain.names(), testing::ElementsAre("age", "income", "dose", "years"));
  const std::vector<std::string> kinds = {"number", "integer", "number", "ordinal"};
  const std::vector<std::string> words = {"90+", "250000+", "<0.01"};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Column& column = draft.domain.columns()[i];
    EXPECT_EQ(kind_of(column.cells()).name, kinds[i]) << column.name();
    if (i == words.size()) break;
    EXPECT_EQ(column.encode(std::string_view(words[i])), column.encode(std::string_view()));
    EXPECT_THAT(draft.seen[i],
                testing::EndsWith(fmt::format(
                    "; \"{}\" becomes null; to keep a bound, write it as a number.", words[i])));
  }
  EXPECT_THAT(draft.notes, testing::Not(testing::Contains(testing::HasSubstr("to keep it"))));
}

TEST(DraftDomain, IsTheSameForEveryContainer) {
  const test::Scratch scratch;
  const auto text = [&](const std::string& content) {
    return draft_domain(scratch.write("pub.csv", content)).domain.canonical_text();
  };
  std::string frame = "flag,one,code,mixed,height\n", csv = frame;
  for (int i = 0; i < 60; ++i) {
    const std::string last = i % 7 == 0 ? "low" : "";
    frame += fmt::format("{},false,{},{},{}\n", i % 2 == 0 ? "true" : "false",
                         i == 9 ? "" : std::to_string(1000 + i), last.empty() ? "1" : last,
                         i == 3 ? "inf" : std::to_string(i * i % 97));
    csv += fmt::format("{},False,{},{},{}\n", i % 2 == 0 ? "True" : "False",
                       i == 9 ? "" : fmt::format("{}.0", 1000 + i), last.empty() ? "1.0" : last,
                       i == 3 ? "inf" : fmt::format("{}.0", i * i % 97));
  }
  EXPECT_EQ(text(csv), text(frame));
  const DomainDraft draft = draft_domain(scratch.write("pub.csv", csv));
  EXPECT_THAT(draft.domain.names(), testing::ElementsAre("flag", "one", "mixed", "height"));
  EXPECT_THAT(draft.notes,
              testing::Contains("Column \"height\": 1 value is infinite, and the nearest cell "
                                "holds it."));
}

TEST(DraftDomain, SaysWhatItSawOfEachColumn) {
  const test::Scratch scratch;
  std::string csv = "sex,grade,cost,code,age,day\n";
  for (int i = 0; i < 120; ++i) {
    csv += fmt::format("{},{},{},0{},{}-{},{}\n", i % 2 == 0 ? "f" : "m", i % 5,
                       i % 9 == 0 ? 0 : i * i * 10, i % 7, i % 3 * 5, i % 3 * 5 + 4,
                       i == 4 ? "" : fmt::format("2026-01-{:02}", 1 + i % 28));
  }
  const DomainDraft draft = draft_domain(scratch.write("pub.csv", csv));
  EXPECT_THAT(
      draft.seen,
      testing::ElementsAre(
          "\"sex\" has 2 different words in 120 rows: a category, because they have no order that "
          "a "
          "draft can see.",
          "\"grade\" has 5 different integers from 0 to 4 in 120 rows: so few that each is a cell.",
          testing::AllOf(testing::StartsWith("\"cost\" has 120 integers from 0 to 141610 in 120 "
                                             "rows: "),
                         testing::HasSubstr("spikes are frequent or far from the others (0)"),
                         testing::EndsWith("; all are multiples of 10.")),
          "\"code\" has 7 different words in 120 rows: verbatim, because numbers begin with a "
          "zero.",
          "\"age\" has 3 different words in 120 rows: an ordinal, because all are ranges of "
          "numbers.",
          "\"day\" has days from 2026-01-01 to 2026-01-28 in 120 rows, some of them null: as many "
          "cells as the time that they span needs (28)."));
  for (const std::string& line : draft.seen)
    EXPECT_THAT(draft.yaml(), testing::HasSubstr("# " + line));
}

TEST(DraftDomain, SaysWhatToDoWithTooManyColumns) {
  const test::Scratch scratch;
  std::string header, row;
  for (int i = 0; i < 401; ++i) {
    header += fmt::format("x{}{}", i, i < 400 ? "," : "\n");
    row += i < 400 ? "1," : "1\n";
  }
  EXPECT_EQ(draft_domain(scratch.write("pub.csv", header + row)).notes.back(),
            "This domain has 401 columns, and method marginals takes at most 400: draft those that "
            "you release together (--columns).");
}

// A cell is written evenly, which moves a mean.
TEST(DraftDomain, KeepsTheMeansOfLongTails) {
  std::vector<std::string> incomes;
  std::vector<double> numbers;
  for (int i = 0; i < 20'000; ++i) {
    const double share = (i + 0.5) / 20'000;
    // Log-normal with deviation 1.5, by the logistic distribution's quantiles.
    numbers.push_back(std::exp(1.5 * std::log(share / (1 - share)) / 1.7));
    incomes.push_back(fmt::format("{:.7f}", numbers.back()));
  }
  const Column income = drafted(incomes);
  const auto& cells = std::get<NumberCells>(income.cells());
  double mean = 0, square = 0, in_cells = 0;
  for (const double number : numbers) {
    const std::uint32_t cell = cells.read(number).cell;
    mean += number / 20'000;
    square += number * number / 20'000;
    in_cells += (cells.value(cell, 0) + cells.value(cell, cells.points(cell) - 1)) / 2 / 20'000;
  }
  const double deviation = std::sqrt(square - mean * mean);
  EXPECT_NEAR(in_cells, mean, 0.02 * deviation) << deviation;
  EXPECT_LE(cells.size(), 24U);
}

TEST(DraftDomain, LeavesOutWhatIsTooWideAndPointsOutWhoSomebodyIs) {
  const test::Scratch scratch;
  std::string csv = "person_id,word,mail,remark,day,amount,city\n";
  for (int i = 0; i < 1500; ++i) {
    const std::string n = std::to_string(i);
    csv += n + ",w" + n + ",a" + n + "@b.c,this is said of " + std::to_string(i % 700) +
           (i % 2 == 0 ? ",2026-01-31," : ",2026-03-01,") + n +
           (i % 4 == 0 ? ".5,Lille\n" : ".5,Ghent on the old river Lys\n");
  }
  const std::string path = scratch.write("pub.csv", csv);
  const DomainDraft draft = draft_domain(path);
  EXPECT_THAT(draft.domain.names(), testing::ElementsAre("day", "amount", "city"));
  EXPECT_EQ(kind_of(draft.domain.columns()[0].cells()).name, "date");
  const auto noted = [&](const std::string& what) {
    return std::count_if(draft.notes.begin(), draft.notes.end(),
                         [&](const std::string& note) { return note.find(what) != note.npos; });
  };
  EXPECT_EQ(noted("Column \"word\" is left out: it has more than 1000 values"), 1);
  EXPECT_EQ(noted("Column \"mail\" is left out"), 1);
  EXPECT_EQ(noted("\"remark\" is left out: it may tell who somebody is (its values look like free "
                  "text); name it in --columns if that is meant."),
            1);
  EXPECT_EQ(noted("\"person_id\" is left out: it may tell who somebody is (nearly every value is"),
            1);
  EXPECT_EQ(noted("\"amount\" "), 0);
  EXPECT_EQ(noted("\"city\" "), 0);
  EXPECT_EQ(noted("\"day\" "), 0);
  // One that is asked for is meant, and pointed out.
  const DomainDraft asked = draft_domain(path, {"remark", "city"});
  EXPECT_THAT(asked.domain.names(), testing::ElementsAre("remark", "city"));
  EXPECT_THAT(asked.notes.back(), testing::HasSubstr("\"remark\" may tell who somebody is: its "
                                                     "values look like free text. Leave it out"));
  EXPECT_THAT(draft_domain(path, {}, {"amount"}).domain.names(),
              testing::ElementsAre("day", "city"));
  EXPECT_EQ(test::refusal(scratch, [&] { (void)draft_domain(path, {}, {"colour"}); }),
            "pub.csv has no column \"colour\", to be left out; it has \"person_id\", \"word\", "
            "\"mail\", \"remark\", "
            "\"day\", \"amount\", \"city\"");
}

TEST(DraftDomain, ProposesDaysForWhatLooksLikeThem) {
  const test::Scratch scratch;
  std::string csv = "ours,theirs,version\n";
  for (int i = 0; i < 200; ++i) {
    const std::string day = std::to_string(10 + i % 19);
    csv += (i == 50 ? std::string("soon") : "2026-01-" + day) + "," + day + "/3/2026,1." +
           std::to_string(i % 2) + "\n";
  }
  const DomainDraft draft = draft_domain(scratch.write("pub.csv", csv));
  EXPECT_THAT(draft.domain.names(), testing::ElementsAre("theirs", "version"));
  EXPECT_EQ(std::get<DateCells>(draft.domain.columns()[0].cells()).declared().format, "%d/%m/%Y");
  ASSERT_EQ(draft.notes.size(), 3U);
  EXPECT_EQ(draft.notes[2],
            "Column \"ours\" is left out: all but 1 value are days; line 52 is \"soon\"; without "
            "them it is {type: date, min: 2026-01-10, max: 2026-01-28, bins: month}.");
}

TEST(DraftDomain, TakesMidnightsForDays) {
  const test::Scratch scratch;
  const DomainDraft draft = draft_domain(
      scratch.write("pub.csv", "day\n2024-01-01T00:00:00\n2024-01-20 00:00:00\n2024-01-09\n"));
  EXPECT_EQ(draft.domain.columns()[0].canonical_text(),
            draft_domain(scratch.write("pub.csv", "day\n2024-01-01\n2024-01-20\n"))
                .domain.columns()[0]
                .canonical_text());
  EXPECT_EQ(kind_of(draft.domain.columns()[0].cells()).name, "date");
}

TEST(DraftDomain, DraftsTimes) {
  const test::Scratch scratch;
  const auto text = [&](const std::string& content) {
    const DomainDraft draft = draft_domain(scratch.write("pub.csv", "t\n" + content));
    EXPECT_EQ(parse_domain(domain_yaml(draft.domain, draft.notes), "draft"), draft.domain);
    const auto& cells = std::get<DateCells>(draft.domain.columns()[0].cells());
    const auto& declared = cells.declared();
    EXPECT_EQ(declared.grain, Grain::kSecond);
    return declared.min + " " + declared.max + " " +
           (declared.period ? std::string(name_of(*declared.period))
                            : std::to_string(declared.bins.value_or(0))) +
           " " + declared.zone.value_or("none");
  };
  EXPECT_EQ(text("2024-01-01T10:30:00\n2025-03-01 09:00:00.5\n2024-06-01\n"),
            "2024-01-01T10:30:00 2025-03-01T09:00:00 month none");
  EXPECT_EQ(text("2024-01-01T10:30:00\n2029-03-01T09:00:00\n"),
            "2024-01-01T10:30:00 2029-03-01T09:00:00 year none");
  EXPECT_EQ(text("2024-01-01T10:30:00\n2024-01-20T09:00:00\n"),
            "2024-01-01T10:30:00 2024-01-20T09:00:00 day none");
  EXPECT_EQ(text("2024-01-01T10:30:00\n2024-01-01T12:00:00\n"),
            "2024-01-01T10:30:00 2024-01-01T12:00:00 10 none");
  EXPECT_EQ(text("2024-01-01T10:30:00\n2024-01-01T10:30:00\n"),
            "2024-01-01T10:30:00 2024-01-01T10:30:00 0 none");
  EXPECT_EQ(text("2024-01-01T00:30:00+01:00\n2024-01-20T09:00:00Z\n"),
            "2024-01-01T00:30:00 2024-01-20T09:00:00 day none")
      << "each time's own clock";
  EXPECT_EQ(text("2024-01-01T00:30:00+01:00\n2024-01-20T09:00:00+01:00\n"),
            "2024-01-01T00:30:00+01:00 2024-01-20T09:00:00+01:00 day +01:00");
  EXPECT_EQ(text("2024-01-01T00:30:00Z\n2024-01-20T09:00:00Z\n"),
            "2024-01-01T00:30:00Z 2024-01-20T09:00:00Z day Z");
}

// Days that are not written as ISO 8601 writes them, in columns of a name.
TEST(DraftDomain, WritesTheFormatOfDays) {
  const test::Scratch scratch;
  const auto drafted = [&](const std::string& name, const std::string& values) {
    const DomainDraft draft = draft_domain(scratch.write("pub.csv", "k," + name + "\n" + values));
    EXPECT_EQ(parse_domain(domain_yaml(draft.domain, draft.notes), "draft"), draft.domain);
    for (const Column& column : draft.domain.columns()) {
      if (column.name() != name) continue;
      const auto* const cells = std::get_if<DateCells>(&column.cells());
      if (cells == nullptr) return std::string(kind_of(column.cells()).name);
      const auto& declared = cells->declared();
      return std::string(cells->kind().name) + " " + declared.min + " " + declared.max + " " +
             std::string(name_of(*declared.period)) + " " + declared.format.value_or("none");
    }
    return draft.notes.back();
  };
  EXPECT_EQ(drafted("d", "1,20230310\n1,20220131\n1,\n"), "date 20220131 20230310 month %Y%m%d");
  EXPECT_EQ(drafted("d", "1,20230310.0\n1,20220131.0\n"), "date 20220131 20230310 month %Y%m%d");
  EXPECT_EQ(drafted("d", "1,10.03.2023\n1,1.4.2023\n"), "date 10.03.2023 01.04.2023 day %d.%m.%Y");
  EXPECT_EQ(drafted("d", "1,03/10/2023\n1,12/24/2023\n"),
            "date 03/10/2023 12/24/2023 month %m/%d/%Y");
  EXPECT_EQ(drafted("d", "1,10-Mar-2023\n1,24-DEC-1999\n"),
            "date 24-Dec-1999 10-Mar-2023 year %d-%b-%Y");
  EXPECT_EQ(drafted("d", "1,2023-03\n1,2023-04\n"), "date 2023-03 2023-04 month %Y-%m");
  std::string months, prices;
  for (int i = 0; i < 30; ++i) {
    months += fmt::format("1,{}{:02}\n", 2015 + i / 12, i % 12 + 1);
    prices += fmt::format("1,{}\n", 201501 + 7 * (i % 10));
  }
  EXPECT_EQ(drafted("d", months), "date 201501 201706 month %Y%m");
  EXPECT_EQ(drafted("d", prices), "integer");
  EXPECT_EQ(drafted("d", "1,201501\n1,201502\n1,201503\n"), "integer") << "which may be a price";
  EXPECT_EQ(drafted("d", "1,10.03.2023 14:05\n1,11.03.2023 02:00\n"),
            "datetime 10.03.2023 14:05 11.03.2023 02:00 day %d.%m.%Y %H:%M");
  EXPECT_EQ(drafted("start_date", "1,44995\n1,44955\n"), "date 44955 44995 day excel");
  EXPECT_EQ(drafted("timestamp", "1,1678406400\n1,1678406500\n"),
            "datetime 1678406400 1678406500 day unix");
  // Any number may be one, and 99 is no month.
  EXPECT_EQ(drafted("price", "1,44995\n1,44955\n"), "integer");
  EXPECT_EQ(drafted("d", "1,20230310\n1,20230310\n"), "integer");
  EXPECT_EQ(drafted("d", "1,20230310\n1,20239931\n"), "integer");
  EXPECT_EQ(drafted("d", "1,03/10/2023\n1,04/11/2023\n"),
            "Column \"d\" is left out: its values look like days, as \"03/10/2023\", but nothing "
            "shows whether the day or the month comes first; declare {type: date, min: "
            "\"03/10/2023\", max: \"04/11/2023\", bins: month, format: \"%d/%m/%Y\"} or {type: "
            "date, min: \"03/10/2023\", max: \"04/11/2023\", bins: month, format: "
            "\"%m/%d/%Y\"}.");
}

TEST(DraftDomain, SaysWhyNoColumnIsLeft) {
  const test::Scratch scratch;
  const auto refused = [&](const std::string& content) {
    return test::refusal(scratch, [&] { (void)draft_domain(scratch.write("pub.csv", content)); });
  };
  EXPECT_EQ(
      refused("t,u\n2024-01-01T10:30:00,\n2024-01-01T10:30:00Z,NA\n"),
      "pub.csv must have a column to draft a domain from, but none is left: \"t\": its values "
      "look like times, as \"2024-01-01T10:30:00\", but some state an offset from UTC and "
      "others do not; written alike they are a datetime; \"u\": it holds nulls only");
  std::string csv = "t\n";
  for (int i = 0; i < 30; ++i) csv += "2024-01-" + std::to_string(10 + i % 19) + "T10:30:00\n";
  EXPECT_THAT(refused(csv + "soon\n"),
              testing::EndsWith("none is left: \"t\": all but 1 value are times; line 32 is "
                                "\"soon\"; without them it is {type: datetime, min: "
                                "2024-01-10T10:30:00, max: 2024-01-28T10:30:00, bins: month}"));
  EXPECT_THAT(refused("a,b,c,d,e,f,g\n,,,,,,\n"),
              testing::EndsWith("\"e\": it holds nulls only; and 2 more"));
}

TEST(DraftDomain, TakesIntegersForIdentifiersOnlyIfNearlyAllDiffer) {
  const test::Scratch scratch;
  std::string csv = "often,rarely,never,person,school\n";
  for (int i = 0; i < 4000; ++i) {
    csv += std::to_string(i * 7 % 1500) + "," + std::to_string(i % 3900) + "," +
           std::to_string(i % 3700) + "," + std::to_string(i % 1500) + "," +
           std::to_string(i % 70) + "\n";
  }
  // 1500, 3900 and 3700 values in 4000 rows, and 1500 and 70 of whom rows belong to.
  const DomainDraft draft = draft_domain(scratch.write("pub.csv", csv));
  EXPECT_THAT(draft.domain.names(), testing::ElementsAre("often", "never", "school"));
  EXPECT_THAT(draft.notes,
              testing::Contains(testing::HasSubstr(
                  "\"person\" is left out: it may tell who somebody is (its name says so)")));
}

TEST(DraftDomain, PointsOutAWordThatKeepsAColumnFromBeingNumbers) {
  const test::Scratch scratch;
  std::string csv = "age,code\n";
  for (int i = 0; i < 90; ++i) {
    const std::string number = std::to_string(i);
    csv += (i % 3 == 2 ? "n/a" : number) + "," + (i % 3 == 2 ? "x" + number : number) + "\n";
  }
  const DomainDraft draft = draft_domain(scratch.write("pub.csv", csv));
  ASSERT_EQ(draft.notes.size(), 4U);
  EXPECT_EQ(draft.notes[2],
            "Column \"age\" is taken for words: all but 30 values are numbers, and these are "
            "\"n/a\", as line 4 is; if nothing is known there, leave such fields empty.");
  EXPECT_THAT(draft.notes[3], testing::HasSubstr("\"code\" is left out: it may tell who"));
}

TEST(DraftDomain, ReadsNumbersAsColumnsDo) {
  const test::Scratch scratch;
  const auto text = [&](const std::string& content) {
    const std::string path = scratch.write("pub.csv", content);
    const DomainDraft draft = draft_domain(path);
    const CheckCounts counts =
        check_table(path, draft.domain, {}, std::nullopt, [](const Finding&) { ADD_FAILURE(); });
    EXPECT_GT(counts.records, 0U);
    return draft.domain.columns()[0].canonical_text();
  };
  EXPECT_EQ(text("a\n\"1,234\"\n\"5,678\"\n999\n"), "integer 1:a 999 5678 10 null 10");
  EXPECT_EQ(text("a\n\"-1,234.5\"\n\"5,678\"\n"), "number 1:a -0x1.34ap+10 0x1.62ep+12 10 null 10");
  EXPECT_EQ(text("a\n12%\n40 %\n"), "integer 1:a 12 40 29 null 29");
  EXPECT_EQ(text("a\n12.5%\n40%\n"), "number 1:a 0x1.9p+3 0x1.4p+5 10 null 10");
  std::string many = "a\n";
  for (int i = 0; i < 1500; ++i) many += fmt::format("\"{},{:03}\"\n", 1 + i % 9, i * 7 % 1000);
  EXPECT_THAT(text(many), testing::StartsWith("integer 1:a "));

  const auto refused = [&](const std::string& content) {
    return test::refusal(scratch, [&] { (void)draft_domain(scratch.write("pub.csv", content)); });
  };
  EXPECT_THAT(refused("a\n\"12,50\"\n\"-2,5\"\n\"1.234,5\"\n13\n"),
              testing::EndsWith("\"a\": its values look like numbers with a decimal comma, as "
                                "\"12,50\"; write a point instead"));
  for (const char* percents : {"a\n50%\n0.5\n", "a\n0.5%\n1%\n"}) {
    EXPECT_THAT(refused(percents), testing::EndsWith("write them without a percent sign"));
  }
}

TEST(DraftDomain, LeavesOutTimesOfDay) {
  const test::Scratch scratch;
  std::string times = "a\n";
  for (int i = 0; i < 1200; ++i) times += fmt::format("{:02}:{:02}:00\n", i % 24, i % 60);
  std::string every = "a\n";
  for (int i = 0; i < 1200; ++i) every += fmt::format("{:02}:{:02}\n", i / 60, i % 60);
  const std::string few = "a\n9:30\n09:07\n";
  for (const std::string& content : {times, every, few}) {
    EXPECT_THAT(
        test::refusal(scratch, [&] { (void)draft_domain(scratch.write("pub.csv", content)); }),
        testing::HasSubstr("which have no type; to keep them, write the day too, as "
                           "2026-01-31T12:34:56"));
  }
  // A few of them are words to choose from, if that is meant.
  EXPECT_EQ(draft_domain(scratch.write("pub.csv", few), {"a"}).domain.columns()[0].size(), 3U);
}

TEST(DraftDomain, LeavesOutIdentifiersThatComeAgain) {
  const test::Scratch scratch;
  std::string csv = "angler,hex,person,family,week,code,town,value\n";
  for (int i = 0; i < 2000; ++i) {
    csv += fmt::format(
        "angler-{:04},a{:x}x{},{},{}son,week {},{}{}.{},{}ham of the north,{}\n", i % 500,
        i % 300 * 40503, i % 7, fmt::format("P{}", i % 200),
        std::string(1 + static_cast<std::size_t>(i % 900) / 26, static_cast<char>('a' + i % 26)),
        i % 52, static_cast<char>('A' + i % 20), i / 20 % 5 + 10, 0,
        std::string(1 + static_cast<std::size_t>(i % 130) / 26, static_cast<char>('a' + i % 26)),
        i % 9);
  }
  const std::string path = scratch.write("pub.csv", csv);
  const DomainDraft draft = draft_domain(path);
  EXPECT_THAT(draft.domain.names(), testing::ElementsAre("week", "code", "town", "value"));
  EXPECT_THAT(draft.notes,
              testing::Contains("Column \"angler\" is left out: it may tell who somebody is (its "
                                "values look like identifiers); name it in --columns if that is "
                                "meant."));
  EXPECT_THAT(draft.yaml(), testing::HasSubstr("null: category\n    outside: null\n"));
  EXPECT_THAT(draft_domain(path, {"angler"}).notes.back(),
              testing::HasSubstr("\"angler\" may tell who somebody is: its values look like "
                                 "identifiers. Leave it out"));
  // An undeclared word is a null, not the first word.
  const Column& week = draft.domain.columns()[0];
  EXPECT_EQ(week.encode(std::string_view("week 99")), week.encode(std::string_view()));
  EXPECT_NE(week.encode(std::string_view("week 99")), week.encode(std::string_view("week 0")));
}

// Codes of groups come again, and so do versions.
TEST(DraftDomain, KeepsCodesThatComeAgain) {
  const test::Scratch scratch;
  std::string csv = "v,plot,disease,flight,version,zip,code\n";
  for (int i = 0; i < 3000; ++i) {
    csv +=
        fmt::format("V{},Plot-{},{}{:02}.{},{}{},1.{}.{},{:05},{:04}\n", i % 75, i % 100,
                    static_cast<char>('A' + i % 16), i % 10, i / 16 % 2, i % 3 == 0 ? "LH" : "BA",
                    100 + i % 150, i % 12, i % 2, i % 20 == 0 ? 1067 + i % 7 : 10115 + i % 300,
                    i % 20 == 0 ? i % 900 : 1000 + i % 700);
  }
  const DomainDraft draft = draft_domain(scratch.write("pub.csv", csv));
  EXPECT_THAT(draft.domain.names(),
              testing::ElementsAre("v", "plot", "disease", "flight", "version", "zip", "code"));
  for (const Column& column : draft.domain.columns()) {
    const bool is_counted = column.name() == "v" || column.name() == "plot";
    EXPECT_EQ(kind_of(column.cells()).name, is_counted ? "ordinal" : "categorical")
        << column.name();
    const bool is_verbatim = column.name() == "zip" || column.name() == "code";
    EXPECT_EQ(column.canonical_text().find(" verbatim ") != std::string::npos, is_verbatim);
  }
  EXPECT_THAT(draft.notes,
              testing::Not(testing::Contains(testing::HasSubstr("leave such fields"))));
}

// A word of a name that is part of another word names no day.
TEST(DraftDomain, TakesNumbersForDaysByWholeWordsOfTheName) {
  const auto kind = [](const std::string& name, std::int64_t first) {
    const test::Scratch scratch;
    std::string csv = "k," + name + "\n";
    for (int i = 0; i < 400; ++i) csv += fmt::format("1,{}\n", first + i * i % 8999);
    const DomainDraft draft = draft_domain(scratch.write("pub.csv", csv), {name});
    return std::string(kind_of(draft.domain.columns()[0].cells()).name);
  };
  constexpr std::int64_t kDays = 35'075, kSeconds = 1'600'000'000;
  for (const char* name : {"candidate_votes", "mandates", "update_count", "validated_cost",
                           "sedated", "date_count", "updateCount", "price", "created"})
    EXPECT_EQ(kind(name, kDays), "integer") << name;
  for (const char* name : {"lifetime_value", "overtime_pay", "downtime_s", "sentiment", "time_s",
                           "time.hours", "created_total", "creation"})
    EXPECT_EQ(kind(name, kSeconds), "integer") << name;
  for (const char* name : {"date", "start_date", "startDate", "order.date", "Datum", "excel day"})
    EXPECT_EQ(kind(name, kDays), "date") << name;
  for (const char* name : {"created", "created_at", "createdAt", "ts", "day", "timestamp", "datum",
                           "dt", "epoch_s", "time"})
    EXPECT_EQ(kind(name, kSeconds), "datetime") << name;
  EXPECT_EQ(kind("created", 400'000'000), "integer") << "before 1990";
}

// Measures may be spread evenly, and identifiers follow each other or fill their digits.
TEST(DraftDomain, TakesEvenMeasuresForNoIdentifiers) {
  const test::Scratch scratch;
  std::string csv = "income,distance,row,tens,account\n";
  for (std::int64_t i = 0; i < 300; ++i)
    csv += fmt::format("{},{},{},{},{}\n", 20'000 + i * 7919 % 70'001, i * 104'729 % 999'983,
                       500 + i * 7 % 300, 1000 + i * 70 % 3000,
                       100'000'000 + i * 7'368'787'817 % 899'999'999);
  EXPECT_THAT(draft_domain(scratch.write("pub.csv", csv)).domain.names(),
              testing::ElementsAre("income", "distance"));
}

TEST(DraftDomain, KeepsAnOrderThatTheTablesTypeLists) {
  const test::Scratch scratch;
  const std::string path = scratch.write("pub.csv",
                                         "severity,grade,age_group,long,broken,surname,none\n"
                                         "mid,5,5-9,a,a,x,\nlow,1,10-14,b,b,y,\n,1,0-4,c,c,z,\n");
  std::vector<std::string> many;
  for (int i = 0; i < 1001; ++i) many.push_back(fmt::format("w{}", i));
  const std::map<std::string, std::vector<std::string>> words{
      {"severity", {"low", "mid", "high"}},
      {"grade", {"5", "3", "1"}},
      {"age_group", {"0-4", "5-9", "10-14"}},
      {"long", many},
      {"broken", {"1", "1.0"}},
      {"surname", {"x", "y", "z"}},
      {"none", {"None", "Some"}}};
  const DomainDraft draft = draft_domain(path, {}, {}, {}, {}, words);
  EXPECT_EQ(draft.domain.canonical_text(),
            "mollify-domain 1 seed 0\n"
            "ordinal 8:severity 3:low 3:mid 4:high null 3 outside 3\n"
            "ordinal 5:grade 1:5 1:3 1:1 null 3 outside 3\n"
            "ordinal 9:age_group 3:0-4 3:5-9 5:10-14 null 3 outside 3\n"
            "ordinal 6:broken verbatim 1:1 3:1.0 null 2 outside 2\n"
            "ordinal 4:none 4:None 4:Some null 2 outside 2\n");
  EXPECT_THAT(draft.notes,
              testing::ElementsAre(
                  testing::_, testing::_,
                  "Column \"long\" is left out: its type lists more than 1000 values.",
                  testing::StartsWith("Column \"surname\" is left out: it may tell who somebody is "
                                      "(its name says so)")));
  EXPECT_EQ(draft_domain(path, {"surname"}, {}, {}, {}, words).domain.columns()[0].size(), 4U);
}

TEST(DraftDomain, SpellsOutWhatBecomesOfAValue) {
  const test::Scratch scratch;
  const DomainDraft draft =
      draft_domain(scratch.write("pub.csv", "sex,age,day\nf,3,2026-01-01\nm,,2026-01-09\n"));
  const std::string yaml = domain_yaml(draft.domain, {}, Defaults::kSpelledOut);
  EXPECT_THAT(yaml, testing::HasSubstr("values: [f, m]\n    null: category\n    outside: null\n"));
  EXPECT_THAT(yaml, testing::HasSubstr("max: 3\n    null: category\n    outside: clip\n"));
  EXPECT_THAT(yaml, testing::HasSubstr("bins: day\n    null: category\n    outside: clip\n"));
  const Domain spelled = parse_domain(yaml, "d.yaml");
  for (const char* text : {"", "x", "m", "99", "2027-01-01"}) {
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(spelled.columns()[i].encode(std::string_view(text)),
                draft.domain.columns()[i].encode(std::string_view(text)));
    }
  }
}

TEST(DraftDomain, RefusesInOneSentence) {
  const test::Scratch scratch;
  const auto refusal = [&](const std::string& content) {
    return test::refusal(scratch, [&] { (void)draft_domain(scratch.write("pub.csv", content)); });
  };
  EXPECT_EQ(refusal("a;b\n1;2\n"),
            "pub.csv must have commas between its fields, but its first line has semicolons and no "
            "comma");
  std::string names = "name\n";
  for (int i = 0; i < 1001; ++i) names += "n" + std::to_string(i) + "\n";
  const std::string nothing = "pub.csv must have a column to draft a domain from, but none is left";
  EXPECT_EQ(refusal(names),
            nothing + ": \"name\": it has more than 1000 values that are not numbers");
  EXPECT_EQ(refusal("a\n"), "pub.csv must have rows to draft a domain from, but has none");
  EXPECT_EQ(refusal("a\nNA\n"), nothing + ": \"a\": it holds nulls only");
  EXPECT_EQ(refusal("a,b\n1\n"), "pub.csv line 2 must have 2 fields like the header, but has 1");
  EXPECT_EQ(refusal("a\n\"1\n"), std::string("pub.csv line 2 must have ") + CsvReader::kOpenField);
  EXPECT_EQ(refusal("a,a\n1,2\n"), nothing + ": \"a\": another column has its name");
}

}  // namespace

}  // namespace mollify
