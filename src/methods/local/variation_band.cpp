#include "methods/local/variation_band.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include <Eigen/Core>

#include "scores/linear_algebra.h"

namespace mollify {

namespace {

/// An inequality: its room s, its price z, and their next moves. s z goes to 0.
struct Side {
  double s = 1;
  double z = 1;
  double ds = 0;
  double dz = 0;
  double aim = 0;  // of s dz + z ds

  [[nodiscard]] double weight() const { return z / s; }
  void move_price() { dz = (aim - z * ds) / s; }
};

/// Of one outcome of one unit.
struct Own {
  std::uint32_t outcome;
  double p;
  double a, b;                               // the missing part, and the added part
  Side missed{}, above{}, added{}, below{};  // a >= 0, a >= p - E lo, b >= 0, b >= lo - p
  double alpha = 0, beta = 0;                // a's and b's part of lo's step
  double to_a = 0, to_b = 0;                 // their other moves
  double da = 0, db = 0;
};
struct Whole {
  std::size_t begin, end;
  double t;
  Side misses{}, adds{};
  double m1 = 0, m2 = 0, f1 = 0, f2 = 0, to_t = 0;  // of the step
  double dt = 0;
};

class VariationProgramme {
 public:
  VariationProgramme(const UnitMasses& units, double e, std::vector<double> start)
      : objective_(units, e, BandDivergence::kTotalVariation),
        e_(e),
        each_(1 / static_cast<double>(units.size())),
        least_(kLeastSum / static_cast<double>(units.outcome_count())),
        lower_(std::move(start)),
        floors_(lower_.size()) {
    begin_inside(units);
  }

  BestBand run(const std::function<void(double)>& step) {
    BestBand best{.lower = lower_, .mean = objective_.value(lower_), .limit_down = 0};
    for (int round = 0; round < kMostSteps; ++round) {
      best.limit_down = std::max(best.limit_down, limit_down());
      if (const double value = objective_.value(lower_); value < best.mean) {
        best.mean = value;
        best.lower = lower_;
      }
      if (step) step(best.mean - best.limit_down);
      if (best.mean - best.limit_down < kGap || !advance()) break;
    }
    return best;
  }

 private:
  // As in BandDescent.
  static constexpr double kLeastSum = 1e-9;
  static constexpr double kGap = 1e-7;
  static constexpr double kDualRounding = 1e-9;

  static constexpr int kMostSteps = 100;
  static constexpr double kFirstPrice = 0.01;

  template <class Visit>
  void each_side(const Visit& visit) {
    for (Own& own : own_) {
      visit(own.missed);
      visit(own.above);
      visit(own.added);
      visit(own.below);
    }
    for (Whole& unit : units_) {
      visit(unit.misses);
      visit(unit.adds);
    }
    for (Side& floor : floors_) visit(floor);
    visit(most_);
    visit(least_sum_);
  }

  /// Both feasible: every room open, every price positive, and prices that cancel.
  void begin_inside(const UnitMasses& units) {
    const double sum = std::accumulate(lower_.begin(), lower_.end(), 0.0);
    if (!(sum < 1 && sum * e_ > 1)) {
      for (double& bound : lower_) bound *= 0.5 * (1 + 1 / e_) / sum;
    }
    for (double& bound : lower_) bound = std::max(bound, 2 * least_);
    const double inside = 1 / static_cast<double>(lower_.size());
    std::vector<double> slope(lower_.size(), 0.5);
    for (std::size_t u = 0; u < units.size(); ++u) {
      const UnitMasses::Unit unit = units[u];
      Whole whole{.begin = own_.size(), .end = own_.size() + unit.outcomes.size(), .t = 0};
      whole.misses.z = whole.adds.z = 0.5 * each_;
      for (std::size_t i = 0; i < unit.outcomes.size(); ++i) {
        Own own{.outcome = unit.outcomes[i], .p = unit.masses[i], .a = inside, .b = inside};
        own.a += std::max(0.0, own.p - e_ * lower_[own.outcome]);
        own.b += std::max(0.0, lower_[own.outcome] - own.p);
        for (Side* side : {&own.missed, &own.above, &own.added, &own.below}) {
          side->z = 0.25 * each_;
        }
        slope[own.outcome] += each_ * (0.25 - 0.25 * e_ - 0.5);
        own_.push_back(own);
      }
      units_.push_back(whole);
    }
    open_rooms();
    for (Whole& unit : units_) {
      const double lacking = std::max(-unit.misses.s, -unit.adds.s);
      unit.t = std::max(0.0, lacking) + inside;
    }
    open_rooms();
    least_sum_.z = kFirstPrice;
    most_.z = (1 + e_) * kFirstPrice - *std::min_element(slope.begin(), slope.end());
    for (std::size_t i = 0; i < floors_.size(); ++i) {
      floors_[i].z = slope[i] + most_.z - e_ * least_sum_.z;
    }
  }

  /// Every room as it is now.
  void open_rooms() {
    const double sum = std::accumulate(lower_.begin(), lower_.end(), 0.0);
    for (Whole& unit : units_) {
      double misses = 0;
      double adds = sum;
      for (std::size_t i = unit.begin; i < unit.end; ++i) {
        Own& own = own_[i];
        const double bound = lower_[own.outcome];
        own.missed.s = own.a;
        own.above.s = own.a + e_ * bound - own.p;
        own.added.s = own.b;
        own.below.s = own.b - bound + own.p;
        misses += own.a;
        adds += own.b - bound;
      }
      unit.misses.s = unit.t - misses;
      unit.adds.s = unit.t - adds;
    }
    for (std::size_t i = 0; i < floors_.size(); ++i) floors_[i].s = lower_[i] - least_;
    most_.s = 1 - sum;
    least_sum_.s = e_ * sum - 1;
  }

  /// The limit that the prices prove, cut to theta, alpha and beta between 0 and 1.
  [[nodiscard]] double limit_down() const {
    std::vector<double> gradient(lower_.size());
    double value = 0;
    double everywhere = 0;
    for (const Whole& unit : units_) {
      const double theta = unit.misses.z / (unit.misses.z + unit.adds.z);
      const double missed = each_ * theta;
      const double added = each_ * (1 - theta);
      everywhere += added;
      for (std::size_t i = unit.begin; i < unit.end; ++i) {
        const Own& own = own_[i];
        const double a = missed * std::min(1.0, own.above.z / unit.misses.z);
        const double b = added * std::min(1.0, own.below.z / unit.adds.z);
        value += (a - b) * own.p;
        gradient[own.outcome] += b - added - e_ * a;
      }
    }
    const double lacking = *std::min_element(gradient.begin(), gradient.end()) + everywhere;
    return value + std::min(0.0, lacking) - kDualRounding;
  }

  /// Eliminates each unit's own and solves for the lower bounds.
  [[nodiscard]] Eigen::MatrixXd matrix() {
    const auto size = static_cast<Eigen::Index>(lower_.size());
    Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(size, size);
    Eigen::VectorXd cross = Eigen::VectorXd::Zero(size);
    Eigen::VectorXd diagonal = Eigen::VectorXd::Zero(size);
    double ones = most_.weight() + e_ * e_ * least_sum_.weight();
    for (Whole& unit : units_) {
      unit.m1 = unit.misses.s / unit.misses.z;
      unit.m2 = unit.adds.s / unit.adds.z;
      for (std::size_t i = unit.begin; i < unit.end; ++i) {
        Own& own = own_[i];
        const double of_a = own.missed.weight() + own.above.weight();
        const double of_b = own.added.weight() + own.below.weight();
        own.alpha = e_ * own.above.weight() / of_a;
        own.beta = own.below.weight() / of_b;
        unit.m1 += 1 / of_a;
        unit.m2 += 1 / of_b;
        diagonal(own.outcome) +=
            e_ * own.alpha * own.missed.weight() + own.beta * own.added.weight();
      }
      const double weight = 1 / (unit.m1 + unit.m2);
      ones += weight;
      for (std::size_t i = unit.begin; i < unit.end; ++i) {
        const double gamma = weight * (own_[i].alpha + own_[i].beta - 1);
        cross(own_[i].outcome) += gamma;
        // Outcomes ascend.
        for (std::size_t j = unit.begin; j <= i; ++j) {
          normal(own_[i].outcome, own_[j].outcome) += gamma * (own_[j].alpha + own_[j].beta - 1);
        }
      }
    }
    for (Eigen::Index j = 0; j < size; ++j) {
      for (Eigen::Index i = j; i < size; ++i) normal(i, j) += cross(i) + cross(j) + ones;
      normal(j, j) += diagonal(j) + floors_[static_cast<std::size_t>(j)].weight();
    }
    return normal;
  }

  /// The step that brings every s dz + z ds to its aim and makes prices cancel.
  void solve(const Eigen::MatrixXd& factor, const Eigen::VectorXd& scale) {
    const auto size = static_cast<Eigen::Index>(lower_.size());
    Eigen::VectorXd right =
        Eigen::VectorXd::Constant(size, -(most_.z - e_ * least_sum_.z) - most_.aim / most_.s +
                                            e_ * least_sum_.aim / least_sum_.s);
    double everywhere = 0;
    for (Eigen::Index i = 0; i < size; ++i) {
      const Side& floor = floors_[static_cast<std::size_t>(i)];
      right(i) += floor.z + floor.aim / floor.s;
    }
    for (Whole& unit : units_) {
      unit.to_t = unit.misses.z + unit.adds.z - each_;
      unit.f1 = unit.misses.aim / unit.misses.z;
      unit.f2 = unit.adds.aim / unit.adds.z;
      everywhere -= unit.adds.z;
      for (std::size_t i = unit.begin; i < unit.end; ++i) {
        Own& own = own_[i];
        own.to_a = own.missed.z + own.above.z - unit.misses.z + own.missed.aim / own.missed.s +
                   own.above.aim / own.above.s;
        own.to_b = own.added.z + own.below.z - unit.adds.z + own.added.aim / own.added.s +
                   own.below.aim / own.below.s;
        unit.f1 += own.to_a / (own.missed.weight() + own.above.weight());
        unit.f2 += own.to_b / (own.added.weight() + own.below.weight());
      }
      const double share = (unit.m1 * unit.to_t + unit.f1 - unit.f2) / (unit.m1 + unit.m2);
      everywhere += share;
      for (std::size_t i = unit.begin; i < unit.end; ++i) {
        const Own& own = own_[i];
        right(own.outcome) += e_ * own.above.z - own.below.z + unit.adds.z +
                              e_ * own.above.aim / own.above.s - own.below.aim / own.below.s -
                              own.alpha * (own.to_a + unit.to_t) + own.beta * own.to_b +
                              share * (own.alpha + own.beta - 1);
      }
    }
    right.array() += everywhere;
    change_ = scale.cwiseProduct(solve_factored(factor, scale.cwiseProduct(right)));
    follow();
  }

  /// What everything else does when the lower bounds move by `change_`.
  void follow() {
    const double sum = change_.sum();
    for (Whole& unit : units_) {
      double gamma = sum;
      double alpha = 0;
      for (std::size_t i = unit.begin; i < unit.end; ++i) {
        const Own& own = own_[i];
        gamma += (own.alpha + own.beta - 1) * change_(own.outcome);
        alpha += own.alpha * change_(own.outcome);
      }
      unit.adds.dz = (gamma - unit.m1 * unit.to_t - unit.f1 + unit.f2) / (unit.m1 + unit.m2);
      unit.misses.dz = -unit.to_t - unit.adds.dz;
      unit.dt = unit.f1 - alpha - unit.m1 * unit.misses.dz;
      double misses = 0;
      double adds = sum;
      for (std::size_t i = unit.begin; i < unit.end; ++i) {
        Own& own = own_[i];
        const double moved = change_(own.outcome);
        own.da = (own.to_a - unit.misses.dz) / (own.missed.weight() + own.above.weight()) -
                 own.alpha * moved;
        own.db = (own.to_b - unit.adds.dz) / (own.added.weight() + own.below.weight()) +
                 own.beta * moved;
        own.missed.ds = own.da;
        own.above.ds = own.da + e_ * moved;
        own.added.ds = own.db;
        own.below.ds = own.db - moved;
        for (Side* side : {&own.missed, &own.above, &own.added, &own.below}) side->move_price();
        misses += own.da;
        adds += own.db - moved;
      }
      unit.misses.ds = unit.dt - misses;
      unit.adds.ds = unit.dt - adds;
    }
    for (std::size_t i = 0; i < floors_.size(); ++i) {
      floors_[i].ds = change_(static_cast<Eigen::Index>(i));
      floors_[i].move_price();
    }
    most_.ds = -sum;
    most_.move_price();
    least_sum_.ds = e_ * sum;
    least_sum_.move_price();
  }

  /// How far of the step all rooms stay open, and all prices positive; at most 1.
  [[nodiscard]] std::array<double, 2> lengths() {
    std::array<double, 2> most{1, 1};
    each_side([&](const Side& side) {
      if (side.ds < 0) most[0] = std::min(most[0], -side.s / side.ds);
      if (side.dz < 0) most[1] = std::min(most[1], -side.z / side.dz);
    });
    return most;
  }

  /// One step; false if doubles can see no step.
  bool advance() {
    Eigen::MatrixXd normal = matrix();
    const Eigen::VectorXd scale = normal.diagonal().cwiseSqrt().cwiseInverse();
    normal = scale.asDiagonal() * normal * scale.asDiagonal();
    if (!normal.allFinite()) return false;
    std::optional<Eigen::MatrixXd> factor;
    for (double ridge = 1e-14; !factor && ridge < 1e-4; ridge *= 100) {
      normal.diagonal().array() += ridge;
      factor = cholesky_factor(normal);
    }
    if (!factor) return false;

    double sides = 0;
    double products = 0;
    each_side([&](Side& side) {
      side.aim = -side.s * side.z;
      ++sides;
      products += side.s * side.z;
    });
    solve(*factor, scale);
    const auto [room, price] = lengths();
    double left = 0;
    each_side([&, room = room, price = price](const Side& side) {
      left += (side.s + room * side.ds) * (side.z + price * side.dz);
    });
    const double aim = std::pow(left / products, 3) * products / sides;
    each_side([&](Side& side) { side.aim = aim - side.s * side.z - side.ds * side.dz; });
    solve(*factor, scale);
    constexpr double kInside = 0.995;
    auto [open, paid] = lengths();
    open *= kInside;
    paid *= kInside;
    if (!(open > 1e-8) && !(paid > 1e-8)) return false;
    for (std::size_t i = 0; i < lower_.size(); ++i) {
      lower_[i] += open * change_(static_cast<Eigen::Index>(i));
    }
    for (Own& own : own_) {
      own.a += open * own.da;
      own.b += open * own.db;
    }
    for (Whole& unit : units_) unit.t += open * unit.dt;
    each_side([&, open = open, paid = paid](Side& side) {
      side.s += open * side.ds;
      side.z += paid * side.dz;
    });
    return true;
  }

  BandObjective objective_;
  double e_;
  double each_;  // one over the number of units
  double least_;
  std::vector<double> lower_;
  std::vector<Own> own_;
  std::vector<Whole> units_;
  std::vector<Side> floors_;
  Side most_, least_sum_;  // sum lo <= 1 <= E sum lo
  Eigen::VectorXd change_;
};

}  // namespace

BestBand best_variation_band(const UnitMasses& units, double e, std::vector<double> start,
                             const std::function<void(double)>& step) {
  return VariationProgramme(units, e, std::move(start)).run(step);
}

}  // namespace mollify
