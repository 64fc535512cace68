// A CSV file as a source of records.
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

#include "io/csv_reader.h"
#include "records/source.h"

namespace mollify {

/// The lines below a CSV file's header, streamed in bounded memory as columns of text. Every line
/// is a record, an empty one a record of nulls; in a file of one column, every line that ends in a
/// line feed (CsvReader::ends_as_a_record).
///
/// Memory: about 2 MiB and the blocks' fields for each thread, more only for a line of more than
/// 128 KiB.
///
/// A pipe can be visited once, and not counted; a regular file as often as one likes.
class CsvSource final : public Source {
 public:
  /// Opens the file and reads its header. Throws InvalidInput like CsvReader. Given its bytes,
  /// reads those as often as one likes: of a pipe, which is then only their name. Visits are by so
  /// many threads, which share the file's lines; fewer if there are not so many to be had.
  explicit CsvSource(std::string path, std::optional<std::string> bytes = std::nullopt,
                     std::size_t threads = 1);

  [[nodiscard]] std::string_view name() const noexcept override { return path_; }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept override {
    return columns_;
  }
  void visit(std::span<const std::size_t> wanted,
             const std::function<void(const Block&)>& take) const override;
  void visit_by(std::span<const std::size_t> wanted,
                const std::function<std::unique_ptr<BlockWorker>()>& make_worker) const override;
  [[nodiscard]] std::uint64_t record_count() const override;
  void require_repeatable() const override;
  [[nodiscard]] std::optional<Provenance> provenance() const override;

 private:
  [[nodiscard]] std::unique_ptr<CsvReader> open() const;

  [[nodiscard]] std::optional<std::string_view> bytes() const noexcept {
    return bytes_ ? std::optional<std::string_view>(*bytes_) : std::nullopt;
  }

  std::string path_;
  std::optional<std::string> bytes_;
  std::size_t threads_;
  std::vector<std::string> columns_;
  mutable std::unique_ptr<CsvReader> opened_;  // behind the header; the first visit takes it
};

}  // namespace mollify
