// The table of docs/evidence/single-records.md: where the band should lie on the class of Gaussian
// mixtures of [Park et al. 2024, Section V-B].
//
// A client is a mixture of 1 + Poisson(2) unit-variance Gaussians, at most 10, with means uniform
// in [-1, 1] and Dirichlet(1, ..., 1) weights, each renormalised on [-4, 4]. For each epsilon: the
// mean and the worst Kullback-Leibler divergence of 100 such clients from their laws under the
// minimax band on the class's envelope, and under the band symmetric about N(0, 1) on [-4, 4].
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "domain/candidates.h"
#include "laboratory/law/law.h"
#include "measures/gaussian_envelope.h"
#include "measures/measure.h"
#include "methods/divergence/f_divergence.h"
#include "methods/local/bands.h"

namespace {

using namespace mollify;

constexpr int kClients = 100;
constexpr std::size_t kCells = 4096;

int poisson(double mean, SeededRandom& random) {
  int events = 0;
  for (double left = mean + std::log(uniform_of_unit_interval(random)); left > 0;
       left += std::log(uniform_of_unit_interval(random))) {
    ++events;
  }
  return events;
}

GaussianMixtureSpec random_client(SeededRandom& random) {
  const int components = std::min(1 + poisson(2, random), 10);
  GaussianMixtureSpec spec;
  spec.box = {{-4, 4}};
  for (int i = 0; i < components; ++i) {
    spec.means.push_back({2 * uniform_of_unit_interval(random) - 1});
    spec.weights.push_back(-std::log(uniform_of_unit_interval(random)));
    spec.variances.push_back({1});
  }
  return spec;
}

struct Summary {
  double mean = 0;
  double error = 0;
  double worst = 0;
};

Summary summarise(const GridSampler& sampler, const std::vector<GaussianMixtureSpec>& clients) {
  Summary summary;
  double squares = 0;
  GridRelease release(sampler);
  for (const GaussianMixtureSpec& spec : clients) {
    release.assign(GaussianMixture(spec));
    const double kl = kullback_leibler(release.masses(), probabilities(release.table()));
    summary.mean += kl / kClients;
    squares += kl * kl / kClients;
    summary.worst = std::max(summary.worst, kl);
  }
  summary.error = std::sqrt((squares - summary.mean * summary.mean) / (kClients - 1));
  return summary;
}

}  // namespace

int main() {
  const auto envelope = std::make_shared<const GaussianEnvelope>(1.0, 1.0, 1, Box{{-4, 4}});
  const auto normal = std::make_shared<const GaussianMixture>(
      GaussianMixtureSpec{.means = {{0}}, .weights = {1}, .variances = {{1}}, .box = {{-4, 4}}});
  SeededRandom random(2026);
  std::vector<GaussianMixtureSpec> clients;
  for (int i = 0; i < kClients; ++i) clients.push_back(random_client(random));

  fmt::print(
      "| ε | minimax: mean KL | worst | relative to N(0, 1): mean KL | worst |\n"
      "|---|---|---|---|---|\n");
  for (const double epsilon : {0.1, 0.5, 1.0, 2.0, 5.0}) {
    const GridSampler minimax(envelope, equal_width_grid(*envelope, kCells),
                              class_floor(0, envelope->class_bound(), epsilon), epsilon);
    const GridSampler relative(normal, equal_width_grid(*normal, kCells), relative_floor(epsilon),
                               epsilon);
    const Summary a = summarise(minimax, clients);
    const Summary b = summarise(relative, clients);
    fmt::print("| {} | {:.4f} ± {:.4f} | {:.4f} | {:.4f} ± {:.4f} | {:.4f} |\n", epsilon, a.mean,
               a.error, a.worst, b.mean, b.error, b.worst);
  }
}
