// Drafts a domain from public data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "domain/domain.h"

namespace mollify {

/// A drafted domain, and what its author should know: each note is one line.
struct DomainDraft {
  Domain domain;
  std::vector<std::string> notes;
};

/// A domain in which every value of a **public** CSV file lies. The domain is public, so it must
/// never be drafted from private data; it is a draft, to be reviewed.
///
/// false/true, f/t and no/yes, both seen, make a boolean; whole numbers an integer column,
/// ungrouped if it spans at most 64 integers and in 10 bins otherwise; other numbers a number
/// column of 10 bins, but where that makes more than 2^20 outcomes numbers are left without bins
/// (a note says so); days a date, by day, month or year; everything else, up to 1000 values, a
/// categorical column in the order of their bytes. Numbers with leading zeros are words (postal
/// codes). Columns that hold nulls get a null category. `columns` selects columns by name and
/// orders them; empty means all; those in `excluded` are left out.
///
/// Left out with a note are columns of nulls only, of more than 1000 values that are not numbers,
/// of what looks like days but is written otherwise (the note says how to declare them), and, but
/// for those that `columns` names, columns that look like names, addresses, identifiers or free
/// text. Notes name the first of a few values that keep a column from being numbers.
///
/// Throws InvalidInput for a file or a line that is not well-formed, one whose fields are separated
/// by something else than commas, and where nothing is left.
[[nodiscard]] DomainDraft draft_domain(const std::string& public_csv,
                                       const std::vector<std::string>& columns = {},
                                       const std::vector<std::string>& excluded = {});

}  // namespace mollify
