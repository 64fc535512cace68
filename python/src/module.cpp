// The compiled part of the Python package: the front for programs, and what hands arrays over.
#include <string>
#include <vector>

#include <mollify/mollify.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "release.h"

namespace mollify::python {
namespace {

/// The error of Python, with a code, what it concerns and what to do.
void raise_in_python(const InvalidInput& error) {
  const nb::object made =
      nb::module_::import_("mollify._refusal")
          .attr("_refusal_of_library")(text(error.what()), text(std::string(error.code().name)),
                                       text(spoken_parameter(error)), text(error.column()),
                                       ways_out(error.ways_out()), text(error.file()), error.line(),
                                       quantities(spoken_quantities(error)));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
}

/// Whether another value mends a refusal with this code, as the library has it.
bool is_of_a_value(const std::string& name) {
  Code code("out-of-range");
  code.name = name;
  return !InvalidInput(code, "", "any").ways_out().empty();
}

/// Names as bytes of UTF-8: half of a surrogate pair is a name, too.
template <auto Function>
nb::bytes nearest(const nb::bytes& typed, const std::vector<nb::bytes>& known) {
  std::vector<std::string> names;
  for (const nb::bytes& one : known) names.emplace_back(one.c_str(), one.size());
  const std::string found = Function({typed.c_str(), typed.size()}, names);
  return nb::bytes(found.data(), found.size());
}

}  // namespace

NB_MODULE(_core, module) {
  // What lives on at the end, because another library holds it, is no fault to tell the user of.
  nb::set_leak_warnings(false);
  speak(Speech::kPython);
  module.doc() = "mollify's library. Use the package mollify, which says what all this means.";
  module.attr("__version__") = kVersion;

  static const nb::exception<InvalidInput> invalid_input(module, "InvalidInput", PyExc_ValueError);
  // Python's own sentences quote what they were given, whole.
  nb::cpp_function_def(
      [](const nb::object& error) -> nb::object {
        const nb::tuple parts(error.attr("args"));
        if (parts.size() == 0) return nb::str("");
        const nb::object sentence = parts[0];
        std::string whole;
        if (nb::try_cast(sentence, whole)) return text(readable(whole));
        // Bytes that are not UTF-8, as of a file's name or header: no terminal could print them.
        PyObject* bytes = PyUnicode_AsEncodedString(sentence.ptr(), "utf-8", "surrogateescape");
        if (bytes == nullptr) {  // half of a surrogate pair
          PyErr_Clear();
          bytes = PyUnicode_AsEncodedString(sentence.ptr(), "utf-8", "backslashreplace");
        }
        return nb::steal<nb::bytes>(bytes).attr("decode")("utf-8", "backslashreplace");
      },
      nb::scope(invalid_input), nb::name("__str__"), nb::is_method());
  module.def("is_of_a_value", &is_of_a_value, nb::arg("code"));
  module.def(
      "unit_of", [](const std::string& parameter) { return text(unit_of(parameter)); },
      nb::arg("parameter"));
  module.def("nearest_name", &nearest<nearest_name>, nb::arg("typed"), nb::arg("known"));
  module.def("nearest_parameter", &nearest<nearest_parameter>, nb::arg("typed"), nb::arg("known"));
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const InvalidInput& error) {
      raise_in_python(error);
    }
  });

  add_domain(module);
  add_columns(module);
  add_release(module);
  add_ledger(module);
  add_sampler(module);
  add_accounting(module);
  add_answers(module);
  add_distributed(module);
  add_laboratory(module);
}

}  // namespace mollify::python
