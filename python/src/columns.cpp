// What Python hands over as data: a builder of columns, and sources.
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <mollify/core/invalid_input.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "arrow_columns.h"
#include "bindings.h"
#include "interrupts.h"
#include "object_texts.h"

namespace mollify::python {
namespace {

/// What a capsule of the Arrow PyCapsule interface points to.
template <class Structure>
Structure* inside(const nb::object& capsule, const char* name) {
  void* pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) nb::raise_python_error();
  return static_cast<Structure*>(pointer);
}

/// Keeps a Python object until whoever has the column is done with it, on whatever thread.
Keeper keeper_of(nb::object object) {
  return {new nb::object(std::move(object)), [](const void* kept) {
            const nb::gil_scoped_acquire locked;
            delete static_cast<const nb::object*>(kept);
          }};
}

using Bytes = Array<std::uint8_t, 1>;

std::vector<std::uint8_t> bits_of(const std::optional<Bytes>& truths) {
  return truths ? packed(truths->data(), truths->size()) : std::vector<std::uint8_t>();
}

/// Columns of equal length, put together one after the other.
class Columns {
 public:
  Columns() = default;
  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;
  ~Columns() = default;

  /// The bytes of `length` numbers of an Arrow format of fixed width, and a byte for each, 0 where
  /// it is null.
  void add_numbers(std::string name, std::string format, std::int64_t length, const Bytes& bytes,
                   const std::optional<Bytes>& valid) {
    add(numbers(std::move(name), std::move(format), length, bytes, valid));
  }
  void add_truths(std::string name, const Bytes& truths, const std::optional<Bytes>& valid) {
    auto bits =
        std::make_shared<const std::vector<std::uint8_t>>(packed(truths.data(), truths.size()));
    const void* data = bits->data();
    add({std::move(name),
         "b",
         static_cast<std::int64_t>(truths.size()),
         bits_of(valid),
         {data},
         std::move(bits)});
  }
  void add_objects(std::string name, const Objects& objects, const Nulls& nulls,
                   const TextOf& text_of) {
    add(object_column(std::move(name), objects, nulls, text_of));
  }
  void add_letters(std::string name, const Array<std::uint32_t, 2>& letters) {
    add(letter_column(std::move(name), letters));
  }
  void add_bytes(std::string name, const Array<std::uint8_t, 2>& bytes) {
    add(byte_column(std::move(name), bytes));
  }
  /// Places in the one column of `values`; one below 0 is a null.
  void add_dictionary(std::string name, std::int64_t length, const Bytes& places, Columns& values,
                      bool ordered) {
    ArrowPair column = numbers(std::move(name), "i", length, places, std::nullopt);
    column.take_dictionary(std::move(values.columns_.at(0)), ordered);
    values.columns_.clear();
    add(std::move(column));
  }
  /// The same for values that are any objects.
  void add_object_dictionary(std::string name, const Array<std::int32_t, 1>& places,
                             const Objects& objects, const Nulls& nulls, const TextOf& text_of,
                             bool ordered) {
    add(object_column(std::move(name), objects, nulls, text_of,
                      std::span(places.data(), places.size()), ordered));
  }
  /// Lists of the one column of `items`: one more offset of 64 bits than there are lists.
  void add_lists(std::string name, std::int64_t length, const Bytes& offsets, Columns& items) {
    ArrowPair column = numbers(std::move(name), "+L", length, offsets, std::nullopt);
    column.take_items(std::move(items.columns_.at(0)));
    items.columns_.clear();
    add(std::move(column));
  }
  void add_arrow(std::string name, const nb::object& schema, const nb::object& array) {
    ArrowPair column(inside<ArrowSchema>(schema, "arrow_schema"),
                     inside<ArrowArray>(array, "arrow_array"));
    column.rename(std::move(name));
    add(std::move(column));
  }
  /// A stream of one array at most.
  void add_stream(std::string name, const nb::object& capsule) {
    auto* stream = inside<ArrowArrayStream>(capsule, "arrow_array_stream");
    const auto require = [&](bool holds, const char* what) {
      if (!holds)
        throw InvalidInput("wrong-type", "column \"" + name + "\" of the data " + what,
                           Concern::of_column(name));
    };
    require(stream->release != nullptr, "is a stream that was read before");
    ArrowSchema schema{};
    require(stream->get_schema(stream, &schema) == 0, "is a stream that cannot be read");
    ArrowArray array{};
    ArrowPair column;
    while (true) {
      array = {};
      require(stream->get_next(stream, &array) == 0, "is a stream that cannot be read");
      if (array.release == nullptr) break;
      const bool is_first = schema.release != nullptr;
      ArrowPair next(&schema, &array);
      if (next.length() == 0 && !is_first) continue;
      require(is_first, "must lie in one piece, but lies in several");
      column = std::move(next);
    }
    if (schema.release != nullptr) {
      schema.release(&schema);
      column = ArrowPair(name, "n", 0, {}, {}, nullptr);
    } else {
      column.rename(name);
    }
    add(std::move(column));
  }

  /// Empties this.
  Source source(std::int64_t rows) {
    return ArrowPair::batch(std::exchange(columns_, {}), rows).source();
  }
  [[nodiscard]] std::int64_t last_length() const { return columns_.back().length(); }

 private:
  static ArrowPair numbers(std::string name, std::string format, std::int64_t length,
                           const Bytes& bytes, const std::optional<Bytes>& valid) {
    return {std::move(name), std::move(format), length,
            bits_of(valid),  {bytes.data()},    keeper_of(nb::cast(bytes))};
  }
  void add(ArrowPair column) { columns_.push_back(std::move(column)); }

  std::vector<ArrowPair> columns_;
};

}  // namespace

void add_columns(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Source>(module, "Source")
      .def_static("csv", &Source::csv, "path"_a, "threads"_a)
      .def_static(
          "stream",
          [](const nb::object& capsule) {
            return Source::arrow(inside<ArrowArrayStream>(capsule, "arrow_array_stream"));
          },
          "capsule"_a)
      .def_static(
          "batch",
          [](const nb::object& schema, const nb::object& array) {
            return Source::arrow(inside<ArrowSchema>(schema, "arrow_schema"),
                                 inside<ArrowArray>(array, "arrow_array"));
          },
          "schema"_a, "array"_a)
      .def("with_counts", &Source::with_counts, "column"_a)
      .def_prop_ro("is_spent", &Source::is_spent)
      .def("ordered_words",
           [](const Source& source) { return computed([&] { return source.ordered_words(); }); })
      .def(
          "unread",
          [](const Source& source, const std::vector<std::string>& asked) {
            return source.unread(asked);
          },
          "asked"_a)
      .def(
          "csv_text",
          [](const Source& source, const std::vector<std::string>& asked) {
            const std::string text = computed([&] { return source.csv_text(asked); });
            return nb::bytes(text.data(), text.size());
          },
          "asked"_a);

  nb::class_<Columns>(module, "Columns")
      .def(nb::init<>())
      .def("add_numbers", &Columns::add_numbers, "name"_a, "format"_a, "length"_a, "bytes"_a,
           "valid"_a.none())
      .def("add_truths", &Columns::add_truths, "name"_a, "truths"_a, "valid"_a.none())
      .def("add_objects", &Columns::add_objects, "name"_a, "objects"_a, "nulls"_a, "text_of"_a)
      .def("add_letters", &Columns::add_letters, "name"_a, "letters"_a)
      .def("add_bytes", &Columns::add_bytes, "name"_a, "bytes"_a)
      .def("add_dictionary", &Columns::add_dictionary, "name"_a, "length"_a, "places"_a, "values"_a,
           "ordered"_a)
      .def("add_object_dictionary", &Columns::add_object_dictionary, "name"_a, "places"_a,
           "objects"_a, "nulls"_a, "text_of"_a, "ordered"_a)
      .def("add_lists", &Columns::add_lists, "name"_a, "length"_a, "offsets"_a, "items"_a)
      .def("add_arrow", &Columns::add_arrow, "name"_a, "schema"_a, "array"_a)
      .def("add_stream", &Columns::add_stream, "name"_a, "capsule"_a)
      .def("last_length", &Columns::last_length)
      .def("source", &Columns::source, "rows"_a);
}

}  // namespace mollify::python
