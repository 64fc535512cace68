#include <mollify/domain.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"

namespace mollify::python {

void add_domain(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Domain>(module, "Domain")
      .def_static("read", &Domain::read, "path"_a)
      .def_static("parse", &Domain::parse, "yaml"_a, "name"_a)
      .def("yaml", &Domain::yaml)
      .def("json", &Domain::json)
      .def("hash", &Domain::hash)
      .def("column_names", &Domain::column_names)
      .def("warning", &Domain::warning)
      .def("outcome_count", &Domain::outcome_count)
      .def("is_enumerable", &Domain::is_enumerable);
}

}  // namespace mollify::python
