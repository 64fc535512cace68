#include "mollify/compare.h"

#include <utility>

#include "analysis/check.h"
#include "analysis/compare.h"
#include "analysis/tune.h"
#include "base/json.h"
#include "formats/public_files.h"
#include "front/domain.h"
#include "front/release.h"

namespace mollify::front {

namespace {

Answer outward(inside::Answer found) {
  return {found.facts(), std::move(found.text), std::move(found.warnings)};
}

/// Sentences about it name parameters.
inside::Json question_of(std::string_view spec) {
  inside::require_json(spec, "the question");
  return inside::Json::parse(spec);
}

}  // namespace

Answer check(const Domain& domain, const std::string& data, const CheckOptions& options,
             const PublicTexts& texts) {
  return outward(inside::check({.domain = domain.inside().domain,
                                .data = data,
                                .unit = options.unit,
                                .units = options.units,
                                .units_column = options.units_column,
                                .counts_column = options.counts_column,
                                .references = options.references,
                                .most = options.most},
                               inside::PublicFiles(std::nullopt, std::nullopt, texts)));
}

Answer compare(std::span<const std::string> specs, const Source& data, const PublicTexts& texts) {
  std::vector<inside::Json> questions;
  for (const std::string& spec : specs) questions.push_back(question_of(spec));
  const inside::PublicFiles files(data.inside().path, std::nullopt, texts);
  return outward(inside::compare(questions, files, *data.inside().records));
}

Answer compare_released(std::string_view spec, const Source& data, const Source& released,
                        const std::string& name, const PublicTexts& texts) {
  const inside::PublicFiles files(data.inside().path, std::nullopt, texts);
  return outward(inside::compare_released(question_of(spec), files, *data.inside().records,
                                          *released.inside().records, name));
}

Tuning tune(const ReleaseSpec& spec, const std::string& public_units, const TuneOptions& options,
            const PublicTexts& texts) {
  std::optional<std::string_view> secret;
  if (options.data && texts.contains(*options.data)) secret = texts.at(*options.data);
  inside::Tuning found = inside::tune({.spec = spec.inside().spec,
                                       .public_units = public_units,
                                       .divergence = options.divergence,
                                       .best = options.best,
                                       .out = options.out},
                                      inside::PublicFiles(options.data, secret, texts));
  return {outward(std::move(found.answer)), std::move(found.band)};
}

}  // namespace mollify::front
