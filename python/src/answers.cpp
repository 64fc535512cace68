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

/// (JSON, words, warnings)
using WarnedTexts = nb::typed<nb::tuple, nb::str, nb::str, Messages>;

WarnedTexts warned(const Answer& found) {
  return nb::make_tuple(text(found.json), text(found.text), messages(found.warnings));
}

AnswerTexts planned(const std::vector<std::string>& questions, const FileTexts& texts,
                    const std::vector<std::string>& unit) {
  const PublicTexts given = public_texts(texts);
  return answered(computed([&] { return plans(questions, "", given, unit); }));
}

AnswerTexts advised(const std::string& question, const FileTexts& texts) {
  const PublicTexts given = public_texts(texts);
  return answered(computed([&] { return advise(question, "", given); }));
}

AnswerTexts amplified(const std::string& question) {
  return answered(computed([&] { return amplify(question, ""); }));
}

AnswerTexts risked(const SamplerParameters& parameters) {
  return answered(computed([&] { return risk(parameters); }));
}

/// The certificate's JSON and its name, the domain, the records: of each release.
using GivenRelease = nb::typed<nb::tuple, nb::str, nb::str, Domain, Source>;

WarnedTexts estimated(const nb::typed<nb::list, GivenRelease>& releases,
                      const std::string& question) {
  struct Given {
    std::string certificate, name;
    const Domain& domain;
    const Source& released;
  };
  std::vector<Given> given;
  for (const nb::handle one : releases) {
    given.push_back({nb::cast<std::string>(one[0]), nb::cast<std::string>(one[1]),
                     nb::cast<const Domain&>(one[2]), nb::cast<const Source&>(one[3])});
  }
  return warned(computed([&] {
    std::vector<Certificate> certificates;
    certificates.reserve(given.size());
    std::vector<ReleasedRecords> records;
    for (const Given& one : given) {
      certificates.push_back(Certificate::parse(one.certificate, one.name));
      records.push_back({certificates.back(), one.domain, one.released});
    }
    return estimate(records, question, "");
  }));
}

/// (JSON, words) of each question.
nb::typed<nb::list, AnswerTexts> answered_from(const Model& model,
                                               const std::vector<std::string>& questions) {
  const std::vector<Answer> found = computed([&] { return answer(model, questions); });
  nb::typed<nb::list, AnswerTexts> answers;
  for (const Answer& one : found) answers.append(answered(one));
  return answers;
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

AnswerTexts checked(const Domain& domain, const std::string& data, const std::string& question,
                    const FileTexts& texts) {
  const PublicTexts given = public_texts(texts);
  return answered(computed([&] { return check(domain, data, question, "", given); }));
}

WarnedTexts compared(const std::vector<std::string>& specs, const Source& data,
                     const FileTexts& texts, Progress progress) {
  const PublicTexts given = public_texts(texts);
  return warned(computed([&] { return compare(specs, data, given); }, std::move(progress)));
}

WarnedTexts compared_released(const std::string& spec, const Source& data, const Source& released,
                              const std::string& name, const FileTexts& texts,
                              const std::vector<std::string>& questions, const Model* model) {
  const PublicTexts given = public_texts(texts);
  return warned(computed(
      [&] { return compare_released(spec, data, released, name, given, questions, model); }));
}

nb::str counted(const Domain& domain, const Source& rows) {
  return text(computed([&] { return level_counts(domain, rows); }));
}

/// (JSON, words, warnings, the band's file)
nb::typed<nb::tuple, nb::str, nb::str, Messages, nb::str> tuned(const std::string& spec,
                                                                const std::string& question,
                                                                const FileTexts& texts,
                                                                Progress progress) {
  const PublicTexts given = public_texts(texts);
  const Tuning found = computed(
      [&] { return tune(ReleaseSpec::parse(spec, ""), question, "", given); }, std::move(progress));
  return nb::make_tuple(text(found.answer.json), text(found.answer.text),
                        messages(found.answer.warnings), text(found.band));
}

}  // namespace

void add_answers(nb::module_& module) {
  using namespace nb::literals;
  module.def(
      "request_parts",
      [](const std::string& request) { return shown_parts(request_parts(request)); }, "request"_a);
  module.def("plans", &planned, "questions"_a, "texts"_a, "unit"_a);
  module.def("advise", &advised, "question"_a, "texts"_a);
  module.def("amplify", &amplified, "question"_a);
  module.def("risk", &risked, "parameters"_a);
  module.def("law", &law_of, "parameters"_a, "p"_a, "other"_a.none(), "renyi"_a.none(),
             "hockey_stick"_a.none());
  module.def("law_of_density", &law_of_known, "p"_a, "reference"_a, "epsilon"_a, "other"_a.none(),
             "band"_a.none(), "c1"_a.none(), "c2"_a.none(), "cells"_a.none(), "candidates"_a.none(),
             "points"_a, "regions"_a, "renyi"_a.none(), "hockey_stick"_a.none());
  module.def("estimate", &estimated, "releases"_a, "question"_a);
  module.def("answer", &answered_from, "model"_a, "questions"_a);
  module.def("check", &checked, "domain"_a, "data"_a, "question"_a, "texts"_a);
  module.def("compare", &compared, "specs"_a, "data"_a, "texts"_a, "progress"_a.none());
  module.def("compare_released", &compared_released, "spec"_a, "data"_a, "released"_a, "name"_a,
             "texts"_a, "questions"_a, "model"_a.none());
  module.def("level_counts", &counted, "domain"_a, "rows"_a);
  module.def("tune", &tuned, "spec"_a, "question"_a, "texts"_a, "progress"_a.none());
}

}  // namespace mollify::python
