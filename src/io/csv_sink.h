// A CSV file, or its text, as a sink of records.
#pragma once

#include <string>
#include <vector>

#include "records/sink.h"

namespace mollify {

/// Appends a table to a text as CSV: a header, then a line for each record, quoted as RFC 4180 says
/// where a field needs it. A null is an empty field, and a line break within a text a vertical tab:
/// a record is one line.
class CsvSink final : public Sink {
 public:
  /// `csv` must outlive the sink.
  explicit CsvSink(std::string& csv) : csv_(csv) {}

  void begin(const Schema& schema) override;
  void write(const Block& block) override;
  void finish() override {}

 private:
  std::string& csv_;
  Schema schema_;
};

}  // namespace mollify
