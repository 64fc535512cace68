#include "laboratory/reproduction/line_divergences.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include <boost/math/quadrature/gauss_kronrod.hpp>

#include "divergence/divergence_terms.h"

namespace mollify::detail {
namespace {

constexpr std::size_t kNodes = 15;
constexpr std::size_t kFirstPanels = 32;
/// Narrower panels would have nodes that doubles cannot tell apart, and add nothing.
constexpr double kNarrowest = 1e-11;

/// A place in [-1, 1], its weight, and the share of its weight that the rule within does not have.
struct Node {
  double place, weight, unshared;
};

std::array<Node, kNodes> nodes() {
  using Rule = boost::math::quadrature::gauss_kronrod<double, kNodes>;
  using Within = boost::math::quadrature::gauss<double, (kNodes - 1) / 2>;
  std::array<Node, kNodes> result{};
  // Half of them from the middle on; every second one belongs to the rule within.
  for (std::size_t i = 0; i < Rule::abscissa().size(); ++i) {
    const double weight = Rule::weights()[i];
    const double within = i % 2 == 0 ? Within::weights()[i / 2] : 0;
    const Node node{Rule::abscissa()[i], weight, 1 - within / weight};
    result[kNodes / 2 + i] = node;
    result[kNodes / 2 - i] = {-node.place, node.weight, node.unshared};
  }
  return result;
}

/// Whether the two rules differ by more than the tolerance, for one panel's masses.
bool is_rough(std::span<const double> p, std::span<const double> q,
              const std::array<Node, kNodes>& rule, double tolerance) {
  std::array<double, 4> apart{};
  for (std::size_t i = 0; i < kNodes; ++i) {
    const double difference = p[i] - q[i];
    apart[0] += rule[i].unshared * q[i];
    apart[1] += rule[i].unshared * std::abs(difference);
    apart[2] += rule[i].unshared * relative_entropy_term(p[i], q[i], difference);
    apart[3] += rule[i].unshared * squared_hellinger_term(p[i], q[i], difference);
  }
  return std::any_of(apart.begin(), apart.end(),
                     [&](double sum) { return std::abs(sum) > tolerance; });
}

}  // namespace

DivergenceReport line_divergences(const Measure& truth, const Measure& reference,
                                  const Interval& interval, const LawOfMasses& law,
                                  double tolerance) {
  const std::array<Node, kNodes> rule = nodes();
  std::vector<double> edges = equal_width_edges(interval, kFirstPanels);
  for (;;) {
    std::vector<double> p;
    std::vector<double> h;
    for (std::size_t panel = 0; panel + 1 < edges.size(); ++panel) {
      const double half = 0.5 * (edges[panel + 1] - edges[panel]);
      for (const Node& node : rule) {
        const std::array point = {edges[panel] + half * (1 + node.place)};
        p.push_back(half * node.weight * truth.density(point));
        h.push_back(half * node.weight * reference.density(point));
      }
    }
    const std::vector<double> q = law(p, h);
    std::vector<double> finer = {edges.front()};
    for (std::size_t panel = 0; panel + 1 < edges.size(); ++panel) {
      const double width = edges[panel + 1] - edges[panel];
      const auto of_panel = [&](const std::vector<double>& masses) {
        return std::span(masses).subspan(panel * kNodes, kNodes);
      };
      if (width > kNarrowest && is_rough(of_panel(p), of_panel(q), rule, tolerance)) {
        finer.push_back(edges[panel] + 0.5 * width);
      }
      finer.push_back(edges[panel + 1]);
    }
    if (finer.size() == edges.size()) return divergence_report(p, q);
    edges = std::move(finer);
  }
}

}  // namespace mollify::detail
