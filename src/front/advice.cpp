#include "mollify/advice.h"

#include "analysis/amplification.h"
#include "base/json.h"
#include "base/names.h"
#include "formats/public_files.h"
#include "front/privacy.h"
#include "release/advice.h"

namespace mollify::front {

Answer advise(const AdviceQuestion& question, const PublicTexts& texts) {
  inside::AdviceQuestion asked{
      .purpose = inside::known_value<inside::Purpose>("purpose", question.purpose),
      .records = question.n,
      .column_sizes = question.columns,
      .outputs = question.count,
      .unit = question.unit,
      .epsilon = question.epsilon,
      .delta = question.delta,
      .accept_large_delta = question.accept_large_delta,
      .error = question.alpha,
      .logarithms = question.logarithms};
  if (question.protect) {
    asked.protect = inside::known_value<inside::Protected>("protect", *question.protect);
  }
  if (question.method) {
    asked.method = inside::known_value<inside::Method>("method", *question.method);
  }
  if (question.domain) asked.domain = inside::SpecDomain{.file = *question.domain};
  if (question.covariance) asked.covariance = inside::PublicFile{.name = *question.covariance};
  const inside::Advice found =
      inside::advise(asked, inside::PublicFiles(std::nullopt, std::nullopt, texts));
  return {inside::advice_json(found), inside::advice_text(found), found.warnings};
}

Answer amplify(const AmplifyQuestion& question) {
  inside::Answer found = inside::amplify({.n = question.n,
                                          .k = question.k,
                                          .epsilon0 = question.epsilon0,
                                          .epsilon = question.epsilon,
                                          .delta = question.delta,
                                          .rate = question.rate,
                                          .chosen = question.chosen,
                                          .accept_large_delta = question.accept_large_delta});
  return {inside::json_text(found.json), std::move(found.text), std::move(found.warnings)};
}

}  // namespace mollify::front
