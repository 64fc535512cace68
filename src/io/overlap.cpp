#include "io/overlap.h"

#include <algorithm>

#include "io/csv_reader.h"
#include "space/string_index.h"

namespace mollify {
namespace {

std::vector<std::size_t> places_of(const CsvReader& csv, const std::vector<std::string>& columns) {
  std::vector<std::size_t> places;
  for (const std::string& column : columns) {
    const auto found = std::find(csv.header().begin(), csv.header().end(), column);
    places.push_back(static_cast<std::size_t>(found - csv.header().begin()));
  }
  return places;
}

/// The fields one after the other, each after its length, so that no two records have one key.
void write_key(const CsvReader& csv, const std::vector<std::size_t>& places, std::string& key) {
  key.clear();
  for (const std::size_t place : places) {
    const std::string_view field = csv.fields()[place];
    key += std::to_string(field.size());
    key += ':';
    key += field;
  }
}

}  // namespace

Overlap overlap_of(const std::string& public_file, const std::string& private_file) {
  CsvReader open(public_file);
  CsvReader secret(private_file);
  Overlap overlap;
  for (const std::string& column : open.header()) {
    const auto& others = secret.header();
    if (std::find(others.begin(), others.end(), column) != others.end()) {
      overlap.columns.push_back(column);
    }
  }
  const auto open_places = places_of(open, overlap.columns);
  const auto secret_places = places_of(secret, overlap.columns);
  StringIndex known;
  std::vector<std::uint64_t> left;  // how often each may still be met
  std::string key;
  while (open.next()) {
    ++overlap.records;
    write_key(open, open_places, key);
    const std::uint32_t index = known.insert(key);
    if (index == left.size()) left.push_back(0);
    ++left[index];
  }
  while (!overlap.columns.empty() && secret.next()) {
    write_key(secret, secret_places, key);
    const std::uint32_t index = known.find(key);
    if (index == StringIndex::kAbsent || left[index] == 0) continue;
    --left[index];
    ++overlap.shared;
  }
  return overlap;
}

}  // namespace mollify
