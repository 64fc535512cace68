#include "mapped_values.h"

#include <fmt/format.h>

#include "accounting/counted.h"
#include "command.h"
#include "output_files.h"

namespace mollify::cli {

void MappedCounts::see(const Finding& finding) {
  if (finding.becomes.empty()) return;
  const HowMapped how = finding.is_declared  ? HowMapped::kDeclared
                        : finding.by_default ? HowMapped::kDefault
                                             : HowMapped::kAsFound;
  ++counts_[{std::string(finding.column), finding.becomes, false, how}];
}

void MappedCounts::add_nulls(const CheckCounts& counts, const Domain& domain) {
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const Column& column = domain.columns()[i];
    if (counts.declared_nulls[i] == 0) continue;
    counts_[{column.name(), null_text(column), true, HowMapped::kDeclared}] +=
        counts.declared_nulls[i];
  }
}

std::string MappedCounts::lines() const {
  std::string lines;
  for (const auto& [what, values] : counts_) {
    lines += fmt::format("{}: {} {} {}{}\n", printable(what.column),
                         counted(values, what.are_nulls ? "null" : "value"),
                         values == 1 ? "becomes" : "become", printable(what.becomes),
                         what.how == HowMapped::kDefault    ? " (default)"
                         : what.how == HowMapped::kDeclared ? " (declared)"
                                                            : "");
  }
  return lines;
}

Json MappedCounts::json() const {
  Json list = Json::array();
  for (const auto& [what, values] : counts_) {
    list.push_back({{"column", what.column},
                    {"values", values},
                    {"become", what.becomes},
                    {"nulls", what.are_nulls},
                    {"default", what.how == HowMapped::kDefault},
                    {"declared", what.how == HowMapped::kDeclared}});
  }
  return list;
}

MappedCounts mapped_counts(const std::string& data, const Domain& domain) {
  MappedCounts mapped;
  if (is_stream(data)) return mapped;
  const CheckCounts counts =
      check_table(data, domain, std::nullopt, std::nullopt,
                  [&mapped](const Finding& finding) { mapped.see(finding); });
  mapped.add_nulls(counts, domain);
  return mapped;
}

}  // namespace mollify::cli
