// The fields of a line that holds quotes.
#pragma once

#include <csv.h>

#include <cstddef>
#include <new>
#include <string>
#include <string_view>

namespace mollify {

/// libcsv, given one line at a time. Its own line ends and its trimming of spaces are switched off.
class QuotedLine {
 public:
  /// Options are libcsv's. Without any it is total, and makes fields of all bytes.
  explicit QuotedLine(unsigned char options = 0) : options_(options) { start(); }
  ~QuotedLine() { csv_free(&parser_); }
  QuotedLine(const QuotedLine&) = delete;
  QuotedLine& operator=(const QuotedLine&) = delete;

  /// Forgets the fields given before, and makes room for those of lines of so many bytes in all.
  void make_room(std::size_t size) {
    unquoted_.clear();
    unquoted_.reserve(size);
  }

  /// Passes each field of the line to keep(text), which must not throw, for C calls it. The texts
  /// stay valid until make_room. False if quotes are misplaced, which strict parsers alone mind.
  template <class Keep>
  bool parse(std::string_view line, Keep keep) {
    struct State {
      std::string& unquoted;
      Keep& keep;
    } state{unquoted_, keep};
    // All fields together are no longer than their line: appending them never allocates.
    const auto submit = [](void* field, std::size_t size, void* data) {
      State& to = *static_cast<State*>(data);
      const std::size_t begin = to.unquoted.size();
      to.unquoted.append(static_cast<const char*>(field), size);
      to.keep(std::string_view(to.unquoted).substr(begin));
    };
    if (csv_parse(&parser_, line.data(), line.size(), submit, nullptr, &state) == line.size() &&
        csv_fini(&parser_, submit, nullptr, &state) == 0) {
      return true;
    }
    const bool out_of_memory = csv_error(&parser_) == CSV_ENOMEM;
    csv_free(&parser_);
    start();
    if (out_of_memory) throw std::bad_alloc();
    return false;
  }

 private:
  void start() {
    csv_init(&parser_, options_);
    csv_set_space_func(&parser_, [](unsigned char) { return 0; });
    csv_set_term_func(&parser_, [](unsigned char) { return 0; });
    csv_set_blk_size(&parser_, std::size_t{1} << 16U);
  }

  unsigned char options_;
  csv_parser parser_{};
  std::string unquoted_;
};

}  // namespace mollify
