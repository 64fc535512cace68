#include "domain/zones.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include <cctz/civil_time.h>
#include <cctz/time_zone.h>
#include <fmt/format.h>

#include "base/names.h"
#include "base/refusal.h"
#include "core/invalid_input.h"
#include "domain/same_value.h"

namespace mollify {

namespace {

// Of the first second of the year 1 and the last one of 9999.
constexpr std::int64_t kFirstSecond = -62'135'596'800, kLastSecond = 253'402'300'799;

cctz::time_point<cctz::seconds> time_point_of(std::int64_t seconds) {
  return cctz::time_point<cctz::seconds>(
      cctz::seconds(std::clamp(seconds, kFirstSecond, kLastSecond)));
}

/// cctz also opens names with a path to anywhere. Names with a small first letter are copies of all
/// zones, and files that are not zones.
bool is_zone_name(std::string_view name) {
  constexpr std::size_t kMostLetters = 60;
  constexpr std::string_view kLettersOfNames =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";
  return !name.empty() && name.size() <= kMostLetters && name.front() >= 'A' &&
         name.front() <= 'Z' && name.find_first_not_of(kLettersOfNames) == name.npos;
}

/// "America/New_York" for "new york"; empty for other places.
std::string zone_of_city(std::string_view city, const std::vector<std::string>& names) {
  std::string ending = fmt::format("/{}", city);
  std::replace(ending.begin(), ending.end(), ' ', '_');
  const auto found = std::find_if(names.begin(), names.end(), [&](std::string_view name) {
    return name.size() > ending.size() &&
           equal_ignoring_case(name.substr(name.size() - ending.size()), ending);
  });
  return found == names.end() ? "" : *found;
}

std::filesystem::path folder_of_zones() {
  const char* const folder = std::getenv("TZDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/usr/share/zoneinfo";
}

}  // namespace

struct Zone::Data {
  cctz::time_zone zone;
};

Zone::Zone(std::string name, std::unique_ptr<const Data> data)
    : name_(std::move(name)), data_(std::move(data)) {}
Zone::~Zone() = default;

const Zone* Zone::find(std::string_view name) {
  if (!is_zone_name(name)) return nullptr;
  static auto& lock = *new std::mutex;
  static auto& known = *new std::map<std::string, std::unique_ptr<const Zone>, std::less<>>;
  const std::scoped_lock locked(lock);
  if (const auto found = known.find(name); found != known.end()) return found->second.get();
  Data data;
  if (!cctz::load_time_zone(std::string(name), &data.zone)) return nullptr;
  std::unique_ptr<const Zone> made(
      new Zone(std::string(name), std::make_unique<const Data>(std::move(data))));
  return known.emplace(name, std::move(made)).first->second.get();
}

const Zone& Zone::require(std::string_view name) {
  if (const Zone* const zone = find(name)) return *zone;
  const std::vector<std::string> names = zone_names();
  if (names.empty()) {
    refuse_input(
        "unknown-name", "zone", {WayOut::declare("zone", "+01:00")},
        "zone must be an offset from UTC, like Z or +01:00, because this machine has no "
        "zone data, but is \"{}\". For names, install zone data: the package tzdata of the "
        "system or of Python, or a folder that TZDIR names",
        name);
  }
  std::string meant = nearest_name(name, names);
  if (meant.empty()) meant = zone_of_city(name, names);
  refuse_input(
      "unknown-name", "zone", {WayOut::declare("zone", meant)},
      "zone must be a name like Europe/Berlin, or an offset from UTC like Z or +01:00, but "
      "is \"{}\"{}",
      name, meant.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", meant));
}

std::int64_t Zone::offset_at(std::int64_t instant) const noexcept {
  return data_->zone.lookup(time_point_of(instant)).offset;
}

std::int64_t Zone::instant_of(std::int64_t clock) const noexcept {
  const cctz::civil_second reading =
      cctz::civil_second() + std::clamp(clock, kFirstSecond, kLastSecond);
  return data_->zone.lookup(reading).pre.time_since_epoch().count();
}

std::vector<std::string> zone_names() {
  const std::filesystem::path folder = folder_of_zones();
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::recursive_directory_iterator files(folder, error), end;
  for (; !error && files != end; files.increment(error)) {
    std::string name = files->path().lexically_relative(folder).generic_string();
    const bool is_name = is_zone_name(name);
    std::error_code unknown;
    if (files->is_directory(unknown)) {
      if (!is_name) files.disable_recursion_pending();
    } else if (is_name) {
      names.push_back(std::move(name));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace mollify
