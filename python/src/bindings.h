// What the files of the compiled module have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace mollify::python {

namespace nb = nanobind;

/// An array of NumPy's or of anybody who shares memory, in rows, that is only read.
template <class T, std::size_t kDimensions>
using Array = nb::ndarray<const T, nb::ndim<kDimensions>, nb::c_contig, nb::device::cpu>;

// Python types that name what their containers hold: nanobind copies them into _core.pyi.

/// A new array of NumPy's, which owns its numbers.
template <class T>
using OwnedArray = nb::typed<nb::object, nb::ndarray<nb::numpy, T>>;
using TextList = nb::typed<nb::list, nb::str>;
/// (JSON, words)
using AnswerTexts = nb::typed<nb::tuple, nb::str, nb::str>;
/// Public files by their names, each of any bytes.
using FileTexts = nb::typed<nb::dict, nb::str, nb::bytes>;
using MaybeText = std::optional<nb::str>;

template <class T>
[[nodiscard]] OwnedArray<T> owned_array(std::vector<T> numbers) {
  auto* kept = new std::vector<T>(std::move(numbers));
  const nb::capsule owner(kept,
                          [](void* gone) noexcept { delete static_cast<std::vector<T>*>(gone); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

/// The bytes of a file in memory, which the object keeps.
[[nodiscard]] inline std::optional<std::string_view> text_in(
    const std::optional<nb::bytes>& bytes) {
  return bytes ? std::optional<std::string_view>({bytes->c_str(), bytes->size()}) : std::nullopt;
}

void add_domain(nb::module_& module);
void add_columns(nb::module_& module);
void add_release(nb::module_& module);
void add_ledger(nb::module_& module);
void add_sampler(nb::module_& module);
void add_accounting(nb::module_& module);
void add_answers(nb::module_& module);
void add_distributed(nb::module_& module);
void add_laboratory(nb::module_& module);

}  // namespace mollify::python
