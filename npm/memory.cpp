// Memory for the modules of this package. WebAssembly's own malloc is larger than randomized response.
//
// Blocks that nobody uses are in one list, in the order of their addresses. A request takes the first
// that is large enough; neighbours that come back are one block again. An object of the device
// library asks for few blocks, so the list is short.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace {

constexpr std::size_t kUnit = 16, kPage = 65536;

struct alignas(kUnit) Block {
  std::size_t size;  // with this head
  Block* next;       // while nobody uses it
};

Block* first = nullptr;

Block* at(std::uintptr_t address) { return reinterpret_cast<Block*>(address); }
std::uintptr_t address_of(const Block* block) { return reinterpret_cast<std::uintptr_t>(block); }
Block* end_of(const Block* block) { return at(address_of(block) + block->size); }

Block* take(std::size_t size) {
  for (Block** link = &first; *link != nullptr; link = &(*link)->next) {
    Block* const block = *link;
    if (block->size < size) continue;
    if (block->size - size > kUnit) {
      Block* const rest = at(address_of(block) + size);
      *rest = {block->size - size, block->next};
      block->size = size;
      *link = rest;
    } else {
      *link = block->next;
    }
    return block;
  }
  return nullptr;
}

void give(Block* block) {
  Block* before = nullptr;
  Block* after = first;
  for (; after != nullptr && after < block; after = after->next) before = after;
  block->next = after;
  if (after == end_of(block)) *block = {block->size + after->size, after->next};
  if (before != nullptr && end_of(before) == block) {
    *before = {before->size + block->size, block->next};
  } else {
    (before == nullptr ? first : before->next) = block;
  }
}

/// More memory from the host. What it gives at first, less than a page, is left alone.
bool grow(std::size_t size) {
  const std::size_t pages = (size + kPage - 1) / kPage;
  const std::size_t before = __builtin_wasm_memory_grow(0, pages);
  if (before == SIZE_MAX) return false;
  Block* const more = at(before * kPage);
  more->size = pages * kPage;
  give(more);
  return true;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
  if (size > PTRDIFF_MAX - 2 * kPage) return nullptr;
  const std::size_t whole = (size + kUnit - 1) / kUnit * kUnit + sizeof(Block);
  Block* block = take(whole);
  if (block == nullptr && grow(whole)) block = take(whole);
  return block == nullptr ? nullptr : block + 1;
}

void free(void* memory) {
  if (memory != nullptr) give(static_cast<Block*>(memory) - 1);
}

void* calloc(std::size_t count, std::size_t size) {
  if (size != 0 && count > PTRDIFF_MAX / size) return nullptr;
  void* const memory = malloc(count * size);
  if (memory != nullptr) std::memset(memory, 0, count * size);
  return memory;
}

}  // extern "C"

void* operator new(std::size_t size) {
  void* const memory = malloc(size);
  if (memory == nullptr) __builtin_trap();  // the module's caller reports it
  return memory;
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return malloc(size); }
void operator delete(void* memory) noexcept { free(memory); }
void operator delete[](void* memory) noexcept { free(memory); }
void operator delete(void* memory, std::size_t) noexcept { free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { free(memory); }
