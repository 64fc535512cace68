#include "laboratory/reproduction/reproduction.h"

#include <array>

#include "laboratory/reproduction/figures_of_sources.h"

namespace mollify {

std::span<const Reproduction> reproductions() {
  static constexpr std::array kAll = {
      Reproduction{"husain-contenders", "Husain et al. 2020, Figure 1 right; 2019, Figure 1",
                   "Boosting and its contenders on a ring", detail::husain_contenders},
      Reproduction{"husain-groups", "Husain et al. 2019, Figure 1 left",
                   "What it costs to protect groups", detail::husain_cost_of_groups},
      Reproduction{"husain-mollifiers", "Husain et al. 2020, Figure 2 left; 2019, Figure 3 left",
                   "Members of two mollifiers", detail::husain_mollifiers},
      Reproduction{"husain-ring", "Husain et al. 2020, Figure 3; 2019, Figure 4",
                   "A ring of eight Gaussians, found by DPB and by boosting",
                   detail::husain_ring_contours},
      Reproduction{"husain-fit", "Husain et al. 2020, Figure 4; 2019, Figure 5",
                   "How well boosting finds P", detail::husain_fit},
      Reproduction{"husain-random-coverage", "Husain et al. 2020, Figure 5; 2019, Figure 6",
                   "Mode coverage of random Gaussians", detail::husain_coverage_of_random},
      Reproduction{"husain-random-likelihood",
                   "Husain et al. 2020, appendix, Figure 1; 2019, Figure 7",
                   "Likelihood of random Gaussians", detail::husain_likelihood_of_random},
      Reproduction{"husain-random-plane", "Husain et al. 2019, Figure 8",
                   "Random Gaussians in the plane", detail::husain_plane_contours},
      Reproduction{"park-1", "Park et al. 2024, Figure 1",
                   "A ring of three Gaussians and two private laws", detail::park_ring},
      Reproduction{"park-2", "Park et al. 2024, Figure 2", "Five outcomes, released",
                   detail::park_five_outcomes},
      Reproduction{"park-3", "Park et al. 2024, Figure 3", "The worst case on 10 outcomes",
                   detail::park_worst_of_10},
      Reproduction{"park-4", "Park et al. 2024, Figure 4",
                   "The worst of 100 clients with Gaussian mixtures", detail::park_clients},
      Reproduction{"park-5", "Park et al. 2024, Figure 5", "The worst case on 5 outcomes",
                   detail::park_worst_of_5},
      Reproduction{"park-6", "Park et al. 2024, Figure 6", "The worst case on 20 outcomes",
                   detail::park_worst_of_20},
      Reproduction{"park-7", "Park et al. 2024, Figure 7", "The worst case on 100 outcomes",
                   detail::park_worst_of_100},
      Reproduction{"cheu-table-1", "Cheu, Nayak 2024, Table 1", "Records for samples of k outcomes",
                   detail::cheu_finite},
      Reproduction{"cheu-table-2", "Cheu, Nayak 2024, Table 2",
                   "Records for Gaussian samples, covariance known", detail::cheu_known_covariance},
      Reproduction{"cheu-table-3", "Cheu, Nayak 2024, Table 3",
                   "Records for Gaussian samples, covariance bounded",
                   detail::cheu_bounded_covariance}};
  return kAll;
}

std::span<const PageWord> words_of_reproductions() {
  static constexpr std::array kWords = {
      PageWord{"P, Q, Q0",
               "P is the private distribution. Q is what one samples from instead. Q0 is a public "
               "distribution to start from."},
      PageWord{"epsilon",
               "Whatever the private data are, no output becomes more than e^epsilon times as "
               "likely: the less, the more private. It protects everybody's data together, unless "
               "\"per record\" is said: then all n records together have n times as much."},
      PageWord{"mollifier",
               "A set of distributions no two of which differ anywhere by more than a factor of "
               "e^epsilon. To draw one point from whichever member is nearest to P is private."},
      PageWord{"MBDE",
               "Mollified boosted density estimation: classifiers learn to tell samples of "
               "P from those of Q, and Q is bent by what they learn, within a mollifier "
               "about Q0."},
      PageWord{"DPB",
               "The differentially private Bernstein mechanism: a density made of "
               "polynomials with noise on their coefficients, epsilon per record."},
      PageWord{"DPGAN", "A generative adversarial network that learns from noisy gradients."},
      PageWord{"minimax",
               "The mechanism whose worst case over all P is the least that there can "
               "be at this epsilon."},
      PageWord{"negative log-likelihood",
               "-E_P ln Q in nats. Less is better; the least, the entropy of P, is reached by Q = "
               "P."},
      PageWord{"mode coverage", "How much of P lies where Q has its densest 95 %."},
      PageWord{
          "divergences",
          "Kullback-Leibler (KL, in nats), total variation and squared Hellinger (both at most "
          "1): how far Q is from P. 0: not at all."},
      PageWord{
          "published, expected, here",
          "In tables: what a source prints or its code computes; what is to come out by a closed "
          "form or an integral, or else by what the row names; what this run gave, with the "
          "standard deviation of one "
          "repeat after \u00b1. Where they differ by more than rounding, it is said why."}};
  return kWords;
}

Figure reproduced(const Reproduction& reproduction, const ReproductionOptions& options) {
  Figure figure = reproduction.make(options);
  figure.id = reproduction.id;
  figure.source = reproduction.source;
  figure.title = reproduction.title;
  return figure;
}

}  // namespace mollify
