// Any tree of Arrow arrays, well or ill formed: the source refuses in one sentence or gives every
// row, reads nothing beyond a buffer's end and releases all that it took, once.

#include "formats/arrow.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "formats/arrow.h"
#include "records/private_table.h"
#include "records/sink.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

mollify::DateCells dates(mollify::Grain grain, std::optional<std::string> zone) {
  return mollify::DateCells::make({.grain = grain,
                                   .min = "1969-12-30",
                                   .max = "1970-01-05",
                                   .bins = 3,
                                   .zone = std::move(zone)});
}

const mollify::Domain& domain() {
  using mollify::Column;
  static const mollify::Domain kDomain = mollify::Domain::make(
      {Column::make("a", mollify::NumberCells::make(-1, 2.5, 7), {.outside_value = "0"}),
       Column::make("b", mollify::Categories::make({"red", "green", "3", "2024-02-29"})),
       Column::make("c", mollify::IntegerCells::make(-3, 300, 11), {.null_is_category = true}),
       Column::make("d", dates(mollify::Grain::kDay, {}), {.null_is_category = true}),
       Column::make("e", dates(mollify::Grain::kSecond, "-03:30"), {.null_is_category = true}),
       Column::make("f", dates(mollify::Grain::kDay, "Europe/Berlin"),
                    {.null_is_category = true})});
  return kDomain;
}

int alive = 0;  // structures that were handed over and not yet released

/// The input, a number after the other; zeros when it is at its end.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  std::uint8_t byte() { return at_ < size_ ? data_[at_++] : std::uint8_t{0}; }
  std::size_t below(std::size_t bound) { return byte() % bound; }
  bool rarely() { return byte() >= 250; }
  bool is_at_end() const { return at_ >= size_; }

  /// Bytes of the input, no more of which are allocated: the sanitizer sees what is read beyond.
  std::unique_ptr<std::uint8_t[]> bytes(std::size_t size) {
    auto memory = std::make_unique<std::uint8_t[]>(size);
    for (std::size_t i = 0; i < size; ++i) memory[i] = byte();
    return memory;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

struct Tree;
using Trees = std::vector<std::unique_ptr<Tree>>;

/// An array, or a schema, and all its parts.
struct Tree {
  std::string format;
  std::string name;
  std::vector<std::unique_ptr<std::uint8_t[]>> memory{};
  std::vector<const void*> buffers{};
  Trees children{};
  std::unique_ptr<Tree> dictionary{};
  std::vector<ArrowArray*> arrays{};
  std::vector<ArrowSchema*> schemas{};
  ArrowArray array{};
  ArrowSchema schema{};

  void join() {
    for (const auto& child : children) {
      arrays.push_back(&child->array);
      schemas.push_back(&child->schema);
    }
    array.n_buffers = static_cast<std::int64_t>(buffers.size());
    array.buffers = buffers.data();
    array.n_children = static_cast<std::int64_t>(children.size());
    array.children = arrays.data();
    array.dictionary = dictionary ? &dictionary->array : nullptr;
    schema.format = format.c_str();
    schema.name = name.c_str();
    schema.n_children = array.n_children;
    schema.children = schemas.data();
    schema.dictionary = dictionary ? &dictionary->schema : nullptr;
  }
};

struct Format {
  const char* text;
  std::size_t bytes;  // of a value; 0 for bits
  int offsets;        // bytes of the offsets of texts, 16 for views
};

constexpr const char* kLists[] = {"+l", "+L", "+w:2"};

constexpr Format kFormats[] = {{"n", 0, 0},
                               {"b", 0, 0},
                               {"c", 1, 0},
                               {"s", 2, 0},
                               {"i", 4, 0},
                               {"l", 8, 0},
                               {"C", 1, 0},
                               {"S", 2, 0},
                               {"I", 4, 0},
                               {"L", 8, 0},
                               {"e", 2, 0},
                               {"f", 4, 0},
                               {"g", 8, 0},
                               {"u", 0, 4},
                               {"U", 0, 8},
                               {"vu", 0, 16},
                               {"z", 0, 4},
                               {"tdD", 4, 0},
                               {"tdm", 8, 0},
                               {"tss:UTC", 8, 0},
                               {"tsn:", 8, 0},
                               {"w:3", 3, 0},
                               {"+l", 0, 0},
                               {"", 0, 0},
                               {"ts", 8, 0},
                               {"tsq:", 8, 0},
                               {"tsu:Asia/Beirut", 8, 0},
                               {"d:38,2", 16, 0},
                               {"d:9,-2,32", 4, 0},
                               {"d:18,18,64", 8, 0},
                               {"d:76,70,256", 32, 0},
                               {"d:38,999", 16, 0}};

template <class T>
void put(std::uint8_t* to, std::size_t index, T value) {
  std::memcpy(to + index * sizeof(T), &value, sizeof(T));
}

/// Offsets that mostly rise and end where the bytes do, for such is an array's own promise.
template <class Offset>
void add_texts(Tree& tree, Choices& choices, std::size_t values) {
  const std::size_t size = choices.below(40);
  auto offsets = std::make_unique<std::uint8_t[]>((values + 1) * sizeof(Offset));
  std::size_t at = 0;
  for (std::size_t i = 0; i < values; ++i) {
    const bool is_wild = choices.rarely();
    const auto wild = static_cast<Offset>(static_cast<std::int8_t>(choices.byte()));
    put<Offset>(offsets.get(), i, is_wild ? wild * Offset{1000003} : static_cast<Offset>(at));
    at += choices.below(size - at + 1);
  }
  put<Offset>(offsets.get(), values, static_cast<Offset>(size));
  tree.buffers.push_back(offsets.get());
  tree.memory.push_back(std::move(offsets));
  tree.memory.push_back(choices.bytes(size));
  tree.buffers.push_back(tree.memory.back().get());
}

void add_views(Tree& tree, Choices& choices, std::size_t values) {
  auto views = choices.bytes(16 * values);
  for (std::size_t i = 0; i < values; ++i) {
    if (choices.rarely()) continue;
    put<std::int32_t>(views.get(), 4 * i, static_cast<std::int32_t>(choices.below(20)));
    put<std::int32_t>(views.get(), 4 * i + 2, static_cast<std::int32_t>(choices.below(3)));
    put<std::int32_t>(views.get(), 4 * i + 3, static_cast<std::int32_t>(choices.below(30)));
  }
  tree.buffers.push_back(views.get());
  tree.memory.push_back(std::move(views));
  const std::size_t texts = choices.below(3);
  auto sizes = std::make_unique<std::uint8_t[]>(8 * texts);
  for (std::size_t i = 0; i < texts; ++i) {
    const std::size_t size = choices.below(40);
    put<std::int64_t>(sizes.get(), i, static_cast<std::int64_t>(size));
    tree.memory.push_back(choices.bytes(size));
    tree.buffers.push_back(tree.memory.back().get());
  }
  tree.buffers.push_back(sizes.get());
  tree.memory.push_back(std::move(sizes));
}

/// What is spoiled is what the reader can know to be wrong: a number that says more than is there
/// could not be told from a true one.
void spoil(ArrowArray& array, Choices& choices) {
  switch (choices.below(8)) {
    case 0:
      array.length = -1 - static_cast<std::int64_t>(choices.byte());
      break;
    case 1:
      array.offset = -1 - static_cast<std::int64_t>(choices.byte());
      break;
    case 2:
      array.length = std::int64_t{1} << (41 + choices.below(22));
      break;
    case 3:
      array.n_buffers = static_cast<std::int64_t>(choices.below(2));
      break;
    case 4:
      if (array.n_buffers > 0) {
        array.buffers[choices.below(static_cast<std::size_t>(array.n_buffers))] = nullptr;
      }
      break;
    case 5:
      array.buffers = nullptr;
      break;
    case 6:
      array.dictionary = array.dictionary == nullptr ? &array : nullptr;
      break;
    default:
      array.n_children = -1 + static_cast<std::int64_t>(choices.below(3));
      array.children = nullptr;
      break;
  }
}

std::unique_ptr<Tree> column(Choices& choices, std::size_t format_index, bool has_dictionary,
                             std::size_t length, std::string name) {
  const Format& format = kFormats[format_index];
  auto tree = std::make_unique<Tree>();
  tree->format = format.text;
  tree->name = std::move(name);
  const std::size_t offset = choices.below(4);
  const std::size_t values = offset + length;
  tree->array.length = static_cast<std::int64_t>(length);
  tree->array.offset = static_cast<std::int64_t>(offset);
  tree->array.null_count = static_cast<std::int64_t>(choices.below(3)) - 1;
  if (tree->format != "n") {
    if (choices.below(2) == 0) {
      tree->buffers.push_back(nullptr);
    } else {
      tree->memory.push_back(choices.bytes((values + 7) / 8));
      tree->buffers.push_back(tree->memory.back().get());
    }
    if (format.offsets == 4) {
      add_texts<std::int32_t>(*tree, choices, values);
    } else if (format.offsets == 8) {
      add_texts<std::int64_t>(*tree, choices, values);
    } else if (format.offsets == 16) {
      add_views(*tree, choices, values);
    } else {
      tree->memory.push_back(
          choices.bytes(format.bytes == 0 ? (values + 7) / 8 : format.bytes * values));
      tree->buffers.push_back(tree->memory.back().get());
    }
  }
  if (has_dictionary) {
    const bool again = choices.rarely();
    tree->dictionary =
        column(choices, choices.below(std::size(kFormats)), again, choices.below(6), "");
  }
  tree->join();
  return tree;
}

/// The bounds of lists, which mostly rise and end where the items do.
template <class Bound>
void add_bounds(Tree& tree, Choices& choices, std::size_t lists, std::size_t items) {
  auto bounds = std::make_unique<std::uint8_t[]>((lists + 1) * sizeof(Bound));
  std::size_t at = 0;
  for (std::size_t i = 0; i <= lists; ++i) {
    const auto wild = static_cast<Bound>(static_cast<std::int8_t>(choices.byte()));
    put<Bound>(bounds.get(), i, choices.rarely() ? wild : static_cast<Bound>(at));
    at += choices.below(std::min<std::size_t>(items - at, 4) + 1);
  }
  tree.buffers.push_back(bounds.get());
  tree.memory.push_back(std::move(bounds));
}

/// A column of lists of what a column of the format holds.
std::unique_ptr<Tree> list_column(Choices& choices, const std::string& lists,
                                  std::size_t format_index, bool has_dictionary, std::size_t length,
                                  std::string name) {
  auto tree = std::make_unique<Tree>();
  tree->format = lists;
  tree->name = std::move(name);
  const std::size_t offset = choices.below(4);
  const std::size_t rows = offset + length;
  tree->array.length = static_cast<std::int64_t>(length);
  tree->array.offset = static_cast<std::int64_t>(offset);
  tree->array.null_count = static_cast<std::int64_t>(choices.below(3)) - 1;
  tree->memory.push_back(choices.bytes((rows + 7) / 8));
  tree->buffers.push_back(choices.below(2) == 0 ? nullptr : tree->memory.back().get());
  const bool is_fixed = lists.starts_with("+w");
  const std::size_t items = is_fixed ? 2 * rows : choices.below(60);
  if (lists == "+l") add_bounds<std::int32_t>(*tree, choices, rows, items);
  if (lists == "+L") add_bounds<std::int64_t>(*tree, choices, rows, items);
  const std::size_t is_short = choices.rarely() ? std::min<std::size_t>(items, 1) : 0;
  tree->children.push_back(column(choices, format_index, has_dictionary, items - is_short, "item"));
  if (choices.rarely()) spoil(tree->children.back()->array, choices);
  tree->join();
  return tree;
}

/// Lends a tree that outlives the source; only counts its releases.
template <class Structure>
Structure lent(Structure structure) {
  ++alive;
  structure.release = [](Structure* self) {
    --alive;
    self->release = nullptr;
  };
  return structure;
}

struct Stream {
  Trees batches;
  std::size_t next = 0;
  int fails_with = 0;
};

ArrowArrayStream exported(Stream& stream) {
  ArrowArrayStream out{};
  out.private_data = &stream;
  out.get_schema = [](ArrowArrayStream* self, ArrowSchema* schema) {
    *schema = lent(static_cast<Stream*>(self->private_data)->batches[0]->schema);
    return 0;
  };
  out.get_next = [](ArrowArrayStream* self, ArrowArray* array) {
    auto& from = *static_cast<Stream*>(self->private_data);
    *array = {};
    if (from.next == from.batches.size()) return from.fails_with;
    *array = lent(from.batches[from.next++]->array);
    return 0;
  };
  out.get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  return lent(out);
}

/// What was read is the same when it comes from the sink that it was written to.
void require_same_by_arrow(const std::vector<std::uint32_t>& outcomes) {
  mollify::ArrowSink sink;
  mollify::RecordWriter writer(domain(), sink);
  auto first = [](std::uint64_t) { return std::uint64_t{0}; };
  for (const std::uint32_t outcome : outcomes) writer.write_outcome(outcome, first);
  writer.finish();
  ArrowArrayStream stream{};
  sink.export_to(&stream);
  require(mollify::read_outcomes(mollify::ArrowSource(&stream), domain()) == outcomes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choices(data, size);
  const std::size_t columns = choices.below(7);
  std::vector<std::size_t> formats;
  std::vector<bool> dictionaries;
  std::vector<std::string> lists;  // of which a column is; empty where it is of none
  bool has_lists = false;
  for (std::size_t i = 0; i < columns; ++i) {
    formats.push_back(choices.below(std::size(kFormats)));
    dictionaries.push_back(choices.below(4) == 0);
    lists.emplace_back(choices.below(4) == 0 ? kLists[choices.below(std::size(kLists))] : "");
    has_lists = has_lists || !lists.back().empty();
  }
  Stream stream;
  std::size_t rows = 0;
  bool spoiled = false;
  const std::size_t batches = 1 + choices.below(3);
  for (std::size_t b = 0; b < batches; ++b) {
    auto batch = std::make_unique<Tree>();
    batch->format = choices.rarely() ? "l" : "+s";
    const std::size_t length = choices.rarely() ? 2000 + choices.byte() : choices.below(20);
    const std::size_t offset = choices.below(4);
    batch->array.length = static_cast<std::int64_t>(length);
    batch->array.offset = static_cast<std::int64_t>(offset);
    batch->array.null_count = static_cast<std::int64_t>(choices.below(3)) - 1;
    if (choices.below(2) == 0) {
      batch->buffers.push_back(nullptr);
    } else {
      batch->memory.push_back(choices.bytes((offset + length + 7) / 8));
      batch->buffers.push_back(batch->memory.back().get());
    }
    for (std::size_t i = 0; i < columns; ++i) {
      const std::size_t is_short = choices.rarely() ? 1 : 0;
      const std::size_t held = offset + length - std::min(offset + length, is_short);
      const std::string name(1, static_cast<char>('a' + i));
      batch->children.push_back(
          lists[i].empty()
              ? column(choices, formats[i], dictionaries[i], held, name)
              : list_column(choices, lists[i], formats[i], dictionaries[i], held, name));
      if (choices.rarely()) {
        spoiled = true;
        spoil(batch->children.back()->array, choices);
      }
    }
    batch->join();
    if (choices.rarely()) {
      spoiled = true;
      spoil(batch->array, choices);
    }
    rows += length;
    stream.batches.push_back(std::move(batch));
  }
  stream.fails_with = choices.rarely() ? 5 : 0;
  ArrowArrayStream from = exported(stream);
  const bool is_held = choices.below(2) == 0;
  const bool breaks_off = choices.rarely();

  try {
    const mollify::ArrowSource source(&from);
    if (is_held) {
      require(spoiled || source.record_count() == rows);
      source.require_repeatable();
    }
    if (breaks_off) {
      source.visit({}, [](const mollify::Block&) { throw std::runtime_error("enough"); });
    }
    const auto outcomes = mollify::read_outcomes(source, domain());
    // A row of lists is a record or more.
    require(spoiled || breaks_off ||
            (has_lists ? outcomes.size() >= rows : outcomes.size() == rows));
    for (const std::uint32_t outcome : outcomes) require(outcome < domain().size());
    if (is_held) {
      require(mollify::read_outcomes(source, domain()) == outcomes);
      if (columns > 5) (void)mollify::read_units(source, domain(), "f");
    }
    require_same_by_arrow(outcomes);
  } catch (const mollify::InvalidInput& refusal) {
    require(std::strlen(refusal.what()) > 0 && std::strchr(refusal.what(), '\n') == nullptr);
  } catch (const std::runtime_error&) {
    require(breaks_off || stream.fails_with != 0);
  }
  if (from.release != nullptr) from.release(&from);
  require(alive == 0);
  return 0;
}
