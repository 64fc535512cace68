// Known distributions and what boosting learns of them: arrays in, arrays out. NOT PRIVATE.
#include <string>
#include <vector>

#include <mollify/core/invalid_input.h>
#include <mollify/laboratory.h>
#include <mollify/namespace.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"

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
    throw InvalidInput("points must have " + std::to_string(dimension) + " coordinates, but have " +
                       std::to_string(points.shape(1)));
  }
  return {points.data(), points.size()};
}

/// What takes long runs beside Python's other threads.
template <class Work>
auto unlocked(const Work& work) {
  const nb::gil_scoped_release released;
  return work();
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
          [](KnownMeasure* made, const std::string& json) { new (made) KnownMeasure(json); },
          "json"_a)
      .def_prop_ro("dimension", &KnownMeasure::dimension)
      .def("central_box", &KnownMeasure::central_box)
      .def("class_bound", &KnownMeasure::class_bound)
      .def(
          "densities",
          [](const KnownMeasure& measure, const Rows& points) {
            return owned_array(unlocked(
                [&] { return measure.densities(numbers_of(points, measure.dimension())); }));
          },
          "points"_a)
      .def(
          "cell_masses",
          [](const KnownMeasure& measure, const Numbers& edges,
             const std::vector<std::size_t>& edge_counts) {
            return owned_array(
                unlocked([&] { return measure.cell_masses(numbers_of(edges), edge_counts); }));
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
        return owned_array(unlocked([&] {
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
      "perfectly_boosted",
      [](const Numbers& p, const Numbers& reference, double epsilon, const std::string& bounding) {
        return owned_array(unlocked([&] {
          return perfectly_boosted(numbers_of(p), numbers_of(reference), epsilon, bounding);
        }));
      },
      "p"_a, "reference"_a, "epsilon"_a, "bounding"_a);
  module.def(
      "law_fit",
      [](const Numbers& p, const Numbers& q, const Numbers& volumes) {
        const LawFit fit =
            unlocked([&] { return law_fit(numbers_of(p), numbers_of(q), numbers_of(volumes)); });
        return nb::make_tuple(fit.negative_log_likelihood, fit.mode_coverage);
      },
      "p"_a, "q"_a, "volumes"_a);
  module.def("single_total_variation_most", &single_total_variation_most, "draws"_a, "joint"_a);

  nb::class_<BoostedRatio>(module, "BoostedRatio")
      .def(
          "__init__",
          [](BoostedRatio* made, double epsilon, const std::string& bounding,
             std::size_t dimension) { new (made) BoostedRatio(epsilon, bounding, dimension); },
          "epsilon"_a, "bounding"_a, "dimension"_a)
      .def(
          "boosted",
          [](const BoostedRatio& before, const Points& p, const Points& q, std::uint64_t seed,
             std::size_t epochs) {
            return unlocked([&] {
              return before.boosted(numbers_of(p, before.dimension()),
                                    numbers_of(q, before.dimension()), seed, epochs);
            });
          },
          "p"_a, "q"_a, "seed"_a, "epochs"_a)
      .def(
          "log_ratios",
          [](const BoostedRatio& density, const Points& points) {
            return owned_array(unlocked(
                [&] { return density.log_ratios(numbers_of(points, density.dimension())); }));
          },
          "points"_a);

  nb::class_<BoostingRuns>(module, "BoostingRuns")
      .def(
          "__init__",
          [](BoostingRuns* made, const Points& p, const Points& pool, std::uint64_t seed,
             std::size_t epochs) {
            new (made) BoostingRuns(numbers_of(p, p.shape(1)), numbers_of(pool, p.shape(1)),
                                    p.shape(1), seed, epochs);
          },
          "p"_a, "pool"_a, "seed"_a, "epochs"_a)
      .def(
          "boosted",
          [](const BoostingRuns& runs, double epsilon) {
            return unlocked([&] { return runs.boosted(epsilon); });
          },
          "epsilon"_a);
}

}  // namespace mollify::python
