#include "arbitrary_distribution.h"

#include <cmath>
#include <utility>

namespace mollify::test {

std::vector<double> normalised(std::vector<double> masses) {
  double sum = 0.0;
  for (const double mass : masses) sum += mass;
  for (double& mass : masses) mass /= sum;
  return masses;
}

rc::Gen<std::vector<double>> positive_distribution(std::size_t k, int spread) {
  return rc::gen::map(
      rc::gen::container<std::vector<int>>(k, rc::gen::inRange(0, spread * 1000 + 1)),
      [](const std::vector<int>& thousandths) {
        std::vector<double> masses;
        masses.reserve(thousandths.size());
        for (const int u : thousandths) masses.push_back(std::exp(-0.001 * u));
        return normalised(masses);
      });
}

rc::Gen<std::vector<double>> distribution_with_zeros(std::size_t k, int spread) {
  return rc::gen::map(
      rc::gen::pair(positive_distribution(k, spread),
                    rc::gen::container<std::vector<int>>(k, rc::gen::inRange(0, 3))),
      [](const std::pair<std::vector<double>, std::vector<int>>& drawn) {
        std::vector<double> masses = drawn.first;
        bool any = false;
        for (std::size_t i = 0; i < masses.size(); ++i) {
          if (drawn.second[i] == 1) {
            masses[i] = 0.0;
          } else {
            any = true;
          }
        }
        if (!any) masses.front() = 1.0;
        return normalised(masses);
      });
}

}  // namespace mollify::test
