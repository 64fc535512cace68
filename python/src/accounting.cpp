#include <vector>

#include <mollify/privacy.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "interrupts.h"
#include "release.h"

namespace mollify::python {

void add_accounting(nb::module_& module) {
  using namespace nb::literals;
  module.def(
      "composed_up",
      [](const std::vector<Privacy>& releases) {
        return computed([&] { return composed_up(releases); });
      },
      "releases"_a);
  module.def("replacing_up", &replacing_up, "add_remove"_a);
  module.def("delta_up", interruptible(&delta_up), "release"_a, "epsilon"_a);
  module.def("epsilon_up", interruptible(&epsilon_up), "release"_a, "delta"_a);
  module.def("rho_up", &rho_up, "release"_a);
  module.def("sampled_gaussian_epsilon_up", interruptible(&sampled_gaussian_epsilon_up), "rate"_a,
             "deviation"_a, "steps"_a, "delta"_a);
  module.def(
      "epsilon_warnings", [](const Privacy& draw) { return messages(epsilon_warnings(draw)); },
      "draw"_a);
}

}  // namespace mollify::python
