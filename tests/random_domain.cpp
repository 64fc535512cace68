#include "random_domain.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "domain/column.h"
#include "domain/same_value.h"
#include "domain/settings.h"
#include "formats/domain_yaml.h"

namespace mollify::test {
namespace {

/// Words that trouble readers: empty, padded, quoted, null-like, keywords, non-ASCII.
rc::Gen<std::string> declared_word() {
  const std::vector<std::string> troublesome = {"",
                                                " ",
                                                "NA",
                                                "null",
                                                "~",
                                                "yes",
                                                "No",
                                                "1",
                                                "1.0",
                                                "a,b",
                                                "\"q\"",
                                                " pad ",
                                                "clip",
                                                "category",
                                                "# no",
                                                "- x",
                                                "a: b",
                                                "é€😀",
                                                "'",
                                                "{x}",
                                                "[y]",
                                                "*a",
                                                "&a",
                                                "!t",
                                                "%",
                                                "\\n",
                                                "0x1f",
                                                "true",
                                                "|",
                                                ">",
                                                "?",
                                                "\xef\xbb\xbf"
                                                "b",
                                                "\xc2\x85",
                                                "\xe2\x80\xa8",
                                                "\xef\xbf\xbf",
                                                "-5",
                                                "--",
                                                "a-",
                                                "1e5"};
  return rc::gen::oneOf(rc::gen::elementOf(troublesome),
                        rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '\x7f')));
}

/// No two words that write the same number or truth.
std::string same_value(const std::string& word) {
  SameValueBuffer buffer;
  return std::string(same_value_text(word, buffer).value_or(word));
}

Cells words(bool ordered) {
  return Categories::make(
      *rc::gen::resize(8, rc::gen::nonEmpty(rc::gen::uniqueBy<std::vector<std::string>>(
                              declared_word(), same_value))),
      ordered);
}

Cells booleans() {
  return *rc::gen::element(BooleanWords::make(), BooleanWords::make("no", "yes"),
                           BooleanWords::make("clip", "category"),
                           BooleanWords::make("female", "male"));
}

/// Distinct ones from -100 to 99, which are among them, ascending.
std::vector<std::int64_t> places() {
  auto places = *rc::gen::resize(
      8, rc::gen::unique<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(-99, 99)));
  places.insert(places.end(), {-100, 99});
  std::sort(places.begin(), places.end());
  return places;
}

/// Some of the numbers.
template <class Number>
std::vector<Number> some_of(const std::vector<Number>& numbers) {
  std::vector<Number> some;
  for (const Number number : numbers) {
    if (*rc::gen::arbitrary<bool>()) some.push_back(number);
  }
  return some;
}

Cells integers() {
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return IntegerCells::make({.edges = places(), .spikes = some_of(places())});
    case 1:
      return IntegerCells::make({.values = places()});
    case 2:
      return IntegerCells::make({.min = -100,
                                 .max = 99,
                                 .bins = *rc::gen::inRange<std::uint64_t>(1, 20),
                                 .spikes = some_of<std::int64_t>({-91, -7, 0, 70}),
                                 .step = 7});
    default:
      break;
  }
  const auto min = *rc::gen::inRange<std::int64_t>(-1000, 1000);
  const auto count = *rc::gen::inRange<std::int64_t>(1, 300);
  return IntegerCells::make(
      min, min + count - 1,
      *rc::gen::inRange<std::uint64_t>(
          1, std::min<std::uint64_t>(static_cast<std::uint64_t>(count), 20) + 1));
}

Cells numbers() {
  switch (*rc::gen::inRange(0, 5)) {
    case 0: {
      std::vector<double> edges;
      for (const std::int64_t place : places()) edges.push_back(static_cast<double>(place) / 4);
      const std::vector<double> spikes = {edges.front(), -1.0 / 3,  0.0,
                                          0.5,           0.5000001, edges.back()};
      return NumberCells::make({.edges = edges, .spikes = some_of(spikes)});
    }
    case 1:
      return NumberCells::make({.min = 0,
                                .max = 1.0 * *rc::gen::inRange(1, 1000),
                                .bins = *rc::gen::inRange<std::uint64_t>(1, 20),
                                .spikes = {0}});
    case 2: {
      std::vector<double> values;
      for (const std::int64_t place : places()) values.push_back(static_cast<double>(place) / 3);
      return NumberCells::make({.values = values});
    }
    case 3:
      return NumberCells::make({.min = -1.01,
                                .max = 1.01 * *rc::gen::inRange(1, 100),
                                .bins = *rc::gen::inRange<std::uint64_t>(1, 20),
                                .spikes = some_of<double>({-1, -0.05, 0, 1}),
                                .step = 0.05});
    default: {
      const double min = *rc::gen::inRange(-1000000, 1000000) / 1000.0;
      const double width = *rc::gen::inRange(1, 1000000) / 1000.0;
      return NumberCells::make(min, min + width, *rc::gen::inRange<std::uint64_t>(1, 20));
    }
  }
}

Cells dates(DateCells::Declaration declared) {
  if (*rc::gen::arbitrary<bool>()) {
    declared.format = *rc::gen::element<std::string>("%d.%m.%Y %H:%M:%S", "excel", "unix");
  }
  if (*rc::gen::inRange(0, 5) == 0) {
    declared.min = declared.max = "";
    declared.values = {"2020-02-29", "2020-12-31", "2021-01-01"};
    return DateCells::make(declared);
  }
  declared.cut_by(*rc::gen::element<std::string>("week", "month", "quarter", "year", "7"));
  return DateCells::make(declared);
}

Cells times() {
  DateCells::Declaration declared{
      .grain = Grain::kSecond, .min = "2020-12-27T23:59:58", .max = "2021-01-31T00:00:01"};
  if (*rc::gen::arbitrary<bool>()) {
    declared.zone = *rc::gen::element<std::string>("Z", "-03:30", "Europe/Berlin");
  }
  return dates(declared);
}

/// One of the kind's examples.
Cells example_of(const ColumnKind& kind) {
  const auto place = *rc::gen::inRange<std::size_t>(0, kind.examples.size());
  const std::string declared =
      fmt::format("columns: {{x: {{type: {}, {}}}}}", kind.name, kind.examples[place]);
  return parse_domain(declared, "an example").columns()[0].cells();
}

/// Generators of kinds whose examples are too few.
const std::map<std::string_view, std::function<Cells()>> kGenerators = {
    {"categorical", [] { return words(false); }},
    {"ordinal", [] { return words(true); }},
    {"boolean", booleans},
    {"integer", integers},
    {"number", numbers},
    {"date", [] { return dates({.min = "2020-02-29", .max = "2021-03-01"}); }},
    {"datetime", times}};

}  // namespace

rc::Gen<Column> column(std::string name, const ColumnKind* kind) {
  return rc::gen::exec([name = std::move(name), kind]() -> Column {
    const auto kinds = column_kinds();
    const auto place = *rc::gen::inRange<std::size_t>(0, kinds.size());
    const ColumnKind& made = kind == nullptr ? *kinds[place] : *kind;
    const auto generator = kGenerators.find(made.name);
    const Cells type = generator == kGenerators.end() ? example_of(made) : generator->second();
    const auto any_value = [&type] {
      return std::visit(
          [](const auto& values) {
            const auto cell = *rc::gen::inRange<std::uint32_t>(0, values.size());
            std::string text;
            values.write(cell, 0, text);
            return text;
          },
          type);
    };
    Mapping mapping;
    const int nulls = *rc::gen::inRange(0, 3);
    const bool empty_is_value = std::visit(
        [](const auto& values) { return values.read("").verdict == Verdict::kValue; }, type);
    if (nulls == 1 && !empty_is_value) mapping.null_is_category = true;
    if (nulls == 2) mapping.null_value = any_value();
    if (*rc::gen::arbitrary<bool>()) mapping.outside_value = any_value();
    return Column::make(name, type, mapping);
  });
}

rc::Gen<Domain> domain() {
  return rc::gen::exec([] {
    auto names = *rc::gen::resize(
        4, rc::gen::nonEmpty(rc::gen::unique<std::vector<std::string>>(rc::gen::suchThat(
               declared_word(), [](const auto& word) { return !word.empty(); }))));
    if (names.size() > 4) names.resize(4);
    std::vector<Column> columns;
    for (const std::string& name : names) columns.push_back(*column(name));
    return Domain::make(std::move(columns), *rc::gen::arbitrary<std::uint64_t>());
  });
}

}  // namespace mollify::test
