// A release, from prepare to its rows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "accounting/ledger.h"
#include "base/json.h"
#include "base/message.h"
#include "core/random.h"
#include "records/sink.h"
#include "records/source.h"
#include "records/tallies.h"
#include "release/certificate.h"
#include "release/public_inputs.h"
#include "release/release_error.h"
#include "release/spec.h"

namespace mollify {

class Domain;

// -----------------------------------------------------------------------------------------------
// Private records in, private samples out, whatever the model.

/// Results other than the records.
struct Drawn {
  /// The model of the records, as JSON, if it may be released with them.
  std::string model{};
  /// Outputs that the certificate tells, where there are any.
  Json measured = Json::object();
};

/// A release that is ready to be charged and drawn: public inputs have been read and checked, and
/// no random word was drawn. Immutable.
class PreparedRelease {
 public:
  PreparedRelease(const PreparedRelease&) = delete;
  PreparedRelease& operator=(const PreparedRelease&) = delete;
  virtual ~PreparedRelease() = default;

  [[nodiscard]] const Certificate& certificate() const noexcept { return certificate_; }

  /// Its expected error and the public reference's.
  [[nodiscard]] const ReleaseError& error() const noexcept { return error_; }

  /// Its dangers (release/acceptance.h). Public. Up to some seconds where it says
  /// what would do instead.
  [[nodiscard]] std::vector<Message> warnings() const;

  /// The ledger's charge: the decimals of the spec where the release promises the doubles nearest
  /// below them, otherwise the promise's own doubles, exactly.
  [[nodiscard]] ExactPrivacy cost() const;

  /// Throws InvalidInput for public faults of the private data: a column that it lacks, data that
  /// cannot be visited as often as it must be. Looks at no record.
  void require(const Source& data) const;

  /// The encoder for counting records, if a release needs only counts of them. Throws InvalidInput,
  /// in one sentence, where they are not. It points into the release.
  [[nodiscard]] RecordCounting counting() const;

  /// Draws by `threads` threads, each with words of its own, and passes the records to `sink`, in
  /// an order that reveals nothing or, with a roster, in the roster's order with the unit first.
  /// Requires require(data).
  ///
  /// Total: for any records it succeeds, in the same form, which depends on their number only where
  /// that is public. In the central model records beyond that number are not looked at, and those
  /// that lack count as the domain's first.
  Drawn draw(const Source& data, SecureRandom& random, Sink& sink, std::size_t threads) const;

 protected:
  /// Throws InvalidInput for what require_acceptable refuses. `warnings` are about its
  /// domain.
  PreparedRelease(Certificate certificate, const Domain& domain,
                  std::vector<Message> warnings = {});

 private:
  // As `require`, `counting` and `draw`, of a table whose rows have the spec's weights, if it
  // declares any.
  virtual void require_table(const Source& data) const = 0;
  [[nodiscard]] virtual RecordCounting counting_of_table() const = 0;
  virtual Drawn draw_table(const Source& data, SecureRandom& random, Sink& sink,
                           std::size_t threads) const = 0;

  Certificate certificate_;
  std::shared_ptr<const Domain> domain_;
  ReleaseError error_;
  std::vector<Message> warnings_;
};

/// Refuses weights (InvalidInput) where a table lies in parts.
[[noreturn]] void refuse_sums_of_weights();

/// The number of records that is public in the central model: rows, or units, each counted once.
/// None with a roster, and in the other models; then nothing is read. A sum of private counts below
/// 1 becomes 1, and above 2^40 2^40. Throws InvalidInput for a table without rows or units, and for
/// public faults of the data.
[[nodiscard]] std::optional<std::uint64_t> public_count(const ReleaseSpec& spec,
                                                        const Source& data);

/// Reads and checks all that is public. `records` is the number of them in the central model
/// (public_count). Throws InvalidInput, in one sentence, for what is wrong with it.
[[nodiscard]] std::unique_ptr<const PreparedRelease> prepare(
    const ReleaseSpec& spec, const PublicInputs& inputs,
    std::optional<std::uint64_t> records = std::nullopt);

/// The ledger that a release is charged to, and the name of its data there.
struct Charging {
  Ledger& ledger;
  std::string data_set;            ///< empty: the file's, as ReleaseCharge says
  bool without_total = false;      ///< a data set without a total is charged too
  std::optional<DataFile> file{};  ///< where the data is, if it is a file
  bool another_data_set = false;   ///< though the ledger knows the file by other names only
};

/// Charges the release, as `release` does before it draws; for those who draw in another way.
void charge(const PreparedRelease& prepared, const Charging& charging);

/// The certificate of released records, which are whole when it is there. Put the certificate in
/// place before the records: whatever happens in between, no records are without theirs.
struct Released {
  std::string certificate;  ///< the text
  std::string model{};      ///< of Drawn
};

/// Releases, in the only safe order: the certificate is made, the ledger charged, and only then the
/// first random word drawn. If it ends before it returns, nothing was released, and a charge stays.
/// Throws InvalidInput for public faults, before anything is charged, and everything that ledger
/// and sink throw.
///
/// `threads` share the draws of units, 0 for as many as there can be; what is promised does not
/// depend on them.
[[nodiscard]] Released release(const PreparedRelease& prepared, const Source& data, Sink& sink,
                               const std::optional<Charging>& charging = std::nullopt,
                               std::size_t threads = 1);

// -----------------------------------------------------------------------------------------------
// Releases that need of their records nothing but sums of integers over all of them.

/// Integers to add modulo 2^64 to the integers at their places; all others are 0.
/// Private.
struct PartSums {
  std::uint64_t begin = 0;  ///< the place of the first
  std::vector<std::int64_t> sums{};
};

/// One worker's sums in a pass, over one part of the table. Total in the records.
class SummedPart {
 public:
  SummedPart() = default;
  SummedPart(const SummedPart&) = delete;
  SummedPart& operator=(const SummedPart&) = delete;
  virtual ~SummedPart() = default;

  /// Throws InvalidInput for a column that is missing, or there twice.
  virtual void add(const Source& records) = 0;
  /// Once, of all that was added.
  [[nodiscard]] virtual PartSums take() = 0;
};

/// A release that is drawn in passes over a table that lies in parts. Sums do not depend on the
/// order in which they are added, so workers may compute each part as often as they like, and one
/// process adds the noise, once.
class SummedRelease {
 public:
  SummedRelease() = default;
  SummedRelease(const SummedRelease&) = delete;
  SummedRelease& operator=(const SummedRelease&) = delete;
  virtual ~SummedRelease() = default;

  /// Throws InvalidInput, in one sentence, where sums are not enough after all.
  virtual void require_sums() const = 0;

  /// Whether parts must be the same in all passes, their rows in an order that follows from these
  /// alone: otherwise any parts do that have each record once.
  [[nodiscard]] virtual bool needs_order() const noexcept { return false; }

  /// For a worker: the pass as `draw_by` describes it, of the part of this number. Throws
  /// InvalidInput if it is not a pass of the release. It points into the release.
  [[nodiscard]] virtual std::unique_ptr<SummedPart> part(const std::string& pass,
                                                         std::uint64_t number) const = 0;

  /// The sums of all parts of a pass, which is described in bytes. Secret as the records are.
  using SumUp = std::function<std::vector<std::int64_t>(const std::string& pass)>;

  /// As PreparedRelease::draw, from the sums of all passes that it asks for. Total: sums that lack
  /// count as 0. Requires require_sums().
  virtual Drawn draw_by(const SumUp& sum_up, SecureRandom& random, Sink& sink) const = 0;
};

/// As `release`, from sums over a table that lies elsewhere. Requires a SummedRelease; throws
/// whatever `sum_up` throws too.
[[nodiscard]] Released release_by_sums(const PreparedRelease& prepared,
                                       const SummedRelease::SumUp& sum_up, Sink& sink,
                                       const std::optional<Charging>& charging = std::nullopt);

// -----------------------------------------------------------------------------------------------
// What is worth knowing about a release and does not stand in its certificate, for people.

/// From public facts alone.
struct ReleaseReport {
  /// How far each record's distribution may be from the data's: at worst in the local and the
  /// integral model, for any data in the central one, and of what all rows share what noise is
  /// expected to do. With a support that is found it is the whole domain's. None where the number
  /// of rows is protected.
  std::optional<double> total_variation{};
  std::string supposition{};  ///< of the data, to end that: ", if ..."; empty if it is for all data
  std::string why{};          ///< why this mechanism and these parameters, in one sentence
  std::vector<std::string> notes{};
  std::vector<Message> warnings{};
};

/// `domain` is the prepared release's own. Up to some seconds where a warning says what would do.
[[nodiscard]] ReleaseReport release_report(const PreparedRelease& prepared, const Domain& domain);

}  // namespace mollify
