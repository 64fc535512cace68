#include "records/source.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "records/counted_source.h"

namespace mollify {

std::size_t Source::position(std::string_view column, std::string_view reason) const {
  const std::vector<std::string>& names = columns();
  const auto found = std::find(names.begin(), names.end(), column);
  if (found == names.end()) {
    throw InvalidInput(fmt::format("{} has no column \"{}\", {}; mollify check names those it has",
                                   name(), column, reason));
  }
  if (std::find(found + 1, names.end(), column) != names.end()) {
    throw InvalidInput(
        fmt::format("{} has more than one column \"{}\", {}", name(), column, reason));
  }
  const auto place = static_cast<std::size_t>(found - names.begin());
  require_readable(place);
  return place;
}

void Source::visit_by(std::span<const std::size_t> wanted,
                      const std::function<std::unique_ptr<BlockWorker>()>& make_worker) const {
  const std::unique_ptr<BlockWorker> worker = make_worker();
  visit(wanted, [&](const Block& block) {
    worker->work(block);
    worker->take(block);
  });
}

std::vector<std::size_t> wanted_columns(const Source& source, std::span<const std::string> names,
                                        const std::optional<std::string>& unit_column) {
  const auto* const counted = dynamic_cast<const CountedSource*>(&source);
  const std::string* const counts =
      counted == nullptr ? nullptr : &source.columns()[counted->counts_column()];
  std::vector<std::size_t> wanted;
  for (const std::string& name : names) {
    if (unit_column == name) {
      throw InvalidInput(
          fmt::format("the unit column must not be a column of the domain, but \"{}\" is", name));
    }
    if (counts != nullptr && *counts == name) {
      throw InvalidInput(
          fmt::format("the counts column must not be a column of the domain, but \"{}\" is", name));
    }
    wanted.push_back(source.position(name, "which the domain declares"));
  }
  if (unit_column) {
    if (counts != nullptr && *counts == *unit_column) {
      throw InvalidInput(fmt::format(
          "the counts column must not be the unit column, but \"{}\" is both", *unit_column));
    }
    wanted.push_back(source.position(*unit_column, "which names the unit of a record"));
  }
  return wanted;
}

}  // namespace mollify
