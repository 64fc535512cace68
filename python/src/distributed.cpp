// A release in parts, for engines that run on many machines.
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mollify/distributed.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "interrupts.h"
#include "release.h"

namespace mollify::python {
namespace {

template <class T>
OwnedArray<std::uint8_t> bytes_of(const T* items, std::size_t count) {
  std::vector<std::uint8_t> bytes(count * sizeof(T));
  if (count > 0) std::memcpy(bytes.data(), items, bytes.size());
  return owned_array(std::move(bytes));
}

/// Where the parts of each unit begin and end, if an item takes so many bytes.
OwnedArray<std::int64_t> bounds(const std::vector<std::uint64_t>& ends, std::size_t bytes) {
  std::vector<std::int64_t> all = {0};
  for (const std::uint64_t end : ends) all.push_back(static_cast<std::int64_t>(end * bytes));
  return owned_array(std::move(all));
}

/// Of units, of their records and of these's counts: where each unit's begin and end in bytes, and
/// they themselves.
using ShownCounts = nb::typed<nb::tuple, OwnedArray<std::int64_t>, OwnedArray<std::uint8_t>,
                              OwnedArray<std::int64_t>, OwnedArray<std::uint32_t>,
                              OwnedArray<std::int64_t>, OwnedArray<std::uint64_t>>;

ShownCounts shown(CountedRecords counted) {
  return nb::make_tuple(
      bounds(counted.unit_ends, 1), bytes_of(counted.units.data(), counted.units.size()),
      bounds(counted.record_ends, counted.width * sizeof(std::uint32_t)),
      owned_array(std::move(counted.records)), bounds(counted.record_ends, sizeof(std::uint64_t)),
      owned_array(std::move(counted.counts)));
}

ShownCounts taken(RecordCounter& counter) {
  return shown(computed([&] { return counter.take(); }));
}

/// Everything after the counting.
ReleasedTable released_by_counts(const PreparedRelease& prepared,
                                 const Array<std::uint32_t, 1>& outcomes,
                                 const Array<std::int64_t, 1>& counts, Ledger* ledger,
                                 const std::string& data_set) {
  CountedRecords counted;
  counted.records.assign(outcomes.data(), outcomes.data() + outcomes.size());
  counted.counts.assign(counts.data(), counts.data() + counts.size());
  counted.counts.resize(counted.records.size());
  return computed([&] {
    ReleasedTable table;
    std::optional<Charging> charging;
    if (ledger != nullptr) charging.emplace(Charging{*ledger, data_set});
    release(prepared, counted_table(prepared, counted), Sink::memory(table), charging);
    return table;
  });
}

/// The charge and everything after it in one call. Python sums up each pass: (bytes) to an array.
nb::typed<nb::tuple, ReleasedTable, MaybeText, nb::str> released_by_sums(
    const PreparedRelease& prepared,
    const nb::typed<nb::callable, nb::ndarray<nb::numpy, std::int64_t>(nb::bytes)>& sum_up,
    Ledger* ledger, const std::string& data_set) {
  ReleasedTable table;
  std::string model;
  std::optional<Charging> charging;
  if (ledger != nullptr) charging.emplace(Charging{*ledger, data_set});
  const auto summed = [&](const std::string& pass) {
    const nb::gil_scoped_acquire locked;
    const auto sums = nb::cast<Array<std::int64_t, 1>>(sum_up(nb::bytes(pass.data(), pass.size())));
    return std::vector<std::int64_t>(sums.data(), sums.data() + sums.size());
  };
  const std::string certificate = computed([&] {
    return release_by_sums(prepared, summed, Sink::memory(table).with_model(model), charging)
        .json();
  });
  return nb::make_tuple(nb::cast(std::move(table)),
                        model.empty() ? nb::none() : nb::object(text(model)), certificate);
}

/// Sentences have Python's names.
nb::typed<nb::dict, nb::str, nb::any> reported(const PreparedRelease& prepared) {
  const ReleaseReport found = computed([&] { return prepared.report(); });
  const auto sentences = [](const std::vector<std::string>& all) {
    nb::list list;
    for (const std::string& one : all) list.append(text(one));
    return list;
  };
  nb::dict report;
  report["total_variation"] = found.total_variation;
  report["why"] = text(found.why);
  report["notes"] = sentences(found.notes);
  report["warnings"] = messages(found.warnings);
  report["represents"] = sentences(found.represents);
  report["promised"] = sentences(found.promised);
  report["not_promised"] = sentences(found.not_promised);
  return report;
}

/// (the place of the first, the sums)
nb::typed<nb::tuple, nb::int_, OwnedArray<std::int64_t>> sums_of_part(RecordSums& part) {
  RecordSums::Sums taken = part.take();
  return nb::make_tuple(taken.begin, owned_array(std::move(taken.sums)));
}

/// (the records, 16 bytes for the place of each)
nb::typed<nb::tuple, ReleasedTable, OwnedArray<std::uint8_t>> drawn(UnitDraws& draws,
                                                                    const Source& counted,
                                                                    bool is_last) {
  ReleasedTable table;
  computed([&] { draws.draw(counted, is_last, Sink::memory(table)); });
  const auto places = draws.places();
  return nb::make_tuple(nb::cast(std::move(table)), bytes_of(places.data(), places.size()));
}

}  // namespace

void add_distributed(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<PreparedRelease>(module, "PreparedRelease")
      .def(
          "__init__",
          [](PreparedRelease* made, const std::string& spec, std::optional<std::uint64_t> records,
             const FileTexts& texts) {
            const PublicTexts given = public_texts(texts);
            computed([&] {
              new (made) PreparedRelease(prepare(ReleaseSpec::parse(spec, ""), records, given));
            });
          },
          "spec"_a, "records"_a.none(), "texts"_a)
      .def("certificate", [](const PreparedRelease& one) { return one.certificate().json(); })
      .def("report", &reported)
      .def("require", &PreparedRelease::require, "data"_a)
      .def("roster_counts",
           [](const PreparedRelease& one) -> std::optional<ShownCounts> {
             auto counts = roster_counts(one);
             if (!counts) return std::nullopt;
             return shown(*std::move(counts));
           })
      .def("is_summed", &is_summed)
      .def("needs_order", &needs_order)
      .def("release_sums", &released_by_sums, "sum_up"_a, "ledger"_a.none(), "data_set"_a)
      .def("release_counts", &released_by_counts, "outcomes"_a.noconvert(), "counts"_a.noconvert(),
           "ledger"_a.none(), "data_set"_a)
      .def(
          "charge",
          [](const PreparedRelease& one, Ledger& ledger, const std::string& data_set) {
            computed([&] { charge(one, {ledger, data_set}); });
          },
          "ledger"_a, "data_set"_a);

  nb::class_<RecordCounter>(module, "RecordCounter")
      .def(nb::init<const PreparedRelease&>(), "prepared"_a)
      .def(
          "add",
          [](RecordCounter& counter, const Source& part) { computed([&] { counter.add(part); }); },
          "part"_a)
      .def("is_full", &RecordCounter::is_full)
      .def("take", &taken);

  nb::class_<RecordSums>(module, "RecordSums")
      .def(
          "__init__",
          [](RecordSums* made, const PreparedRelease& prepared, const nb::bytes& pass,
             std::uint64_t part) {
            new (made) RecordSums(prepared, std::string(pass.c_str(), pass.size()), part);
          },
          "prepared"_a, "asked"_a, "part"_a)
      .def(
          "add",
          [](RecordSums& sums, const Source& records) { computed([&] { sums.add(records); }); },
          "records"_a)
      .def("take", &sums_of_part);

  nb::class_<UnitDraws>(module, "UnitDraws")
      .def(nb::init<const PreparedRelease&, const ReleaseKey&, const std::string&>(), "prepared"_a,
           "key"_a, "certificate"_a)
      .def("draw", &drawn, "counted"_a, "is_last"_a);
}

}  // namespace mollify::python
