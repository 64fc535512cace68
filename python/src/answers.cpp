// Questions and their answers.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mollify/answers.h>
#include <mollify/laboratory.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "interrupts.h"
#include "release.h"

namespace mollify::python {
namespace {

AnswerTexts answered(const Answer& found) {
  return nb::make_tuple(text(found.json), text(found.text));
}

AnswerTexts planned(const std::vector<std::string>& questions, const FileTexts& texts) {
  const PublicTexts given = public_texts(texts);
  return answered(computed([&] { return plans(questions, "", given); }));
}

AnswerTexts advised(const std::string& purpose, std::optional<std::string> protect,
                    std::optional<std::string> method, std::optional<std::uint64_t> n,
                    std::optional<std::string> domain, std::vector<std::uint64_t> columns,
                    std::optional<std::uint64_t> count, std::optional<std::string> unit,
                    std::optional<double> epsilon, std::optional<double> delta,
                    std::optional<double> alpha, std::optional<std::string> covariance,
                    std::vector<std::string> log, bool accept_large_delta, const FileTexts& texts) {
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
  return answered(found);
}

AnswerTexts amplified(std::optional<std::uint64_t> k, std::optional<std::uint64_t> n,
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
  return answered(computed([&] { return amplify(question); }));
}

AnswerTexts risked(const SamplerParameters& parameters) {
  return answered(computed([&] { return risk(parameters); }));
}

AnswerTexts estimated(const std::string& certificate, const std::string& name, const Domain& domain,
                      const Source& released, double confidence, const std::string& method,
                      bool pairs) {
  return answered(computed([&] {
    return estimate(Certificate::parse(certificate, name), domain, released,
                    {.confidence = confidence, .method = method, .pairs = pairs});
  }));
}

AnswerTexts law_of(const SamplerParameters& parameters, const Array<double, 1>& p,
                   std::optional<std::vector<double>> other, std::optional<double> renyi,
                   std::optional<double> hockey_stick) {
  return answered(computed([&] {
    return law(parameters, std::span<const double>(p.data(), p.size()),
               {std::move(other), renyi, hockey_stick});
  }));
}

AnswerTexts law_of_known(const KnownMeasure& p, const KnownMeasure& reference, double epsilon,
                         std::optional<KnownMeasure> other, std::optional<std::string> band,
                         std::optional<double> c1, std::optional<double> c2,
                         std::optional<std::uint64_t> cells,
                         std::optional<std::uint64_t> candidates,
                         std::vector<std::vector<double>> points, std::vector<std::string> regions,
                         std::optional<double> renyi, std::optional<double> hockey_stick) {
  return answered(computed([&] {
    return law_of_density({p, reference, epsilon, std::move(other), std::move(band), c1, c2, cells,
                           candidates, std::move(points), std::move(regions), renyi, hockey_stick});
  }));
}

AnswerTexts checked(const Domain& domain, const std::string& data, std::optional<std::string> unit,
                    std::optional<std::string> units, std::optional<std::string> units_column,
                    std::optional<std::string> counts, std::vector<std::string> references,
                    std::uint64_t most, const FileTexts& texts) {
  const CheckOptions options{.unit = std::move(unit),
                             .units = std::move(units),
                             .units_column = std::move(units_column),
                             .counts_column = std::move(counts),
                             .references = std::move(references),
                             .most = most};
  const PublicTexts given = public_texts(texts);
  return answered(computed([&] { return check(domain, data, options, given); }));
}

AnswerTexts compared(const std::vector<std::string>& specs, const Source& data,
                     const FileTexts& texts, Progress progress) {
  const PublicTexts given = public_texts(texts);
  return answered(computed([&] { return compare(specs, data, given); }, std::move(progress)));
}

AnswerTexts compared_released(const std::string& spec, const Source& data, const Source& released,
                              const std::string& name, const FileTexts& texts) {
  const PublicTexts given = public_texts(texts);
  return answered(computed([&] { return compare_released(spec, data, released, name, given); }));
}

nb::str counted(const Domain& domain, const Source& rows) {
  return text(computed([&] { return level_counts(domain, rows); }));
}

/// (JSON, words, the band's file)
nb::typed<nb::tuple, nb::str, nb::str, nb::str> tuned(const std::string& spec,
                                                      const std::string& public_units,
                                                      std::optional<std::string> divergence,
                                                      bool best, std::optional<std::string> out,
                                                      std::optional<std::string> data,
                                                      const FileTexts& texts, Progress progress) {
  const TuneOptions options{.divergence = std::move(divergence),
                            .best = best,
                            .out = std::move(out),
                            .data = std::move(data)};
  const PublicTexts given = public_texts(texts);
  const Tuning found =
      computed([&] { return tune(ReleaseSpec::parse(spec, ""), public_units, options, given); },
               std::move(progress));
  return nb::make_tuple(text(found.answer.json), text(found.answer.text), text(found.band));
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
  module.def("law", &law_of, "parameters"_a, "p"_a, "other"_a.none(), "renyi"_a.none(),
             "hockey_stick"_a.none());
  module.def("law_of_density", &law_of_known, "p"_a, "reference"_a, "epsilon"_a, "other"_a.none(),
             "band"_a.none(), "c1"_a.none(), "c2"_a.none(), "cells"_a.none(), "candidates"_a.none(),
             "points"_a, "regions"_a, "renyi"_a.none(), "hockey_stick"_a.none());
  module.def("estimate", &estimated, "certificate"_a, "name"_a, "domain"_a, "released"_a,
             "confidence"_a, "method"_a, "pairs"_a);
  module.def("check", &checked, "domain"_a, "data"_a, "unit"_a.none(), "units"_a.none(),
             "units_column"_a.none(), "counts_column"_a.none(), "references"_a, "most"_a,
             "texts"_a);
  module.def("compare", &compared, "specs"_a, "data"_a, "texts"_a, "progress"_a.none());
  module.def("compare_released", &compared_released, "spec"_a, "data"_a, "released"_a, "name"_a,
             "texts"_a);
  module.def("level_counts", &counted, "domain"_a, "rows"_a);
  module.def("tune", &tuned, "spec"_a, "public_units"_a, "divergence"_a.none(), "best"_a,
             "out"_a.none(), "data"_a.none(), "texts"_a, "progress"_a.none());
}

}  // namespace mollify::python
