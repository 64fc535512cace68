#include "formats/ledger.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/decimals.h"
#include "base/json.h"
#include "base/named.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/sha256.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "formats/locked_file.h"
#include "formats/text_files.h"
#include "mollify/version.h"

namespace mollify {

ExactPrivacy readable(const ExactPrivacy& cost) {
  return ExactPrivacy::of(cost.notion, cost.parameter().with_digits_up(kReadableDigits),
                          cost.delta.with_digits_up(kReadableDigits));
}

// -----------------------------------------------------------------------------------------------
// Entries as lines.

namespace {

using Notion = ExactPrivacy::Notion;

constexpr std::string_view kMagic = "mollify ledger ";
constexpr std::string_view kFormat = "3";
// Numbers are kept as the decimal text that was typed.
constexpr std::string_view kHeader =
    "mollify ledger 3\n"
    "time\tkind\tdata_set\tscope\tnotion\tparameter\tdelta\tmethod\tmechanism\tcount\t"
    "certificate_sha256\tversion\tfile\tdevice\tinode\tsha256\n";
constexpr std::size_t kFields = 15;  // less the digest
constexpr std::size_t kDigestLetters = 64;

constexpr std::array kNotions = {
    std::pair{Notion::kPure, std::string_view("pure")},
    std::pair{Notion::kApproximate, std::string_view("approximate")},
    std::pair{Notion::kConcentrated, std::string_view("zcdp")},
    std::pair{Notion::kGaussian, std::string_view("gaussian")},
};

std::string_view word_of(Notion notion) {
  return std::find_if(kNotions.begin(), kNotions.end(),
                      [&](const auto& known) { return known.first == notion; })
      ->second;
}

std::optional<Notion> notion_named(std::string_view word) {
  for (const auto& [notion, name] : kNotions) {
    if (name == word) return notion;
  }
  return std::nullopt;
}

std::string time_now() {
  // Not by the C library, which looks for a time zone, under a lock that a forked child may
  // inherit.
  using std::chrono::days;
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const auto day = std::chrono::floor<days>(now);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(now - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

/// A field: a name may hold any bytes, but no field ends early. Control characters and the
/// backslash become \xHH.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x20 || byte == 0x7f || letter == '\\') {
      safe += fmt::format("\\x{:02x}", byte);
    } else {
      safe += letter;
    }
  }
  return safe;
}

template <class Number>
bool read_digits(std::string_view text, Number& number, int base = 10) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && stopped == end;
}

std::optional<std::string> unescaped(std::string_view field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\') {
      text += field[i];
      continue;
    }
    unsigned char byte = 0;
    if (!field.substr(i).starts_with("\\x") || !read_digits(field.substr(i + 2, 2), byte, 16)) {
      return std::nullopt;
    }
    text += static_cast<char>(byte);
    i += 3;
  }
  return text;
}

std::string digest_of(std::string_view digest_before, std::string_view fields) {
  Sha256 hash;
  hash.add(digest_before);
  hash.add(fields);
  return hash.hex();
}

/// What `last_seen_` holds of a digest.
std::uint64_t beginning_of(std::string_view digest) {
  std::uint64_t beginning = 0;
  read_digits(digest.substr(0, 16), beginning, 16);
  return beginning;
}

/// All of a line that its digest is about.
std::string fields_of(const LedgerEntry& entry) {
  const auto& file = entry.file;
  const auto number = [&](auto part) {
    return file && file->identity ? fmt::format("{}", part(*file->identity)) : "";
  };
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t", entry.time,
                     entry.is_total ? "total" : "release", escaped(entry.data_set),
                     escaped(entry.scope.text()), word_of(entry.cost.notion),
                     entry.cost.parameter().text(), entry.cost.delta.text(), escaped(entry.method),
                     escaped(entry.mechanism), entry.count, escaped(entry.certificate_sha256),
                     entry.version, escaped(file ? file->path : ""),
                     number([](const auto& identity) { return identity.first; }),
                     number([](const auto& identity) { return identity.second; }));
}

/// The entry of `fields_of`; empty if it is none.
std::optional<LedgerEntry> entry_of(std::string_view fields, std::uint64_t number) {
  std::vector<std::string> parts;
  while (!fields.empty()) {
    const std::size_t end = std::min(fields.find('\t'), fields.size());
    auto part = unescaped(fields.substr(0, end));
    if (!part) return std::nullopt;
    parts.push_back(*std::move(part));
    fields.remove_prefix(std::min(end + 1, fields.size()));
  }
  if (parts.size() != kFields) return std::nullopt;
  const auto scope = ProtectionScope::parse(parts[3]);
  const auto notion = notion_named(parts[4]);
  LedgerEntry entry{.number = number, .time = parts[0], .data_set = parts[2]};
  if (!scope || !notion || !read_digits(parts[9], entry.count)) return std::nullopt;
  const std::string where = fmt::format("entry {} of the ledger", number);
  entry.is_total = parts[1] == "total";
  entry.scope = *scope;
  entry.cost = ExactPrivacy::of(*notion, Decimal::parse(parts[5], {where, ""}),
                                Decimal::parse(parts[6], {where, ""}));
  entry.method = parts[7];
  entry.mechanism = parts[8];
  entry.certificate_sha256 = parts[10];
  entry.version = parts[11];
  if (!parts[12].empty()) {
    entry.file = DataFile{parts[12]};
    std::pair<std::uint64_t, std::uint64_t> identity;
    if (read_digits(parts[13], identity.first) && read_digits(parts[14], identity.second)) {
      entry.file->identity = identity;
    }
  }
  return entry;
}

/// Whether the bytes after a ledger's last entry are what one write leaves if it is interrupted: it
/// ends early, or the power fails and a part is zeros, to the end or in whole sectors of the disk.
/// Nothing else may be cut off.
bool is_torn(std::string_view content, std::size_t begin) {
  constexpr std::size_t kSector = 512;
  const std::size_t end = std::max(content.find_last_not_of('\0') + 1, begin);
  const std::size_t line_end = content.find('\n', begin);
  if (line_end != content.npos && line_end + 1 < end) return false;  // there are later lines
  bool lacks_sectors = false;
  for (std::size_t at = begin; at < end;) {
    const std::size_t next = std::min(at / kSector * kSector + kSector, end);
    const auto zeros = std::count(content.begin() + static_cast<std::ptrdiff_t>(at),
                                  content.begin() + static_cast<std::ptrdiff_t>(next), '\0');
    const bool is_lacking = static_cast<std::size_t>(zeros) == next - at;
    if (zeros != 0 && !is_lacking) return false;
    lacks_sectors = lacks_sectors || is_lacking;
    at = next;
  }
  return line_end == content.npos || lacks_sectors;
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// The file in which every release is charged before it is made.

namespace {

const char* parameters_of(const ExactPrivacy& cost) {
  switch (cost.notion) {
    case Notion::kPure:
      return "a pure epsilon";
    case Notion::kApproximate:
      return "epsilon and delta";
    case Notion::kConcentrated:
      return "rho";
    case Notion::kGaussian:
      break;
  }
  return "mu";
}

DataSetSummary& summary_of(const std::string& data_set, std::vector<DataSetSummary>& all) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const DataSetSummary& summary) {
    return summary.data_set == data_set;
  });
  if (found != all.end()) return *found;
  return all.emplace_back(DataSetSummary{data_set, std::nullopt, {}});
}

void require_positive(const ExactPrivacy& cost) {
  if (cost.parameter().is_zero()) {
    refuse_input("out-of-range", parameter_name(cost.notion), {}, quantities_of(0, kPositive),
                 "a privacy budget must be positive, but is {}", cost.text());
  }
  if (cost.delta >= Decimal(1.0)) {
    refuse_input("out-of-range", "delta", {}, quantities_of(cost.delta.down(), kBelowOne),
                 "delta must be below 1, but is {}", words_of(cost.delta));
  }
}

void require_whole_names(const std::string& data_set, const ProtectionScope& scope) {
  require_without_nul("a data set's name", data_set);
  require_without_nul("a unit's column", scope.unit);
}

/// Refuses a charge to a new name of a file that is known by others, unless that is meant.
void require_same_name(const std::string& name, const std::vector<std::string>& known,
                       const ReleaseCharge& release, const std::string& ledger) {
  if (known.empty() || release.another_data_set) return;
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  const std::string& former = known.front();
  refuse_input("another-data-set", "data-set",
               {WayOut::set("data-set", former), WayOut::add("another-data-set")},
               "{0} knows {1}{2} already, and charges there would not count for \"{3}\": name it "
               "\"{4}\", or say that another data set is meant ({5})",
               ledger, release.file->path,
               former == release.file->path ? "" : fmt::format(" as \"{}\"", former), name, former,
               added_words("another-data-set"));
}

/// "epsilon 2 and delta 1e-7 remain", and which of the two is missing.
std::string remaining_words(const LedgerAccount& account, const ExactPrivacy& total,
                            const ExactPrivacy& asked) {
  if (total.notion != Notion::kApproximate) {
    return fmt::format("{} {} remains", total.notion == Notion::kConcentrated ? "rho" : "epsilon",
                       words_of(account.remaining(total).with_digits_down(kReadableDigits)));
  }
  const Decimal epsilon = account.remaining(total);
  const Decimal delta = account.remaining_delta(total);
  const bool lacks_delta = asked.delta > delta;
  return fmt::format("epsilon {} and delta {} remain{}",
                     words_of(epsilon.with_digits_down(kReadableDigits)),
                     words_of(delta.with_digits_down(kReadableDigits)),
                     !lacks_delta                   ? ""
                     : asked.parameter() <= epsilon ? " (delta is too small)"
                                                    : " (both are too small)");
}

/// The cost of a release, and the rest of the total.
std::vector<Quantity> of_charge(const LedgerAccount& account, const ExactPrivacy& total,
                                const ExactPrivacy& asked) {
  std::vector<Quantity> quantities = {
      {"given", asked.parameter().up(), parameter_name(asked.notion)},
      {"most", account.remaining(total).down(), parameter_name(total.notion)}};
  if (total.notion == Notion::kApproximate) {
    quantities.push_back({"given", asked.delta.up(), "delta"});
    quantities.push_back({"most", account.remaining_delta(total).down(), "delta"});
  }
  return quantities;
}

/// To spend what remains, if anything does, or to declare a higher total.
std::vector<WayOut> ways_to_fit(const LedgerAccount& account, const ExactPrivacy& total) {
  std::vector<WayOut> ways;
  const Decimal left = account.remaining(total);
  const Decimal left_delta = account.remaining_delta(total);
  const auto set = [&](std::string_view part, const Decimal& value) {
    ways.push_back(WayOut::set(part, words_of(value.with_digits_down(kReadableDigits))));
  };
  if (!left.is_zero()) set(parameter_name(total.notion), left);
  if (!left.is_zero() && total.notion == Notion::kApproximate && !left_delta.is_zero())
    set("delta", left_delta);
  ways.push_back(WayOut::run(words_of_speech("ledger --replace", "ledger --declare")));
  return ways;
}

/// Refuses a charge to a data set without a total, unless that is meant: `totals` are those that
/// have one.
void require_total(const DataSetSummary& known, const ReleaseCharge& release,
                   const std::vector<std::string>& totals, const std::string& ledger) {
  if (known.total || release.without_total) return;
  const char* const budget = release.cost.notion == Notion::kPure ? "--epsilon E"
                             : release.cost.notion == Notion::kConcentrated
                                 ? "--rho R"
                                 : "--epsilon E --delta D";
  const std::string declare = fmt::format(
      "(mollify ledger --ledger {} --declare {} {} {}), or say that none is meant (--no-total)",
      shell_word(ledger), known.data_set.starts_with('/') ? "--data" : "--data-set",
      shell_word(known.data_set), budget);
  std::vector<WayOut> ways{WayOut::run("ledger --declare")};
  if (!words_of_speech("no-total", "", "").empty()) ways.push_back(WayOut::add("no-total"));
  refuse_input("no-total", concern_of("data-set", ledger), std::move(ways),
               "\"{}\" has no total in {}{}, so nothing would ever be refused: declare one {}",
               known.data_set, ledger,
               totals.empty() ? ""
                              : fmt::format(", which has totals for {} ({} names one)",
                                            list_words(totals), flag_words("data-set")),
               words_of_speech(declare, "(Ledger.declare)", "with declare()"));
}

/// Refuses a charge that the total does not allow, if there is one.
void require_room(const DataSetSummary& known, const ReleaseCharge& release,
                  const std::string& ledger) {
  if (!known.total) return;
  const auto& [scope, total] = *known.total;
  if (!protects(release.scope, scope)) {
    const std::string of_command =
        fmt::format("; add --unit {}, so that it protects them", shell_word(scope.unit));
    const std::string of_python =
        fmt::format(R"(. Give the method unit="{0}", or a charge scope="unit={0}".)", scope.unit);
    const std::string of_program =
        fmt::format("; give the spec unit \"{}\", so that it protects them", scope.unit);
    const std::string_view way = words_of_speech(of_command, of_python, of_program);
    refuse_input(
        "total-protects-more", concern_of("unit", ledger), {WayOut::set("unit", scope.unit)},
        "the total of \"{}\" in {} protects {}, but this release protects no more than {}{}",
        known.data_set, ledger, scope.words(), release.scope.words(),
        scope.unit.empty() ? "" : way);
  }
  if (!LedgerAccount().with(release.cost).spent(total)) {
    const bool lacks_delta =
        total.notion == Notion::kPure && release.cost.notion == Notion::kApproximate;
    refuse_input(
        "total-of-another-kind", "data-set",
        "the total of \"{}\" in {} is {}, but this release promises {}{}", known.data_set, ledger,
        parameters_of(total), parameters_of(release.cost),
        lacks_delta ? fmt::format("; a total that has {} takes both", flag_words("delta")) : "");
  }
  if (!known.account.with(release.cost).fits(total)) {
    const std::string by_call =
        fmt::format("{} with {}", command_words("ledger --declare"), added_words("replace"));
    refuse_input("budget-exceeded", concern_of("data-set", ledger),
                 ways_to_fit(known.account, total), of_charge(known.account, total, release.cost),
                 "the total of \"{}\" in {} is {}: {}, and this release costs {}; {}declare a "
                 "higher total ({})",
                 known.data_set, ledger, total.text(),
                 remaining_words(known.account, total, release.cost), release.cost.text(),
                 known.account.remaining(total).is_zero() ? "" : "release with what remains, or ",
                 words_of_speech("mollify ledger --replace", by_call, by_call));
  }
}

}  // namespace

/// A ledger's file while an operation runs: locked, read and in order.
class LedgerFile::Operation {
 public:
  Operation(const LedgerFile& ledger, Opening opening)
      : ledger_(ledger),
        file_(ledger.file_, ledger.path_, opening == Opening::kOrMakeNew),
        device_and_inode_(file_.device_and_inode()) {
    require_in_place("nothing is recorded");
    if (is_begun(opening)) {
      read();
    } else {
      require_writable();
      file_.append(0, kHeader);
      synchronise_folder(ledger_.file_);
      end_ = kHeader.size();
    }
    ledger_.last_seen_ = beginning_of(last_digest_);
  }

  const std::string& path() const { return ledger_.path_; }
  const auto& device_and_inode() const { return device_and_inode_; }
  std::vector<LedgerEntry>& entries() { return entries_; }

  std::vector<LedgerEntry> entries_of(const std::string& data_set) const {
    std::vector<LedgerEntry> found;
    for (const LedgerEntry& entry : entries_) {
      if (entry.data_set == data_set) found.push_back(entry);
    }
    return found;
  }

  std::vector<std::string> names_with_totals() const {
    std::vector<std::string> names;
    for (const LedgerEntry& entry : entries_) {
      if (entry.is_total) names.push_back(entry.data_set);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  std::vector<std::string> names_of(const DataFile& file) const {
    std::vector<std::string> names;
    const auto add_if = [&](const auto& is_it) {
      for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
        if (!entry->file || !is_it(*entry->file)) continue;
        if (std::find(names.begin(), names.end(), entry->data_set) == names.end()) {
          names.push_back(entry->data_set);
        }
      }
    };
    add_if([&](const DataFile& known) { return known.path == file.path; });
    if (file.identity) {
      add_if([&](const DataFile& known) { return known.identity == file.identity; });
    }
    return names;
  }

  /// The name given, or the one that the file goes by.
  std::string resolve(const std::string& data_set, const std::optional<DataFile>& file) const {
    if (!data_set.empty()) return data_set;
    refuse_if(!file, "malformed-text", "data-set",
              "a data set in a ledger must have a name, but has none");
    const std::vector<std::string> known = names_of(*file);
    return known.empty() ? file->path : known.front();
  }

  /// Returns when the entry is on the disk and where the path leads.
  void add(LedgerEntry entry) {
    require_writable();
    entry.time = time_now();
    entry.version = kVersion;
    std::string line = fields_of(entry);
    const std::string digest = digest_of(last_digest_, line);
    line += digest + "\n";
    require_in_place("nothing is recorded");
    file_.append(end_, lacks_line_feed_ ? "\n" + line : line);
    // If the program that made the file was killed, its name does not last yet.
    if (entries_.empty()) synchronise_folder(ledger_.file_);
    ledger_.last_seen_ = beginning_of(digest);
    require_in_place("its last entry may be lost");
  }

 private:
  [[noreturn]] void refuse_replaced(const char* consequence) const {
    refuse_input("ledger-moved", concern_of("ledger", path()),
                 "the ledger {} was moved, replaced or deleted after it was opened, so {}: put the "
                 "file back, or open the ledger again if the new file is meant",
                 path(), consequence);
  }

  [[noreturn]] void refuse_damaged() const {
    refuse_input("ledger-damaged", concern_of("ledger", path()),
                 "the ledger {} is damaged: entry {} is not as it was written. Put back a copy "
                 "that has all entries, or make a new ledger and declare what each total has left",
                 path(), entries_.size() + 1);
  }

  /// Refuses unless the path leads to the file that is locked, which must be the first operation's.
  void require_in_place(const char* consequence) const {
    const bool is_first = ledger_.device_and_inode_.second == 0;
    if (!file_.is_at(ledger_.file_) ||
        (!is_first && device_and_inode_ != ledger_.device_and_inode_)) {
      refuse_replaced(consequence);
    }
  }

  void require_writable() const {
    if (file_.not_writable() == 0) return;
    refuse_input("unwritable-file", concern_of("ledger", path()),
                 "the ledger {} cannot be written: {}", path(),
                 std::generic_category().message(file_.not_writable()));
  }

  /// Whether the file has a ledger's header, and not nothing or a torn beginning of one. Refuses
  /// whatever is neither.
  bool is_begun(Opening opening) const {
    const auto size = file_.size();  // none of a device
    const std::string begin = size ? file_.read(kHeader.size()) : "";
    if (begin == kHeader) return true;
    const bool is_empty = size && *size <= kHeader.size() &&
                          kHeader.starts_with(begin.substr(0, begin.find('\0'))) &&
                          begin.find_last_not_of('\0') + 1 <= begin.find('\0');
    if (is_empty && opening == Opening::kOrMakeNew) return false;
    if (is_empty)
      throw InvalidInput("wrong-kind-of-file", path() + " is empty, not a ledger",
                         concern_of("ledger", path()));
    // A database says at this place whose it is.
    if (begin.starts_with("SQLite format 3") && begin.find("moll", 68) == 68) {
      refuse_input("unsupported-version", concern_of("ledger", path()),
                   "the ledger {} was made by an earlier version of mollify, as a database: keep "
                   "it, make a new ledger with {}, and declare there what each total has left",
                   path(), command_words("ledger --declare"));
    }
    if (begin.starts_with(kMagic)) {
      const std::string format = begin.substr(kMagic.size(), begin.find('\n') - kMagic.size());
      if (format != kFormat) {
        refuse_input("unsupported-version", concern_of("ledger", path()),
                     "the ledger {} must have format {}, but has format {}", path(), kFormat,
                     printable(format.substr(0, 20)));
      }
    }
    refuse_input("wrong-kind-of-file", concern_of("ledger", path()),
                 "{} is not a ledger but a file of another kind", path());
  }

  /// Takes a line, without its line feed, as the next entry, if it has the right digest.
  bool take(std::string_view line) {
    if (line.size() < kDigestLetters) return false;
    const std::string_view fields = line.substr(0, line.size() - kDigestLetters);
    std::string digest = digest_of(last_digest_, fields);
    if (!line.ends_with(digest)) return false;
    auto entry = entry_of(fields, entries_.size() + 1);
    if (!entry) refuse_damaged();
    entries_.push_back(*std::move(entry));
    last_digest_ = std::move(digest);
    is_seen_ = is_seen_ || beginning_of(last_digest_) == ledger_.last_seen_;
    return true;
  }

  void read() {
    const std::string content = file_.read(file_.size().value_or(0));
    const std::string_view text = content;
    is_seen_ = ledger_.last_seen_ == 0;
    end_ = kHeader.size();
    for (std::size_t line_end = text.find('\n', end_); line_end != text.npos;
         line_end = text.find('\n', end_)) {
      if (!take(text.substr(end_, line_end - end_))) break;
      end_ = line_end + 1;
    }
    if (end_ < text.size()) read_unended(text);
    if (!is_seen_) refuse_replaced("nothing is recorded");
  }

  /// The rest after the last whole line. An entry counts even if its line feed is missing, or is
  /// another letter.
  void read_unended(std::string_view text) {
    const std::string_view rest = text.substr(end_, text.find_last_not_of('\0') + 1 - end_);
    for (const std::string_view line : {rest, rest.substr(0, rest.size() - 1)}) {
      lacks_line_feed_ = take(line);
      if (!lacks_line_feed_) continue;
      end_ += line.size();
      return;
    }
    if (!is_torn(text, end_)) refuse_damaged();
  }

  const LedgerFile& ledger_;
  LockedFile file_;
  std::pair<std::uint64_t, std::uint64_t> device_and_inode_;
  std::vector<LedgerEntry> entries_;
  std::string last_digest_;  // empty before the first entry
  std::size_t end_ = 0;      // of the last entry in the file
  bool lacks_line_feed_ = false;
  bool is_seen_ = true;  // the last entry that the object saw
};

LedgerFile::LedgerFile(const std::string& path, Opening opening) : path_(path) {
  require_without_nul("a path", path);
  std::error_code failed;
  file_ = std::filesystem::absolute(path, failed).string();
  if (failed) {
    refuse_input("unreadable-file", concern_of("ledger", path),
                 "the ledger {} cannot be opened: {}", path, failed.message());
  }
  device_and_inode_ = Operation(*this, opening).device_and_inode();
}

std::vector<LedgerEntry> LedgerFile::history() const {
  return std::move(Operation(*this, Opening::kExisting).entries());
}

ChargeReceipt LedgerFile::charge(const ReleaseCharge& release) {
  require_positive(release.cost);
  require_whole_names(release.data_set, release.scope);
  require_without_nul("a mechanism's name", release.mechanism);
  Operation operation(*this, Opening::kExisting);
  const std::string name = operation.resolve(release.data_set, release.file);
  std::vector<std::string> names;
  if (release.file) names = operation.names_of(*release.file);
  require_same_name(name, names, release, path_);
  auto known = summarise(operation.entries_of(name));
  if (known.empty()) known.push_back({name, std::nullopt, {}});
  require_total(known.front(), release, operation.names_with_totals(), path_);
  require_room(known.front(), release, path_);
  ChargeReceipt receipt{std::move(known.front())};
  receipt.data_set.account.add(release.cost);
  receipt.other_names = std::move(names);
  std::erase(receipt.other_names, name);
  operation.add({.data_set = name,
                 .scope = release.scope,
                 .cost = release.cost,
                 .method = release.method,
                 .mechanism = release.mechanism,
                 .certificate_sha256 = release.certificate_sha256,
                 .count = release.count,
                 .file = release.file});
  return receipt;
}

std::vector<std::string> LedgerFile::names_of(const DataFile& file) const {
  return Operation(*this, Opening::kExisting).names_of(file);
}

std::string LedgerFile::declare(const std::string& name, LedgerTotal total, bool replace,
                                const std::optional<DataFile>& file, bool keeps_scope) {
  require_positive(total.cost);
  require_whole_names(name, total.scope);
  if (total.cost.notion == Notion::kGaussian) {
    throw InvalidInput("not-for-this-budget",
                       "a total must be in epsilon, in epsilon and delta, or in rho, but is in mu",
                       "mu", {WayOut::set("epsilon"), WayOut::set("rho")});
  }
  Operation operation(*this, Opening::kExisting);
  const std::string data_set = operation.resolve(name, file);
  const auto entries = operation.entries_of(data_set);
  const auto known = summarise(entries);
  if (!known.empty() && known.front().total) {
    const LedgerTotal& declared = *known.front().total;
    if (keeps_scope) total.scope = declared.scope;
    if (declared.cost == total.cost && declared.scope == total.scope) return data_set;
    if (!replace) {
      refuse_input("total-exists", "data-set", {WayOut::add("replace")},
                   "\"{}\" already has a total in {}: {} for {}. {} replaces it", data_set, path_,
                   declared.cost.text(), declared.scope.words(), added_words("replace"));
    }
  }
  for (const LedgerEntry& entry : entries) {
    if (!entry.is_total && !protects(entry.scope, total.scope)) {
      refuse_input(
          "total-protects-more", "unit",
          "a total for {} cannot be kept: release {} of \"{}\" in {} protects no more than {}",
          total.scope.words(), entry.number, data_set, path_, entry.scope.words());
    }
  }
  if (!known.empty() && !known.front().account.fits(total.cost)) {
    const auto sum = known.front().account.plain_sum();
    const bool lacks_delta = sum && sum->delta > total.cost.delta;
    std::vector<WayOut> ways{WayOut::set(parameter_name(total.cost.notion))};
    if (lacks_delta) ways.push_back(WayOut::set("delta"));
    std::vector<Quantity> quantities = {
        {"given", total.cost.parameter().up(), parameter_name(total.cost.notion)}};
    if (sum && sum->notion == total.cost.notion)
      quantities.push_back({"least", sum->parameter().up(), parameter_name(sum->notion)});
    refuse_input("budget-exceeded", concern_of("data-set", path_), std::move(ways),
                 std::move(quantities),
                 "\"{}\" has spent more in {} already than {}{}; declare a higher total{}",
                 data_set, path_, total.cost.text(),
                 sum ? fmt::format(": {}, if costs are summed", readable(*sum).text()) : "",
                 lacks_delta ? fmt::format(", with {}", flag_words("delta")) : "");
  }
  operation.add({.data_set = data_set,
                 .scope = total.scope,
                 .cost = total.cost,
                 .is_total = true,
                 .file = file});
  return data_set;
}

std::optional<DataFile> data_file_at(const std::string& path) {
  namespace fs = std::filesystem;
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) return std::nullopt;
  std::error_code failed;
  DataFile file{fs::weakly_canonical(fs::absolute(path, failed), failed).string()};
  if (failed) file.path = path;
  if (exists) {
    file.identity = {static_cast<std::uint64_t>(status.st_dev),
                     static_cast<std::uint64_t>(status.st_ino)};
  }
  return file;
}

std::vector<DataSetSummary> summarise(const std::vector<LedgerEntry>& history) {
  std::vector<DataSetSummary> all;
  for (const LedgerEntry& entry : history) {
    DataSetSummary& summary = summary_of(entry.data_set, all);
    if (entry.is_total) {
      summary.total = LedgerTotal{entry.scope, entry.cost};
    } else {
      summary.account.add(entry.cost);
    }
  }
  return all;
}

// -----------------------------------------------------------------------------------------------
// Entries for programs.

Json cost_json(const ExactPrivacy& cost) {
  Json json{{parameter_name(cost.notion), cost.parameter().text()}};
  if (cost.notion == ExactPrivacy::Notion::kApproximate) json["delta"] = cost.delta.text();
  return json;
}

Json entry_json(const LedgerEntry& entry) {
  Json json{{"number", entry.number},
            {"time", entry.time},
            {"kind", entry.is_total ? "total" : "release"},
            {"data_set", entry.data_set},
            {"scope", entry.scope.text()}};
  json["cost"] = cost_json(entry.cost);
  if (!entry.is_total) {
    json["method"] = entry.method;
    json["mechanism"] = entry.mechanism;
    json["count"] = entry.count;
    json["certificate_sha256"] = entry.certificate_sha256;
  }
  json["version"] = entry.version;
  return json;
}

}  // namespace mollify
