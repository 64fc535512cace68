#include "mollify/distributed.h"

#include <utility>

#include "front/release.h"
#include "front/release_key.h"
#include "kernel/core/invalid_input.h"
#include "records/counted_table.h"
#include "records/record_counter.h"
#include "release/summed_release.h"
#include "release/unit_draws.h"

namespace mollify::front {

std::optional<CountedRecords> roster_counts(const PreparedRelease& prepared) {
  const inside::RecordCounting counting = prepared.inside().release->counting();
  if (counting.roster == nullptr) return std::nullopt;
  CountedRecords counted{.width = counting.by_outcome ? 1 : counting.domain->columns().size()};
  for (std::size_t unit = 0; unit < counting.roster->size(); ++unit) {
    counted.units += (*counting.roster)[unit];
    counted.unit_ends.push_back(counted.units.size());
  }
  counted.record_ends.resize(counting.roster->size());
  return counted;
}

class RecordCounter::Inside {
 public:
  PreparedRelease prepared;  // which the counter points into
  inside::RecordCounter counter;
};

RecordCounter::RecordCounter(const PreparedRelease& prepared)
    : inside_(new Inside{prepared, inside::RecordCounter(prepared.inside().release->counting())}) {}
RecordCounter::~RecordCounter() = default;
RecordCounter::RecordCounter(RecordCounter&&) noexcept = default;
RecordCounter& RecordCounter::operator=(RecordCounter&&) noexcept = default;

void RecordCounter::add(const Source& part) { inside_->counter.add(*part.inside().records); }
bool RecordCounter::is_full() const noexcept { return inside_->counter.is_full(); }
CountedRecords RecordCounter::take() {
  inside::CountedRecords counted = inside_->counter.take();
  return {counted.width,
          std::move(counted.units),
          std::move(counted.unit_ends),
          std::move(counted.record_ends),
          std::move(counted.records),
          std::move(counted.counts)};
}

Source counted_table(const PreparedRelease& prepared, const CountedRecords& counted) {
  const inside::RecordCounting counting = prepared.inside().release->counting();
  if (counting.unit) throw InvalidInput("the counts of a table have no units");
  auto table = std::make_unique<const inside::CountedTable>(
      *counting.domain,
      inside::CountedRecords{.records = counted.records, .counts = counted.counts});
  const std::string column = table->count_column();
  return Source(std::make_shared<const Source::Inside>(std::move(table))).with_counts(column);
}

namespace {

const inside::SummedRelease* summed_of(const PreparedRelease& prepared) {
  return dynamic_cast<const inside::SummedRelease*>(prepared.inside().release.get());
}

const inside::SummedRelease& required_sums(const PreparedRelease& prepared) {
  if (is_summed(prepared)) return *summed_of(prepared);
  throw InvalidInput("only Gaussian samples and marginals are drawn from sums over all records");
}

}  // namespace

bool is_summed(const PreparedRelease& prepared) {
  const inside::SummedRelease* const summed = summed_of(prepared);
  if (summed != nullptr) summed->require_sums();
  return summed != nullptr;
}

bool needs_order(const PreparedRelease& prepared) { return required_sums(prepared).needs_order(); }

class RecordSums::Inside {
 public:
  PreparedRelease prepared;  // which the part points into
  std::unique_ptr<inside::SummedPart> part;
};

RecordSums::RecordSums(const PreparedRelease& prepared, const std::string& pass, std::uint64_t part)
    : inside_(new Inside{prepared, required_sums(prepared).part(pass, part)}) {}
RecordSums::~RecordSums() = default;
RecordSums::RecordSums(RecordSums&&) noexcept = default;
RecordSums& RecordSums::operator=(RecordSums&&) noexcept = default;

void RecordSums::add(const Source& records) { inside_->part->add(*records.inside().records); }

RecordSums::Sums RecordSums::take() {
  inside::PartSums taken = inside_->part->take();
  return {taken.begin, std::move(taken.sums)};
}

Certificate release_by_sums(
    const PreparedRelease& prepared,
    const std::function<std::vector<std::int64_t>(const std::string& pass)>& sum_up,
    const Sink& sink, const std::optional<Charging>& charging) {
  static_cast<void>(required_sums(prepared));
  std::optional<inside::Charging> charged;
  if (charging) charged.emplace(charging_of(*charging, std::nullopt));
  WithModelFile output(sink.inside(), prepared.inside().domain);
  std::string certified;
  inside::release_by_sums(
      *prepared.inside().release, sum_up, output,
      [&](const std::string& certificate) {
        certified = certificate;
        sink.inside().certify(certificate);
      },
      charged);
  return Certificate::parse(certified, "the certificate");
}

class UnitDraws::Inside {
 public:
  PreparedRelease prepared;
  inside::UnitDraws draws;
};

namespace {

const inside::LocalRelease& local_of(const PreparedRelease& prepared) {
  const auto* local = dynamic_cast<const inside::LocalRelease*>(prepared.inside().release.get());
  if (local != nullptr && local->certificate().spec.unit) return *local;
  throw InvalidInput("only a release of model local is drawn unit by unit");
}

const std::string& same_text(const PreparedRelease& prepared, const std::string& certificate) {
  if (prepared.certificate().json() == certificate) return certificate;
  throw InvalidInput(
      "a worker must prepare the very release that it draws for, but its certificate is another "
      "one: is mollify the same version on all machines?");
}

}  // namespace

UnitDraws::UnitDraws(const PreparedRelease& prepared, const ReleaseKey& key,
                     const std::string& certificate)
    : inside_(new Inside{prepared, inside::UnitDraws(local_of(prepared), key.inside().key,
                                                     same_text(prepared, certificate))}) {}
UnitDraws::~UnitDraws() = default;
UnitDraws::UnitDraws(UnitDraws&&) noexcept = default;
UnitDraws& UnitDraws::operator=(UnitDraws&&) noexcept = default;

void UnitDraws::draw(const Source& counted, bool is_last, const Sink& sink) {
  inside_->draws.draw(*counted.inside().records, is_last, sink.inside());
}

std::span<const std::array<std::uint64_t, 2>> UnitDraws::places() const noexcept {
  return inside_->draws.places();
}

}  // namespace mollify::front
