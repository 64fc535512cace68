// A release never reveals its data except by its records' values.
#include <functional>

#include <gtest/gtest.h>

#include "command_line.h"
#include "sanitized.h"

namespace mollify::test {
namespace {

/// What must not depend on private values.
struct Visible {
  int status;
  std::string err;
  std::string header;
  std::size_t rows;
  std::set<std::size_t> widths;
  std::vector<std::string> ids;  // with a roster
  std::string certificate;

  bool operator==(const Visible&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Visible& visible) {
  out << "status " << visible.status << ", header " << visible.header << ", " << visible.rows
      << " rows of";
  for (const std::size_t width : visible.widths) out << ' ' << width;
  return out << " fields, stderr: " << visible.err << "certificate: " << visible.certificate;
}

Visible release(const Release& command, const Arguments& options, bool with_ids) {
  const Arguments fixed = {"--count", "2", "--certificate", "certificate.json", "--overwrite"};
  const Ended ended = command.run(kSample + options + fixed);
  Visible visible{ended.status, ended.err, "", 0, {}, {}, command.files.read("certificate.json")};
  std::vector<std::string> lines = lines_of(ended.out);
  if (lines.empty()) return visible;
  visible.header = lines.front();
  visible.rows = lines.size() - 1;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = fields_of(lines[i]);
    visible.widths.insert(fields.size());
    if (with_ids) visible.ids.push_back(fields.front());
  }
  return visible;
}

struct Table {
  const char* name;
  std::string text;
};

std::string with_header(const std::string& records) { return kHeader + records; }

/// Tables of the same three units as the clean one, so that without a roster their number, which
/// is then declared to be unprotected, is the same too.
std::vector<Table> hostile_tables() {
  const std::string nul(1, '\0');
  const std::string ends = "bob,,,,,\ncid,,,,,\n";
  std::string everywhere;
  for (const char* id : {"ann", "bob", "cid"}) {
    for (int byte = 0; byte < 256; ++byte) {
      if (byte == '\n') continue;
      const std::string letter(1, static_cast<char>(byte));
      everywhere += std::string(id) + "," + letter + "," + letter + "," + letter + letter + "\n";
    }
  }
  return {
      {"values outside the domain", with_header("ann,q,-7,,maybe,1e9\nbob,F,100,,TRUE,-1\n"
                                                "cid,female,1e30,,2,39.999\n")},
      {"nulls", with_header("ann,,,,,\nbob,NA,null,,NaN,nan\ncid,,,,,\n")},
      {"wrong types",
       with_header("ann,1,f,,f,true\nbob,2.5,2.5,,0.5,1/2\ncid,true,0x10,,1,12kg\n")},
      {"numbers at the edge of doubles",
       with_header("ann,f,9223372036854775808,,true,1e400\nbob,m,-0,,true,-1e-400\n"
                   "cid,x,1e-400,,false,inf\n")},
      {"short lines", with_header("ann\nbob,m\ncid,x,9\n")},
      {"long lines", with_header("ann,f,20,a,true,55,1,2,3,4,5,6\nbob,,,,,,,,,,,,,,\ncid" +
                                 std::string(5000, ',') + "\n")},
      {"broken UTF-8", with_header("ann,\xff\xfe,\xc3,\xe2\x82,\x80,\xf0\x9f\n" + ends)},
      {"NUL bytes", with_header("ann," + nul + "," + nul + "20," + nul + ",true" + nul + ",5" +
                                nul + "\n" + ends)},
      {"every byte", with_header(everywhere)},
      {"a huge line", with_header("ann," + std::string(3U << 20U, 'f') + ",20,a,true,55\n" + ends)},
      {"a huge number of fields", with_header("ann" + std::string(2U << 20U, ',') + "\n" + ends)},
      {"unclosed quotes", with_header("ann,\"f,20,a,true,55\nbob,m,\"\"\",b,\ncid,x,\"\n")},
      {"quotes in odd places", with_header("ann,f\"m,\"2\"0,a\"\",true,\"55\"x\n\"bob\",m,,,\n"
                                           "cid,\"\",\"\",\"\",\"\",\"\"\n")},
      {"carriage returns",
       "id,sex,age,note,smoker,weight\r\nann,f,20,a,true,55\r\nbob,m,1,b,false,"
       "90\r\r\ncid,\r,\r,\r,\r,\r\r\ncid,x,1,,true,44\r\n"},
      {"no final line feed", with_header("ann,f,20,a,true,55\nbob,m,31,b,false,90\ncid,x,9,d,tr")},
      {"empty lines", with_header("\n\n\nann,f,20,a,true,55\n\r\n\nbob,,,,,\n\ncid,,,,,\n\n\n")},
      {"empty units", with_header("ann,,,,,\n,f,20,a,true,55\nbob,,,,,\n,,,,,\ncid,,,,,\n,\n")},
  };
}

/// Tables whose units are others: for releases whose units do not come from the table.
std::vector<Table> tables_without_the_units() {
  std::string many = kHeader;
  for (int i = 0; i < whole_or_sanitized(1'000'000, 100'000); ++i) many += "\xff,??,\n";
  return {{"only a header", kHeader},
          {"only a header, without a line feed", "id,sex,age,note,smoker,weight"},
          {"other units", with_header("eve,f,20,a,true,55\n\xff\xfe,m,31,b,false,90\n")},
          {"no units", with_header(",f,20,a,true,55\n,m,31,b,false,90\n")},
          {"very many rows of garbage", many}};
}

class Totality : public ::testing::TestWithParam<Arguments> {};

// Under sanitizers each way to release meets every third of many tables, which third its options
// say: all are read by the same reader.
void expect_same(const Release& command, const Arguments& options, bool with_ids, std::size_t rows,
                 const std::vector<Table>& tables) {
  const auto step = tables.size() < 6 ? 1 : whole_or_sanitized<std::size_t>(1, 3);
  std::string words;
  for (const std::string& option : options) words += option;
  command.files.write("data.csv", kClean);
  const Visible clean = release(command, options, with_ids);
  ASSERT_EQ(clean.status, 0) << clean.err;
  ASSERT_EQ(clean.rows, rows);
  ASSERT_EQ(clean.widths.size(), 1U);
  ASSERT_FALSE(clean.certificate.empty());
  const std::set<std::string> names = command.names();
  for (std::size_t i = std::hash<std::string>{}(words) % step; i < tables.size(); i += step) {
    command.files.write("data.csv", tables[i].text);
    EXPECT_EQ(release(command, options, with_ids), clean) << tables[i].name;
    EXPECT_EQ(command.names(), names) << tables[i].name;
  }
}

TEST_P(Totality, OfTheWholeTable) {
  const Release command;
  expect_same(command, kIntegral + GetParam(), false, 2, hostile_tables());
}

TEST_P(Totality, OfUnitsInARoster) {
  const Release command;
  expect_same(command, kRostered + GetParam(), true, 8, hostile_tables());
}

TEST_P(Totality, OfUnitsInTheTable) {
  const Release command;
  expect_same(command, kLocal + GetParam(), false, 6, hostile_tables());
}

INSTANTIATE_TEST_SUITE_P(EveryMechanism, Totality, ::testing::ValuesIn(kMechanisms),
                         [](const auto& tried) {
                           std::string name = tried.param[1];
                           std::erase(name, '-');
                           return name;
                         });

/// Options over other spaces than categories; small ones, for there are many releases.
struct Elsewhere {
  const char* name;
  const char* domain;
  Arguments options;
  friend void PrintTo(const Elsewhere& one, std::ostream* out) { *out << one.name; }
};

const std::vector<Elsewhere> kElsewhere = {
    {"grid", kTwoNumbers, {"--epsilon", "1", "--cells", "400"}},
    {"candidates", kManyNumbers, {"--epsilon", "1", "--candidates", "300"}},
    {"freshCandidates",
     kManyNumbers,
     {"--epsilon", "1", "--candidates", "300", "--fresh", "--c2", "4"}},
    {"nearestCandidates",
     kManyNumbers,
     {"--epsilon", "1", "--candidates", "300", "--score", "empirical", "--band", "location=0.7"}},
    {"histogram", kManyNumbers, {"--epsilon", "1", "--candidates", "300", "--score", "histogram"}},
    {"scoredCategories", kDomain, {"--epsilon", "1", "--score", "kernel", "--band", "relative"}}};

class TotalityElsewhere : public ::testing::TestWithParam<Elsewhere> {
 protected:
  TotalityElsewhere() { command_.files.write("domain.yaml", GetParam().domain); }
  const Release command_;
};

TEST_P(TotalityElsewhere, OfTheWholeTable) {
  expect_same(command_, kIntegral + GetParam().options, false, 2, hostile_tables());
}

TEST_P(TotalityElsewhere, OfUnitsInARoster) {
  expect_same(command_, kRostered + GetParam().options, true, 8, hostile_tables());
}

TEST_P(TotalityElsewhere, OfUnitsInTheTable) {
  expect_same(command_, kLocal + GetParam().options, false, 6, hostile_tables());
}

TEST_P(TotalityElsewhere, OfTablesWithoutAnyOfTheUnits) {
  std::vector<Table> tables = tables_without_the_units();
  tables.pop_back();  // very many rows are for the table below
  expect_same(command_, kRostered + GetParam().options, true, 8, tables);
  expect_same(command_, kIntegral + GetParam().options, false, 2, tables);
}

INSTANTIATE_TEST_SUITE_P(EverySpace, TotalityElsewhere, ::testing::ValuesIn(kElsewhere),
                         [](const auto& tried) { return tried.param.name; });

TEST(Totality, OfAMillionRowsThatAreScored) {
  const Release command;
  command.files.write("domain.yaml", kManyNumbers);
  expect_same(command, kIntegral + kElsewhere[2].options, false, 2,
              {tables_without_the_units().back()});
}

TEST(Totality, OfTablesWithoutAnyOfTheUnits) {
  const Release command;
  expect_same(command, kRostered + kMechanisms.front(), true, 8, tables_without_the_units());
  expect_same(command, kIntegral + kMechanisms.front(), false, 2, tables_without_the_units());
  expect_same(command, kIntegral + kMechanisms.back(), false, 2, tables_without_the_units());
}

/// Central mechanisms that release two of three units' or five rows' records.
const std::vector<Arguments> kCentral = {
    {"--epsilon", "1"},
    {"--epsilon", "1", "--delta", "0.01"},
    {"--epsilon", "1", "--mechanism", "ds-roo"},
    {"--epsilon", "1", "--mechanism", "histogram"},
    {"--epsilon", "1", "--delta", "0.01", "--mechanism", "subset-rr"}};

TEST(Totality, OfUnitsInTheCentralModel) {
  const Release command;
  const Arguments units = {"@central", "--accept-error", "--unit", "id"};
  for (const Arguments& options : kCentral) {
    expect_same(command, units + options, false, 2, hostile_tables());
    std::vector<Table> tables = hostile_tables();
    for (const Table& table : tables_without_the_units()) tables.push_back(table);
    tables.pop_back();  // very many rows are for the test above
    expect_same(command, units + Arguments{"--units", "units.csv"} + options, false, 2, tables);
  }
}

TEST(Totality, OfRowsInTheCentralModel) {
  const Release command;
  // Their number is public, so all tables have the clean one's.
  std::vector<Table> tables;
  for (const Table& table : hostile_tables()) {
    std::vector<std::string> lines = lines_of(table.text);
    lines.resize(6, ",\xff");
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    tables.push_back({table.name, text});
  }
  for (const Arguments& options : kCentral) {
    expect_same(command, Arguments{"@central", "--accept-error"} + options, false, 2, tables);
  }
}

TEST(Totality, OfJson) {
  const Release command;
  const Arguments words =
      kSample + kRostered + kMechanisms.front() + Arguments{"--count", "1", "--json"};
  const auto shape = [&] {
    const Ended ended = command.run(words);
    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(ended.err, "");
    Json json = Json::parse(ended.out);
    json["csv"] = lines_of(json["csv"]).size();
    return json;
  };
  const Json clean = shape();
  for (const Table& table : hostile_tables()) {
    command.files.write("data.csv", table.text);
    EXPECT_EQ(shape(), clean) << table.name;
  }
}

}  // namespace
}  // namespace mollify::test
