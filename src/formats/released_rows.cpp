#include "formats/released_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/message.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "domain/possible.h"
#include "domain/rules.h"
#include "release/methods.h"
#include "release/spec.h"

namespace mollify {

namespace {

constexpr Methods kGaussians{Method::kGaussian, Method::kGaussianModel};

/// How many rows a release of the certificate has, if that is public.
std::optional<std::uint64_t> certified_rows(const StatedCertificate& stated) {
  const auto& [spec, facts] = std::tie(stated.spec, stated.facts);
  if (!spec.count) return std::nullopt;
  if (!kUnitDraws.has(spec.method) || !spec.unit) return spec.count;
  if (!facts.units) return std::nullopt;
  return *facts.units * *spec.count;
}

/// The columns of a release, and the faults of their values.
class ReleasedRows {
 public:
  ReleasedRows(const StatedCertificate& stated, const Domain& domain)
      : domain_(domain), columns_(domain.columns().size()) {
    const std::vector<Column>& columns = domain.columns();
    if (kGaussians.has(stated.spec.method)) {
      const Json spec = spec_json(stated.spec);
      const auto named = spec.value("logarithms", std::vector<std::string>());
      for (const Column& column : columns) {
        const bool in_logarithms =
            std::find(named.begin(), named.end(), column.name()) != named.end();
        least_.push_back(in_logarithms ? std::optional(0.0) : std::nullopt);
        expectations_.emplace_back(in_logarithms ? "must be a number above 0" : "must be a number");
      }
      return;
    }
    for (const Column& column : columns) {
      expectations_.push_back(fmt::format("must be {}{} as a release writes it",
                                          column.expectation(),
                                          column.mapping().null_is_category ? " or null," : ","));
    }
    if (domain.possible() != nullptr) rules_.resize(domain.possible()->rules().size());
  }

  void see(const CsvReader& csv, std::span<const std::size_t> places) {
    if (const std::string fault = line_fault(csv); !fault.empty()) {
      count(lines_, csv.line_number(), {}, fault);
      return;
    }
    values_.clear();
    fits_.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string_view field = csv.fields()[places[i]];
      const bool fits = can_be(i, field);
      fits_.push_back(fits);
      if (!fits) count(columns_[i], csv.line_number(), field, expectations_[i]);
      if (!rules_.empty()) values_.push_back(field_value(domain_.columns()[i], Value(field)));
    }
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const DomainRule& rule = domain_.possible()->rules()[i];
      const std::vector<std::size_t> named = rule.columns();
      // Rules are tested on values that their columns can have.
      const bool are_values =
          std::all_of(named.begin(), named.end(), [&](std::size_t one) { return fits_[one]; });
      if (!are_values || truth_of(rule, domain_.columns(), values_) != Truth::kFalse) continue;
      count(rules_[i], csv.line_number(), {}, "breaks it");
    }
  }

  /// The faults that rows had.
  [[nodiscard]] std::vector<ReleasedCheck::Fault> take() {
    std::vector<ReleasedCheck::Fault> faults;
    const auto add = [&](ReleasedCheck::Fault& fault) {
      if (fault.rows > 0) faults.push_back(std::move(fault));
    };
    add(lines_);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      columns_[i].column = domain_.columns()[i].name();
      add(columns_[i]);
    }
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      rules_[i].rule = domain_.possible()->rules()[i].name;
      add(rules_[i]);
    }
    return faults;
  }

 private:
  [[nodiscard]] static std::string line_fault(const CsvReader& csv) {
    if (csv.overlong()) return fmt::format("must have at most {} bytes", LineReader::kMaxLineBytes);
    if (!is_utf8(csv.line())) return CsvReader::kNotUtf8;
    if (!csv.well_quoted()) return "must have closed quotes";
    if (csv.fields_in_line() == csv.header().size()) return {};
    return fmt::format("must have {} fields like the header, but has {}", csv.header().size(),
                       csv.fields_in_line());
  }

  static void count(ReleasedCheck::Fault& fault, std::uint64_t line, std::string_view value,
                    const std::string& expectation) {
    if (fault.rows++ > 0) return;
    fault.line = line;
    fault.value = value;
    fault.expectation = expectation;
  }

  [[nodiscard]] bool can_be(std::size_t column, std::string_view field) const {
    if (least_.empty()) return is_written(domain_.columns()[column], Value(field));
    const auto number = read_number(field);
    return number && std::isfinite(*number) && (!least_[column] || *number > *least_[column]);
  }

  const Domain& domain_;
  std::vector<std::optional<double>> least_{};  // of a Gaussian's columns
  std::vector<std::string> expectations_{};
  ReleasedCheck::Fault lines_{};
  std::vector<ReleasedCheck::Fault> columns_;
  std::vector<ReleasedCheck::Fault> rules_{};
  // Of a row.
  std::vector<FieldValue> values_{};
  std::vector<bool> fits_{};
};

}  // namespace

void require_released_columns(std::span<const std::string> columns, const std::string& table,
                              const ReleaseSpec& spec, const Domain& domain,
                              const std::string& certificate) {
  for (const std::string& column : columns) {
    const std::vector<std::string> names = domain.names();
    const bool known = (kUnitDraws.has(spec.method) && spec.unit.has(column)) ||
                       std::find(names.begin(), names.end(), column) != names.end();
    if (known) continue;
    refuse_input("certificate-mismatch", "released",
                 "{} is not the release of {}: that release has no column \"{}\"", table,
                 certificate, column);
  }
}

ReleasedCheck check_released_rows(const StatedCertificate& stated, const std::string& certificate,
                                  const Domain& domain, const std::string& path,
                                  std::optional<TableBytes> bytes) {
  CsvReader csv(path, bytes);
  csv.refuse_endless_lines();
  require_released_columns(csv.header(), path, stated.spec, domain, certificate);
  const std::vector<std::size_t> places = wanted_columns(csv, domain, {});
  ReleasedRows rows(stated, domain);
  ReleasedCheck check{.name = path,
                      .is_in_memory = csv.is_in_memory(),
                      .certified = certified_rows(stated),
                      .has_rules = domain.possible() != nullptr};
  while (csv.next_line() && csv.ends_as_a_record()) {
    keep_going();
    ++check.rows;
    rows.see(csv, places);
  }
  check.faults = rows.take();
  return check;
}

}  // namespace mollify
