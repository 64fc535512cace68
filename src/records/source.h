// Where records come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "records/values.h"

namespace mollify {

/// The file that something was read from, for certificates. Of public inputs alone: the hash of a
/// private file would tell of its content.
struct Provenance {
  std::string name;
  std::string sha256;  ///< in hexadecimal digits
};

/// What a thread does with the blocks that it reads, where several read one source.
class BlockWorker {
 public:
  BlockWorker() = default;
  BlockWorker(const BlockWorker&) = delete;
  BlockWorker& operator=(const BlockWorker&) = delete;
  virtual ~BlockWorker() = default;

  /// Comes first, and may run while other workers do.
  virtual void work(const Block& /*block*/) {}
  /// Whether `take` is wanted. Those who only count, in whatever order, need not wait for others.
  [[nodiscard]] virtual bool takes() const noexcept { return true; }
  /// Comes then, for the same block: of all workers one at a time, in the order of the rows. So
  /// what is made of a source does not depend on how many threads read it.
  virtual void take(const Block& block) = 0;
};

/// A table of records, in rows. Its columns' names are public; what stands in the rows is private
/// or public as the user says.
///
/// What a source owes its users. Every visit gives the same rows in the same order. A row depends
/// on its own record alone, so that replacing a record replaces one row. Every record is a row,
/// whatever it holds: an unreadable value is a null, and an empty line of a file is a row of nulls.
/// Reading fails (throws) only for what does not depend on values, such as a file that is gone.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  /// What messages call it: a file's path, or "the data".
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  [[nodiscard]] virtual const std::vector<std::string>& columns() const noexcept = 0;

  /// Calls `take` with blocks of the wanted columns, in their order, row after row from the first.
  /// `wanted` are places in columns(), and may be none: then blocks only have rows. A block is
  /// valid during the call only. Throws InvalidInput if the source cannot be visited again.
  virtual void visit(std::span<const std::size_t> wanted,
                     const std::function<void(const Block&)>& take) const = 0;

  /// The same by as many threads as the source has been given: each block goes to one of the
  /// workers that `make_worker` makes, in this thread, one for each thread.
  virtual void visit_by(std::span<const std::size_t> wanted,
                        const std::function<std::unique_ptr<BlockWorker>()>& make_worker) const;

  /// The number of records; counted, where it is not known. A mechanism may only use it where it is
  /// public.
  [[nodiscard]] virtual std::uint64_t record_count() const = 0;

  /// Whether rows stand for numbers of records that a column says: then blocks have counts.
  [[nodiscard]] virtual bool has_counts() const noexcept { return false; }

  /// From then on the source can be visited, and counted, as often as one likes. Throws
  /// InvalidInput if that cannot be.
  virtual void require_repeatable() const {}

  /// Throws InvalidInput if the column is of a type that cannot be read.
  virtual void require_readable(std::size_t /*column*/) const {}

  /// The file behind it; nothing if there is none.
  [[nodiscard]] virtual std::optional<Provenance> provenance() const { return std::nullopt; }

  /// The place of a column. Throws InvalidInput if there is none of this name, more than one, or
  /// one that cannot be read; `reason` ends the sentence: "which the domain declares". No other
  /// name is told, for in a file without a header it would be a private record.
  [[nodiscard]] std::size_t position(std::string_view column, std::string_view reason) const;
};

/// The places in a source of a domain's columns and, last, of the unit column if one is given: what
/// to visit. Throws InvalidInput unless the source has each of them once, the unit column is none
/// of the domain's, and a column of counts is neither.
[[nodiscard]] std::vector<std::size_t> wanted_columns(
    const Source& source, std::span<const std::string> names,
    const std::optional<std::string>& unit_column = std::nullopt);

}  // namespace mollify
