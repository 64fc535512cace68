// Checks the facts of a refusal by its code, without its sentence.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace mollify::test {

/// The facts that a refusal lacks and its code promises: "a parameter, a limit"; empty if it has
/// them all. `error` is the object of --json.
inline std::string lacking_facts(const nlohmann::json& error) {
  std::string lacks;
  const auto require = [&](bool holds, const std::string& what) {
    if (!holds) lacks += (lacks.empty() ? "" : ", ") + what;
  };
  const std::string code = error["code"];
  const auto is_one_of = [&](std::initializer_list<std::string_view> codes) {
    return std::find(codes.begin(), codes.end(), code) != codes.end();
  };
  const auto has_way = [&](std::string_view action, const nlohmann::json& part = nullptr) {
    return std::any_of(error["ways_out"].begin(), error["ways_out"].end(), [&](const auto& way) {
      return way["action"] == action && (part.is_null() || way["part"] == part);
    });
  };
  const nlohmann::json& parameter = error["parameter"];
  const auto ways = error["ways_out"].size();

  if (is_one_of({"unknown-column", "missing-column", "unknown-name", "unknown-value",
                 "out-of-range", "unreadable-file", "wrong-kind-of-file", "duplicate-column",
                 "delta-too-large", "budget-exceeded", "unknown-key", "superfluous-parameter",
                 "not-for-this-method"})) {
    require(parameter.is_string(), "a parameter");
  }
  if (is_one_of({"missing-parameter", "contradicting-parameters"}))  // or one of several
    require(parameter.is_string() || ways > 1, "a parameter");
  if (is_one_of({"unknown-column", "missing-column", "duplicate-column"}))
    require(error["column"].is_string(), "a column");
  if (is_one_of({"unreadable-file", "file-exists", "same-file"}))
    require(error["file"].is_string(), "a file");
  // A file is given by a flag, and another file is a way out.
  if (error["file"].is_string()) {
    require(parameter.is_string(), "the parameter of the file");
    require(ways > 0, "a way out of the file");
  }
  for (const char* counted : {"n", "count", "k", "cells", "candidates", "threads", "components"}) {
    if (parameter != counted) continue;
    for (const auto& one : error["quantities"])
      require(one["unit"].is_string() || one["name"] == "n", "a unit");
  }

  if (is_one_of({"out-of-range", "delta-too-large", "budget-exceeded"})) {
    bool has_given = false, has_limit = false, is_outside = false;
    double given = 0;
    for (const auto& one : error["quantities"]) {
      const std::string name = one["name"];
      const bool is_number = one["value"].is_number();
      if (name == "given") {
        has_given = true;
        if (is_number) given = one["value"];
        require(!one["value"].is_null(), "the value of the number given");
        is_outside = is_outside || !is_number;  // NaN and infinity are texts
        continue;
      }
      if (name == "n" || !is_number) continue;
      const double limit = one["value"];
      has_limit = true;
      is_outside = is_outside || (name == "least" && given < limit) ||
                   (name == "above" && given <= limit) || (name == "most" && given > limit) ||
                   (name == "below" && given >= limit);
    }
    require(has_given, "the number given");
    require(has_limit, "a limit");
    require(!has_given || !has_limit || is_outside, "a limit that the number passes");
  }

  if (is_one_of({"unknown-column", "unknown-name", "unknown-value", "out-of-range", "unknown-key",
                 "missing-column", "duplicate-value", "not-for-this-method"})) {
    require(ways > 0, "a way out");
  }
  if (code == "missing-parameter" && parameter.is_string())
    require(has_way("set", parameter) || has_way("add", parameter), "the way to give it");
  if (code == "superfluous-parameter")
    require(has_way("leave", parameter), "the way to leave it out");
  if (code == "contradicting-parameters") require(ways > 0, "a way out");
  if (code == "delta-too-large") {
    require(has_way("set") && ways > 1, "a smaller delta and the way to accept this one");
  }
  if (code == "budget-exceeded") require(has_way("run"), "the way to a higher total");
  if (code == "file-exists") {
    require(has_way("add"), "the way to replace it");
    require(has_way("set", parameter), "the way to another name");
  }
  if (code == "indistinct-from-noise") require(ways > 0, "the way to accept it");
  return lacks;
}

}  // namespace mollify::test
