// The parts of a JSON object that says what is asked for: of a release's spec, of a plan's
// question.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "accounting/decimal.h"
#include "release/json_syntax.h"
#include "release/spec.h"

namespace mollify {

/// What a part holds.
enum class PartKind { kObject, kText, kWhole, kNumber, kDecimal, kTruth, kTexts, kFile, kDomain };

/// Which models and families have a part.
enum class PartScope {
  kAll,
  kLocal,
  kReference,  ///< models local and integral, and family marginals
  kCentral,
  kNoFamily,
  kFinite,
  kFamily,
  kGaussian,
  kMarginals
};

/// A part: its place in the JSON form, and the command's flag that gives it; empty if none does.
struct Part {
  const char* place;
  const char* flag;
  PartKind kind;
  PartScope scope;
};

/// An object checked part by part. Sentences name parts by their place in the file `name`, or by
/// their flags if `name` is empty.
class PartReader {
 public:
  /// Throws InvalidInput unless it is an object of these parts alone, each of its kind; `what` says
  /// what the object is. All of them must outlive the reader.
  PartReader(std::span<const Part> parts, const Json& json, const std::string& name,
             const char* what);

  [[nodiscard]] bool has(const char* place) const;
  template <class Value>
  [[nodiscard]] std::optional<Value> find(const char* place) const {
    if (!has(place)) return std::nullopt;
    return at(place).get<Value>();
  }
  [[nodiscard]] std::optional<PublicFile> find_file(const char* place) const;
  [[nodiscard]] std::optional<SpecDomain> find_domain(const char* place) const;
  /// A privacy parameter, as it was typed.
  [[nodiscard]] std::optional<Decimal> find_decimal(const char* place) const;

  /// How sentences call the part of that place.
  [[nodiscard]] std::string called(const std::string& place) const;

  void require_given(const char* place) const;
  /// The only refusal of what is given for another model or family.
  void refuse_strangers(Model model, Family family) const;

 private:
  [[nodiscard]] std::string flag_of(const std::string& place) const;
  [[nodiscard]] const Json& at(const char* place) const;
  [[nodiscard]] std::string stranger(PartScope scope, Model model, Family family) const;
  [[nodiscard]] std::string stranger_of(Family of, Family family) const;
  void require_known(const Json& object, const std::string& place) const;
  void require_kind(const Part& part) const;

  std::span<const Part> parts_;
  const Json& json_;
  const std::string& name_;
  const char* what_;
};

/// The model named; local where none is.
[[nodiscard]] Model model_of(const PartReader& reader);
/// The family named, or kNone; refuses any other, and parts of other models and families.
[[nodiscard]] Family family_of(const PartReader& reader, Model model);
/// The parts of its own that a local or integral release has.
[[nodiscard]] LocalSpec local_spec(const PartReader& reader);

}  // namespace mollify
