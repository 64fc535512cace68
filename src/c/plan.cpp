#include "mollify/plan.h"

#include <string>

#include <nlohmann/json.hpp>

#include "c/guarded.h"
#include "kernel/core/invalid_input.h"

namespace mollify::c {
namespace {

using Json = nlohmann::ordered_json;

/// Throws InvalidInput for text that is no object of the question's names and types.
front::PlanQuestion question_of(const char* text) {
  const Json object = Json::parse(text, nullptr, false);
  if (!object.is_object()) throw InvalidInput("the plan's question must be a JSON object");
  front::PlanQuestion question;
  for (const auto& item : object.items()) {
    const std::string& key = item.key();
    const auto& value = item.value();
    const auto require = [&](bool fits, const char* what) {
      if (!fits) throw InvalidInput(key + " must be " + what + ", but is " + value.dump());
    };
    const auto whole = [&](std::optional<std::uint64_t>& number) {
      require(value.is_number_unsigned(), "a whole number");
      number = value.get<std::uint64_t>();
    };
    const auto real = [&](std::optional<double>& number) {
      require(value.is_number(), "a number");
      number = value.get<double>();
    };
    if (key == "n") {
      whole(question.n);
    } else if (key == "k") {
      whole(question.k);
    } else if (key == "count") {
      whole(question.count);
    } else if (key == "epsilon") {
      real(question.epsilon);
    } else if (key == "delta") {
      real(question.delta);
    } else if (key == "rho") {
      real(question.rho);
    } else if (key == "alpha") {
      real(question.alpha);
    } else if (key == "strong") {
      require(value.is_boolean(), "true or false");
      question.strong = value.get<bool>();
    } else {
      throw InvalidInput("a plan's question has no part \"" + key + "\"");
    }
  }
  return question;
}

Json report_of(const front::Plan& plan) {
  Json answers = Json::array();
  for (const front::PlanAnswer& answer : plan.answers) {
    Json json{{"mechanism", answer.mechanism}, {plan.unknown, nullptr}};
    if (answer.value) {
      json[plan.unknown] = *answer.value;
      if (plan.unknown != "alpha") json["alpha"] = answer.alpha;
      json["independent_outputs"] = answer.independent_outputs;
    }
    json["why"] = answer.why;
    answers.push_back(std::move(json));
  }
  Json report{{"unknown", plan.unknown}, {"best", nullptr}, {"answers", std::move(answers)}};
  if (plan.best) report["best"] = plan.answers[*plan.best].mechanism;
  return report;
}

}  // namespace
}  // namespace mollify::c

mollify_status mollify_plan(const char* question, char** report) {
  return mollify::c::guarded([&] {
    const auto found = mollify::front::plan(mollify::c::question_of(question));
    *report = mollify::c::text_for_c(mollify::c::report_of(found).dump(2) + "\n");
  });
}
