// Answers that read nothing private: plans, advice, and what released records tell.
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mollify/advice.h>
#include <mollify/estimate.h>
#include <mollify/laboratory.h>
#include <mollify/plan.h>
#include <mollify/watch.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "release.h"

namespace mollify::python {
namespace {

/// Stops a computation where Python would raise: at Ctrl-C, in its main thread.
class Interrupts : public Watch {
 public:
  [[nodiscard]] bool wants_stop() override {
    if (is_raised_) return true;
    const auto now = Clock::now();
    if (now < next_) return false;
    next_ = now + std::chrono::milliseconds(20);
    const nb::gil_scoped_acquire locked;
    is_raised_ = PyErr_CheckSignals() != 0;
    return is_raised_;
  }
  void reached(const std::string&, std::uint64_t, std::uint64_t) override {}

  [[nodiscard]] bool is_raised() const { return is_raised_; }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point next_ = Clock::now();
  bool is_raised_ = false;
};

/// What is computed without the interpreter's lock, until Ctrl-C.
template <class Compute>
auto computed(const Compute& compute) {
  Interrupts interrupts;
  try {
    const nb::gil_scoped_release unlocked;
    const Watching watching(interrupts);
    return compute();
  } catch (...) {
    if (interrupts.is_raised()) throw nb::python_error();
    throw;
  }
}

/// (JSON, words)
nb::tuple answered(const std::string& json, const std::string& words) {
  return nb::make_tuple(text(json), text(words));
}

nb::tuple planned(const std::vector<std::string>& questions, const nb::dict& texts) {
  const PublicTexts given = public_texts(texts);
  const Plan found = computed([&] { return plans(questions, "", given); });
  return answered(found.json, found.text);
}

nb::tuple advised(const std::string& purpose, std::optional<std::string> protect,
                  std::optional<std::string> method, std::optional<std::uint64_t> n,
                  std::optional<std::string> domain, std::vector<std::uint64_t> columns,
                  std::optional<std::uint64_t> count, std::optional<std::string> unit,
                  std::optional<double> epsilon, std::optional<double> delta,
                  std::optional<double> alpha, std::optional<std::string> covariance,
                  std::vector<std::string> log, bool accept_large_delta, const nb::dict& texts) {
  const AdviceQuestion question{.purpose = purpose,
                                .protect = std::move(protect),
                                .method = std::move(method),
                                .n = n,
                                .domain = std::move(domain),
                                .columns = std::move(columns),
                                .count = count,
                                .unit = std::move(unit),
                                .epsilon = epsilon,
                                .delta = delta,
                                .alpha = alpha,
                                .covariance = std::move(covariance),
                                .logarithms = std::move(log),
                                .accept_large_delta = accept_large_delta};
  const PublicTexts given = public_texts(texts);
  const Answer found = computed([&] { return advise(question, given); });
  return answered(found.json, found.text);
}

nb::tuple amplified(std::optional<std::uint64_t> k, std::optional<std::uint64_t> n,
                    std::optional<double> epsilon0, std::optional<double> epsilon,
                    std::optional<double> delta, std::optional<double> rate,
                    std::optional<std::uint64_t> chosen, bool accept_large_delta) {
  const AmplifyQuestion question{.n = n,
                                 .k = k,
                                 .epsilon0 = epsilon0,
                                 .epsilon = epsilon,
                                 .delta = delta,
                                 .rate = rate,
                                 .chosen = chosen,
                                 .accept_large_delta = accept_large_delta};
  const Answer found = computed([&] { return amplify(question); });
  return answered(found.json, found.text);
}

nb::tuple risked(const SamplerParameters& parameters) {
  const Answer found = computed([&] { return risk(parameters); });
  return answered(found.json, found.text);
}

nb::tuple estimated(const std::string& certificate, const std::string& name, const Domain& domain,
                    const Source& released, double confidence, const std::string& method,
                    bool pairs) {
  const Estimate found = computed([&] {
    return estimate(Certificate::parse(certificate, name), domain, released,
                    {.confidence = confidence, .method = method, .pairs = pairs});
  });
  return answered(found.json, found.text);
}

nb::tuple law_of(const SamplerParameters& parameters, const Array<double, 1>& p) {
  const LawAnswer found =
      computed([&] { return law(parameters, std::span<const double>(p.data(), p.size())); });
  return answered(found.json, found.text);
}

}  // namespace

void add_answers(nb::module_& module) {
  using namespace nb::literals;
  module.def("plan_parts", [] { return shown_parts(plan_parts()); });
  module.def("plans", &planned, "questions"_a, "texts"_a);
  module.def("advise", &advised, "purpose"_a, "protect"_a.none(), "method"_a.none(), "n"_a.none(),
             "domain"_a.none(), "columns"_a, "count"_a.none(), "unit"_a.none(), "epsilon"_a.none(),
             "delta"_a.none(), "alpha"_a.none(), "covariance"_a.none(), "log"_a,
             "accept_large_delta"_a, "texts"_a);
  module.def("amplify", &amplified, "k"_a.none(), "n"_a.none(), "epsilon0"_a.none(),
             "epsilon"_a.none(), "delta"_a.none(), "rate"_a.none(), "chosen"_a.none(),
             "accept_large_delta"_a);
  module.def("risk", &risked, "parameters"_a);
  module.def("law", &law_of, "parameters"_a, "p"_a);
  module.def("estimate", &estimated, "certificate"_a, "name"_a, "domain"_a, "released"_a,
             "confidence"_a, "method"_a, "pairs"_a);
}

}  // namespace mollify::python
