#include "distribution_file.h"

#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/csv_reader.h"
#include "io/text_file.h"
#include "kernel/core/invalid_input.h"
#include "space/string_index.h"

namespace mollify::cli {
namespace {

void add(NamedDistribution& distribution, const std::string& outcome, double mass,
         const std::string& place) {
  if (!(mass >= 0) || !std::isfinite(mass)) {
    throw InvalidInput(
        fmt::format("the mass at {} must be finite and not negative, but is {:g}", place, mass));
  }
  distribution.outcomes.push_back(outcome);
  distribution.masses.push_back(mass);
}

NamedDistribution read_json(const std::string& path) {
  const nlohmann::json json = nlohmann::json::parse(read_text_file(path), nullptr, false);
  if (!json.is_array()) {
    throw InvalidInput(fmt::format("{} must be a JSON array of numbers, but is not", path));
  }
  NamedDistribution distribution;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string place = fmt::format("position {} of {}", i, path);
    if (!json[i].is_number()) {
      throw InvalidInput(
          fmt::format("the mass at {} must be a number, but is {}", place, json[i].type_name()));
    }
    add(distribution, std::to_string(i), json[i].get<double>(), place);
  }
  return distribution;
}

NamedDistribution read_csv(const std::string& path) {
  CsvReader csv(path);
  const std::size_t outcome = csv.position("outcome", "which names the outcomes");
  const std::size_t p = csv.position("p", "which holds their masses");
  NamedDistribution distribution;
  StringIndex seen;
  while (csv.next()) {
    const std::string place = fmt::format("{} line {}", path, csv.line_number());
    if (csv.fields_in_line() != csv.header().size()) {
      throw InvalidInput(fmt::format("{} must have {} fields like the header, but has {}", place,
                                     csv.header().size(), csv.fields_in_line()));
    }
    const std::string_view name = csv.fields()[outcome];
    const std::string_view text = csv.fields()[p];
    double mass = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mass);
    if (error != std::errc() || end != text.data() + text.size()) {
      throw InvalidInput(
          fmt::format("the mass at {} must be a number, but is \"{}\"", place, text));
    }
    if (seen.find(name) != StringIndex::kAbsent) {
      throw InvalidInput(
          fmt::format("{} must name a new outcome, but \"{}\" is already listed", place, name));
    }
    seen.insert(name);
    add(distribution, std::string(name), mass, place);
  }
  return distribution;
}

}  // namespace

NamedDistribution read_distribution(const std::string& path) {
  NamedDistribution distribution = path.ends_with(".csv") ? read_csv(path) : read_json(path);
  double sum = 0;
  for (const double mass : distribution.masses) sum += mass;
  if (!(sum > 0) || !std::isfinite(sum)) {
    throw InvalidInput(fmt::format(
        "the masses of {} must have a positive, finite sum, but their sum is {:g}", path, sum));
  }
  distribution.sum = sum;
  for (double& mass : distribution.masses) mass /= sum;
  return distribution;
}

std::vector<double> masses_in_order(const NamedDistribution& given, const NamedDistribution& like,
                                    const std::string& path) {
  StringIndex positions;
  for (const std::string& outcome : given.outcomes) positions.insert(outcome);
  if (given.outcomes.size() != like.outcomes.size()) {
    throw InvalidInput(fmt::format("{} must have the {} outcomes of P, but has {}", path,
                                   like.outcomes.size(), given.outcomes.size()));
  }
  std::vector<double> masses;
  for (const std::string& outcome : like.outcomes) {
    const std::uint32_t position = positions.find(outcome);
    if (position == StringIndex::kAbsent) {
      throw InvalidInput(
          fmt::format("{} must have the outcomes of P, but has no \"{}\"", path, outcome));
    }
    masses.push_back(given.masses[position]);
  }
  return masses;
}

}  // namespace mollify::cli
