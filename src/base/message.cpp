#include "base/message.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/speech.h"

namespace mollify {

namespace {

/// The clauses after the verdict and its reason.
std::vector<std::string> rest_of(const Message& message) {
  std::vector<std::string> rest = message.clauses;
  if (!message.remedy.ways_out.empty()) {
    rest.push_back(words_of(message.remedy.ways_out) + " would do");
  }
  rest.insert(rest.end(), message.remedy.others.begin(), message.remedy.others.end());
  return rest;
}

/// The units of parameters, by the flag or by the last key in a spec.
constexpr std::pair<std::string_view, std::string_view> kUnits[] = {{"n", "records"},
                                                                    {"count", "records"},
                                                                    {"inputs", "inputs"},
                                                                    {"k", "outcomes"},
                                                                    {"cells", "cells"},
                                                                    {"bins", "cells"},
                                                                    {"candidates", "candidates"},
                                                                    {"threads", "threads"},
                                                                    {"components", "components"},
                                                                    {"dimension", "coordinates"},
                                                                    {"chosen", "records"},
                                                                    {"columns", "values"},
                                                                    {"steps", "steps"}};

/// A double next to a decimal of 15 digits is that decimal, which was rounded up or down.
double as_typed(double value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::string digits = fmt::format("{:.15g}", value);
  double typed = value;
  std::from_chars(digits.data(), digits.data() + digits.size(), typed);
  const bool is_next =
      typed == std::nextafter(value, kInfinity) || typed == std::nextafter(value, -kInfinity);
  return is_next ? typed : value;
}

Json named(const std::string& name) { return name.empty() ? Json() : Json(name); }

}  // namespace

std::string Remedy::words() const {
  std::string text = ways_out.empty() ? "" : words_of(ways_out) + " would do";
  for (const std::string& one : others) text += (text.empty() ? "" : "; ") + one;
  return text;
}

std::vector<WayOut> Remedy::all() const {
  std::vector<WayOut> ways = ways_out;
  ways.insert(ways.end(), told.begin(), told.end());
  return ways;
}

std::string Message::text() const {
  std::string sentence = reason.empty() ? verdict : fmt::format("{}: {}", verdict, reason);
  for (const std::string& clause : rest_of(*this)) sentence += "; " + clause;
  return sentence;
}

std::string Message::brief() const {
  const std::vector<std::string> rest = rest_of(*this);
  return fmt::format("WARNING: {}{}", verdict, rest.empty() ? "" : "; " + rest.front());
}

std::string Message::shown() const { return fmt::format("WARNING: {} [{}]", text(), code.name); }

Json Message::json() const {
  return {{"code", code.name},
          {"severity", name_of(severity)},
          {"text", text()},
          {"quantities", json_of(quantities)},
          {"ways_out", json_of(remedy.all())}};
}

std::string_view name_of(Severity severity) noexcept {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kNoise:
      return "noise";
  }
  return "";
}

Json json_of(std::span<const Message> messages) {
  Json list = Json::array();
  for (const Message& message : messages) list.push_back(message.json());
  return list;
}

Json json_of(std::span<const WayOut> ways_out) {
  Json ways = Json::array();
  for (const WayOut& way : ways_out) {
    ways.push_back(
        {{"action", action_name(way)}, {"part", part_name(way)}, {"value", value_name(way)}});
  }
  return ways;
}

Json json_of(std::span<const Quantity> quantities) {
  Json list = Json::array();
  for (const Quantity& one : quantities) {
    // Whole numbers as such.
    const bool is_whole = one.value == std::floor(one.value) && std::fabs(one.value) < 0x1p53;
    list.push_back(
        {{"name", one.name},
         {"value", is_whole ? Json(static_cast<std::int64_t>(one.value)) : number(one.value)},
         {"unit", named(one.unit)}});
  }
  return list;
}

std::string_view unit_of(std::string_view parameter) {
  parameter.remove_prefix(parameter.rfind('/') + 1);  // of none the whole
  const auto* const known = std::find_if(std::begin(kUnits), std::end(kUnits),
                                         [&](const auto& one) { return one.first == parameter; });
  return known == std::end(kUnits) ? std::string_view() : known->second;
}

std::vector<Quantity> shown_quantities(const InvalidInput& refused) {
  std::vector<Quantity> all = refused.quantities();
  for (Quantity& one : all) {
    one.value = as_typed(one.value);
    if (one.unit.empty()) one.unit = unit_of(refused.parameter());
  }
  return all;
}

Json json_of(const InvalidInput& refused) {
  return {{"code", refused.code().name},
          {"text", refused.what()},
          {"parameter", named(parameter_name_of(refused.parameter()))},
          {"column", named(refused.column())},
          {"file", named(refused.file())},
          {"line", refused.line() == 0 ? Json() : Json(refused.line())},
          {"quantities", json_of(shown_quantities(refused))},
          {"ways_out", json_of(refused.ways_out())}};
}

void Why::put(Json& json, const char* key) const {
  json[key] = text;
  if (!refused) return;
  json["code"] = refused->code().name;
  json["parameter"] = named(parameter_name_of(refused->parameter()));
}

void add_message(std::vector<Message>& messages, Message message) {
  if (std::find(messages.begin(), messages.end(), message) == messages.end())
    messages.push_back(std::move(message));
}

void add_messages(std::vector<Message>& messages, std::vector<Message> more) {
  for (Message& message : more) add_message(messages, std::move(message));
}

}  // namespace mollify
