// Any bytes as a private file: the reader, the encoding and the strict check never fail, and agree.

#include "formats/csv.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/column.h"
#include "formats/check.h"
#include "formats/domain_yaml.h"
#include "records/private_table.h"

namespace {

constexpr std::string_view kHeader = "unit,color,on,n,x,y\n";

const mollify::Domain& domain() {
  static const mollify::Domain kDomain = mollify::parse_domain(
      "columns:\n"
      "  x: {type: number, min: -1, max: 2.5, bins: 7, outside: 0}\n"
      "  color: {type: categorical, values: [red, 'a \"b\", c', '', NA]}\n"
      "  on: {type: boolean, null: category}\n"
      "  n: {type: integer, min: -3, max: 300, bins: 11, null: 5}\n"
      "  y: {type: number, min: 1e10, max: 1e11, bins: 3, null: category}\n",
      "domain");
  return kDomain;
}

void require(bool holds) {
  if (!holds) std::abort();
}

// A file in memory with the header and the bytes given.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("csv", 0)) {
    require(descriptor_ >= 0);
    for (const std::string_view part : {kHeader, bytes}) {
      require(::write(descriptor_, part.data(), part.size()) == static_cast<ssize_t>(part.size()));
    }
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file({reinterpret_cast<const char*>(data), size});

  mollify::CsvReader csv(file.path());
  const std::vector<std::size_t> places = mollify::wanted_columns(csv, domain(), "unit");
  std::vector<std::string_view> fields(domain().columns().size());
  mollify::Tally<std::uint32_t> tally;
  std::uint64_t findings = 0;
  std::vector<std::string> drawn;
  while (csv.next_line()) {
    for (std::size_t i = 0; i < fields.size(); ++i) fields[i] = csv.fields()[places[i]];
    const std::uint32_t outcome = domain().encode(fields);
    require(outcome < domain().size());
    tally.add(outcome);
    // What is drawn for the outcome is read as the outcome again.
    auto below = [outcome](std::uint64_t bound) { return outcome % bound; };
    domain().decode(outcome, below, drawn);
    const std::vector<std::string_view> views(drawn.begin(), drawn.end());
    require(domain().encode(views) == outcome);
    // The check is silent about a field if and only if encoding did not have to map it.
    std::uint64_t column_findings = 0;
    if (csv.line().empty()) {  // one finding, whatever its nulls are
      ++findings;
      continue;
    }
    findings +=
        mollify::check_record(csv, domain(), places, nullptr, [&](const mollify::Finding& finding) {
          require(finding.line == csv.line_number());
          if (!finding.column.empty() && finding.column != "unit") ++column_findings;
        });
    std::uint64_t mapped = 0;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const mollify::Column& column = domain().columns()[i];
      const mollify::Reading reading = column.read(fields[i]);
      const bool kept = reading.verdict == mollify::Verdict::kValue;
      if (kept) require(domain().digit(outcome, i) == reading.cell);
      if (!kept && reading.verdict != mollify::Verdict::kNull) {
        ++mapped;
      }
    }
    require(mapped == column_findings);
  }

  const mollify::Empirical expected(tally.take());
  const mollify::CsvSource source(file.path());
  const mollify::Empirical table = mollify::read_table(source, domain());
  require(table.total() == expected.total());
  require(std::equal(table.outcomes().begin(), table.outcomes().end(), expected.outcomes().begin(),
                     expected.outcomes().end()));
  const mollify::CheckCounts counts = mollify::check_table(
      file.path(), domain(), "unit", std::nullopt, [](const mollify::Finding&) {});
  require(counts.records == table.total() && counts.findings == findings);

  const mollify::UnitTable units = mollify::read_units(source, domain(), "unit");
  double rows = 0;
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    require(unit == 0 || units.id(unit - 1) < units.id(unit));
    for (const double weight : units.weights(unit)) rows += weight;
  }
  require(rows <= static_cast<double>(table.total()));
  return 0;
}
