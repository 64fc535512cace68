#include "io/csv_writer.h"

#include <rapidcheck.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "io/csv_reader.h"
#include "io/scratch.h"

namespace mollify {
namespace {

std::string written(const std::vector<std::string>& fields) {
  std::string csv;
  append_csv_record(fields, csv);
  return csv;
}

TEST(AppendCsvRecord, QuotesWhereNeeded) {
  EXPECT_EQ(written({"a", "", "b c"}), "a,,b c\n");
  EXPECT_EQ(written({"a,b", "say \"x\"", " pad", "l\nm"}),
            "\"a,b\",\"say \"\"x\"\"\",\" pad\",\"l\nm\"\n");
  EXPECT_EQ(written({""}), "\"\"\n");
  EXPECT_EQ(written({"", ""}), ",\n");
  EXPECT_EQ(written({"\xef\xbb\xbf"
                     "a"}),
            "\"\xef\xbb\xbf"
            "a\"\n");
}

RC_GTEST_PROP(AppendCsvRecord, IsReadBackAsItWas, (std::vector<std::string> fields)) {
  RC_PRE(!fields.empty());
  for (std::string& field : fields) std::erase(field, '\n');
  const test::Scratch scratch;
  // Both as a header, where a byte order mark could hide, and as a record.
  CsvReader csv(scratch.write("file.csv", written(fields) + written(fields)));
  RC_ASSERT(csv.header() == fields);
  RC_ASSERT(csv.next());
  RC_ASSERT(std::vector<std::string>(csv.fields().begin(), csv.fields().end()) == fields);
  RC_ASSERT(csv.well_quoted());
  RC_ASSERT(!csv.next());
}

}  // namespace
}  // namespace mollify
