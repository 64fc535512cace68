#include "release/gaussian_certificate.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "central/gaussian_sampler.h"
#include "io/domain_hash.h"
#include "io/json_syntax.h"
#include "kernel/core/invalid_input.h"
#include "release/certificate_reader.h"
#include "release/guarantee_json.h"

namespace mollify {
namespace {

constexpr const char* kGaussianFormat = "mollify gaussian certificate 1";

using Notion = Privacy::Notion;

/// Integers as texts: programs that read JSON numbers as doubles would lose digits.
Json ratio_json(const Ratio& ratio) {
  return {{"numerator", std::to_string(ratio.numerator)},
          {"denominator", std::to_string(ratio.denominator)}};
}

/// Names as one list; null stands for nothing given.
Json names_json(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const std::string& name : names) list.push_back(name);
  return list;
}

Json request_json(const GaussianRequest& request) {
  Json ranges = Json::array();
  for (const WhitenedRange& range : request.ranges) ranges.push_back({range.low, range.high});
  return {{"epsilon", request.budget.epsilon},
          {"delta", request.budget.delta},
          {"rho", request.budget.notion == Notion::kConcentrated ? Json(request.budget.rho)
                                                                 : Json(nullptr)},
          {"covariance_bound", request.covariance_bound},
          {"mean_bound", or_null(request.mean_bound)},
          {"mean_ranges", std::move(ranges)},
          {"paper_variance", request.paper_variance}};
}

Json centre_json(const std::optional<CentreDesign>& centre) {
  if (!centre) return nullptr;
  Json json{{"records", centre->request.records},
            {"cell_exponent", centre->cell_exponent},
            {"rate", ratio_json(centre->rate)},
            {"radius", centre->radius},
            {"histogram", nullptr}};
  if (const auto& histogram = centre->histogram) {
    json["histogram"] = {{"epsilon", histogram->epsilon},
                         {"delta", histogram->delta},
                         {"coarse_bits", histogram->coarse_bits}};
  }
  return json;
}

Json parameters_json(const GaussianDesign& design) {
  const GaussianWeights& weights = design.weights;
  return {
      {"centre", centre_json(design.centre)},
      {"run_records", design.run_records},
      {"mean_radius", design.mean_radius},
      {"clip_radius", design.clip_radius},
      {"lattice_step_exponent", design.step_exponent},
      {"lattice_radius", design.lattice_radius},
      {"noise",
       design.guarantee.notion == Notion::kPure ? "euclidean-laplace" : "discrete-gaussian"},
      {design.guarantee.notion == Notion::kPure ? "scale" : "variance", ratio_json(design.noise)},
      {"public_variance", design.public_variance},
      {"weights",
       {{"plus_records", weights.plus_records},
        {"minus_records", weights.minus_records},
        {"divisor", weights.divisor}}}};
}

Json accuracy_json(const GaussianDesign& design) {
  const GaussianTotalVariation& parts = design.total_variation;
  return {{"total_variation", design.total_variation_up()},
          {"total_variation_together", design.strong_total_variation_up()},
          {"clip", parts.clip},
          {"shape", parts.shape},
          {"lattice", parts.lattice},
          {"centre", parts.centre}};
}

Json certificate_json(const GaussianCertificate& certificate) {
  const GaussianDesign& design = certificate.design;
  Json json;
  json["format"] = kGaussianFormat;
  json["version"] = certificate.version;
  json["model"] = "central";
  json["family"] = "gaussian";
  json["unit"] = or_null(certificate.unit);
  json["roster"] = or_null(certificate.roster);
  json["records"] = design.request.records;
  json["count"] = design.request.outputs;
  json["columns"] = names_json(certificate.columns);
  json["logarithms"] = names_json(certificate.logarithms);
  json["covariance"] = nullptr;
  if (certificate.covariance) {
    json["covariance"] = {{"file", *certificate.covariance},
                          {"sha256", certificate.covariance_sha256}};
  }
  json["privacy"] = privacy_json(design.guarantee);
  json["request"] = request_json(design.request);
  json["parameters"] = parameters_json(design);
  json["accuracy"] = accuracy_json(design);
  json["domain"] = {{"sha256", certificate.domain_sha256}};
  json["promised"] = promises(certificate);
  json["not_promised"] = non_promises(certificate);
  return json;
}

std::vector<std::string> parse_names(const CertificateReader& reader, const char* place) {
  return reader.get<std::vector<std::string>>(place, "a list of column names");
}

/// The request that a certificate states; the numbers of records and columns are beside it.
GaussianRequest parse_request(const CertificateReader& reader, std::size_t dimension,
                              const std::string& name) {
  GaussianRequest request;
  request.records = reader.get<std::uint64_t>("/records", "a whole number");
  request.dimension = dimension;
  request.outputs = reader.get<std::uint64_t>("/count", "a whole number");
  const auto rho = reader.find<double>("/request/rho", "a number or null");
  request.budget = rho ? Privacy::concentrated(*rho)
                       : Privacy::approximate(reader.get<double>("/request/epsilon", "a number"),
                                              reader.get<double>("/request/delta", "a number"));
  request.covariance_bound = reader.get<double>("/request/covariance_bound", "a number");
  request.mean_bound = reader.find<double>("/request/mean_bound", "a number or null");
  request.paper_variance = reader.get<bool>("/request/paper_variance", "true or false");
  for (const auto& ends : reader.get<std::vector<std::vector<double>>>("/request/mean_ranges",
                                                                       "a list of intervals")) {
    if (ends.size() != 2) {
      throw InvalidInput(fmt::format("{} must have intervals at /request/mean_ranges", name));
    }
    request.ranges.push_back({ends[0], ends[1]});
  }
  return request;
}

/// Everything but the design, as the certificate states it.
GaussianCertificate parse_circumstances(const CertificateReader& reader) {
  GaussianCertificate certificate;
  certificate.version = reader.get<std::string>("/version", "a version");
  certificate.unit = reader.find<std::string>("/unit", "a column name or null");
  certificate.roster = reader.find<std::string>("/roster", "a file name or null");
  certificate.columns = parse_names(reader, "/columns");
  certificate.logarithms = parse_names(reader, "/logarithms");
  certificate.covariance = reader.find<std::string>("/covariance/file", "a file name or null");
  if (certificate.covariance) {
    certificate.covariance_sha256 = reader.get<std::string>("/covariance/sha256", "a hash");
  }
  certificate.domain_sha256 = reader.get<std::string>("/domain/sha256", "a hash");
  return certificate;
}

bool has_columns(const Domain& domain, const std::vector<std::string>& names) {
  return std::equal(
      domain.columns().begin(), domain.columns().end(), names.begin(), names.end(),
      [](const Column& column, const std::string& name) { return column.name() == name; });
}

}  // namespace

std::vector<std::string> promises(const GaussianCertificate& certificate) {
  const GaussianDesign& design = certificate.design;
  const GaussianRequest& request = design.request;
  const std::string records = certificate.unit ? "units' records" : "rows";
  const std::string covariance =
      certificate.covariance ? "the covariance of the file given" : "covariance I";
  const std::string assumed =
      request.covariance_bound > 1
          ? fmt::format("a covariance between {0} and {1:g} times {0}",
                        certificate.covariance ? "that of the file given" : "I",
                        request.covariance_bound)
          : covariance;
  return {
      protection_sentence(design.guarantee, record_words(certificate.unit)),
      "This holds for any values whatever: it rests on no assumption about the data.",
      fmt::format(
          "If the {} are independent draws from one Gaussian with {}{}, {} each released record "
          "follows that Gaussian to within {:.6g} in total variation, and all {} together follow "
          "independent draws from it to within {:.6g}.",
          records, assumed,
          certificate.logarithms.empty() ? "" : " (of logarithms, in the columns that say so)",
          request.mean_bound
              ? fmt::format("whose mean lies within {:g} standard deviations of the middle of the "
                            "declared ranges,",
                            *request.mean_bound)
              : "whose mean lies in the declared ranges,",
          design.total_variation_up(), request.outputs, design.strong_total_variation_up()),
  };
}

std::vector<std::string> non_promises(const GaussianCertificate& certificate) {
  std::vector<std::string> limits{
      "How near the released records are to the data rests on the data being Gaussian, as assumed: "
      "of other data they keep the mean, roughly, and the covariance that was given.",
      "Values beyond the ranges that the domain declares are taken at their bounds before all "
      "else, which the accuracy above leaves out; released records may lie beyond them."};
  const std::vector<std::string> common = central_limits(
      certificate.design.request.records, certificate.unit, certificate.roster.has_value());
  limits.insert(limits.end(), common.begin(), common.end());
  return limits;
}

std::string gaussian_certificate_json(const GaussianCertificate& certificate) {
  return certificate_json(certificate).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool is_gaussian_certificate(const std::string& text, const std::string& name) {
  require_json(text, name);
  const Json json = Json::parse(text);
  return json.is_object() && json.contains("format") && json["format"] == kGaussianFormat;
}

GaussianCertificateCheck check_gaussian_certificate(const std::string& text,
                                                    const std::string& name, const Domain& domain) {
  const Json stated = certificate_object(text, kGaussianFormat, name);
  const CertificateReader reader(stated, name);
  GaussianCertificate certificate = parse_circumstances(reader);
  const GaussianRequest request = parse_request(reader, certificate.columns.size(), name);
  GaussianCertificateCheck check;
  check.stated = parse_guarantee(reader, "/privacy", name);
  check.domain_matches =
      certificate.domain_sha256 == domain_hash(domain) && has_columns(domain, certificate.columns);
  try {
    certificate.design = design_gaussian(request);
    const GaussianSampler sampler(certificate.design, Whitening::identity(request.dimension));
  } catch (const InvalidInput&) {
    return check;  // numbers that no release can have had
  }
  const Json implied = certificate_json(certificate);
  const auto agree = [&](const char* part) {
    return stated.contains(part) && nlohmann::json(stated[part]) == nlohmann::json(implied[part]);
  };
  check.design_holds = agree("privacy") && agree("parameters");
  check.accuracy_matches = agree("accuracy");
  if (check.design_holds && check.accuracy_matches) {
    require_implied(implied.dump(), text, name);
  }
  return check;
}

}  // namespace mollify
