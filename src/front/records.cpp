// Sources and sinks for programs.
#include <algorithm>
#include <map>
#include <memory>

#include "base/progress.h"
#include "base/threads.h"
#include "base/words.h"
#include "domain/time_text.h"
#include "domain/zones.h"
#include "formats/arrow.h"
#include "formats/csv.h"
#include "formats/text_files.h"
#include "front/release.h"
#include "records/source.h"

namespace mollify::front {

// -----------------------------------------------------------------------------------------------
// Source.

Source Source::csv(const std::string& path, std::size_t threads) {
  return Source(std::make_shared<const Inside>(
      std::make_unique<inside::CsvSource>(path, std::nullopt, inside::thread_count(threads)),
      path));
}

Source Source::memory(const std::vector<ColumnView>& columns) {
  std::vector<std::string> names;
  std::vector<inside::Values> values;
  for (const ColumnView& column : columns) {
    names.push_back(column.name);
    values.push_back(std::visit(
        [&](const auto& rows) { return inside::Values(rows, column.valid); }, column.values));
  }
  return Source(std::make_shared<const Inside>(
      std::make_unique<inside::MemorySource>(std::move(names), std::move(values))));
}

Source Source::arrow(ArrowArrayStream* stream) {
  return Source(std::make_shared<const Inside>(std::make_unique<inside::ArrowSource>(stream)));
}

Source Source::arrow(ArrowSchema* schema, ArrowArray* batch) {
  return Source(
      std::make_shared<const Inside>(std::make_unique<inside::ArrowSource>(schema, batch)));
}

Source Source::with_counts(const std::string& column) const {
  inside::require_without_nul("a column's name", column);
  return Source(std::make_shared<const Inside>(
      std::make_unique<inside::CountedSource>(*inside_->records, column), inside_->path, inside_));
}

bool Source::is_spent() const {
  const Inside& table = inside_->counted ? *inside_->counted : *inside_;
  const auto* const stream = dynamic_cast<const inside::ArrowSource*>(table.records.get());
  return stream != nullptr && stream->is_spent();
}

namespace {

/// The places of the columns that are left out, each with the reason.
std::map<std::size_t, std::string> faults_of(const inside::Source& table,
                                             std::span<const std::string> asked) {
  std::map<std::size_t, std::string> faults;
  for (std::size_t place = 0; place < table.columns().size(); ++place) {
    const std::string& name = table.columns()[place];
    if (std::find(asked.begin(), asked.end(), name) != asked.end()) continue;
    std::string fault = name.find_first_of("\n\r") == std::string::npos
                            ? table.fault_of(place)
                            : "its name holds a line break";
    if (!fault.empty()) faults.emplace(place, std::move(fault));
  }
  return faults;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> Source::unread(
    std::span<const std::string> asked) const {
  std::vector<std::pair<std::string, std::string>> columns;
  for (auto& [place, fault] : faults_of(*inside_->records, asked)) {
    columns.emplace_back(inside_->records->columns()[place], fault);
  }
  return columns;
}

std::string Source::csv_text(std::span<const std::string> asked) const {
  const inside::Source& table = *inside_->records;
  const auto faults = faults_of(table, asked);
  std::vector<std::size_t> wanted;
  inside::Schema schema;
  for (std::size_t place = 0; place < table.columns().size(); ++place) {
    if (faults.contains(place)) continue;
    table.require_readable(place);
    wanted.push_back(place);
    schema.push_back({.name = table.columns()[place]});
  }
  std::string text;
  inside::CsvSink sink(text);
  sink.begin(schema);
  table.visit(wanted, [&](const inside::Block& block) { sink.write(block); });
  return text;
}

OrderedWords Source::ordered_words() const {
  const auto* const arrow = dynamic_cast<const inside::ArrowSource*>(inside_->records.get());
  return arrow == nullptr ? OrderedWords() : arrow->ordered_words();
}

// -----------------------------------------------------------------------------------------------
// Sink.

namespace {

/// Both files are made, without a name yet, before anything is charged: what cannot be written is
/// refused and not discovered.
class CsvFile final : public Sink::Inside {
 public:
  CsvFile(const std::string& path, const std::optional<std::string>& certificate_path)
      : files_{path}, lines_(path, text_) {
    if (!certificate_path) return;
    files_.push_back(*certificate_path);
    certificate_.emplace(*certificate_path);
  }

  inside::Sink& rows() noexcept override { return lines_; }
  [[nodiscard]] std::vector<std::string> files() const override { return files_; }
  void finish(const std::string& certificate) override {
    std::vector<inside::AtomicFile*> files;
    if (certificate_ && !certificate.empty()) {
      certificate_->write(certificate);
      files.push_back(&*certificate_);
    }
    lines_.flush();
    files.push_back(&lines_.file);
    inside::commit_all(files);
  }

 private:
  class Lines final : public inside::CsvSink {
   public:
    Lines(const std::string& path, std::string& text) : CsvSink(text), file(path), text_(text) {}
    void write(const inside::Block& block) override {
      CsvSink::write(block);
      flush();
    }
    void flush() {
      file.write(text_);
      text_.clear();
    }

    inside::AtomicFile file;

   private:
    std::string& text_;
  };

  std::string text_;
  std::vector<std::string> files_;
  Lines lines_;
  std::optional<inside::AtomicFile> certificate_;
};

/// The compiler names this switch to who adds a kind.
Moments::Kind kind_of(inside::MomentForm::Kind kind) {
  switch (kind) {
    case inside::MomentForm::Kind::kDay:
      return Moments::Kind::kDay;
    case inside::MomentForm::Kind::kInstant:
      break;
  }
  return Moments::Kind::kInstant;
}

ReleasedColumn::WordType word_type_of(inside::ValueType type) {
  if (type == inside::ValueType::kInteger) return ReleasedColumn::WordType::kInteger;
  return type == inside::ValueType::kNumber ? ReleasedColumn::WordType::kNumber
                                            : ReleasedColumn::WordType::kText;
}

/// The reverse.
inside::ValueType value_type_of(ReleasedColumn::WordType type) {
  switch (type) {
    case ReleasedColumn::WordType::kInteger:
      return inside::ValueType::kInteger;
    case ReleasedColumn::WordType::kNumber:
      return inside::ValueType::kNumber;
    case ReleasedColumn::WordType::kText:
      break;
  }
  return inside::ValueType::kText;
}

/// The values of a column, of the type that the schema says.
ReleasedColumn owned(const inside::ColumnSchema& schema, const inside::Values& values) {
  ReleasedColumn column{.name = schema.name,
                        .words = schema.words,
                        .word_type = word_type_of(schema.word_type),
                        .is_ordered = schema.ordered,
                        .is_nullable = schema.nullable,
                        .exponent = schema.exponent};
  if (schema.type == inside::ValueType::kMoment) {
    const inside::MomentForm& form = schema.moments;
    column.moments = {kind_of(form.kind), form.offset,
                      form.zone != nullptr ? form.zone->name() : "",
                      form.format != nullptr ? form.format->text() : ""};
  }
  const auto copy = [&]<class Kept, class Held>(std::vector<Kept> rows, Held none) {
    rows.reserve(values.size());
    for (std::size_t row = 0; row < values.size(); ++row) {
      const inside::Value value = values[row];
      const Held* held = std::get_if<Held>(&value);
      column.valid.push_back(held != nullptr ? 1 : 0);
      if constexpr (std::is_same_v<Held, inside::Moment>) {
        rows.push_back(held != nullptr ? held->count : none.count);
      } else {
        rows.push_back(static_cast<Kept>(held != nullptr ? *held : none));
      }
    }
    column.values = std::move(rows);
  };
  switch (schema.type) {
    case inside::ValueType::kInteger:
      copy(std::vector<std::int64_t>(), std::int64_t{0});
      break;
    case inside::ValueType::kNumber:
      copy(std::vector<double>(), 0.0);
      break;
    case inside::ValueType::kBoolean:
      copy(std::vector<std::uint8_t>(), false);
      break;
    case inside::ValueType::kMoment:
      copy(std::vector<std::int64_t>(), inside::Moment());
      break;
    case inside::ValueType::kText:
      copy(std::vector<std::string>(), std::string_view());
      break;
  }
  return column;
}

/// The reverse, of columns that outlive the values.
class Shown {
 public:
  explicit Shown(const ReleasedColumn& column) {
    schema.name = column.name;
    schema.words = column.words;
    schema.word_type = value_type_of(column.word_type);
    schema.ordered = column.is_ordered;
    schema.nullable = column.is_nullable;
    schema.exponent = column.exponent;
    schema.type = static_cast<inside::ValueType>(column.values.index());  // in the same order
    if (const auto& moments = column.moments) {
      schema.type = inside::ValueType::kMoment;
      schema.moments = {.kind = static_cast<inside::MomentForm::Kind>(moments->kind),
                        .offset = moments->offset};
      if (!moments->zone.empty()) schema.moments.zone = &inside::Zone::require(moments->zone);
      if (!moments->format.empty()) {
        schema.moments.format = &inside::TimeFormat::require(moments->format);
      }
      const auto& counts = std::get<std::vector<std::int64_t>>(column.values);
      values = inside::Values(inside::Moments{counts, schema.moments}, column.valid);
    } else if (const auto* texts = std::get_if<std::vector<std::string>>(&column.values)) {
      texts_.assign(texts->begin(), texts->end());
      values = inside::Values(std::span<const std::string_view>(texts_), column.valid);
    } else {
      std::visit(
          [&]<class Row>(const std::vector<Row>& rows) {
            if constexpr (!std::is_same_v<Row, std::string>) {
              values = inside::Values(std::span(rows), column.valid);
            }
          },
          column.values);
    }
  }
  inside::ColumnSchema schema;
  inside::Values values;

 private:
  std::vector<std::string_view> texts_;
};

class Columns final : public Sink::Inside {
 public:
  explicit Columns(std::vector<ReleasedColumn>& columns) : columns_(columns) {}

  inside::Sink& rows() noexcept override { return rows_; }
  void finish(const std::string& /*certificate*/) override {
    std::vector<ReleasedColumn> whole;
    for (std::size_t i = 0; i < rows_.schema().size(); ++i) {
      whole.push_back(owned(rows_.schema()[i], rows_.column(i)));
    }
    columns_ = std::move(whole);
  }

 private:
  std::vector<ReleasedColumn>& columns_;
  inside::MemorySink rows_;
};

class Stream final : public Sink::Inside {
 public:
  explicit Stream(ArrowArrayStream* stream) : stream_(stream) {}

  inside::Sink& rows() noexcept override { return table_; }
  void finish(const std::string& /*certificate*/) override { table_.export_to(stream_); }

 private:
  ArrowArrayStream* stream_;
  inside::ArrowSink table_;
};

void write_to(inside::Sink& table, std::span<const ReleasedColumn> columns) {
  std::vector<std::unique_ptr<const Shown>> shown;
  inside::Schema schema;
  std::size_t rows = 0;
  for (const ReleasedColumn& column : columns) {
    shown.push_back(std::make_unique<const Shown>(column));
    schema.push_back(shown.back()->schema);
    rows = shown.back()->values.size();
  }
  table.begin(schema);
  std::vector<inside::Values> values(columns.size());
  for (std::size_t begin = 0; begin < rows; begin += inside::kRowsPerBlock) {
    inside::keep_going();
    const std::size_t count = std::min(inside::kRowsPerBlock, rows - begin);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = shown[i]->values.slice(begin, count);
    }
    table.write({count, values});
  }
}

}  // namespace

void export_columns(std::span<const ReleasedColumn> columns, ArrowArrayStream* stream) {
  inside::ArrowSink table;
  write_to(table, columns);
  table.export_to(stream);
}

std::string csv_text(std::span<const ReleasedColumn> columns) {
  std::string text;
  inside::CsvSink lines(text);
  write_to(lines, columns);
  return text;
}

Sink Sink::csv(const std::string& path, std::optional<std::string> certificate_path) {
  return Sink(std::make_shared<CsvFile>(path, certificate_path));
}

Sink Sink::memory(std::vector<ReleasedColumn>& columns) {
  return Sink(std::make_shared<Columns>(columns));
}

Sink Sink::arrow(ArrowArrayStream* stream) { return Sink(std::make_shared<Stream>(stream)); }

}  // namespace mollify::front
