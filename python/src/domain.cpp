#include <mollify/domain.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "interrupts.h"
#include "release.h"

namespace mollify::python {
namespace {

/// Columns that the text leaves out, each with the reason.
using Unread = std::vector<std::pair<std::string, std::string>>;

/// (a domain file, the notes, what was seen of each column)
nb::typed<nb::tuple, nb::str, TextList, TextList> drafted(const std::string& file,
                                                          const std::vector<std::string>& columns,
                                                          const std::vector<std::string>& excluded,
                                                          const std::optional<nb::bytes>& bytes,
                                                          const Unread& unread,
                                                          const OrderedWords& words) {
  const DomainDraft draft = computed(
      [&] { return draft_domain(file, columns, excluded, text_in(bytes), unread, words); });
  TextList notes, seen;
  for (const std::string& note : draft.notes) notes.append(text(note));
  for (const std::string& of_column : draft.seen) seen.append(text(of_column));
  return nb::make_tuple(text(draft.yaml), notes, seen);
}

}  // namespace

void add_domain(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Domain>(module, "Domain")
      .def_static("read", &Domain::read, "path"_a)
      .def_static("parse", &Domain::parse, "yaml"_a, "name"_a)
      .def("yaml", &Domain::yaml)
      .def("json", &Domain::json)
      .def("rules_for_validate", &Domain::rules_for_validate)
      .def("hash", &Domain::hash)
      .def("column_names", &Domain::column_names)
      .def("warnings", [](const Domain& domain) { return messages(domain.warnings()); })
      .def("outcome_count", &Domain::outcome_count)
      .def("is_enumerable", &Domain::is_enumerable);
  module.def("draft_domain", &drafted, "file"_a, "columns"_a, "excluded"_a, "text"_a.none(),
             "unread"_a, "words"_a);
}

}  // namespace mollify::python
