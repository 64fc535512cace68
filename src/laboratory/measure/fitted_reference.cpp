#include "laboratory/measure/fitted_reference.h"

#include "density/gaussian_mixture_fit.h"
#include "density/mixed_points.h"
#include "laboratory/measure/domain_box.h"

namespace mollify {

GaussianMixtureSpec fitted_reference(const Domain& domain, std::span<const std::uint32_t> digits,
                                     std::size_t components) {
  const Box box = domain_box(domain);
  const std::size_t dimension = box.size();
  MixedPoints records(std::vector<MixedColumn>(dimension), digits.size() / dimension);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const double share = (digits[i] + 0.5) / domain.columns()[i % dimension].size();
    records.values(i % dimension)[i / dimension] = static_cast<float>(share);
  }
  const FittedMixture fit =
      fit_gaussian_mixture(records, {.components = components, .full_covariance = false});
  GaussianMixtureSpec spec{.means = {}, .weights = fit.weights, .variances = {}, .box = box};
  for (std::size_t k = 0; k < fit.weights.size(); ++k) {
    std::vector<double> mean(dimension);
    std::vector<double> variances(dimension);
    for (std::size_t axis = 0; axis < dimension; ++axis) {
      const double width = box[axis].width();
      mean[axis] = box[axis].low + width * fit.means[k][axis];
      variances[axis] = width * width * fit.covariances[k][axis * dimension + axis];
    }
    spec.means.push_back(std::move(mean));
    spec.variances.push_back(std::move(variances));
  }
  return spec;
}

}  // namespace mollify
