#include "central/gaussian_parts.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "central/coarse_centre.h"
#include "kernel/order/shuffle.h"
#include "kernel/order/subsample.h"
#include "records/keyed_units.h"

namespace mollify {
namespace {

std::uint64_t rows_of_role(std::span<const RoleShare> shares, GaussianRole role) {
  std::uint64_t rows = 0;
  for (const RoleShare& share : shares) rows += share.role == role ? share.rows : 0;
  return rows;
}

/// Deals the roles of all n rows out to parts of so many rows, without replacement; the last part
/// is that of rows which are nowhere.
std::vector<std::vector<RoleShare>> dealt_roles(const GaussianDesign& design,
                                                std::span<const std::int64_t> rows,
                                                SecureRandom& random) {
  RecordsLeft left(role_counts(design));
  std::vector<std::vector<RoleShare>> dealt;
  std::vector<GaussianRole> taken;
  for (std::size_t part = 0; part <= rows.size(); ++part) {
    const std::uint64_t wanted =
        part == rows.size()
            ? left.size()
            : std::min(left.size(),
                       static_cast<std::uint64_t>(std::max<std::int64_t>(0, rows[part])));
    taken.clear();
    for (std::uint64_t i = 0; i < wanted; ++i) {
      taken.push_back(static_cast<GaussianRole>(left.take(random)));
    }
    std::sort(taken.begin(), taken.end());
    std::vector<RoleShare>& shares = dealt.emplace_back();
    for (const GaussianRole role : taken) {
      if (shares.empty() || shares.back().role != role) shares.push_back({role, 0});
      ++shares.back().rows;
    }
  }
  return dealt;
}

}  // namespace

GaussianPart::GaussianPart(const GaussianSampler& sampler, const GaussianPass& pass,
                           const ReleaseKey& key, std::size_t number)
    : sampler_(sampler), kind_(pass.kind), whitened_(sampler.design().request.dimension) {
  if (kind_ == GaussianPass::Kind::kRows) {
    begin_ = number;
    return;
  }
  const GaussianDesign& design = sampler.design();
  if (kind_ == GaussianPass::Kind::kRuns) runs_.emplace(design, pass.centre);
  for (std::size_t before = 0;
       kind_ == GaussianPass::Kind::kCentre && before < std::min(number, pass.roles.size());
       ++before) {
    begin_ += rows_of_role(pass.roles[before], centre_role(design)) * whitened_.size();
  }
  if (number >= pass.roles.size()) return;
  for (const RoleShare& share : pass.roles[number]) {
    roles_.insert(roles_.end(), share.rows, share.role);
  }
  KeyedUnits words(key, "the roles of rows");
  words.begin(std::to_string(number), {}, {});
  shuffle(roles_, words.before_law());
}

void GaussianPart::add(std::span<const double> rows) {
  const std::size_t d = whitened_.size();
  if (kind_ == GaussianPass::Kind::kRows) {
    rows_ += rows.size() / d;
    return;
  }
  for (; !rows.empty() && rows_ < roles_.size(); rows = rows.subspan(d)) {
    sampler_.whitening().apply(rows.first(d), whitened_);
    add_whitened(whitened_);
  }
}

void GaussianPart::add_whitened(std::span<const double> row) {
  const GaussianRole role = roles_[rows_++];
  if (runs_) {
    runs_->add(role, row);
  } else if (role == centre_role(sampler_.design())) {
    for (const double value : row) found_.push_back(std::bit_cast<std::int64_t>(value));
  }
}

std::vector<std::int64_t> GaussianPart::take() {
  if (kind_ == GaussianPass::Kind::kRows) return {static_cast<std::int64_t>(rows_)};
  std::fill(whitened_.begin(), whitened_.end(), 0.0);
  while (rows_ < roles_.size()) add_whitened(whitened_);
  return runs_ ? runs_->sums() : std::move(found_);
}

std::vector<double> draw_from_parts(
    const GaussianSampler& sampler, const ReleaseKey& key,
    const std::function<std::vector<std::int64_t>(const GaussianPass&)>& ask,
    SecureRandom& random) {
  const GaussianDesign& design = sampler.design();
  const std::size_t d = design.request.dimension;
  GaussianPass pass;
  pass.roles = dealt_roles(design, ask(pass), random);
  // Rows that are nowhere, were the data changed since they were counted, are a part of this one's.
  const auto answer = [&](std::size_t size) {
    std::vector<std::int64_t> found = ask(pass);
    found.resize(size);
    GaussianPart nowhere(sampler, pass, key, pass.roles.size() - 1);
    const std::vector<std::int64_t> more = nowhere.take();
    for (std::size_t i = 0; i < more.size(); ++i) {
      std::int64_t& sum = found[nowhere.begin() + i];
      sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                      static_cast<std::uint64_t>(more[i]));
    }
    return found;
  };
  pass.centre.assign(d, 0);
  if (design.centre) {
    pass.kind = GaussianPass::Kind::kCentre;
    CoarseCentre centre(*design.centre);
    std::vector<double> rows;
    for (const std::int64_t bits : answer(design.centre->request.records * d)) {
      rows.push_back(std::bit_cast<double>(bits));
    }
    centre.add(rows);
    pass.centre = centre.find(random);
  }
  pass.kind = GaussianPass::Kind::kRuns;
  return sampler.release(answer(design.request.outputs * d), pass.centre, random);
}

}  // namespace mollify
