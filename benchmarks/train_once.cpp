// One training of the papers' network, for training_against_torch.py:
//
//   train_once FILE SAMPLES EPOCHS
//
// FILE holds two features of SAMPLES samples of P and then of as many of Q, single precision, a
// feature after the other. Prints {"seconds": ..., "cross_entropy": ...}, the latter over all
// samples after training.

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "scores/network.h"

namespace {

mollify::Points read(std::ifstream& file, std::size_t size) {
  mollify::Points result(2, size);
  for (std::size_t f = 0; f < 2; ++f) {
    std::vector<char> bytes(size * sizeof(float));
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    __builtin_memcpy(result.values(f).data(), bytes.data(), bytes.size());
  }
  return result;
}

/// Half of the mean cross-entropy where the logit should have this sign.
double half_cross_entropy(const mollify::Classifier& classifier, const mollify::Points& samples,
                          double sign) {
  std::vector<float> logits(samples.size());
  classifier.logits(samples, logits);
  double sum = 0;
  for (const float logit : logits) {
    const double against = -sign * static_cast<double>(logit);
    sum += std::fmax(against, 0) + std::log1p(std::exp(-std::abs(against)));
  }
  return sum / (2 * static_cast<double>(samples.size()));
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::fprintf(stderr, "usage: train_once FILE SAMPLES EPOCHS\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::size_t size = std::stoul(argv[2]);
  const mollify::Points p = read(file, size);
  const mollify::Points q = read(file, size);
  if (!file) {
    std::fprintf(stderr, "%s must hold %zu numbers in single precision\n", argv[1], 4 * size);
    return 1;
  }
  const mollify::NetworkLearner learner({.epochs = std::stoul(argv[3])});
  const auto start = std::chrono::steady_clock::now();
  const std::unique_ptr<mollify::Classifier> classifier = learner.learn(p, q, 1);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const double cross_entropy =
      half_cross_entropy(*classifier, p, 1) + half_cross_entropy(*classifier, q, -1);
  std::printf("{\"seconds\": %.6f, \"cross_entropy\": %.6f}\n", time.count(), cross_entropy);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
