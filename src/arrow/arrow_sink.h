// Released records as an Arrow stream.
#pragma once

#include <memory>

#include "arrow/abi.h"
#include "records/sink.h"

namespace mollify {

/// Gathers a table for another program: integers as int64, numbers as double, truths as bool, texts
/// as large_utf8, those of a column that declares its words as a dictionary with int32 places, days
/// as date32, and times as timestamps of microseconds: of UTC in columns with a zone, otherwise of
/// no zone. A text in a column of days or times that is none is a null.
class ArrowSink final : public Sink {
 public:
  ArrowSink();
  ~ArrowSink() override;

  void begin(const Schema& schema) override;
  void write(const Block& block) override;
  void finish() override;

  /// The whole table as a stream, as often as one likes, for the streams share it. What `stream`
  /// points to is overwritten; who takes it releases it. Throws std::logic_error before `finish`.
  void export_to(ArrowArrayStream* stream) const;

 private:
  struct Table;

  std::shared_ptr<Table> table_;
  bool finished_ = false;
};

}  // namespace mollify
