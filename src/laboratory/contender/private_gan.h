// A Wasserstein GAN whose critic learns from clipped and noised gradients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "accounting/sampled_gaussian.h"
#include "density/points.h"

namespace mollify {

/// DPGAN [Xie et al. 2018] in the plane, with the batch of [Husain et al. 2020, Section 5]. What
/// neither says is chosen here: noise in two dimensions, two hidden layers, their width, rates,
/// steps of the critic, and bounds.
struct PrivateGanSpec {
  std::size_t width = 25;  ///< neurons of each of the two hidden layers (tanh)
  std::size_t batch = 128;
  std::size_t generator_steps = 10'000;
  std::size_t critic_steps = 5;  ///< for each step of the generator
  double rate = 5e-5;            ///< of RMSProp, which forgets by .9 a step
  double weight_bound = 0.01;    ///< of each weight of the critic
  /// c_g: the gradient of each example, of the critic at a record less that at what the generator
  /// makes, is clipped to this norm.
  double gradient_bound = 1;
  /// sigma: N(0, sigma^2 c_g^2) is added in every coordinate to the sum of a batch's clipped
  /// gradients, which is then divided by the batch's size on average.
  double noise = 0;
};

/// sigma by the source: 2 q sqrt(n_d ln(1/delta)) / epsilon, q = batch/n, n_d the critic's steps of
/// one step of the generator. It accounts for that one step alone, so the epsilon of all of
/// training is another: private_gan_cost.
[[nodiscard]] double private_gan_noise(const PrivateGanSpec& spec, std::size_t records,
                                       double epsilon, double delta);

/// Every step of the critic, of all of training, each of which chooses every record with
/// probability batch/n, one by one.
[[nodiscard]] SampledGaussian private_gan_cost(const PrivateGanSpec& spec, std::size_t records);

/// Trains on points of the plane and returns `count` points of the generator. NOT PRIVATE: the
/// noise comes from the seed and from floating point. `progress` is told each hundredth of the
/// generator's steps, and may be empty. Throws InvalidInput for points of another dimension, none,
/// or a spec out of range. O(generator_steps critic_steps batch width^2).
[[nodiscard]] Points private_gan_sample(
    const Points& records, const PrivateGanSpec& spec, std::size_t count, std::uint64_t seed,
    const std::function<void(std::size_t step)>& progress = nullptr);

}  // namespace mollify
