#include "object_texts.h"

#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace mollify::python {
namespace {

/// No UTF-8, so no domain's word, no number and no null.
constexpr std::string_view kNoText = "\xff";

/// Texts one after the other.
struct Texts {
  std::vector<std::int64_t> ends{0};
  std::string bytes{};

  void finish_one() { ends.push_back(static_cast<std::int64_t>(bytes.size())); }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(ends.size()) - 1; }
};

ArrowPair text_column(std::string name, std::shared_ptr<const Texts> texts,
                      std::vector<std::uint8_t> valid = {}) {
  const std::vector<const void*> buffers{texts->ends.data(), texts->bytes.data()};
  const std::int64_t size = texts->size();
  return {std::move(name), "U", size, std::move(valid), buffers, std::move(texts)};
}

/// The library's text of the same number in an array: 100000 and 0.0001, but 1e+16 and 1e-05.
void append_number(double number, std::string& bytes) {
  std::array<char, 40> digits{};
  const double size = std::abs(number);
  const bool has_exponent = size != 0 && (size < 1e-4 || size >= 1e16);
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number == 0 ? 0.0 : number,
                    has_exponent ? std::chars_format::scientific : std::chars_format::fixed);
  bytes.append(digits.data(), end.ptr);
}

bool append_letters(PyObject* text, std::string& bytes) {
  Py_ssize_t size = 0;
  if (const char* letters = PyUnicode_AsUTF8AndSize(text, &size)) {
    bytes.append(letters, static_cast<std::size_t>(size));
    return true;
  }
  PyErr_Clear();
  // Half of a surrogate pair: texts that differ stay different.
  PyObject* encoded = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
  if (encoded == nullptr) {
    PyErr_Clear();
    return false;
  }
  char* letters = nullptr;
  if (PyBytes_AsStringAndSize(encoded, &letters, &size) == 0) {
    bytes.append(letters, static_cast<std::size_t>(size));
  }
  Py_DECREF(encoded);
  return true;
}

bool append_integer(PyObject* integer, std::string& bytes) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return false;
  }
  if (overflow == 0) {
    bytes += std::to_string(value);
    return true;
  }
  if (PyObject* digits = PyNumber_ToBase(integer, 10)) {
    const bool readable = append_letters(digits, bytes);
    Py_DECREF(digits);
    return readable;
  }
  PyErr_Clear();  // more digits than Python writes
  const double near = PyLong_AsDouble(integer);
  if (near == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    bytes += overflow > 0 ? "inf" : "-inf";
    return true;
  }
  append_number(near, bytes);
  return true;
}

/// What stands for an object.
enum class Found { kText, kNull, kUnreadable, kOther };

/// Of the types that every program knows; their texts are appended.
Found append_plain(PyObject* object, std::string& bytes) {
  const auto if_readable = [](bool readable) {
    return readable ? Found::kText : Found::kUnreadable;
  };
  if (object == Py_None) return Found::kNull;
  if (PyUnicode_Check(object)) return if_readable(append_letters(object, bytes));
  if (PyBool_Check(object)) {
    bytes += object == Py_True ? "true" : "false";
    return Found::kText;
  }
  if (PyLong_Check(object)) return if_readable(append_integer(object, bytes));
  if (PyFloat_Check(object)) {
    const double number = PyFloat_AsDouble(object);
    if (std::isnan(number)) return Found::kNull;
    append_number(number, bytes);
    return Found::kText;
  }
  if (PyBytes_Check(object)) {
    char* letters = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(object, &letters, &size) != 0) return Found::kUnreadable;
    bytes.append(letters, static_cast<std::size_t>(size));
    return Found::kText;
  }
  return Found::kOther;
}

/// Whether the object is no null; its text is appended then.
bool append_text(PyObject* object, const Nulls& nulls, const TextOf& text_of, std::string& bytes) {
  Found found = append_plain(object, bytes);
  if (found == Found::kOther) {
    for (std::size_t i = 0; i < nulls.size(); ++i) {
      if (nulls[i].ptr() == object) return false;
    }
    found = Found::kUnreadable;
    if (PyObject* plain = PyObject_CallFunctionObjArgs(text_of.ptr(), object, nullptr)) {
      found = append_plain(plain, bytes);
      Py_DECREF(plain);
    } else {
      PyErr_Clear();
    }
  }
  if (found == Found::kUnreadable || found == Found::kOther) bytes += kNoText;
  return found != Found::kNull;
}

struct Places {
  std::vector<std::uint32_t> places;
  std::shared_ptr<Texts> texts = std::make_shared<Texts>();
};

/// Where objects that came not long before have their texts.
class Recent {
 public:
  struct Entry {
    PyObject* object = nullptr;
    std::uint32_t place = 0;
  };
  [[nodiscard]] Entry& of(PyObject* object) {
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    return entries_[(address >> 4U ^ address >> 14U) % entries_.size()];
  }

 private:
  std::array<Entry, 1024> entries_{};
};

}  // namespace

ArrowPair object_column(std::string name, const Objects& objects, const Nulls& nulls,
                        const TextOf& text_of, std::optional<std::span<const std::int32_t>> places,
                        bool ordered) {
  constexpr std::uint32_t kNull = 0xffffffff;  // beyond every list, and so a null
  auto found = std::make_shared<Places>();
  Recent recent;
  const auto count = static_cast<Py_ssize_t>(objects.size());
  found->places.reserve(objects.size());
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* object = PyList_GetItem(objects.ptr(), i);  // which the list keeps
    Recent::Entry& entry = recent.of(object);
    if (entry.object != object) {
      Texts& texts = *found->texts;
      entry.object = object;
      entry.place = kNull;
      if (append_text(object, nulls, text_of, texts.bytes)) {
        entry.place = static_cast<std::uint32_t>(texts.size());
        texts.finish_one();
      }
    }
    found->places.push_back(entry.place);
  }
  if (places) {
    const std::vector<std::uint32_t> of_objects = std::move(found->places);
    found->places.clear();
    for (const std::int32_t place : *places) {
      const auto at = static_cast<std::size_t>(place);
      found->places.push_back(place >= 0 && at < of_objects.size() ? of_objects[at] : kNull);
    }
  }
  const auto length = static_cast<std::int64_t>(found->places.size());
  ArrowPair column(std::move(name), "I", length, {}, {found->places.data()}, found);
  column.take_dictionary(text_column("", found->texts), ordered);
  return column;
}

ArrowPair letter_column(std::string name, const Array<std::uint32_t, 2>& letters) {
  auto texts = std::make_shared<Texts>();
  const std::uint32_t* letter = letters.data();
  for (std::size_t row = 0; row < letters.shape(0); ++row, letter += letters.shape(1)) {
    std::size_t length = letters.shape(1);
    while (length > 0 && letter[length - 1] == 0) --length;
    for (std::size_t i = 0; i < length; ++i) {
      const std::uint32_t code = letter[i];
      const auto put = [&](std::uint32_t byte) {
        texts->bytes += static_cast<char>(static_cast<unsigned char>(byte));
      };
      if (code < 0x80) {
        put(code);
      } else if (code < 0x800) {
        put(0xc0U | code >> 6U);
        put(0x80U | (code & 0x3fU));
      } else if (code < 0x10000) {
        put(0xe0U | code >> 12U);
        put(0x80U | (code >> 6U & 0x3fU));
        put(0x80U | (code & 0x3fU));
      } else {
        put(0xf0U | (code >> 18U & 0x07U));
        put(0x80U | (code >> 12U & 0x3fU));
        put(0x80U | (code >> 6U & 0x3fU));
        put(0x80U | (code & 0x3fU));
      }
    }
    texts->finish_one();
  }
  return text_column(std::move(name), std::move(texts));
}

ArrowPair byte_column(std::string name, const Array<std::uint8_t, 2>& bytes) {
  auto texts = std::make_shared<Texts>();
  const auto* letter = reinterpret_cast<const char*>(bytes.data());
  for (std::size_t row = 0; row < bytes.shape(0); ++row, letter += bytes.shape(1)) {
    std::size_t length = bytes.shape(1);
    while (length > 0 && letter[length - 1] == 0) --length;
    texts->bytes.append(letter, length);
    texts->finish_one();
  }
  return text_column(std::move(name), std::move(texts));
}

}  // namespace mollify::python
