// Advice: the question, the answer, and each method's words about itself.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/held.h"
#include "base/json.h"
#include "base/message.h"
#include "base/named.h"
#include "release/public_inputs.h"
#include "release/release_error.h"
#include "release/spec.h"

namespace mollify {

class Domain;

/// Whose data the output must not tell.
enum class Protected {
  kPerson,  ///< everything about each person, device or other unit
  kRow,     ///< each row of a table
  kTable,   ///< the whole table, and so groups of any size
};

constexpr auto names_of(Protected) {
  return std::array{Named{Protected::kPerson, "person"}, Named{Protected::kRow, "row"},
                    Named{Protected::kTable, "table"}};
}

/// The purpose of the released records.
enum class Purpose {
  kRecords,    ///< a realistic record of each person
  kEstimates,  ///< the population: shares, means
  kSample,     ///< a small sample table
  kTable,      ///< a whole table
};

constexpr auto names_of(Purpose) {
  return std::array{Named{Purpose::kRecords, "records"}, Named{Purpose::kEstimates, "estimates"},
                    Named{Purpose::kSample, "sample"}, Named{Purpose::kTable, "table"}};
}

/// All of it public.
struct AdviceQuestion {
  Purpose purpose = Purpose::kRecords;
  /// One of these two at least, and then the other follows. Of a whole table whose rows are
  /// protected it is the method that needs the least budget.
  std::optional<Protected> protect{};
  std::optional<Method> method{};
  /// Persons, rows of the table; of method local only where estimates are wanted.
  std::optional<std::uint64_t> records{};
  std::optional<SpecDomain> domain{};         ///< one of these two
  std::vector<std::uint64_t> column_sizes{};  ///< how many values each column has
  std::optional<std::uint64_t> outputs{};     ///< none: 1 for each person or table
  /// Of persons' estimates: days on which each is asked, and fresh answers in them.
  std::optional<std::uint64_t> days{}, draws{};
  UnitColumns unit{};                        ///< the columns that name persons
  std::optional<double> epsilon{}, delta{};  ///< none: advised
  bool accept_large_delta = false;           ///< a delta of 1/n or more is looked at all the same
  /// The error that is still good: total variation (none: 0.1); of estimates the standard error of
  /// a share of one half (none: 0.01).
  std::optional<double> error{};
  bool copula = false;  ///< of method marginals: columns are joined by rank correlations
  /// The table's questions, of method marginals. Then the error is the greatest standard error, each
  /// over the one that its question asks for, or `asked_standard_error` if it asks for none.
  std::vector<std::string> questions{};
  double asked_standard_error = 0;
  /// Of Gaussian samples, as a release's.
  std::vector<std::string> logarithms{};
  std::optional<PublicFile> covariance{};
};

/// The error at one budget.
struct AdvisedBudget {
  double epsilon = 0;
  std::string mechanism{};
  bool spends_delta = true;  ///< false of a pure release
  /// Total variation of each record's law from the truth; of estimates the standard error of a
  /// share of one half, sampling included, which is about the worst there is; of a table's
  /// marginals what noise does to two columns together. Empty if nothing is enough, and `why` says
  /// why.
  std::optional<double> error{};
  /// The noise in a record (release/release_error.h); empty if nothing is enough.
  std::optional<ReleaseError> noise{};
  Why why{};
  std::string condition{};  ///< under which the error holds; mostly none
  /// Of estimates: the same of a share of 1/k, one in as many as there are outcomes.
  std::optional<double> typical_error{};
  /// And of one half by the best known oracle that answers frequencies alone.
  std::optional<double> oracle_error{};
  /// Of marginals: MarginalError::most, where columns of many values depend closely on each
  /// other.
  std::optional<double> greater_error{};
  /// Of each question: its standard error; none of a quantile.
  std::vector<std::optional<double>> standard_errors{};
};

/// Another way to a whole table, at the advised budget.
struct OtherWay {
  std::string name{};  ///< "marginals --copula", in the reader's words
  Why why{};           ///< the method in words, or why it is not enough
  std::optional<double> error{};
  std::string error_kind{}, error_words{};
  std::string command{};  ///< empty where it does not serve
};

/// Advice, and the reason of each part in a sentence.
struct Advice {
  AdviceQuestion question{};  ///< with what was left open
  Method method = Method::kLocal;
  std::uint64_t outcomes = 0;
  std::uint64_t outputs = 1;
  double delta = 0;
  std::vector<AdvisedBudget> budgets{};  ///< ascending, 0.5, 1, 2, 4, 8 among them
  /// The index of the budget that is advised; none if no budget brings the error down far enough.
  std::optional<std::size_t> chosen{};

  std::string method_why{}, mechanism_why{}, epsilon_why{}, delta_why{}, count_why{};
  std::string error_words{};         ///< the advised budget's error in odds
  std::vector<Message> warnings{};   ///< what to think of before it is done
  std::vector<std::string> notes{};  ///< other numbers that would be enough
  /// If one is advised: the parts of its release that are no files, by their names in Python; and
  /// check, sample, and what comes after, as commands or as Python's calls.
  Json parts = Json::object();
  std::string sample{};
  std::vector<std::string> commands{};
  std::vector<OtherWay> others{};  ///< of a whole table whose rows are protected
};

/// When a way to a whole table is taken.
enum class WayChoice {
  kUsual,    ///< chosen from, the first of equals
  kSpecial,  ///< where no usual one serves: it depends on what the asker alone knows of the columns
  kBeside,   ///< never; listed next to another
  kNamed,    ///< where its method is given alone
};

/// A way to a whole table whose rows or persons are protected.
struct TableWay {
  WayChoice choice = WayChoice::kNamed;
  const char* why = "";
  bool copula = false;
  Method method{};  ///< whose way it is; set by who asks
};

/// The subject of the error: a key for programs, words for people.
struct ErrorKind {
  const char* key;
  const char* words;
};

/// A part of the advised release, by its name in Python; of a file the value is null, and `file`
/// its name.
using AddPart = std::function<void(const char* name, const Json& value, const std::string& file)>;

/// A method's part in advice. Budgets are weighed by its plans. Immutable.
class MethodAdvice {
 public:
  MethodAdvice() = default;
  MethodAdvice(const MethodAdvice&) = delete;
  MethodAdvice& operator=(const MethodAdvice&) = delete;
  virtual ~MethodAdvice() = default;

  [[nodiscard]] virtual Protected protects() const { return Protected::kRow; }
  /// Whether it is the one to take, unless a method before it in their table is. One always is.
  [[nodiscard]] virtual bool is_usual(Protected, Purpose) const { return false; }
  /// Its ways to a whole table, its plain one first; `domain` is null where none is given.
  [[nodiscard]] virtual std::vector<TableWay> table_ways(const Domain*, double /*outcomes*/) const {
    return {};
  }
  /// Throws InvalidInput for a question to which this method is no answer.
  virtual void require(const AdviceQuestion&) const {}
  /// Whether it is the outcomes of all columns together that count, and not each column's.
  [[nodiscard]] virtual bool counts_outcomes() const { return false; }
  /// How many these are; none where that is found by the plan. Throws InvalidInput for too many.
  [[nodiscard]] virtual std::optional<std::uint64_t> outcomes(const Domain&) const {
    return std::nullopt;
  }
  /// Whether numbers of values alone say too little.
  [[nodiscard]] virtual bool needs_domain() const { return false; }
  /// Whether the population is found from all of its records, for that purpose.
  [[nodiscard]] virtual bool is_for_estimates(const AdviceQuestion&) const { return false; }
  /// Whether `estimate` takes the mechanism's noise back, though the method is not for estimates.
  [[nodiscard]] virtual bool can_be_estimated_from(const std::string& /*mechanism*/) const {
    return false;
  }
  /// The parts of the plan's question that are its own; `sizes` are the columns' numbers of values.
  [[nodiscard]] virtual Held question(const AdviceQuestion&, std::span<const std::uint64_t>) const {
    return {};
  }

  /// Whom it protects, in a sentence; `factor` is e^epsilon.
  [[nodiscard]] virtual std::string protection(const AdviceQuestion& question,
                                               const std::string& factor) const;
  [[nodiscard]] virtual std::string mechanism_why(const AdviceQuestion& question,
                                                  const AdvisedBudget& chosen) const;
  [[nodiscard]] virtual ErrorKind error_kind(const AdviceQuestion&) const {
    return {"total_variation", "total variation"};
  }
  /// The chosen budget's error in words, of what is no estimate.
  [[nodiscard]] virtual std::string error_words(const AdviceQuestion& question,
                                                const AdvisedBudget& chosen,
                                                const Domain* domain) const;
  /// Whether fewer outcomes make that less.
  [[nodiscard]] virtual bool is_less_with_fewer_outcomes() const { return true; }
  /// Other numbers that would be enough. `domain` is null where none is given.
  virtual void add_notes(const Domain*, Advice&) const {}
  /// A sentence about units with a roster; mostly empty.
  [[nodiscard]] virtual std::string unit_note() const { return ""; }
  virtual void add_parts(const AdviceQuestion&, const AddPart&) const {}
};

[[nodiscard]] bool by_person(const AdviceQuestion& question);
/// A person, or a unit where the column that names it is given.
[[nodiscard]] std::string person_of(const AdviceQuestion& question);

}  // namespace mollify
