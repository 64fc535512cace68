// A domain: columns, outcomes, grids, finer cuts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/message.h"
#include "base/names.h"
#include "domain/same_value.h"

namespace mollify {

class Column;
class PossibleRecords;
struct RuleDeclaration;

// -----------------------------------------------------------------------------------------------
// The public domain: all possible records.

/// Whatever draws unbiased integers in [0, bound), by `random.below(bound)` or `random(bound)`; on
/// a release path it is a SecureRandom. It must outlive this.
class UniformIntegers {
 public:
  template <class Random>
  requires(!std::is_same_v<Random, UniformIntegers>) UniformIntegers(Random& random)
  noexcept  // NOLINT(google-explicit-constructor): represents it
      : random_(&random), below_([](void* given, std::uint64_t bound) -> std::uint64_t {
          if constexpr (requires(Random & some) { some.below(bound); }) {
            return static_cast<Random*>(given)->below(bound);
          } else {
            return (*static_cast<Random*>(given))(bound);
          }
        }) {}

  [[nodiscard]] std::uint64_t below(std::uint64_t bound) const { return below_(random_, bound); }

 private:
  void* random_;
  std::uint64_t (*below_)(void*, std::uint64_t);
};

/// A product of columns. Public and immutable; copies share the columns.
///
/// A record is a vector of digits, one cell of each column. If there are at most 2^24 such vectors
/// the domain is enumerable, and a record is also one outcome 0 … size() - 1: the mixed-radix
/// number whose first column is the most significant digit, so that outcomes in ascending order are
/// records in lexicographic order of their columns. Under rules, outcomes are the
/// records that keep them, numbered in that order; a record that breaks one is another, which keeps
/// them (PossibleRecords::map).
class Domain {
 public:
  static constexpr std::uint32_t kMaxOutcomes = std::uint32_t{1} << 24U;

  /// `seed` fixes the public candidates of samplers that use them; it is part of the domain so
  /// that it is chosen before any data is opened.
  /// Throws InvalidInput unless there is at least one column and names are distinct, and for rules
  /// as PossibleRecords.
  [[nodiscard]] static Domain make(std::vector<Column> columns, std::uint64_t seed = 0);
  [[nodiscard]] static Domain make(std::vector<Column> columns, std::uint64_t seed,
                                   const std::vector<RuleDeclaration>& rules);

  /// The records that its rules allow; nullptr without rules.
  [[nodiscard]] const PossibleRecords* possible() const noexcept { return possible_.get(); }
  /// Its rules as they were declared.
  [[nodiscard]] std::vector<RuleDeclaration> rules() const;

  /// The number of digit vectors; exact up to 2^53, and possibly infinite.
  [[nodiscard]] double product() const noexcept { return product_; }
  [[nodiscard]] bool is_enumerable() const noexcept { return product_ <= kMaxOutcomes; }
  /// Throws InvalidInput, saying that `what` needs it, unless the domain is enumerable.
  void require_enumerable(std::string_view what, std::string_view other_way = {},
                          const std::vector<WayOut>& other_ways = {}) const;
  /// The widest columns, a hundred at most, with how many values each has, and how many more there
  /// are.
  [[nodiscard]] std::string widest(std::string_view between) const;
  /// What to write, if `fits` refuses how many values the columns have: "the widest columns are
  /// ...: declare fewer bins there (`bins: 207` in each with more would do), or leave columns out".
  [[nodiscard]] std::string fewer_bins(
      const std::function<bool(std::span<const std::uint32_t>)>& fits) const;

  /// The number of outcomes. Requires is_enumerable(), as all that speaks of outcomes does.
  [[nodiscard]] std::uint32_t size() const {
    return possible_ ? static_cast<std::uint32_t>(outcomes().size()) : size_;
  }
  [[nodiscard]] const std::vector<Column>& columns() const noexcept { return *columns_; }
  /// The columns' names.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }

  /// The outcome of a private record. Total: defined for any fields, of any content and of any
  /// number; fields come in the columns' order, missing ones are nulls, further ones are ignored.
  [[nodiscard]] std::uint32_t encode(std::span<const std::string_view> fields) const;
  /// The outcome whose digits, as a mixed-radix number, are this one. Requires digits of a record that keeps all rules.
  [[nodiscard]] std::uint32_t outcome_at(std::uint32_t place) const {
    return possible_ ? outcome_of_place(place) : place;
  }

  /// The digits of a private record, one for each column; total like `encode`, for every domain.
  /// Requires digits.size() == columns().size().
  void encode_digits(std::span<const std::string_view> fields,
                     std::span<std::uint32_t> digits) const noexcept;

  /// The outcome's digit for one column. Requires outcome < size() and column < columns().size().
  [[nodiscard]] std::uint32_t digit(std::uint32_t outcome, std::size_t column) const {
    const std::uint32_t place = possible_ ? outcomes()[outcome] : outcome;
    return place / places_[column].stride % places_[column].size;
  }

  /// Writes a record of the outcome to `fields`, one text for each column; where an outcome
  /// represents several values, one of them is drawn uniformly. For every draw, encode of the
  /// written record is the outcome. Requires outcome < size().
  void decode(std::uint32_t outcome, UniformIntegers random,
              std::vector<std::string>& fields) const;

  /// Decodes a record given by its digits, for every domain. Requires one digit for each column,
  /// each below that column's size, which keep all rules; so do the values that are written.
  void write_digits(std::span<const std::uint32_t> digits, UniformIntegers random,
                    std::vector<std::string>& fields) const;
  /// Which of its cells' values a record is written as, drawn evenly, but under the domain's rules.
  /// Requires digits as above, and a point for each of them.
  void draw_points(std::span<const std::uint32_t> digits, UniformIntegers random,
                   std::span<std::uint64_t> points) const;

  /// A line with version and seed, then one line for each column. Domains with the same text have
  /// the same seed and encode and decode alike; a domain's hash is computed from it.
  [[nodiscard]] std::string canonical_text() const;
  /// Its name in certificates: SHA-256 of that text, as 64 hexadecimal digits.
  [[nodiscard]] std::string hash() const;

  /// What to tell anyone who made the domain, a sentence each: of each column whose integers are
  /// cut into cells that nobody declared, and of all columns that do not declare what becomes of
  /// other values, and of missing ones. Public.
  [[nodiscard]] std::vector<Message> warnings() const;

  friend bool operator==(const Domain& left, const Domain& right) {
    return left.canonical_text() == right.canonical_text();
  }

 private:
  struct Place {
    std::uint32_t stride;
    std::uint32_t size;
  };

  struct Outcomes;

  /// The effect of rules on private records, to be announced.
  [[nodiscard]] Message rules_message() const;

  Domain(std::vector<Column> columns, std::uint64_t seed, double product,
         const std::vector<RuleDeclaration>& rules);

  /// The places of the records that keep all rules, ascending; found when they are first asked for.
  [[nodiscard]] const std::vector<std::uint32_t>& outcomes() const;
  [[nodiscard]] std::uint32_t outcome_of_place(std::uint32_t place) const;

  std::shared_ptr<const std::vector<Column>> columns_;
  std::shared_ptr<const PossibleRecords> possible_;
  std::shared_ptr<Outcomes> outcomes_;
  std::vector<Place> places_;
  std::uint64_t seed_;
  double product_;
  std::uint32_t size_;
};

// -----------------------------------------------------------------------------------------------
// What somebody may have meant who typed a word that a column does not declare.

/// The declared word of a column, of a thousand words at most, that was meant; empty for other
/// columns, or where none is near. The typed text is public, or its owner asks.
[[nodiscard]] std::string nearest_word(const Column& column, std::string_view typed);

/// " (did you mean \"female\"?)" of a column of declared words that are at most a thousand; nothing
/// for other columns, or where none is near. The typed text is public, or its owner asks.
[[nodiscard]] std::string did_you_mean(const Column& column, std::string_view typed);
/// The text for the domain's column of that name.
[[nodiscard]] std::string did_you_mean(const Domain& domain, std::string_view column,
                                       std::string_view typed);

// -----------------------------------------------------------------------------------------------
// The grid of a numeric domain.

/// These columns cut anew, into `cells` cells of equal width each: an enumerable domain, whose
/// outcomes are the cells of a grid.
///
/// Each of the d columns gets floor(cells^(1/d)) cells; without `cells`, 65 536 for one column,
/// 256 for each of two, 40 for each of three. Integers are never cut finer than single integers.
/// Requires require_space(domain, SpaceKind::kGrid) to have passed. Throws InvalidInput unless
/// `cells` is from 1 to 2^24 and every cell can be written (NumberCells::make).
[[nodiscard]] Domain recut_domain(const Domain& domain,
                                  std::optional<std::uint64_t> cells = std::nullopt);

// -----------------------------------------------------------------------------------------------
// What a release chooses from: the outcomes of a domain, the cells of a grid, or candidates.

/// Only indices are ever drawn, so every space of records is first made finite with public
/// information alone, and the guarantee over indices is inherited (docs/theory/band.md).
enum class SpaceKind {
  kCategories,  ///< all records of an enumerable domain
  kGrid,        ///< the cells of equal width of one to three numeric columns, cut anew
  kCandidates,  ///< a list of public records, for any domain
  kModels,      ///< a list of public distributions; one is released with rows of it
};

[[nodiscard]] constexpr auto names_of(SpaceKind) {
  return std::array{Named{SpaceKind::kCategories, "categories"}, Named{SpaceKind::kGrid, "grid"},
                    Named{SpaceKind::kCandidates, "candidates"},
                    Named{SpaceKind::kModels, "models"}};
}

/// A domain may leave the bins of a number open. At most 2^20 outcomes without such a column:
/// categories. At most three columns, all of them numbers or integers without a null category:
/// grid. Every other domain: candidates.
[[nodiscard]] SpaceKind chosen_space(const Domain& domain) noexcept;

/// Throws InvalidInput, in one sentence, for a space that the domain cannot have: categories of
/// more than 2^24 outcomes, or a grid of other columns than `chosen_space` speaks of.
void require_space(const Domain& domain, SpaceKind kind, std::string_view chosen_by = "space");

// -----------------------------------------------------------------------------------------------
// The records of a numeric domain as points of R^d, not cut into cells.

/// One axis for each column of a domain whose columns are all numbers. Public and immutable.
///
/// A field becomes the declared value: the number as it is, if it lies in [min, max]; the nearer
/// bound or the `outside` value, if not; the `null` value for nulls. Text that is not a number
/// becomes the `outside` value; without one it is mapped like a null. A column may be taken in
/// logarithms: its axis then runs from ln min to ln max, and the written number is e to the
/// coordinate.
class RealColumns {
 public:
  /// `logarithms` names the columns that are taken in logarithms. Throws InvalidInput, naming the
  /// column, unless every column is a number without a null category, and every column named is one
  /// of the domain's, named once, with a min above 0 and a declared `outside`: zeros have no
  /// logarithm.
  explicit RealColumns(const Domain& domain, std::span<const std::string> logarithms = {});

  [[nodiscard]] std::size_t size() const noexcept { return axes_.size(); }
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] const std::string& name(std::size_t column) const noexcept {
    return axes_[column].name;
  }
  [[nodiscard]] bool is_logarithm(std::size_t column) const noexcept {
    return axes_[column].logarithm;
  }
  /// The least and the greatest coordinate that a record can have.
  [[nodiscard]] double low(std::size_t column) const noexcept { return axes_[column].low; }
  [[nodiscard]] double high(std::size_t column) const noexcept { return axes_[column].high; }

  /// The coordinate of a private value. Total, and finite, for any value.
  [[nodiscard]] double read(std::size_t column, const Value& value) const noexcept;
  /// The point of a private record's fields. Requires size() of each.
  void read(std::span<const std::string_view> fields, std::span<double> point) const noexcept;

  /// The number that a coordinate is written as. It is not clipped to the domain: a Gaussian knows
  /// no bounds.
  [[nodiscard]] double number(std::size_t column, double coordinate) const noexcept;
  /// The fields of a point, in as many digits as tell doubles apart. Requires size() coordinates.
  void write(std::span<const double> point, std::vector<std::string>& fields) const;

 private:
  struct Axis {
    std::string name;
    double min;
    double max;
    double low;    // min or its logarithm
    double high;   // max or its logarithm
    double below;  // the coordinates of values outside [min, max]
    double above;
    double null;
    double unreadable;
    bool logarithm;
  };

  [[nodiscard]] static double coordinate(const Axis& axis, double number) noexcept;
  [[nodiscard]] static double coordinate(const Axis& axis, std::string_view text) noexcept;

  std::vector<Axis> axes_;
};

}  // namespace mollify
