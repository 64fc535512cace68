#include "laboratory/reproduction/line_divergences.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <utility>

#include "divergence/divergence_terms.h"

namespace mollify::detail {
namespace {

constexpr std::size_t kSteps = 16;
constexpr std::size_t kNodes = kSteps + 1;
constexpr std::size_t kFirstPanels = 64;
/// Narrower panels would have nodes that doubles cannot tell apart, and add nothing.
constexpr double kNarrowest = 1e-11;

/// A place from 0 to 1, its weight, and the share of its weight that the rule within does not have.
struct Node {
  double place, weight, unshared;
};

/// The k-th weight of Clenshaw and Curtis' rule of n + 1 points, n even, for an interval of length
/// 1.
double weight_of(std::size_t k, std::size_t n) {
  const auto steps = static_cast<double>(n);
  double sum = 1;
  for (std::size_t j = 1; j <= n / 2; ++j) {
    const auto frequency = static_cast<double>(2 * j);
    sum -= (2 * j == n ? 1 : 2) / (frequency * frequency - 1) *
           std::cos(frequency * static_cast<double>(k) * std::numbers::pi / steps);
  }
  return (k == 0 || k == n ? 0.5 : 1) * sum / steps;
}

std::array<Node, kNodes> nodes() {
  std::array<Node, kNodes> result{};
  for (std::size_t k = 0; k < kNodes; ++k) {
    const double angle = static_cast<double>(k) * std::numbers::pi / kSteps;
    const double weight = weight_of(k, kSteps);
    const double within = k % 2 == 0 ? weight_of(k / 2, kSteps / 2) : 0;
    result[k] = {0.5 - 0.5 * std::cos(angle), weight, 1 - within / weight};
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
      const double width = edges[panel + 1] - edges[panel];
      for (const Node& node : rule) {
        const std::array point = {std::min(edges[panel] + width * node.place, edges[panel + 1])};
        p.push_back(width * node.weight * truth.density(point));
        h.push_back(width * node.weight * reference.density(point));
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
