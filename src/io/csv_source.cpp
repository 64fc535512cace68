#include "io/csv_source.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "space/sha256.h"

namespace mollify {
namespace {

/// Some lines of the file as a block.
class LineBlock {
 public:
  explicit LineBlock(std::span<const std::size_t> wanted)
      : wanted_(wanted), texts_(wanted.size()), values_(wanted.size()) {}

  /// Copies the lines, for a reader's are gone with the next ones.
  void take(std::string_view lines) { lines_.assign(lines); }

  [[nodiscard]] Block split(std::size_t columns) {
    rows_.split(lines_, columns);
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      texts_[i].resize(rows_.size());
      for (std::size_t row = 0; row < rows_.size(); ++row) {
        texts_[i][row] = rows_.field(row, wanted_[i]);
      }
      values_[i] = Values(std::span<const std::string_view>(texts_[i]));
    }
    return {rows_.size(), values_};
  }

 private:
  std::span<const std::size_t> wanted_;
  std::string lines_;
  CsvRows rows_;
  std::vector<std::vector<std::string_view>> texts_;
  std::vector<Values> values_;
};

/// Threads that read one file, some lines at a time each, and pass what they made of them on in the
/// lines' order.
class Readers {
 public:
  Readers(CsvReader& csv, std::span<const std::size_t> wanted) : csv_(csv), wanted_(wanted) {}

  void run(const std::vector<std::unique_ptr<BlockWorker>>& workers) {
    std::vector<std::thread> threads;
    try {
      threads.reserve(workers.size());
      for (std::size_t i = 1; i < workers.size(); ++i) {
        threads.emplace_back([this, &worker = *workers[i]] { read(worker); });
      }
    } catch (const std::exception&) {  // then fewer do the same
    }
    read(*workers.front());
    for (std::thread& thread : threads) thread.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void read(BlockWorker& worker) noexcept {
    try {
      LineBlock lines(wanted_);
      while (const auto turn = next(lines)) {
        const Block block = lines.split(csv_.header().size());
        worker.work(block);
        if (!worker.takes()) {
          if (taken_ == kFailed) return;
          continue;
        }
        if (!await(*turn)) return;
        worker.take(block);
        std::uint32_t mine = *turn;
        taken_.compare_exchange_strong(mine, after(*turn));  // not over a failure
        taken_.notify_all();
      }
    } catch (...) {
      {
        const std::lock_guard lock(failing_);
        if (!error_) error_ = std::current_exception();
      }
      taken_ = kFailed;
      taken_.notify_all();
    }
  }

  /// The next lines, and which turn they have; nothing if there are none.
  std::optional<std::uint32_t> next(LineBlock& lines) {
    const std::lock_guard lock(reading_);
    const std::string_view read = csv_.next_lines(kRowsPerBlock);
    if (read.empty()) return std::nullopt;
    lines.take(read);
    return std::exchange(given_, after(given_));
  }

  /// Waits until all lines before are taken; false if they never will be.
  bool await(std::uint32_t turn) const {
    std::uint32_t taken = taken_;
    while (taken != turn && taken != kFailed) {
      taken_.wait(taken);
      taken = taken_;
    }
    return taken == turn;
  }

  /// Turns begin anew when there are no more: far fewer are waited for at once.
  static std::uint32_t after(std::uint32_t turn) { return (turn + 1) % kFailed; }

  CsvReader& csv_;
  std::span<const std::size_t> wanted_;
  static constexpr std::uint32_t kFailed = std::numeric_limits<std::uint32_t>::max();

  std::mutex reading_;
  std::uint32_t given_ = 0;
  /// The turn that is next, or kFailed. 32 bits are what the kernel waits on. A condition variable
  /// would need the C++ library of GCC 12 where the program runs; this needs no library.
  std::atomic<std::uint32_t> taken_ = 0;
  std::mutex failing_;
  std::exception_ptr error_;
};

/// A worker of one function.
class Taker final : public BlockWorker {
 public:
  explicit Taker(const std::function<void(const Block&)>& take) : take_(take) {}
  void take(const Block& block) override { take_(block); }

 private:
  const std::function<void(const Block&)>& take_;
};

}  // namespace

CsvSource::CsvSource(std::string path, std::optional<std::string> bytes, std::size_t threads)
    : path_(std::move(path)),
      bytes_(std::move(bytes)),
      threads_(std::max<std::size_t>(threads, 1)),
      opened_(std::make_unique<CsvReader>(path_, this->bytes())) {
  columns_ = opened_->header();
}

std::unique_ptr<CsvReader> CsvSource::open() const {
  if (opened_) return std::move(opened_);
  require_repeatable();
  auto again = std::make_unique<CsvReader>(path_, bytes());
  if (again->header() != columns_) {
    throw InvalidInput(
        fmt::format("{} must not change while it is read, but has another header", path_));
  }
  return again;
}

void CsvSource::visit(std::span<const std::size_t> wanted,
                      const std::function<void(const Block&)>& take) const {
  visit_by(wanted, [&] { return std::make_unique<Taker>(take); });
}

void CsvSource::visit_by(std::span<const std::size_t> wanted,
                         const std::function<std::unique_ptr<BlockWorker>()>& make_worker) const {
  const std::unique_ptr<CsvReader> csv = open();
  std::vector<std::unique_ptr<BlockWorker>> workers;
  for (std::size_t i = 0; i < threads_; ++i) workers.push_back(make_worker());
  Readers(*csv, wanted).run(workers);
}

std::uint64_t CsvSource::record_count() const {
  require_repeatable();
  CsvReader csv(path_, bytes());
  const std::uint64_t header = csv.line_number();
  while (!csv.next_lines(kRowsPerBlock).empty()) {
  }
  const std::uint64_t lines = csv.line_number() - header;
  return lines > 0 && !csv.ends_as_a_record() ? lines - 1 : lines;
}

void CsvSource::require_repeatable() const {
  if (!bytes_) require_rereadable(path_);
}

std::optional<Provenance> CsvSource::provenance() const {
  Sha256 digest;
  if (bytes_) {
    digest.add(*bytes_);
    return Provenance{path_, digest.hex()};
  }
  std::ifstream file(path_, std::ios::binary);
  if (!file) throw InvalidInput(fmt::format("{} cannot be opened", path_));
  std::array<char, 1U << 16U> bytes{};
  while (file) {
    file.read(bytes.data(), bytes.size());
    digest.add(std::string_view(bytes.data(), static_cast<std::size_t>(file.gcount())));
  }
  return Provenance{path_, digest.hex()};
}

}  // namespace mollify
