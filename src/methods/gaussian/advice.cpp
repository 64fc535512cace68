// Methods gaussian and gaussian-model, for who asks which one to take.
#include "release/advice.h"

#include <fmt/format.h>

#include "base/speech.h"
#include "base/words.h"
#include "methods/central/method.h"
#include "methods/gaussian/method.h"

namespace mollify {
namespace {

class PointAdvice : public MethodAdvice {
 public:
  bool needs_domain() const override { return true; }

  Held question(const AdviceQuestion& asked, std::span<const std::uint64_t>) const override {
    return GaussianQuestion{.logarithms = asked.logarithms, .covariance = asked.covariance};
  }

  void add_parts(const AdviceQuestion& asked, const AddPart& add) const override {
    if (!asked.logarithms.empty()) add("log", asked.logarithms, "");
  }
};

class GaussianAdvice final : public PointAdvice {
 public:
  std::vector<TableWay> table_ways(const Domain*, double) const override {
    return {
        {WayChoice::kNamed, "rows with noise of their own, for few rows and a public covariance"}};
  }

  std::string error_words(const AdviceQuestion&, const AdvisedBudget& chosen,
                          const Domain*) const override {
    return fmt::format("a record is as good as a new row of the same Gaussian, except {}",
                       times_words(*chosen.error));
  }

  void add_notes(const Domain*, Advice& advice) const override {
    if (advice.question.covariance) return;
    advice.notes.push_back(fmt::format(
        "these numbers are for a covariance of 1 in each column; {}: a header of the columns' "
        "names and then as many rows of numbers, from a public source; {} names columns whose "
        "logarithms are Gaussian; plan also takes {} and {}",
        words_of_speech("COVARIANCE.csv", "covariance"), flag_words("log"),
        flag_words("covariance-bound"), flag_words("mean-bound")));
    advice.notes.push_back(
        fmt::format("where nobody knows a covariance, {} learns one mean and one covariance, and "
                    "draws any number of rows that share their noise",
                    method_words("gaussian-model")));
  }

  void add_parts(const AdviceQuestion& asked, const AddPart& add) const override {
    PointAdvice::add_parts(asked, add);
    add("covariance", nullptr,
        asked.covariance ? shell_word(asked.covariance->name) : "COVARIANCE.csv");
  }
};

class GaussianModelAdvice final : public PointAdvice {
 public:
  std::vector<TableWay> table_ways(const Domain* domain, double) const override {
    return {{domain != nullptr && are_numbers(*domain) ? WayChoice::kSpecial : WayChoice::kNamed,
             "any number of rows of one noisy mean and covariance, where columns, or their "
             "logarithms, are roughly Gaussian; numbers are not cut"}};
  }

  ErrorKind error_kind(const AdviceQuestion&) const override {
    return {"expected_total_variation_of_the_model", "total variation of the model"};
  }

  std::string error_words(const AdviceQuestion&, const AdvisedBudget& chosen,
                          const Domain*) const override {
    return fmt::format(
        "by noise alone, rows are as good as new ones of the data's Gaussian except {}, {}; how "
        "Gaussian the data are comes on top, and {} measures it",
        times_words(*chosen.error), chosen.condition, command_words("compare"));
  }

  bool is_less_with_fewer_outcomes() const override { return false; }
};

}  // namespace

const MethodAdvice& gaussian_advice() {
  static const GaussianAdvice advice;
  return advice;
}

const MethodAdvice& gaussian_model_advice() {
  static const GaussianModelAdvice advice;
  return advice;
}

}  // namespace mollify
