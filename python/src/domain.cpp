#include <mollify/domain.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "interrupts.h"
#include "release.h"

namespace mollify::python {
namespace {

/// (a domain file, the notes)
nb::typed<nb::tuple, nb::str, TextList> drafted(const std::string& file,
                                                const std::vector<std::string>& columns,
                                                const std::vector<std::string>& excluded,
                                                const std::optional<nb::bytes>& bytes,
                                                const OrderedWords& words) {
  const DomainDraft draft =
      computed([&] { return draft_domain(file, columns, excluded, text_in(bytes), words); });
  TextList notes;
  for (const std::string& note : draft.notes) notes.append(text(note));
  return nb::make_tuple(text(draft.yaml), notes);
}

}  // namespace

void add_domain(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Domain>(module, "Domain")
      .def_static("read", &Domain::read, "path"_a)
      .def_static("parse", &Domain::parse, "yaml"_a, "name"_a)
      .def("yaml", &Domain::yaml)
      .def("json", &Domain::json)
      .def("hash", &Domain::hash)
      .def("column_names", &Domain::column_names)
      .def("warnings", [](const Domain& domain) { return messages(domain.warnings()); })
      .def("outcome_count", &Domain::outcome_count)
      .def("is_enumerable", &Domain::is_enumerable);
  module.def("draft_domain", &drafted, "file"_a, "columns"_a, "excluded"_a, "text"_a.none(),
             "words"_a);
}

}  // namespace mollify::python
