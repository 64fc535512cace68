#include "release/release_space.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "io/candidates_file.h"
#include "io/public_records.h"
#include "kernel/core/invalid_input.h"
#include "reference/multiscale_histogram.h"
#include "reference/smoothed_histogram.h"
#include "space/recut_domain.h"

namespace mollify {
namespace {

constexpr std::uint64_t kUsualCells = 65'536;

// In the order of the enumeration.
constexpr std::array<std::string_view, 3> kListNames = {"seeded", "fresh", "file"};

SpaceKind kind_of(const Domain& domain, const SpaceRequest& request) {
  const bool list = request.candidates || request.fresh || request.candidates_file ||
                    (request.scorer && needs_candidates(*request.scorer));
  if (request.kind) return *request.kind;
  if (list) return SpaceKind::kCandidates;
  return request.cells ? SpaceKind::kGrid : chosen_space(domain);
}

Domain domain_of(const Domain& domain, const SpaceRequest& request) {
  const SpaceKind kind = kind_of(domain, request);
  require_space(domain, kind);
  const auto refuse = [&](bool given, std::string_view option, SpaceKind owner) {
    if (!given || kind == owner) return;
    throw InvalidInput(fmt::format("{} belongs to space {}, but the space is {}", option,
                                   name_of(owner), name_of(kind)));
  };
  refuse(request.cells.has_value(), "cells", SpaceKind::kGrid);
  refuse(request.candidates.has_value(), "the number of candidates", SpaceKind::kCandidates);
  refuse(request.fresh, "a fresh list", SpaceKind::kCandidates);
  refuse(request.candidates_file.has_value(), "a file of candidates", SpaceKind::kCandidates);
  if (request.scorer && needs_candidates(*request.scorer) && kind != SpaceKind::kCandidates) {
    throw InvalidInput(fmt::format("score {} needs space candidates, but the space is {}",
                                   name_of(*request.scorer), name_of(kind)));
  }
  if (request.candidates_file && (request.candidates || request.fresh)) {
    throw InvalidInput(
        fmt::format("a file of candidates holds the list, so it cannot be {}",
                    request.fresh ? "a fresh list as well" : "told how many candidates there are"));
  }
  return kind == SpaceKind::kGrid ? recut_domain(domain, request.cells.value_or(kUsualCells))
                                  : domain;
}

}  // namespace

ScorerKind usual_scorer(SpaceKind kind) noexcept {
  return kind == SpaceKind::kCategories ? ScorerKind::kEmpirical : ScorerKind::kKernel;
}

std::string_view name_of(CandidateList list) noexcept {
  return kListNames[static_cast<std::size_t>(list)];
}

std::optional<CandidateList> candidate_list_named(std::string_view name) noexcept {
  const auto* const found = std::find(kListNames.begin(), kListNames.end(), name);
  if (found == kListNames.end()) return std::nullopt;
  return static_cast<CandidateList>(found - kListNames.begin());
}

std::vector<double> reference_masses(const Empirical& public_records, SpaceKind kind,
                                     const Domain& space) {
  return kind == SpaceKind::kGrid ? multiscale_histogram(public_records, space)
                                  : smoothed_histogram(public_records, space.size());
}

ReleaseSpace::ReleaseSpace(const Domain& domain, const SpaceRequest& request,
                           const std::optional<std::string>& reference)
    : domain_(domain_of(domain, request)), layout_(domain_) {
  certified_.kind = kind_of(domain, request);
  if (certified_.kind != SpaceKind::kCandidates) {
    size_ = domain_.size();
    if (certified_.kind == SpaceKind::kGrid) certified_.cells = request.cells.value_or(kUsualCells);
    return;
  }
  if (reference && request.candidates_file) {
    throw InvalidInput(
        "a file of candidates knows the reference they were drawn from, but another is given");
  }
  if (reference) reference_.emplace(domain_, read_public_digits(*reference, domain_));
  if (request.fresh) {
    certified_.list = CandidateList::kFresh;
    size_ = request.candidates.value_or(Candidates::kUsual);
    Candidates::require_count(size_);
    return;
  }
  if (request.candidates_file) {
    certified_.list = CandidateList::kFile;
    certified_.origin = request.candidates_file;
    candidates_ = read_candidates(*request.candidates_file, domain_);
  } else {
    certified_.list = CandidateList::kSeeded;
    const std::uint64_t count = request.candidates.value_or(Candidates::kUsual);
    candidates_ = reference_ ? reference_->seeded(count) : Candidates::seeded(domain_, count);
  }
  size_ = candidates_->size();
  certified_.sha256 = candidates_hash(*candidates_, domain_);
}

Candidates ReleaseSpace::fresh_candidates(SecureRandom& random) const {
  return reference_ ? reference_->fresh(size_, random) : Candidates::fresh(domain_, size_, random);
}

MixedPoints ReleaseSpace::points() const {
  if (candidates_) return layout_.points(candidates_->digits());
  const std::size_t columns = domain_.columns().size();
  std::vector<std::uint32_t> digits;
  digits.reserve(static_cast<std::size_t>(size_) * columns);
  for (std::uint32_t outcome = 0; outcome < size_; ++outcome) {
    for (std::size_t i = 0; i < columns; ++i) digits.push_back(domain_.digit(outcome, i));
  }
  return layout_.points(digits);
}

}  // namespace mollify
