// Which pairs of columns a release by marginals measured, and which it dropped.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "base/refusal.h"
#include "base/words.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "methods/marginals/design.h"
#include "methods/marginals/method.h"
#include "methods/marginals/noisy_answers.h"
#include "methods/marginals/private_bins.h"

namespace mollify {

namespace {

using Pair = std::vector<std::size_t>;

std::uint64_t measured_cells(const Measurement& measurement) {
  return std::uint64_t{measurement.cells[0]} * measurement.cells[1];
}

/// The noise of each measured pair, in records.
std::map<Pair, double> noise_of_pairs(const std::vector<Measurement>& measured,
                                      const MarginalDesign& design) {
  std::map<Pair, std::uint64_t> finest;
  for (const Measurement& one : measured) {
    std::uint64_t& cells = finest[one.columns];
    cells = std::max(cells, measured_cells(one));
  }
  const MarginalBudget budget(design.request.budget, design.request.unit, design.amount);
  std::map<Pair, double> precisions;
  for (const Measurement& one : measured) {
    if (measured_cells(one) < finest[one.columns]) continue;
    const double noise =
        counts_noise(design, budget.deviation(one.parts), static_cast<double>(measured_cells(one)));
    precisions[one.columns] += 1 / (noise * noise);
  }
  for (auto& [pair, value] : precisions) value = 1 / std::sqrt(value);
  return precisions;
}

[[noreturn]] void refuse_measured(const std::string& name) {
  refuse_input("certificate-altered", {},
               "{} was altered: its part /measured does not follow from its numbers", name);
}

/// Names may hold any bytes, and JSON holds text without NUL.
Json name_in_json(std::string name) {
  std::replace(name.begin(), name.end(), '\0', '?');
  return Json::parse(Json(std::move(name)).dump(-1, ' ', false, Json::error_handler_t::replace));
}

bool is_between(const nlohmann::json& json, std::uint64_t least, std::uint64_t most) {
  return json.is_number_unsigned() && json >= least && json <= most;
}

/// Throws a JSON exception for anything of another form.
Measurement measurement_of(const nlohmann::json& json, const MarginalDesign& design,
                           const std::string& name) {
  const std::vector<MarginalColumn>& columns = design.request.columns;
  Measurement one;
  for (const std::size_t side : {0U, 1U}) {
    const nlohmann::json& column = json.at("at").at(side);
    const std::uint64_t least = side == 0 ? 0 : one.columns[0] + 1;
    if (!is_between(column, least, columns.size() - 1)) refuse_measured(name);
    one.columns.push_back(column.get<std::size_t>());
    const nlohmann::json& cells = json.at("cells").at(side);
    const MarginalColumn& of_side = columns[one.columns[side]];
    // Rules cut private bins into more.
    const std::uint32_t most = of_side.private_bins ? of_side.size : counted_cells(of_side);
    if (!is_between(cells, 1, most)) refuse_measured(name);
    one.cells.push_back(cells.get<std::uint32_t>());
  }
  const nlohmann::json& parts = json.at("parts");
  if (!is_between(parts, 1, MarginalBudget::kParts)) refuse_measured(name);
  one.parts = parts.get<std::uint32_t>();
  return one;
}

}  // namespace

Json measured_pairs_json(const std::vector<Measurement>& measured, const Certificate& certificate,
                         const Domain& domain) {
  const MarginalDesign& design = *certificate.as<MarginalDesign>();
  if (design.request.copula || design.request.columns.size() < 2) return Json::object();
  std::vector<Measurement> of_pairs;
  std::copy_if(measured.begin(), measured.end(), std::back_inserter(of_pairs),
               [](const Measurement& one) { return one.columns.size() == 2; });
  const std::map<Pair, double> noises = noise_of_pairs(of_pairs, design);
  double mean = 0;
  for (const auto& [pair, noise] : noises) mean += noise / static_cast<double>(noises.size());
  const auto names = [&](const Pair& pair) {
    Json both = Json::array();
    for (const std::size_t at : pair) both.push_back(name_in_json(domain.columns()[at].name()));
    return both;
  };
  Json pairs = Json::array();
  for (const Measurement& one : of_pairs) {
    pairs.push_back({{"columns", names(one.columns)},
                     {"at", one.columns},
                     {"cells", one.cells},
                     {"parts", one.parts}});
  }
  Json others = Json::array();
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    for (std::size_t j = i + 1; j < domain.columns().size(); ++j) {
      if (!noises.contains({i, j})) others.push_back(names({i, j}));
    }
  }
  auto records = certificate.facts.records;
  const auto& weights = certificate.spec.weights;
  if (records && weights) records = weights->effective(*records);
  const double distance = records ? std::min(1.0, mean / static_cast<double>(*records)) : 0;
  const std::string amount = records ? fmt::format("{:.3g} in total variation", distance)
                                     : fmt::format("{:.3g} {}", design.request.told(mean),
                                                   weights                 ? "in weight"
                                                   : certificate.spec.unit ? "units"
                                                                           : "rows");
  Json noise{{weights ? "weight" : "records", design.request.told(mean)}};
  if (records) noise["total_variation"] = distance;
  const std::string words = noises.empty()
                                ? "no pair was measured"
                                : fmt::format("noise of the {}, on average {}",
                                              counted(noises.size(), "measured pair"), amount);
  return {{"words", words},
          {"noise", noise},
          {"pairs", pairs},
          {"not_measured", {{"count", others.size()}, {"pairs", others}}}};
}

nlohmann::json implied_measured_pairs(const nlohmann::json& stated, const Certificate& certificate,
                                      const Domain& domain, const std::string& name) {
  if (certificate.as<MarginalDesign>() == nullptr) refuse_measured(name);
  std::vector<Measurement> measured;
  std::uint64_t parts = 0;
  try {
    for (const nlohmann::json& one : stated.at("pairs")) {
      measured.push_back(measurement_of(one, *certificate.as<MarginalDesign>(), name));
      parts += measured.back().parts;
    }
  } catch (const nlohmann::json::exception&) {
    refuse_measured(name);
  }
  if (parts > MarginalBudget::kParts ||
      !can_be_measured(*certificate.as<MarginalDesign>(), measured)) {
    refuse_measured(name);
  }
  return measured_pairs_json(measured, certificate, domain);
}

}  // namespace mollify
