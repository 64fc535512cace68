// Releases of points: a part of a table for each worker, and the draws from all of them.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "core/invalid_input.h"
#include "domain/domain.h"
#include "methods/gaussian/design.h"
#include "methods/gaussian/method.h"
#include "methods/gaussian/moments.h"
#include "methods/gaussian/sampler.h"
#include "records/private_table.h"
#include "records/sink.h"
#include "records/values.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Passes over points.

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
    throw InvalidInput("part-mismatch",
                       "a pass over parts of a table is none that this version knows");
  }
}

/// d numbers where a pass has any.
std::vector<double> numbers(const Json& json, std::size_t count) {
  auto read = json.get<std::vector<double>>();
  refuse_if(read.size() != count, "part-mismatch", {},
            "a pass over parts of a table is of another number of columns");
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
  const auto kind = json.at("kind").get<std::uint64_t>();
  refuse_if(kind > static_cast<std::uint64_t>(GaussianPass::Kind::kRuns), "part-mismatch", {},
            "a pass over parts of a table is of no kind that this version knows");
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
  refuse_if(!key, "part-mismatch", {}, "a pass over parts of a table has no release key");
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

// -----------------------------------------------------------------------------------------------
// Releases of points.

namespace {

/// A release of records that are points: all that its two samplers share.
class PointRelease : public PreparedRelease, public SummedRelease {
 public:
  PointRelease(DesignedRelease made, Domain domain, RealColumns columns,
               std::optional<Roster> roster, std::vector<Message> warnings = {})
      : PreparedRelease(std::move(made.certificate), domain, std::move(warnings)),
        domain_(std::move(domain)),
        columns_(std::move(columns)),
        roster_(std::move(roster)) {}

  void require_table(const Source& data) const override {
    const auto& unit = certificate().spec.unit;
    require_columns(data, domain_, unit);
    require_single_records(data, method_words("gaussian"));
    if (!unit) data.require_repeatable();
  }

  RecordCounting counting_of_table() const override {
    throw InvalidInput("not-available-here",
                       "Gaussian samples need the numbers of every record, and not counts of them");
  }

  void require_sums() const override {
    if (!certificate().spec.unit) return;
    throw InvalidInput(
        "not-available-here",
        "Gaussian samples with a unit draw one row of each unit, and need more than sums over all "
        "rows",
        "unit");
  }

  Drawn draw_by(const SumUp& sum_up, SecureRandom& random, Sink& sink) const override {
    RecordWriter writer(columns_, sink);
    draw_points_by(sum_up, random, writer);
    writer.finish();
    return {};
  }

  Drawn draw_table(const Source& data, SecureRandom& random, Sink& sink,
                   std::size_t /*threads*/) const override {
    RecordWriter writer(columns_, sink);
    const auto& unit = certificate().spec.unit;
    if (unit) {
      const MemoryTable units(columns_.size(),
                              read_unit_points(data, columns_, unit, roster_, random));
      draw_points(units, random, writer);
    } else {
      draw_points(NumericRows(data, columns_), random, writer);
    }
    writer.finish();
    return {};
  }

 protected:
  [[nodiscard]] const RealColumns& columns() const noexcept { return columns_; }

 private:
  virtual void draw_points(const NumericTable& table, SecureRandom& random,
                           RecordWriter& writer) const = 0;
  virtual void draw_points_by(const SumUp& sum_up, SecureRandom& random,
                              RecordWriter& writer) const = 0;

  Domain domain_;
  RealColumns columns_;
  std::optional<Roster> roster_;
};

class GaussianRelease final : public PointRelease {
 public:
  GaussianRelease(DesignedRelease made, Domain domain, RealColumns columns, Whitening whitening,
                  std::optional<Roster> roster, std::vector<Message> warnings)
      : PointRelease(std::move(made), std::move(domain), std::move(columns), std::move(roster),
                     std::move(warnings)),
        sampler_(*certificate().as<GaussianDesign>(), std::move(whitening)) {}

  bool needs_order() const noexcept override { return true; }

  std::unique_ptr<SummedPart> part(const std::string& pass, std::uint64_t number) const override {
    return gaussian_part(sampler_, columns(), pass, number);
  }

 private:
  void draw_points(const NumericTable& table, SecureRandom& random,
                   RecordWriter& writer) const override {
    write(sampler_.draw(table, random), writer);
  }

  void draw_points_by(const SumUp& sum_up, SecureRandom& random,
                      RecordWriter& writer) const override {
    const ReleaseKey key;
    write(draw_from_parts(
              sampler_, key,
              [&](const GaussianPass& pass) { return sum_up(pass_bytes(pass, key)); }, random),
          writer);
  }

  void write(const std::vector<double>& released, RecordWriter& writer) const {
    for (std::size_t i = 0; i < released.size(); i += columns().size()) {
      writer.write_point(std::span(released).subspan(i, columns().size()));
    }
  }

  GaussianSampler sampler_;
};

std::vector<double> ends_of(const RealColumns& columns, bool high) {
  std::vector<double> ends;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    ends.push_back(high ? columns.high(i) : columns.low(i));
  }
  return ends;
}

class SharedGaussianRelease final : public PointRelease {
 public:
  SharedGaussianRelease(DesignedRelease made, Domain domain, RealColumns columns,
                        std::optional<Roster> roster)
      : PointRelease(std::move(made), std::move(domain), std::move(columns), std::move(roster)),
        sampler_(*certificate().as<MomentDesign>(), ends_of(this->columns(), false),
                 ends_of(this->columns(), true)) {}

  std::unique_ptr<SummedPart> part(const std::string& pass,
                                   std::uint64_t /*number*/) const override {
    return moment_part(sampler_.design(), columns(), pass);
  }

 private:
  void draw_points(const NumericTable& table, SecureRandom& random,
                   RecordWriter& writer) const override {
    write(sampler_.measure(table, random), random, writer);
  }

  void draw_points_by(const SumUp& sum_up, SecureRandom& random,
                      RecordWriter& writer) const override {
    write(sampler_.measure(
              [&](const MomentMeasure& measure) { return sum_up(pass_bytes(measure)); }, random),
          random, writer);
  }

  void write(const SharedGaussian& model, SecureRandom& random, RecordWriter& writer) const {
    model.draw(*certificate().spec.count, sampler_.low(), sampler_.high(), random,
               [&](std::span<const double> point) { writer.write_point(point); });
  }

  MomentSampler sampler_;
};

}  // namespace

std::unique_ptr<const PreparedRelease> make_gaussian_release(DesignedRelease made, Domain domain,
                                                             RealColumns columns,
                                                             Whitening whitening,
                                                             std::optional<Roster> roster,
                                                             std::vector<Message> warnings) {
  return std::make_unique<const GaussianRelease>(std::move(made), std::move(domain),
                                                 std::move(columns), std::move(whitening),
                                                 std::move(roster), std::move(warnings));
}

std::unique_ptr<const PreparedRelease> make_gaussian_model_release(DesignedRelease made,
                                                                   Domain domain,
                                                                   RealColumns columns,
                                                                   std::optional<Roster> roster) {
  return std::make_unique<const SharedGaussianRelease>(std::move(made), std::move(domain),
                                                       std::move(columns), std::move(roster));
}

}  // namespace mollify
