// Known distributions and what boosting learns of them: arrays in, arrays out. NOT PRIVATE.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mollify/core/invalid_input.h>
#include <mollify/laboratory.h>
#include <mollify/namespace.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "interrupts.h"

namespace mollify::python {
namespace {

template <class T>
std::span<const T> numbers_of(const Array<T, 1>& numbers) {
  return {numbers.data(), numbers.size()};
}
/// The numbers of points that must have so many coordinates.
template <class T>
std::span<const T> numbers_of(const Array<T, 2>& points, std::size_t dimension) {
  if (points.shape(1) != dimension) {
    throw InvalidInput("wrong-shape",
                       "points must have " + std::to_string(dimension) + " coordinates, but have " +
                           std::to_string(points.shape(1)),
                       "points");
  }
  return {points.data(), points.size()};
}

/// A row for each point.
OwnedArray<float> array_of(Features features) {
  const std::size_t dimension = features.dimension;
  const std::size_t rows = dimension == 0 ? 0 : features.numbers.size() / dimension;
  return OwnedArray<float>(
      owned_array(std::move(features.numbers)).attr("reshape")(rows, dimension));
}

}  // namespace

void add_laboratory(nb::module_& module) {
  using namespace nb::literals;
  using Numbers = Array<double, 1>;
  using Rows = Array<double, 2>;
  using Points = Array<float, 2>;

  nb::class_<SeededNumbers>(module, "SeededNumbers")
      .def(nb::init<std::uint64_t>(), "seed"_a)
      .def("word", &SeededNumbers::word)
      .def(
          "uniforms",
          [](SeededNumbers& numbers, std::size_t count) {
            return owned_array(numbers.uniforms(count));
          },
          "count"_a)
      .def(
          "normals",
          [](SeededNumbers& numbers, std::size_t count) {
            return owned_array(numbers.normals(count));
          },
          "count"_a);

  nb::class_<KnownMeasure>(module, "KnownMeasure")
      .def(
          "__init__",
          [](KnownMeasure* made, const std::string& json, const std::string& name) {
            new (made) KnownMeasure(json, name);
          },
          "json"_a, "name"_a = "the measure")
      .def_prop_ro("dimension", &KnownMeasure::dimension)
      .def("central_box", &KnownMeasure::central_box)
      .def("class_bound", &KnownMeasure::class_bound)
      .def(
          "densities",
          [](const KnownMeasure& measure, const Rows& points) {
            return owned_array(computed(
                [&] { return measure.densities(numbers_of(points, measure.dimension())); }));
          },
          "points"_a)
      .def(
          "cell_masses",
          [](const KnownMeasure& measure, const Numbers& edges,
             const std::vector<std::size_t>& edge_counts) {
            return owned_array(
                computed([&] { return measure.cell_masses(numbers_of(edges), edge_counts); }));
          },
          "edges"_a, "edge_counts"_a)
      .def(
          "sample",
          [](const KnownMeasure& measure, std::size_t count, SeededNumbers& numbers) {
            return owned_array(measure.sample(count, numbers));
          },
          "count"_a, "numbers"_a);

  module.def(
      "projected_on_band",
      [](const Numbers& p, const Numbers& lower, const Numbers& upper) {
        return owned_array(computed([&] {
          return projected_on_band(numbers_of(p), numbers_of(lower), numbers_of(upper));
        }));
      },
      "p"_a, "lower"_a, "upper"_a);

  module.def(
      "scaled_and_shifted",
      [](const Numbers& p, const Numbers& reference, double epsilon) {
        return owned_array(scaled_and_shifted(numbers_of(p), numbers_of(reference), epsilon));
      },
      "p"_a, "reference"_a, "epsilon"_a);
  module.def(
      "law_fit",
      [](const Numbers& p, const Numbers& q, const Numbers& volumes) {
        const LawFit fit =
            computed([&] { return law_fit(numbers_of(p), numbers_of(q), numbers_of(volumes)); });
        return std::pair(fit.negative_log_likelihood, fit.mode_coverage);
      },
      "p"_a, "q"_a, "volumes"_a);

  module.def(
      "record_features",
      [](const Domain& domain, const Source& records) {
        return array_of(computed([&] { return record_features(domain, records); }));
      },
      "domain"_a, "records"_a);
  module.def(
      "candidate_features",
      [](const Domain& domain, std::uint64_t count, const std::optional<std::string>& file,
         const std::optional<nb::bytes>& text) {
        return array_of(
            computed([&] { return candidate_features(domain, count, file, text_in(text)); }));
      },
      "domain"_a, "count"_a, "file"_a.none() = nb::none(), "text"_a.none() = nb::none());
  module.def(
      "candidates",
      [](const Domain& domain, std::uint64_t count, const std::optional<std::string>& reference,
         const std::optional<nb::bytes>& bytes) {
        CandidateFile file =
            computed([&] { return candidates(domain, count, reference, text_in(bytes)); });
        return std::pair(file.candidates, std::move(file.text));
      },
      "domain"_a, "count"_a, "reference"_a.none(), "text"_a.none());
  module.def(
      "fitted_reference",
      [](const Domain& domain, std::uint64_t components, const std::string& records,
         const std::optional<nb::bytes>& bytes) {
        ReferenceFile file =
            computed([&] { return fitted_reference(domain, components, records, text_in(bytes)); });
        return std::pair(file.components, std::move(file.json));
      },
      "domain"_a, "components"_a, "records"_a, "text"_a.none());

  module.def(
      "boosted_log_ratios",
      [](const Points& p, const Points& pool, double epsilon, std::size_t iterations,
         std::size_t samples, std::uint64_t seed) {
        return owned_array(computed([&] {
          return boosted_log_ratios(numbers_of(p, p.shape(1)), numbers_of(pool, p.shape(1)),
                                    p.shape(1), epsilon, iterations, samples, seed);
        }));
      },
      "p"_a, "pool"_a, "epsilon"_a, "iterations"_a, "samples"_a, "seed"_a);

  nb::class_<Network>(module, "Network")
      .def(nb::init<std::vector<float>, std::vector<float>, std::vector<std::vector<float>>>(),
           "centres"_a, "factors"_a, "layers"_a)
      .def_static(
          "learn",
          [](const Points& p, const Points& q, std::uint64_t seed, const std::string& schedule,
             std::optional<std::size_t> width, std::optional<std::size_t> depth,
             std::optional<std::size_t> epochs, std::optional<std::size_t> minibatches,
             std::optional<std::string> optimiser, std::optional<double> rate,
             std::optional<std::size_t> patience) {
            const NetworkOptions options{schedule,    width,     depth, epochs,
                                         minibatches, optimiser, rate,  patience};
            return computed([&] {
              return Network::learn(numbers_of(p, p.shape(1)), numbers_of(q, p.shape(1)),
                                    p.shape(1), seed, options);
            });
          },
          "p"_a, "q"_a, "seed"_a, nb::kw_only(), "schedule"_a = "fast",
          "width"_a.none() = nb::none(), "depth"_a.none() = nb::none(),
          "epochs"_a.none() = nb::none(), "minibatches"_a.none() = nb::none(),
          "optimiser"_a.none() = nb::none(), "rate"_a.none() = nb::none(),
          "patience"_a.none() = nb::none())
      .def_prop_ro("centres", &Network::centres)
      .def_prop_ro("factors", &Network::factors)
      .def_prop_ro("layers", &Network::layers)
      .def_prop_ro("cross_entropy", &Network::cross_entropy)
      .def(
          "logits",
          [](const Network& network, const Points& points) {
            return owned_array(computed(
                [&] { return network.logits(numbers_of(points, network.centres().size())); }));
          },
          "points"_a);
}

}  // namespace mollify::python
