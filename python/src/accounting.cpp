#include <vector>

#include <mollify/privacy.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"

namespace mollify::python {

void add_accounting(nb::module_& module) {
  using namespace nb::literals;
  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  module.def(
      "composed_up", [](const std::vector<Privacy>& releases) { return composed_up(releases); },
      "releases"_a, Unlocked());
  module.def("replacing_up", &replacing_up, "add_remove"_a);
  module.def("composed_epsilon_up", &composed_epsilon_up, "epsilon"_a, "releases"_a, "delta"_a,
             Unlocked());
  module.def("delta_up", &delta_up, "release"_a, "epsilon"_a, Unlocked());
  module.def("epsilon_up", &epsilon_up, "release"_a, "delta"_a, Unlocked());
  module.def("rho_up", &rho_up, "release"_a);
  module.def("sampled_gaussian_epsilon_up", &sampled_gaussian_epsilon_up, "rate"_a, "deviation"_a,
             "steps"_a, "delta"_a, Unlocked());
  module.def("epsilon_warnings", &epsilon_warnings, "draw"_a);

  nb::class_<ShuffledReports>(module, "ShuffledReports")
      .def(nb::init<std::uint64_t, std::uint64_t, double, double>(), "records"_a, "outcomes"_a,
           "epsilon0"_a, "rate"_a);
  module.def("shuffled_delta_up", &shuffled_delta_up, "reports"_a, "epsilon"_a, Unlocked());
  module.def("shuffled_epsilon_up", &shuffled_epsilon_up, "reports"_a, "delta"_a, Unlocked());
  module.def("shuffled_epsilon0_down", &shuffled_epsilon0_down, "records"_a, "outcomes"_a,
             "epsilon"_a, "delta"_a, "rate"_a, Unlocked());
}

}  // namespace mollify::python
