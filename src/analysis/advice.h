// From a question in people's words to a release: method, mechanism, budget, and what to expect.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/answer.h"
#include "base/names.h"
#include "release/public_inputs.h"
#include "release/release_error.h"
#include "release/spec.h"

namespace mollify {

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

/// What the released records are for.
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
  std::optional<std::string> unit{};          ///< the column that names persons
  std::optional<double> epsilon{}, delta{};   ///< none: advised
  bool accept_large_delta = false;            ///< a delta of 1/n or more is looked at all the same
  /// The error that is still good: total variation (none: 0.1); of estimates the standard error of
  /// a share of one half (none: 0.01).
  std::optional<double> error{};
  bool copula = false;  ///< of method marginals: columns are joined by rank correlations
  /// Of Gaussian samples, as a release's.
  std::vector<std::string> logarithms{};
  std::optional<PublicFile> covariance{};
};

/// What one budget buys.
struct AdvisedBudget {
  double epsilon = 0;
  std::string mechanism{};
  /// Total variation of each record's law from the truth; of estimates the standard error of a
  /// share of one half, sampling included, which is about the worst there is; of a table's
  /// marginals what noise does to two columns together. None where nothing serves, and `why` says
  /// why.
  std::optional<double> error{};
  /// What noise leaves of a record (release/release_error.h); none where nothing serves.
  std::optional<ReleaseError> noise{};
  std::string why{};
  std::string condition{};  ///< under which the error holds; mostly none
  /// Of estimates: the same of a share of 1/k, one in as many as there are outcomes.
  std::optional<double> typical_error{};
  /// And of one half by the best known oracle that answers frequencies alone.
  std::optional<double> oracle_error{};
  /// Of marginals: MarginalError::at_worst, where columns of many values depend closely on each
  /// other.
  std::optional<double> greater_error{};
};

/// Another way to a whole table, at the advised budget.
struct OtherWay {
  std::string name{};  ///< "marginals --copula", in the reader's words
  std::string why{};   ///< for what it is, or why it does not serve
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
  std::string error_words{};            ///< the advised budget's error in odds
  std::vector<std::string> warnings{};  ///< what to think of before it is done
  std::vector<std::string> notes{};     ///< what else would serve
  /// If one is advised: the parts of its release that are no files, by their names in Python; and
  /// check, sample, and what comes after, as commands or as Python's calls.
  Json parts = Json::object();
  std::string sample{};
  std::vector<std::string> commands{};
  std::vector<OtherWay> others{};  ///< of a whole table whose rows are protected
};

/// The advice, from the numbers of plans (release/plan.h): the one given, or the least budget of
/// the list whose error is good, or that there is none and what would do. Throws InvalidInput, in
/// one sentence, for a question that contradicts itself or lacks what nothing can be advised
/// without. Some seconds at most.
[[nodiscard]] Advice advise(const AdviceQuestion& question, const PublicInputs& inputs);

/// What the error is of: a key for programs, words for people.
struct ErrorKind {
  const char* key;
  const char* words;
};
[[nodiscard]] ErrorKind error_kind(const Advice& advice);

[[nodiscard]] Answer advice_answer(const Advice& advice);

}  // namespace mollify
