// The reference tables of the documents, made of the tables of parts, of column kinds and of
// scorers.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "analysis/requests.h"
#include "domain/column.h"
#include "methods/local/space.h"
#include "release/method.h"
#include "release/plan.h"
#include "release/spec.h"

namespace mollify {
namespace {

/// A cell of a table in Markdown.
std::string cell_of(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, "\\");
  return text;
}

/// "whole number, from 1 and below 10".
std::string holds(const OwnPart& part) {
  const auto kind = [&]() -> std::string {
    switch (part.kind) {
      case PartKind::kObject:
        return "object";
      case PartKind::kText:
        return "text";
      case PartKind::kWhole:
        return "whole number";
      case PartKind::kNumber:
        return "number";
      case PartKind::kDecimal:
        return "decimal";
      case PartKind::kTruth:
        return "true or false";
      case PartKind::kTexts:
        return "list of texts";
      case PartKind::kColumns:
        return "text, or list of texts";
      case PartKind::kWholes:
        return "list of whole numbers";
      case PartKind::kFile:
        return "file";
      case PartKind::kDomain:
        return "domain";
    }
    return {};
  };
  std::string text = kind();
  if (std::isfinite(part.least)) {
    text += fmt::format(", {} {}", part.is_open ? "above" : "from", part.least);
  }
  if (std::isfinite(part.most)) {
    text += fmt::format(" {} {:.17g}", part.is_open ? "and up to" : "to", part.most);
  } else if (std::isfinite(part.below)) {
    const bool is_whole = part.kind == PartKind::kWhole;
    text +=
        is_whole ? fmt::format(" to {}", part.below - 1) : fmt::format(" and below {}", part.below);
  }
  return text;
}

/// Whether a spec has the part of a question too, with one meaning in the method.
bool is_of_a_spec(Method method, const Part& part) {
  const auto spec = std::find_if(spec_parts().begin(), spec_parts().end(), [&](const Part& one) {
    return std::string_view(one.place) == part.place && one.methods.has(method);
  });
  return spec != spec_parts().end() &&
         std::string_view(part_of(method, *spec).help) == part_of(method, part).help;
}

/// The fragment that help prints, and the sentences of the manual.
std::string sentences_of(const OwnPart& part) {
  std::string help = part.help;
  if (const std::size_t at = help.find('\n'); at != help.npos) help.replace(at, 1, ". ");
  if (const std::size_t at = help.find("{}"); at != help.npos) {
    help.replace(at, 2, fmt::format("`{}`", fmt::join(part.words(), "`, `")));
  }
  return help;
}

/// A line for each part that a flag gives; several where methods have it with another meaning.
/// The table of a question leaves out the parts that the table of a spec has.
std::string table_of(std::span<const Part> parts, bool is_of_questions) {
  std::string table = "| part | flag | holds | what it says | methods |\n|---|---|---|---|---|\n";
  for (const Part& part : parts) {
    if (*part.flag == '\0') continue;
    std::vector<std::pair<const OwnPart*, Methods>> meanings;
    for (const auto& [method, name] : names<Method>()) {
      if (!part.methods.has(method)) continue;
      if (is_of_questions && is_of_a_spec(method, part)) continue;
      const OwnPart& own = part_of(method, part);
      const auto same = std::find_if(meanings.begin(), meanings.end(), [&](const auto& one) {
        return std::string_view(one.first->help) == own.help &&
               (own.words == nullptr || one.first->words() == own.words());
      });
      if (same != meanings.end()) {
        same->second = same->second.with(method);
      } else {
        meanings.emplace_back(&own, Methods{method});
      }
    }
    for (const auto& [own, methods] : meanings) {
      std::vector<std::string> words;
      for (const auto& [method, name] : names<Method>()) {
        if (methods.has(method)) words.push_back(fmt::format("`{}`", name));
      }
      const bool all = words.size() == names<Method>().size();
      table += fmt::format("| `{}` | `{}` | {} | {} | {} |\n", part.place + 1, part.flag,
                           holds(*own), cell_of(sentences_of(*own)),
                           all ? "all" : fmt::format("{}", fmt::join(words, ", ")));
    }
  }
  return table;
}

/// A line for each list of the parts that a question shares with its method's spec.
std::string table_of_shared_parts() {
  std::vector<std::pair<std::string, std::string>> lines;  // parts, methods
  for (const auto& [method, name] : names<Method>()) {
    std::vector<std::string> shared;
    for (const Part& part : plan_parts()) {
      if (*part.flag == '\0' || !part.methods.has(method) || !is_of_a_spec(method, part)) continue;
      shared.push_back(fmt::format("`{}`", part.place + 1));
    }
    const std::string parts = fmt::format("{}", fmt::join(shared, ", "));
    const auto line = std::find_if(lines.begin(), lines.end(),
                                   [&](const auto& one) { return one.first == parts; });
    if (line != lines.end()) {
      line->second += fmt::format(", `{}`", name);
    } else {
      lines.emplace_back(parts, fmt::format("`{}`", name));
    }
  }
  std::string table = "| methods | parts of the spec |\n|---|---|\n";
  for (const auto& [parts, methods] : lines) table += fmt::format("| {} | {} |\n", methods, parts);
  return table;
}

/// A line for each part of a request's question; plans have tables of their own.
std::string table_of_requests() {
  std::string table = "| request | part | flag | holds | what it says |\n|---|---|---|---|---|\n";
  for (const Request& request : requests()) {
    if (request.name == "plan") continue;
    for (const Part& part : request.parts()) {
      if (*part.flag == '\0') continue;
      table += fmt::format("| `{}` | `{}` | `{}` | {} | {} |\n", request.name, part.place + 1,
                           part.flag, holds(part), cell_of(sentences_of(part)));
    }
  }
  return table;
}

std::string table_of_kinds() {
  std::string table = "| type | values | keys | for example |\n|---|---|---|---|\n";
  for (const ColumnKind* const kind : column_kinds()) {
    std::vector<std::string> keys;
    for (const ColumnKey& key : kind->keys) {
      keys.push_back(fmt::format("`{}`{}", key.name, key.required ? ", needed" : ""));
    }
    const auto example = std::find_if_not(kind->examples.begin(), kind->examples.end(),
                                          [](std::string_view one) { return one.empty(); });
    table += fmt::format("| `{}` | {} | {} | `{}` |\n", kind->name, kind->title,
                         fmt::join(keys, "; "), cell_of(std::string(*example)));
  }
  return table;
}

std::string table_of_scorers() {
  std::string table = "| name | what it estimates | take it when |\n|---|---|---|\n";
  for (const auto& [kind, name] : names<ScorerKind>()) {
    table += fmt::format("| `{}` | {} | {} |\n", name, row_of(kind).estimates, row_of(kind).suits);
  }
  return table;
}

struct DocumentTable {
  const char* page;
  const char* name;
  std::string made;
};

TEST(DocumentTables, AreWhatTheTablesOfTheCodeMake) {
  const DocumentTable tables[] = {
      {"reference/spec.md", "parts of a spec", table_of(spec_parts(), false)},
      {"reference/spec.md", "parts of a question", table_of(plan_parts(), true)},
      {"reference/spec.md", "parts that a question shares", table_of_shared_parts()},
      {"reference/spec.md", "parts of other questions", table_of_requests()},
      {"reference/mechanisms.md", "scorers", table_of_scorers()},
      {"reference/domain.md", "types of columns", table_of_kinds()},
  };
  for (const auto& [page, name, made] : tables) {
    const std::string path = fmt::format("{}/{}", MOLLIFY_DOCUMENTS, page);
    std::ifstream file(path);
    std::string text(std::istreambuf_iterator<char>(file), {});
    const std::string begin = fmt::format("<!-- made by tests/release/tables.cpp: {} -->\n", name);
    const std::string end = "<!-- end -->\n";
    const std::size_t at = text.find(begin);
    ASSERT_NE(at, text.npos) << path << " must have the line " << begin;
    const std::size_t from = at + begin.size();
    const std::size_t to = text.find(end, from);
    ASSERT_NE(to, text.npos) << path;
    if (std::getenv("MOLLIFY_WRITE") != nullptr) {
      text.replace(from, to - from, made);
      std::ofstream(path) << text;
    } else {
      EXPECT_TRUE(text.substr(from, to - from) == made)
          << page << ": the code has changed; write the table anew by\n  MOLLIFY_WRITE=1 ctest "
          << "--preset dev -R DocumentTables";
    }
  }
}

}  // namespace
}  // namespace mollify
