// The rows of a private CSV file as points.
#pragma once

#include <utility>

#include "io/csv_source.h"
#include "records/numeric_rows.h"

namespace mollify {

class NumericFile final : public NumericTable {
 public:
  NumericFile(std::string path, const Domain& /*domain*/, const RealColumns& columns)
      : source_(std::move(path)), rows_(source_, columns) {}

  std::size_t dimension() const override { return rows_.dimension(); }
  std::uint64_t record_count() const override { return rows_.record_count(); }
  void visit(const std::function<void(std::span<const double> rows)>& visit) const override {
    rows_.visit(visit);
  }

 private:
  CsvSource source_;
  NumericRows rows_;
};

inline std::vector<double> read_unit_points(const std::string& path, const Domain& /*domain*/,
                                            const RealColumns& columns,
                                            const std::string& unit_column,
                                            const std::optional<StringIndex>& roster,
                                            SecureRandom& random) {
  return read_unit_points(CsvSource(path), columns, unit_column, roster, random);
}

}  // namespace mollify
