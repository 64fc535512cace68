#include <cstdint>
#include <string>

#include <mollify/privacy.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "interrupts.h"
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

  nb::class_<Ledger>(module, "Ledger")
      .def(
          "__init__",
          [](Ledger* made, const std::string& path) { computed([&] { new (made) Ledger(path); }); },
          "path"_a)
      .def(
          "declare",
          [](Ledger& ledger, const std::string& data_set, const Privacy& total,
             const std::string& scope,
             bool replace) { computed([&] { ledger.declare(data_set, total, scope, replace); }); },
          "data_set"_a, "total"_a, "scope"_a, "replace"_a)
      .def(
          "charge",
          [](Ledger& ledger, const std::string& data_set, const Privacy& cost,
             const std::string& scope, const std::string& mechanism, std::uint64_t count) {
            computed([&] { ledger.charge(data_set, cost, scope, mechanism, count); });
          },
          "data_set"_a, "cost"_a, "scope"_a, "mechanism"_a, "count"_a)
      .def(
          "balance",
          [](const Ledger& ledger, const std::string& data_set) {
            return computed([&] { return ledger.balance(data_set); });
          },
          "data_set"_a)
      .def("balances",
           [](const Ledger& ledger) { return computed([&] { return ledger.balances(); }); })
      .def(
          "history",
          [](const Ledger& ledger, const std::string& data_set) {
            return text(computed([&] { return ledger.history(data_set); }));
          },
          "data_set"_a);
}

}  // namespace mollify::python
