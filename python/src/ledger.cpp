#include <string>

#include <mollify/privacy.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "release.h"

namespace mollify::python {

void add_ledger(nb::module_& module) {
  using namespace nb::literals;
  nb::enum_<Privacy::Notion>(module, "Notion")
      .value("pure", Privacy::Notion::kPure)
      .value("approximate", Privacy::Notion::kApproximate)
      .value("concentrated", Privacy::Notion::kConcentrated)
      .value("gaussian", Privacy::Notion::kGaussian);
  nb::class_<Privacy>(module, "Privacy")
      .def(nb::init<Privacy::Notion, double, double, double, double>(), "notion"_a, "epsilon"_a,
           "delta"_a, "rho"_a, "mu"_a)
      .def_ro("notion", &Privacy::notion)
      .def_ro("epsilon", &Privacy::epsilon)
      .def_ro("delta", &Privacy::delta)
      .def_ro("rho", &Privacy::rho)
      .def_ro("mu", &Privacy::mu)
      .def("text", &Privacy::text);

  nb::class_<LedgerBalance>(module, "LedgerBalance")
      .def_ro("data_set", &LedgerBalance::data_set)
      .def_ro("releases", &LedgerBalance::releases)
      .def_ro("total", &LedgerBalance::total)
      .def_ro("scope", &LedgerBalance::scope)
      .def_ro("spent", &LedgerBalance::spent)
      .def_ro("remaining", &LedgerBalance::remaining);

  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<Ledger>(module, "Ledger")
      .def(nb::init<const std::string&>(), "path"_a, Unlocked())
      .def_static("existing", &Ledger::existing, "path"_a, Unlocked())
      .def("declare", &Ledger::declare, "data_set"_a, "total"_a, "scope"_a, "replace"_a, Unlocked())
      .def("charge", &Ledger::charge, "data_set"_a, "cost"_a, "scope"_a, "mechanism"_a, "count"_a,
           Unlocked())
      .def("balance", &Ledger::balance, "data_set"_a, Unlocked())
      .def("balances", &Ledger::balances, Unlocked())
      .def(
          "history",
          [](const Ledger& ledger, const std::string& data_set) {
            std::string entries;
            {
              const nb::gil_scoped_release unlocked;
              entries = ledger.history(data_set);
            }
            return text(entries);
          },
          "data_set"_a);
}

}  // namespace mollify::python
