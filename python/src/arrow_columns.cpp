#include "arrow_columns.h"

#include <utility>

namespace mollify::python {

struct ArrowPair::SchemaBody {
  std::string name, format;
  std::vector<ArrowSchema> children{};
  std::vector<ArrowSchema*> places{};
  ArrowSchema dictionary{};
  ArrowSchema renamed{};  ///< another program's, which this one has the fields of

  ~SchemaBody() {
    if (renamed.release != nullptr) renamed.release(&renamed);
    for (ArrowSchema& child : children) {
      if (child.release != nullptr) child.release(&child);
    }
    if (dictionary.release != nullptr) dictionary.release(&dictionary);
  }
  static void release(ArrowSchema* self) {
    delete static_cast<SchemaBody*>(self->private_data);
    self->release = nullptr;
  }
};

struct ArrowPair::ArrayBody {
  std::vector<std::uint8_t> valid;
  std::vector<const void*> buffers;
  Keeper keeper{};
  std::vector<ArrowArray> children{};
  std::vector<ArrowArray*> places{};
  ArrowArray dictionary{};

  ~ArrayBody() {
    for (ArrowArray& child : children) {
      if (child.release != nullptr) child.release(&child);
    }
    if (dictionary.release != nullptr) dictionary.release(&dictionary);
  }
  static void release(ArrowArray* self) {
    delete static_cast<ArrayBody*>(self->private_data);
    self->release = nullptr;
  }
};

ArrowPair::ArrowPair(ArrowSchema* schema, ArrowArray* array) noexcept
    : schema_(*schema), array_(*array) {
  schema->release = nullptr;
  array->release = nullptr;
}

ArrowPair::ArrowPair(std::string name, std::string format, std::int64_t length,
                     std::vector<std::uint8_t> valid, std::vector<const void*> buffers,
                     Keeper keeper) {
  auto body = std::make_unique<SchemaBody>(SchemaBody{std::move(name), std::move(format)});
  schema_.format = body->format.c_str();
  schema_.name = body->name.c_str();
  schema_.flags = ARROW_FLAG_NULLABLE;
  schema_.release = &SchemaBody::release;
  schema_.private_data = body.release();

  auto held = std::make_unique<ArrayBody>(ArrayBody{std::move(valid), {}, std::move(keeper)});
  held->buffers.push_back(held->valid.empty() ? nullptr : held->valid.data());
  held->buffers.insert(held->buffers.end(), buffers.begin(), buffers.end());
  array_.length = length;
  array_.null_count = held->valid.empty() ? 0 : -1;
  array_.n_buffers = static_cast<std::int64_t>(held->buffers.size());
  array_.buffers = held->buffers.data();
  array_.release = &ArrayBody::release;
  array_.private_data = held.release();
}

ArrowPair::ArrowPair(ArrowPair&& other) noexcept : ArrowPair(&other.schema_, &other.array_) {}

ArrowPair& ArrowPair::operator=(ArrowPair&& other) noexcept {
  if (this != &other) {
    reset();
    schema_ = std::exchange(other.schema_, {});
    array_ = std::exchange(other.array_, {});
  }
  return *this;
}

ArrowPair::~ArrowPair() { reset(); }

void ArrowPair::reset() noexcept {
  if (array_.release != nullptr) array_.release(&array_);
  if (schema_.release != nullptr) schema_.release(&schema_);
  array_ = {};
  schema_ = {};
}

void ArrowPair::take_dictionary(ArrowPair values, bool ordered) {
  if (ordered) schema_.flags |= ARROW_FLAG_DICTIONARY_ORDERED;
  auto& schema = *static_cast<SchemaBody*>(schema_.private_data);
  auto& array = *static_cast<ArrayBody*>(array_.private_data);
  schema.dictionary = std::exchange(values.schema_, {});
  array.dictionary = std::exchange(values.array_, {});
  schema_.dictionary = &schema.dictionary;
  array_.dictionary = &array.dictionary;
}

void ArrowPair::take_children(std::vector<ArrowPair> children) {
  auto& schema = *static_cast<SchemaBody*>(schema_.private_data);
  auto& array = *static_cast<ArrayBody*>(array_.private_data);
  for (ArrowPair& child : children) {
    schema.children.push_back(std::exchange(child.schema_, {}));
    array.children.push_back(std::exchange(child.array_, {}));
  }
  for (ArrowSchema& child : schema.children) schema.places.push_back(&child);
  for (ArrowArray& child : array.children) array.places.push_back(&child);
  schema_.n_children = static_cast<std::int64_t>(schema.places.size());
  schema_.children = schema.places.data();
  array_.n_children = static_cast<std::int64_t>(array.places.size());
  array_.children = array.places.data();
}

void ArrowPair::take_items(ArrowPair items) {
  std::vector<ArrowPair> one;
  one.push_back(std::move(items));
  take_children(std::move(one));
}

ArrowPair ArrowPair::batch(std::vector<ArrowPair> columns, std::int64_t length) {
  ArrowPair whole("", "+s", length, {}, {}, nullptr);
  whole.take_children(std::move(columns));
  return whole;
}

// The name in another program's schema is that program's to free.
void ArrowPair::rename(std::string name) {
  auto body = std::make_unique<SchemaBody>(SchemaBody{std::move(name), {}});
  body->renamed = schema_;
  schema_.name = body->name.c_str();
  schema_.release = &SchemaBody::release;
  schema_.private_data = body.release();
}

Source ArrowPair::source() && { return Source::arrow(&schema_, &array_); }

std::vector<std::uint8_t> packed(const std::uint8_t* truths, std::size_t count) {
  std::vector<std::uint8_t> bits((count + 7) / 8);
  for (std::size_t i = 0; i < count; ++i) {
    bits[i / 8] |= static_cast<std::uint8_t>((truths[i] != 0 ? 1U : 0U) << (i % 8));
  }
  return bits;
}

}  // namespace mollify::python
