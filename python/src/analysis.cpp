// What is computed from public numbers and released records, as JSON.
#include <mollify/estimate.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings.h"

namespace mollify::python {

void add_analysis(nb::module_& module) {
  using namespace nb::literals;
  module.def(
      "estimate",
      [](const std::string& certificate, const std::string& name, const Domain& domain,
         const Source& released, double confidence, const std::string& method, bool pairs) {
        const nb::gil_scoped_release unlocked;
        return estimate(Certificate::parse(certificate, name), domain, released,
                        {confidence, method, pairs})
            .json;
      },
      "certificate"_a, "name"_a, "domain"_a, "released"_a, "confidence"_a, "method"_a, "pairs"_a);
}

}  // namespace mollify::python
