// A release's public side.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/privacy.h"
#include "base/decimals.h"
#include "base/held.h"
#include "base/json.h"
#include "records/unit_columns.h"
#include "records/weights.h"
#include "release/methods.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// All that is public about a release: one spec, whatever the method.

/// The most records of a release.
inline constexpr std::uint64_t kMostReleased = 100'000'000;

/// A public input by its name: PublicInputs finds its content.
struct PublicFile {
  std::string name;
  /// The required hash, in hexadecimal digits; empty allows any. A certificate's spec has it filled
  /// in.
  std::string sha256{};

  friend bool operator==(const PublicFile&, const PublicFile&) = default;
};

/// The domain: a file, or itself. Its hash is the hash of the domain's canonical text
/// (Domain::hash), so that blanks and comments do not matter.
struct SpecDomain {
  std::string file{};
  std::string text{};  ///< text of a domain file; only if `file` is empty
  std::string sha256{};

  /// Its name in sentences.
  [[nodiscard]] std::string name() const { return file.empty() ? "the domain" : file; }
  friend bool operator==(const SpecDomain&, const SpecDomain&) = default;
};

/// A release, as it is asked for. Certificates hold one, whole.
struct ReleaseSpec {
  Method method = Method::kLocal;
  SpecDomain domain{};
  UnitColumns unit{};                     ///< the columns that name units
  std::optional<PublicFile> roster{};     ///< all units, so that membership is protected
  UnitColumns units_column{};             ///< which name them there; none: as `unit` is called
  std::optional<WeightColumn> weights{};  ///< what each row counts as; none: alike
  /// Draws for each unit (local) or for the table (integral), or records in all. None with a rate
  /// alone.
  std::optional<std::uint64_t> count{};
  /// What may be spent on all of it, as it was typed: a ledger charges these decimals, and a
  /// release is made with the greatest doubles that are not above them.
  ExactPrivacy privacy{};
  Held own{};                       ///< its method's parts of its own: LocalSpec, say
  bool accept_large_delta = false;  ///< one of 1/n or more (release/acceptance.h)
  bool accept_error = false;        ///< records that are mostly noise (release/acceptance.h)

  /// The public records that it begins at, of whatever method.
  [[nodiscard]] std::optional<PublicFile> reference() const;
  /// Whether the number of records is protected.
  [[nodiscard]] bool hides_count() const;

  /// Whose replacement the release hides.
  [[nodiscard]] ProtectionScope scope() const;
  /// `privacy` in doubles, none above its decimal.
  [[nodiscard]] Privacy budget() const;

  friend bool operator==(const ReleaseSpec&, const ReleaseSpec&) = default;
};

/// The spec of a JSON text (docs/reference/spec.md, schema/release-spec.schema.json). Throws
/// InvalidInput, one sentence naming `name` or what is wrong, for anything else: unknown keys,
/// wrong types, and parts that the method does not have.
[[nodiscard]] ReleaseSpec parse_spec(const std::string& text, const std::string& name);

/// The reverse: pretty-printed JSON that ends in a line feed. Throws InvalidInput for names that
/// are not UTF-8, which no JSON can hold.
[[nodiscard]] std::string spec_text(const ReleaseSpec& spec);

// -----------------------------------------------------------------------------------------------
// The parts of a JSON object that says what is asked for: of a release's spec, of a plan's
// question, of a request (analysis/requests.h).

/// The type of a part.
enum class PartKind {
  kObject,
  kText,
  kWhole,
  kNumber,
  kDecimal,
  kTruth,
  kTexts,
  kColumns,  ///< a name, or a list of names
  kWholes,
  kFile,
  kDomain
};

/// A part that its method alone has, or a few have alike. Readers, flags, their help, the schema
/// and Python follow from this row.
struct OwnPart {
  const char* place;  ///< in the JSON form
  const char* flag;   ///< of the command; empty if none gives it
  PartKind kind;
  /// A fragment in which {} represents the words. If it is empty, another list has it.
  const char* help = "";
  const char* value = "";  ///< what help calls a text: "COLUMN"
  /// What a text may be, if it must be one of some words; or what it must match.
  std::vector<std::string> (*words)() = nullptr;
  const char* pattern = "";
  double least = -kNoLimit;  ///< of a number; `is_open` leaves it out
  bool is_open = false;
  double below = kNoLimit;
  double most = kNoLimit;
  /// Of a request: the place of the part without which this one has no meaning.
  const char* needs = "";

  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();
};

/// A part of the whole list.
struct Part : OwnPart {
  Methods methods{};  ///< that have it; of a request's parts none

  /// Whether it is a request's: the row holds all there is to know, and readers check its range.
  [[nodiscard]] constexpr bool is_of_request() const { return !methods.intersects(kEveryMethod); }
};

/// Names these parts by their places, and others by their places in a spec (speak_of).
void speak_of_parts(std::span<const Part> parts);

/// An object checked part by part. Sentences name parts by their place in the file `name`, or by
/// their flags if `name` is empty.
class PartReader {
 public:
  /// Throws InvalidInput unless it is an object of these parts alone, each of its kind, and of a
  /// request in its range; `what` says what the object is. All of them must outlive the reader.
  PartReader(std::span<const Part> parts, const Json& json, const std::string& name,
             const char* what);

  [[nodiscard]] bool has(const char* place) const;
  template <class Value>
  [[nodiscard]] std::optional<Value> find(const char* place) const {
    if (!has(place)) return std::nullopt;
    return at(place).get<Value>();
  }
  /// Of a part that is true or false: false where it is not given.
  [[nodiscard]] bool is_true(const char* place) const { return find<bool>(place).value_or(false); }
  /// Of a list of texts: none where it is not given.
  [[nodiscard]] std::vector<std::string> texts(const char* place) const {
    return find<std::vector<std::string>>(place).value_or(std::vector<std::string>());
  }
  /// Of a name or a list of names: none where it is not given.
  [[nodiscard]] UnitColumns columns(const char* place) const;
  [[nodiscard]] std::optional<PublicFile> find_file(const char* place) const;
  [[nodiscard]] std::optional<SpecDomain> find_domain(const char* place) const;
  /// A privacy parameter, as it was typed, or a weight.
  [[nodiscard]] std::optional<Decimal> find_decimal(const char* place) const;
  /// The declaration of weights, whose column may be missing where no data is read. Throws
  /// InvalidInput for one that contradicts itself.
  [[nodiscard]] std::optional<WeightColumn> find_weights(bool with_column = true) const;

  /// How sentences call the part of that place.
  [[nodiscard]] std::string called(const std::string& place) const;

  /// What `read` gives. The name of the file comes first in its refusals: for sentences that call
  /// parts by their flags alone.
  template <class Read>
  auto in_file(const Read& read) const {
    try {
      return read();
    } catch (const InvalidInput& refused) {
      if (name_.empty()) throw;
      throw InvalidInput(refused, name_ + ": " + refused.what());
    }
  }

  void require_given(const char* place) const;
  /// That a budget is given, of a kind that the method has.
  void require_budget(Method method) const;
  /// The only refusal of another method's part.
  void refuse_strangers(Method method) const;

 private:
  [[nodiscard]] std::string flag_of(const std::string& place) const;
  [[nodiscard]] const Part& part_at(std::string_view place) const;
  [[nodiscard]] const Json& at(const char* place) const;
  void require_known(const Json& object, const std::string& place) const;
  [[noreturn]] void refuse_key(const std::string& key, const std::string& place) const;
  void require_needed(const Part& part) const;
  void require_kind(const Part& part) const;
  void require_range(const Part& part) const;

  std::span<const Part> parts_;
  const Json& json_;
  const std::string& name_;
  const char* what_;
};

/// Throws InvalidInput: "--units is missing: --units-column needs it". Flags have no dashes.
/// `is_truth`: the missing one has no value.
[[noreturn]] void refuse_without(std::string_view given, std::string_view missing,
                                 bool is_truth = false);

/// The method named; refuses an unknown one, none, and parts of other methods.
[[nodiscard]] Method method_of(const PartReader& reader);
// -----------------------------------------------------------------------------------------------
// A spec as JSON and as the command's flags.

/// All parts of a spec, with the flags of `mollify sample`; the only list of what may be given, and
/// for which releases.
[[nodiscard]] std::span<const Part> spec_parts();
/// Adds to a list of parts what a method has of its own.
void add_own_parts(std::span<const OwnPart> own, Method method, std::vector<Part>& parts);
/// What a number of the part must be: "above 0 and at most 100", "from 1 to 9".
[[nodiscard]] std::string range_words(const OwnPart& part);
/// The row of a part as a method has it, with its help; of a spec or of a plan's question.
[[nodiscard]] const OwnPart& part_of(Method method, const Part& part);

/// The spec of a JSON object in which every part has its place. Sentences name parts by their
/// place in the file `name`, or by their flags if `name` is empty.
[[nodiscard]] ReleaseSpec spec_of(const Json& json, const std::string& name);

/// The reverse.
[[nodiscard]] Json spec_json(const ReleaseSpec& spec);

/// The files that a spec names, each with its flag.
[[nodiscard]] std::vector<std::pair<const char*, std::string>> files_of(const ReleaseSpec& spec);

/// What `read` makes of the spec's files. A refusal about one of them then concerns the part that
/// names the file.
template <class Read>
auto naming_parts(const ReleaseSpec& spec, const Read& read) {
  try {
    return read();
  } catch (const InvalidInput& refused) {
    if (refused.file().empty() || !refused.parameter().empty()) throw;
    for (const auto& [flag, file] : files_of(spec)) {
      if (file == refused.file())
        throw InvalidInput(refused, refused.what(), Concern(std::string_view(flag).substr(2)));
    }
    throw;
  }
}

/// Puts parts into a spec's JSON, in whatever order.
class SpecWriter {
 public:
  template <class Value>
  void put(const char* place, const Value& value) {
    json_[Json::json_pointer(place)] = value;
  }
  template <class Value>
  void put(const char* place, const std::optional<Value>& value) {
    if (value) put(place, *value);
  }
  void put(const char* place, const std::optional<PublicFile>& file);
  void put(const char* place, const UnitColumns& columns) {
    if (columns) put(place, columns.json());
  }
  void put_truth(const char* place, bool value) {
    if (value) put(place, true);
  }
  /// In the order of spec_parts.
  [[nodiscard]] Json take() const;

 private:
  Json json_ = Json::object();
};

/// Throws InvalidInput for a spec whose parts contradict each other.
void validate_spec(const ReleaseSpec& spec);

/// Throws InvalidInput: the spec has the parts of another method than its own.
[[noreturn]] void refuse_own(Method method);

}  // namespace mollify
