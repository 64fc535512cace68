#include "release/point_sums.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "kernel/core/invalid_input.h"
#include "records/numeric_rows.h"
#include "release/json_syntax.h"

namespace mollify {
namespace {

std::string bytes_of(const Json& json) {
  std::string bytes;
  Json::to_cbor(json, bytes);
  return bytes;
}

/// What `read` makes of them. Only workers of another version come upon other bytes.
template <class Read>
auto read_pass(const std::string& bytes, const Read& read) {
  try {
    return read(Json::from_cbor(bytes));
  } catch (const Json::exception&) {
    throw InvalidInput("a pass over parts of a table is none that this version knows");
  }
}

/// d numbers where a pass has any.
std::vector<double> numbers(const Json& json, std::size_t count) {
  auto read = json.get<std::vector<double>>();
  if (read.size() != count) {
    throw InvalidInput("a pass over parts of a table is of another number of columns");
  }
  return read;
}

struct KeyedPass {
  GaussianPass pass;
  ReleaseKey key;
};

/// Reads a part's records as points, block after block.
template <class Points>
class PointPart final : public SummedPart {
 public:
  PointPart(const RealColumns& columns, Points points)
      : columns_(columns), points_(std::move(points)) {}

  void add(const Source& records) override {
    NumericRows(records, columns_).visit([this](std::span<const double> rows) {
      points_.add(rows);
    });
  }
  PartSums take() override { return points_.take(); }

 private:
  const RealColumns& columns_;
  Points points_;
};

class GaussianPoints {
 public:
  GaussianPoints(const GaussianSampler& sampler, const KeyedPass& asked, std::uint64_t number)
      : part_(sampler, asked.pass, asked.key, number) {}
  void add(std::span<const double> rows) { part_.add(rows); }
  PartSums take() {
    const std::uint64_t begin = part_.begin();
    return {begin, part_.take()};
  }

 private:
  GaussianPart part_;
};

class MomentPoints {
 public:
  explicit MomentPoints(MomentSums sums) : sums_(std::move(sums)) {}
  void add(std::span<const double> rows) { sums_.add(rows); }
  PartSums take() { return {0, sums_.entries()}; }

 private:
  MomentSums sums_;
};

KeyedPass keyed_pass(const Json& json, std::size_t dimension) {
  GaussianPass pass;
  const auto kind = json.at("kind").get<unsigned>();
  if (kind > static_cast<unsigned>(GaussianPass::Kind::kRuns)) {
    throw InvalidInput("a pass over parts of a table is of no kind that this version knows");
  }
  pass.kind = static_cast<GaussianPass::Kind>(kind);
  for (const Json& part : json.at("roles")) {
    std::vector<RoleShare>& shares = pass.roles.emplace_back();
    for (std::size_t i = 0; i + 1 < part.size(); i += 2) {
      shares.push_back({part[i].get<GaussianRole>(), part[i + 1].get<std::uint64_t>()});
    }
  }
  if (pass.kind == GaussianPass::Kind::kRuns) pass.centre = numbers(json.at("centre"), dimension);
  const auto& bytes = json.at("key").get_binary();
  auto key = ReleaseKey::of_worker_bytes(std::vector<unsigned char>(bytes.begin(), bytes.end()));
  if (!key) throw InvalidInput("a pass over parts of a table has no release key");
  return {std::move(pass), *std::move(key)};
}

}  // namespace

std::string pass_bytes(const GaussianPass& pass, const ReleaseKey& key) {
  Json roles = Json::array();
  for (const auto& shares : pass.roles) {
    Json part = Json::array();
    for (const RoleShare& share : shares) {
      part.push_back(share.role);
      part.push_back(share.rows);
    }
    roles.push_back(std::move(part));
  }
  Json json = {{"kind", static_cast<unsigned>(pass.kind)},
               {"roles", std::move(roles)},
               {"centre", pass.centre}};
  json["key"] = Json::binary(key.bytes_for_workers());
  return bytes_of(json);
}

std::string pass_bytes(const MomentMeasure& measure) {
  return bytes_of({{"centre", measure.centre}, {"forward", measure.forward}});
}

std::unique_ptr<SummedPart> gaussian_part(const GaussianSampler& sampler,
                                          const RealColumns& columns, const std::string& bytes,
                                          std::uint64_t number) {
  const KeyedPass asked =
      read_pass(bytes, [&](const Json& json) { return keyed_pass(json, columns.size()); });
  return std::make_unique<PointPart<GaussianPoints>>(columns,
                                                     GaussianPoints(sampler, asked, number));
}

std::unique_ptr<SummedPart> moment_part(const MomentDesign& design, const RealColumns& columns,
                                        const std::string& bytes) {
  const std::size_t d = columns.size();
  auto measure = read_pass(bytes, [&](const Json& json) {
    return MomentMeasure{numbers(json.at("centre"), d), numbers(json.at("forward"), d * d)};
  });
  return std::make_unique<PointPart<MomentPoints>>(
      columns, MomentPoints(MomentSums(design, std::move(measure))));
}

}  // namespace mollify
