// Arrow structures built by hand, for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "formats/arrow_column.h"

namespace mollify::test {

/// Counts what is alive: zero when all that was exported was released, negative if twice.
struct Alive {
  int count = 0;
};

/// A schema and an array of one column, or of a struct of columns. Every part is allocated by
/// itself, so that reading past an end is seen by the sanitizers.
struct BuiltColumn {
  std::string format;
  std::string name;
  std::int64_t length = 0;
  std::int64_t offset = 0;
  std::int64_t null_count = -1;
  std::int64_t flags = 0;
  std::string metadata{};
  std::vector<std::unique_ptr<char[]>> memory{};
  std::vector<const void*> buffers{};
  std::vector<BuiltColumn> children{};
  std::vector<BuiltColumn> dictionary{};  // one or none
  std::vector<ArrowArray*> child_arrays{};
  std::vector<ArrowSchema*> child_schemas{};
  ArrowArray array{};
  ArrowSchema schema{};

  /// A buffer of these bytes; no more can be read.
  BuiltColumn& add(const void* bytes, std::size_t size) {
    memory.push_back(std::make_unique<char[]>(size));
    if (size > 0) std::memcpy(memory.back().get(), bytes, size);
    buffers.push_back(memory.back().get());
    return *this;
  }
  template <class T>
  BuiltColumn& add(const std::vector<T>& values) {
    return add(values.data(), values.size() * sizeof(T));
  }
  BuiltColumn& add(const std::string& bytes) { return add(bytes.data(), bytes.size()); }
  BuiltColumn& add_nothing() {
    buffers.push_back(nullptr);
    return *this;
  }
  /// Bits, from a string of 0 and 1.
  BuiltColumn& add_bits(const std::string& bits) {
    std::vector<std::uint8_t> octets((bits.size() + 7) / 8);
    for (std::size_t i = 0; i < bits.size(); ++i) {
      if (bits[i] == '1') octets[i / 8] = static_cast<std::uint8_t>(octets[i / 8] | 1U << i % 8);
    }
    return add(octets);
  }

  /// Fills the structures of this column and of its parts, which do not move any more.
  void fill() {
    for (BuiltColumn& child : children) {
      child.fill();
      child_arrays.push_back(&child.array);
      child_schemas.push_back(&child.schema);
    }
    for (BuiltColumn& values : dictionary) values.fill();
    array.length = length;
    array.offset = offset;
    array.null_count = null_count;
    array.n_buffers = static_cast<std::int64_t>(buffers.size());
    array.buffers = buffers.data();
    array.n_children = static_cast<std::int64_t>(children.size());
    array.children = child_arrays.data();
    array.dictionary = dictionary.empty() ? nullptr : &dictionary[0].array;
    schema.format = format.c_str();
    schema.name = name.c_str();
    schema.flags = flags;
    schema.metadata = metadata.empty() ? nullptr : metadata.data();
    schema.n_children = array.n_children;
    schema.children = child_schemas.data();
    schema.dictionary = dictionary.empty() ? nullptr : &dictionary[0].schema;
  }
};

/// Keeps a column until its array is released.
struct KeptColumn {
  std::shared_ptr<BuiltColumn> column;
  Alive* alive;
};

template <class Structure>
Structure kept(Structure structure, const std::shared_ptr<BuiltColumn>& column, Alive* alive) {
  ++alive->count;
  structure.private_data = new KeptColumn{column, alive};
  structure.release = [](Structure* self) {
    auto* const kept_column = static_cast<KeptColumn*>(self->private_data);
    --kept_column->alive->count;
    self->release = nullptr;
    delete kept_column;
  };
  return structure;
}

/// A stream of batches with the schema of the first.
class BuiltStream {
 public:
  BuiltStream(std::vector<std::shared_ptr<BuiltColumn>> batches, Alive* alive)
      : batches_(std::move(batches)), alive_(alive) {
    for (const auto& batch : batches_) batch->fill();
  }

  /// The code that get_next fails with after the last batch.
  int fails_with = 0;

  static ArrowArrayStream exported(std::shared_ptr<BuiltStream> stream) {
    ArrowArrayStream out{};
    ++stream->alive_->count;
    out.private_data = new std::shared_ptr<BuiltStream>(std::move(stream));
    out.get_schema = [](ArrowArrayStream* self, ArrowSchema* schema) {
      const BuiltStream& built = of(self);
      *schema = kept(built.batches_[0]->schema, built.batches_[0], built.alive_);
      return 0;
    };
    out.get_next = [](ArrowArrayStream* self, ArrowArray* array) {
      BuiltStream& built = of(self);
      if (built.next_ == built.batches_.size()) {
        *array = {};
        return built.fails_with;
      }
      *array = kept(built.batches_[built.next_]->array, built.batches_[built.next_], built.alive_);
      ++built.next_;
      return 0;
    };
    out.get_last_error = [](ArrowArrayStream*) -> const char* { return "a private value"; };
    out.release = [](ArrowArrayStream* self) {
      --of(self).alive_->count;
      self->release = nullptr;
      delete static_cast<std::shared_ptr<BuiltStream>*>(self->private_data);
    };
    return out;
  }

 private:
  static BuiltStream& of(ArrowArrayStream* stream) {
    return **static_cast<std::shared_ptr<BuiltStream>*>(stream->private_data);
  }

  std::vector<std::shared_ptr<BuiltColumn>> batches_;
  Alive* alive_;
  std::size_t next_ = 0;
};

}  // namespace mollify::test
