// Drafts a domain from public data.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/domain.h"

namespace mollify {

/// A drafted domain, and lines for its author.
struct DomainDraft {
  Domain domain;
  /// Warnings: columns that are left out or need a look.
  std::vector<std::string> notes;
  /// A line for each column of the domain: its values, and why it was declared so.
  std::vector<std::string> seen;

  /// A domain file with these lines, in which `null` and `outside` of every column can be seen.
  [[nodiscard]] std::string yaml() const;
};

/// A domain in which every value of a **public** CSV file lies. The domain is public, so it must
/// never be drafted from private data; it is a draft, to be reviewed.
///
/// - false/true, f/t and no/yes, both seen, make a boolean.
/// - Whole numbers, also written as 3.0, make an integer column, ungrouped if it spans at most 64
///   integers. Other numbers make a number column. At most 20 different ones, of 20 rows or of five
///   times as many, are listed, unless they are whole numbers without a gap. Infinite ones go to the
///   nearest cell, with a note.
/// - Both are cut at the deciles of the file, rounded to few digits, and of fewer than 100 records
///   into 10 cells of equal width. Cells that move the mean, because they are written evenly, are
///   cut again until all together move it by at most a hundredth of the deviation. Fewer than 20
///   records make 10 equal bins. A value that a tenth of all are is a spike, and so is the most
///   frequent one, if it is one in fifty. Integers that have a common divisor have it as their step,
///   and numbers the decimals of the value that has most, up to 5. The shortest text of a 32-bit
///   float counts.
/// - If four in five of a hundred numbers or more are multiples of a coarser step, and released ones
///   would not be, then up to 60 of these multiples are spikes. If there are more, the coarser step is
///   declared, and a line says how many numbers become the nearest multiple. If these are more than one
///   in fifty, each number is a cell, up to 200, as far as rows go.
/// - Numbers on a shifted grid, as 1, 3 and 5, are listed, up to 600. Integers
///   whose last digits are those of quarters, months, weeks, days or minutes are listed too, or cut so
///   that no cell holds other last digits with these.
/// - Days make a date, by day, month or year, with frequent ones as spikes; so are midnights. At most
///   20 different ones are listed, unless they follow each other.
/// - Up to 600 days or times on a grid are listed: the same day of months, the last one, the same
///   weekday, the same time of each day. Infinities are days, with a note.
/// - Numbers such as -9, 99 and 999, and the first and last days of years, are missing codes if they
///   come again at an end of the range and far from the others.
/// - Everything else, up to 1000 values, makes a categorical column in the order of their bytes.
///   Numbers with leading zeros are words (postal codes), and then all are verbatim; so are words
///   that differ by zeros alone or write one number. Ranges, as "0-4", "$5 to $9" and "90+", and
///   periods, as "Q1 2022", "Apr-23", "FY2021" and "Monday", make an ordinal column in their order, and
///   so do words that are alike except for one number, as "Grade 10". Words such as "Unknown" come
///   last in it, also after numbers. A few bounds, as "250000+", among many numbers that seldom come
///   again become null. None among words is a word;
///   so is NA in memory, and in a file if the column has empty fields too.
///
/// A data frame and its CSV file give the same domain: True is true, and 1.0 is 1.
///
/// Columns that hold nulls get a null category, and so do categorical ones, whose undeclared words
/// become null. `columns` selects columns by name and orders them;
/// empty means all; those in `excluded` are left out. A note says if only method marginals takes a
/// domain of this size.
///
/// Left out with a note are columns of nulls only, of more than 1000 values that are not numbers,
/// of values that look like days but are written otherwise (the note says how to declare them), of
/// times of day, of numbers with a decimal comma or that are percents in part only,
/// and, except for those that `columns` names, columns that look like names, addresses, identifiers
/// or free text. Notes name the first of a few values that keep a column from being numbers.
///
/// A column in `words` is an ordinal of these words in their order, because the table's type of the
/// column lists them. It is left out if they cannot be declared.
///
/// A word with a control character or without UTF-8, which no domain can declare, is left out with
/// a note, and so is a column whose name has one, is empty or is another column's too. A note says if the first line looks like a record
/// and not like names.
///
/// Throws InvalidInput for a file or a line that is not well-formed, one whose fields are separated
/// by something else than commas, and where nothing is left.
/// Bytes are as LineReader's. `unread` are columns of the public table that the bytes leave out,
/// each with the reason, to follow "is left out: ".
[[nodiscard]] DomainDraft draft_domain(
    const std::string& public_csv, const std::vector<std::string>& columns = {},
    const std::vector<std::string>& excluded = {},
    std::optional<std::string_view> bytes = std::nullopt,
    const std::vector<std::pair<std::string, std::string>>& unread = {},
    const std::map<std::string, std::vector<std::string>>& words = {});

}  // namespace mollify
