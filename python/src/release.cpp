#include "release.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <mollify/arrow_c.h>
#include <mollify/release.h>
#include <mollify/verify.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "interrupts.h"

namespace mollify::python {
namespace {

using Table = ReleasedTable;

TextList texts(const std::vector<std::string>& all) {
  TextList list;
  for (const std::string& one : all) list.append(text(one));
  return list;
}

nb::object values(const std::vector<std::int64_t>& rows, const ReleasedColumn&) {
  return owned_array(rows);
}
nb::object values(const std::vector<double>& rows, const ReleasedColumn&) {
  return owned_array(rows);
}
nb::object values(const std::vector<std::uint8_t>& rows, const ReleasedColumn&) {
  return owned_array(rows);
}
/// Raises what Ctrl-C would, now and then.
void raise_signals(std::size_t step) {
  if (step % 65536 == 0 && PyErr_CheckSignals() != 0) throw nb::python_error();
}

/// Places in the words, -1 for a null; without words a list of texts, None for a null.
nb::object values(const std::vector<std::string>& rows, const ReleasedColumn& column) {
  if (column.words.empty()) {
    nb::list list;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      raise_signals(i);
      list.append(column.valid[i] != 0 ? nb::object(text(rows[i])) : nb::none());
    }
    return list;
  }
  std::unordered_map<std::string, std::int32_t> place_of;
  for (const std::string& word : column.words) {
    place_of.emplace(word, static_cast<std::int32_t>(place_of.size()));
  }
  std::vector<std::int32_t> places(rows.size(), -1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    raise_signals(i);
    if (column.valid[i] != 0) places[i] = place_of.at(rows[i]);
  }
  return owned_array(std::move(places));
}

constexpr std::string_view word_of(Moments::Kind kind) {
  switch (kind) {
    case Moments::Kind::kDay:
      return "day";
    case Moments::Kind::kInstant:
      return "instant";
  }
  return "";
}

constexpr std::array<std::string_view, 3> kWordTypes = {"text", "integer", "number"};

/// (name, "integer" | "number" | "truth" | "text" | "day" | "instant", values, valid, words, form,
/// type of the words, whether they are ordered, whether nulls can come, format): days and seconds of UTC
/// since 1970. The form is the zone of the instants' clock or its offset in seconds, if it has one, or
/// the power of ten to which numbers are written, if there is one. Last comes the format of days and
/// instants; empty for ISO 8601's.
nb::tuple shown(const ReleasedColumn& column) {
  constexpr const char* kKinds[] = {"integer", "number", "truth", "text"};
  const std::string_view kind =
      column.moments ? word_of(column.moments->kind) : kKinds[column.values.index()];
  return nb::make_tuple(
      column.name, std::string(kind),
      std::visit([&](const auto& rows) { return values(rows, column); }, column.values),
      owned_array(column.valid), texts(column.words),
      column.moments && !column.moments->zone.empty()
          ? nb::cast(column.moments->zone)
          : nb::cast(column.moments ? column.moments->offset : column.exponent),
      std::string(kWordTypes[static_cast<std::size_t>(column.word_type)]), column.is_ordered,
      column.is_nullable, column.moments ? column.moments->format : "");
}

ReleasedColumn read_back(const nb::handle& column) {
  const nb::tuple parts = nb::cast<nb::tuple>(column);
  ReleasedColumn made{.name = nb::cast<std::string>(parts[0])};
  const auto kind = nb::cast<std::string>(parts[1]);
  const auto copied = [&]<class T>(T) {
    const auto rows = nb::cast<Array<T, 1>>(parts[2]);
    return std::vector<T>(rows.data(), rows.data() + rows.size());
  };
  made.words = nb::cast<std::vector<std::string>>(parts[4]);
  const auto word_type =
      std::find(kWordTypes.begin(), kWordTypes.end(), nb::cast<std::string>(parts[6]));
  made.word_type = static_cast<ReleasedColumn::WordType>(word_type - kWordTypes.begin());
  made.is_ordered = nb::cast<bool>(parts[7]);
  made.is_nullable = nb::cast<bool>(parts[8]);
  const auto valid = nb::cast<Array<std::uint8_t, 1>>(parts[3]);
  made.valid.assign(valid.data(), valid.data() + valid.size());
  for (const auto moments : {Moments::Kind::kDay, Moments::Kind::kInstant}) {
    if (kind != word_of(moments)) continue;
    const bool is_zone = nb::isinstance<nb::str>(parts[5]);
    made.moments = Moments{moments};
    if (is_zone) made.moments->zone = nb::cast<std::string>(parts[5]);
    if (!is_zone) made.moments->offset = nb::cast<std::optional<std::int32_t>>(parts[5]);
    made.moments->format = nb::cast<std::string>(parts[9]);
  }
  if (kind == "integer" || made.moments) {
    made.values = copied(std::int64_t{});
  } else if (kind == "number") {
    made.values = copied(double{});
    made.exponent = nb::cast<std::optional<int>>(parts[5]);
  } else if (kind == "truth") {
    made.values = copied(std::uint8_t{});
  } else {
    std::vector<std::string> rows;
    if (made.words.empty()) {
      for (const nb::handle one : parts[2]) {
        rows.push_back(one.is_none() ? std::string() : nb::cast<std::string>(one));
      }
    } else {
      for (const std::int32_t place : copied(std::int32_t{})) {
        rows.push_back(place < 0 ? std::string() : made.words.at(static_cast<std::size_t>(place)));
      }
    }
    made.values = std::move(rows);
  }
  return made;
}

std::size_t rows_of(const Table& table) { return table.empty() ? 0 : table.front().valid.size(); }

nb::object exported(const Table& table) {
  auto* stream = new ArrowArrayStream{};
  nb::capsule capsule(stream, "arrow_array_stream", [](void* gone) noexcept {
    auto* const left = static_cast<ArrowArrayStream*>(gone);
    if (left->release != nullptr) left->release(left);
    delete left;
  });
  computed([&] { export_columns(table, stream); });
  return capsule;
}

/// An interrupt after the charge ends the draws, and `charged` then has an item.
nb::typed<nb::tuple, Table, nb::str, MaybeText> released(const PreparedRelease& prepared,
                                                         const Source& data, Ledger* ledger,
                                                         const std::string& data_set,
                                                         std::size_t threads, Progress progress,
                                                         Charged charged) {
  Table table;
  std::string model;
  Interrupts interrupts(std::move(progress), std::move(charged));
  const std::string certificate = computed(interrupts, [&] {
    std::optional<Charging> charging;
    if (ledger != nullptr) charging.emplace(Charging{*ledger, data_set});
    const Sink sink = Sink::memory(table).with_model(model);
    return release(prepared, data, sink, charging, {.threads = threads}).json();
  });
  return nb::make_tuple(nb::cast(std::move(table)), certificate,
                        model.empty() ? nb::none() : nb::object(text(model)));
}

PreparedRelease prepared_for(const std::string& spec, const Source& data, const FileTexts& texts) {
  const PublicTexts given = public_texts(texts);
  return computed([&] { return prepare(ReleaseSpec::parse(spec, ""), data, given); });
}

Table generated(const Model& model, std::uint64_t count, const GivenValues& given,
                std::optional<std::uint64_t> seed, Progress progress) {
  return computed(
      [&] {
        Table table;
        generate(model, count, given, Sink::memory(table), seed);
        return table;
      },
      std::move(progress));
}

template <class Number>
nb::list numbers(const std::vector<Number>& all) {
  nb::list list;
  for (const Number one : all) list.append(one);
  return list;
}

/// A list for each column of the table, by its name.
std::optional<nb::typed<nb::dict, nb::str, nb::typed<nb::list, nb::any>>> measurements(
    const Model& model) {
  const std::optional<MeasuredCounts> made = model.measurements();
  if (!made) return std::nullopt;
  nb::typed<nb::dict, nb::str, nb::typed<nb::list, nb::any>> lists;
  lists["table"] = numbers(made->table);
  lists["columns"] = texts(made->columns);
  lists["cells"] = texts(made->cells);
  lists["count"] = numbers(made->count);
  lists["standard_deviation"] = numbers(made->standard_deviation);
  return lists;
}

nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::str>> not_measured(const Model& model) {
  nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::str>> pairs;
  for (const auto& [first, second] : model.not_measured()) {
    pairs.append(nb::make_tuple(text(first), text(second)));
  }
  return pairs;
}

/// All facts, as JSON.
nb::str verified(const std::string& certificate, const std::string& name, const Domain& domain,
                 const std::optional<std::string>& list,
                 const std::optional<std::string>& reference, const FileTexts& texts,
                 const Source* released, const std::optional<std::string>& model) {
  ReleaseFiles files{list, reference, public_texts(texts), std::nullopt, model};
  if (released != nullptr) files.released = *released;
  return text(
      computed([&] { return verify(Certificate::parse(certificate, name), domain, files).json; }));
}

}  // namespace

nb::str text(const std::string& bytes) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape"));
}

Ways ways_out(const std::vector<WayOut>& ways) {
  Ways list;
  for (const WayOut& way : ways) {
    const SpokenWay one = spoken(way);
    list.append(nb::make_tuple(text(one.action), text(one.part), text(one.value)));
  }
  return list;
}

Quantities quantities(const std::vector<Quantity>& all) {
  Quantities list;
  for (const Quantity& one : all) list.append(nb::make_tuple(one.name, one.value, one.unit));
  return list;
}

Messages messages(const std::vector<Message>& all) {
  Messages list;
  for (const Message& one : all) {
    list.append(nb::make_tuple(one.code, one.severity, text(one.text), ways_out(one.ways_out),
                               quantities(one.quantities)));
  }
  return list;
}

ShownParts shown_parts(const std::vector<SpecPart>& parts) {
  ShownParts shown;
  for (const SpecPart& part : parts) {
    shown.append(nb::make_tuple(part.name, part.place, part.kind, part.methods));
  }
  return shown;
}

PublicTexts public_texts(const FileTexts& texts) {
  PublicTexts all;
  for (const auto& [name, text] : texts) {
    const auto bytes = nb::cast<nb::bytes>(text);
    all.emplace(nb::cast<std::string>(name), std::string(bytes.c_str(), bytes.size()));
  }
  return all;
}

void add_release(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Table>(module, "Table")
      .def(
          "__init__",
          [](Table* made, const nb::typed<nb::list, nb::any>& columns) {
            new (made) Table();
            for (const nb::handle column : columns) made->push_back(read_back(column));
          },
          "columns"_a)
      .def_prop_ro("rows", &rows_of)
      .def("columns",
           [](const Table& table) {
             nb::typed<nb::list, nb::any> all;
             for (const ReleasedColumn& column : table) all.append(shown(column));
             return all;
           })
      .def("arrow_stream", &exported)
      .def("csv_text", [](const Table& table) {
        const std::string lines = computed([&] { return csv_text(table); });
        return nb::bytes(lines.data(), lines.size());
      });

  module.def("spec_parts", [] { return shown_parts(spec_parts()); });
  module.def(
      "checked_spec",
      [](const std::string& spec) { return text(ReleaseSpec::parse(spec, "").json()); }, "spec"_a);
  module.def("prepare_for", &prepared_for, "spec"_a, "data"_a, "texts"_a);
  module.def("release", &released, "prepared"_a, "data"_a, "ledger"_a.none(), "data_set"_a,
             "threads"_a, "progress"_a.none(), "charged"_a);
  module.def(
      "prepare",
      [](const std::string& spec, std::optional<std::uint64_t> records, const FileTexts& texts) {
        const PublicTexts given = public_texts(texts);
        return computed([&] {
          return prepare(ReleaseSpec::parse(spec, ""), records, given).certificate().json();
        });
      },
      "spec"_a, "records"_a.none(), "texts"_a);
  nb::class_<Model>(module, "Model")
      .def_static("parse", &Model::parse, "text"_a, "name"_a)
      .def_static("read", &Model::read, "path"_a)
      .def("text", [](const Model& model) { return text(model.text()); })
      .def("domain_yaml", [](const Model& model) { return text(model.domain().yaml()); })
      .def("measurements", &measurements)
      .def("not_measured", &not_measured)
      .def("warnings", [](const Model& model) { return messages(model.warnings()); });
  module.def("generate", &generated, "model"_a, "count"_a, "given"_a, "seed"_a.none(),
             "progress"_a.none());
  module.def(
      "require_certificate",
      [](const std::string& certificate, const std::string& name) {
        static_cast<void>(Certificate::parse(certificate, name));
      },
      "certificate"_a, "name"_a);
  module.def("verify", &verified, "certificate"_a, "name"_a, "domain"_a, "list"_a.none(),
             "reference"_a.none(), "texts"_a, "released"_a.none(), "model"_a.none());
}

}  // namespace mollify::python
