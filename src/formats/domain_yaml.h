// Domains in YAML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/domain.h"
#include "domain/settings.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// A YAML document as plain nodes that know their lines.

/// Parses one document into plain nodes that know their lines; a mapping's is its key's.
///
/// yaml-cpp's own nodes resolve aliases, forget which of two equal keys came first and cannot
/// tell `null` from nothing; this tree is built from its parser's events instead. Throws
/// InvalidInput, one sentence with name and line, for text that is not YAML, is not UTF-8, or uses
/// aliases, anchors, tags, several documents, nesting deeper than 16, or keys that are not scalars
/// or are repeated.
[[nodiscard]] Setting parse_yaml(std::string_view yaml, const std::string& name);

// -----------------------------------------------------------------------------------------------
// Domain files.

/// Reads a domain file:
///
///     seed: 7                 # optional; fixes the public candidates of samplers that use them
///     columns:                # a mapping as here, or a list of mappings that have a `name`
///       age:     {type: integer, min: 0, max: 110, bins: 11, outside: 40}
///       income:  {type: number, min: 0, max: 2e5, bins: 20, null: category}
///       height:  {type: number, min: 50, max: 250}    # without bins: not cut by hand
///       region:  {type: categorical, values: [north, south], null: south}
///       insured: {type: boolean, values: ["no", "yes"]}
///
/// docs/reference/domain.md tells every type, key and default. `null: category` and `outside: clip`
/// are words of the format; in quotes they are values of a column that has these. Values are
/// written as they are declared: yes, 1 or 1.0.
///
/// Throws InvalidInput, one sentence with file and line, for anything else: unknown or repeated
/// keys, aliases and anchors, tags, nesting deeper than 16, files above 64 MiB or that are not
/// UTF-8 text.
[[nodiscard]] Domain read_domain(const std::string& path);

/// Reads text that was already read; `name` names the file in messages. If it is empty, the text
/// was made by a program, and messages name columns but no lines.
[[nodiscard]] Domain parse_domain(std::string_view yaml, const std::string& name);

/// The domain as a file: `parse_domain` makes an equal domain of it. Each of the notes becomes a
/// comment line at the top. Defaults may be spelled out: then `parse_domain` makes a domain of it
/// that maps alike and declares it.
enum class Defaults { kLeftOut, kSpelledOut };
[[nodiscard]] std::string domain_yaml(const Domain& domain,
                                      const std::vector<std::string>& notes = {},
                                      Defaults defaults = Defaults::kLeftOut);

/// The domain for programs: {"seed": 7, "columns": [{"name": "age", "type": "integer", "min": 0,
/// ...}]}. Values are texts, and {"value": TEXT} where a text would be a word of the format.
[[nodiscard]] std::string domain_json(const Domain& domain);

/// The domain's rules as a rule file of R's package validate. A comment names each rule that R
/// cannot say. `rules:` of a domain file may hold its items, and those that validate writes. Throws
/// InvalidInput for a domain without rules.
[[nodiscard]] std::string rules_for_validate(const Domain& domain);

/// A JSON Schema of domain files, made of the kinds of columns: schema/domain.schema.json.
[[nodiscard]] std::string domain_schema();

}  // namespace mollify
