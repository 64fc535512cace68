#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mollify/sampler.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "interrupts.h"
#include "release.h"

namespace mollify::python {
namespace {

Messages warnings_of(const SamplerParameters& parameters) {
  return messages(computed([&] { return draw_warnings(parameters); }));
}

/// What NumPy has for rows of scores and for what is released. A call by these takes a third of the
/// time that nanobind's arrays do, and one short row is drawn in less time than either.
class NumPy {
 public:
  /// Imports NumPy at the first call.
  static const NumPy& get() {
    static const NumPy& once = *new NumPy;  // outlives the interpreter
    return once;
  }

  /// Of this very class, so that no method of a subclass is called.
  [[nodiscard]] bool is_array(nb::handle object) const { return object.type().is(array_type_); }
  [[nodiscard]] nb::object new_array(std::size_t size) const { return empty_(size, uint32_); }
  /// A number of type numpy.uint32: the only entry of an array that is kept.
  [[nodiscard]] nb::object number(std::uint32_t value) const {
    *entry_ = value;
    return one_[0];
  }

 private:
  NumPy()
      : array_type_(nb::module_::import_("numpy").attr("ndarray")),
        uint32_(nb::module_::import_("numpy").attr("dtype")("uint32")),
        empty_(nb::module_::import_("numpy").attr("empty")),
        one_(new_array(1)),
        entry_(static_cast<std::uint32_t*>(
            nb::cast<nb::ndarray<std::uint32_t, nb::ndim<1>>>(one_).data())) {}

  nb::object array_type_, uint32_, empty_, one_;
  std::uint32_t* entry_;
};

/// An array's memory, in rows, for as long as this object lives.
class Memory {
 public:
  Memory(nb::handle array, int flags)
      : is_there_(PyObject_GetBuffer(array.ptr(), &view_, flags | PyBUF_C_CONTIGUOUS) == 0) {
    if (!is_there_) PyErr_Clear();
  }
  ~Memory() {
    if (is_there_) PyBuffer_Release(&view_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  Memory(Memory&&) = delete;
  Memory& operator=(Memory&&) = delete;

  [[nodiscard]] bool is_there() const { return is_there_; }
  [[nodiscard]] const Py_buffer& view() const { return view_; }

 private:
  Py_buffer view_{};
  bool is_there_;
};

/// The type of an array's numbers, or nothing if the machine has no such numbers. NumPy has no
/// bfloat16: its halves come as unsigned integers, and the caller says so.
std::optional<Numbers::Kind> kind_of(const Py_buffer& view, bool is_bfloat16) {
  using Kind = Numbers::Kind;
  if (view.format == nullptr || view.format[0] == '\0' || view.format[1] != '\0') return {};
  const auto of_size = [&](Kind of8, Kind of16, Kind of32, Kind of64) -> std::optional<Kind> {
    switch (view.itemsize) {
      case 1:
        return of8;
      case 2:
        return of16;
      case 4:
        return of32;
      case 8:
        return of64;
      default:
        return {};
    }
  };
  switch (view.format[0]) {
    case 'd':
      return Kind::kFloat64;
    case 'f':
      return Kind::kFloat32;
    case 'e':
      return Kind::kFloat16;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
      return of_size(Kind::kInt8, Kind::kInt16, Kind::kInt32, Kind::kInt64);
    case '?':
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
      if (is_bfloat16) return Kind::kBfloat16;
      return of_size(Kind::kUint8, Kind::kUint16, Kind::kUint32, Kind::kUint64);
    default:
      return {};
  }
}

void draw_rows(const Sampler& sampler, const Numbers& scores, std::span<std::uint32_t> released) {
  // So little takes less time than to let other threads run.
  constexpr std::size_t kFewScores = 4096;
  if (scores.rows * scores.width <= kFewScores) {
    sampler.draw(scores, released);
  } else {
    computed([&] { sampler.draw(scores, released); });
  }
}

/// None for all but NumPy's numbers in rows of k, or in one.
nb::object draw_scores(const Sampler& sampler, nb::handle scores, bool is_bfloat16) {
  const NumPy& numpy = NumPy::get();
  if (!numpy.is_array(scores)) return nb::none();
  const Memory memory(scores, PyBUF_FORMAT);
  if (!memory.is_there()) return nb::none();
  const Py_buffer& view = memory.view();
  const std::optional<Numbers::Kind> kind = kind_of(view, is_bfloat16);
  if (!kind || (view.ndim != 1 && view.ndim != 2) ||
      view.shape[view.ndim - 1] != static_cast<Py_ssize_t>(sampler.k())) {
    return nb::none();
  }
  if (view.ndim == 1) {
    std::uint32_t released = 0;
    draw_rows(sampler, {*kind, view.buf, 1, sampler.k()}, {&released, 1});
    return numpy.number(released);
  }
  const auto rows = static_cast<std::size_t>(view.shape[0]);
  nb::object made = numpy.new_array(rows);
  const Memory released(made, PyBUF_WRITABLE);
  draw_rows(sampler, {*kind, view.buf, rows, sampler.k()},
            {static_cast<std::uint32_t*>(released.view().buf), rows});
  return made;
}

/// An array of another library, of any type, shape and strides, as NumPy's with the same memory, as
/// far as NumPy has that type and this processor reads that memory; bfloat16 as unsigned integers.
/// (array or None, its type, DLPack's number of its device); None if it does not share its memory.
nb::object shared_array(nb::handle given) {
  using Shared = nb::ndarray<nb::ro>;
  using Code = nb::dlpack::dtype_code;
  Shared shared;
  if (!nb::try_cast<Shared>(given, shared)) return nb::none();
  nb::dlpack::dtype type = shared.dtype();
  static constexpr std::pair<Code, std::string_view> kNames[] = {
      {Code::Int, "int"},       {Code::UInt, "uint"}, {Code::Float, "float"},
      {Code::Bfloat, "bfloat"}, {Code::Bool, "bool"}, {Code::Complex, "complex"}};
  std::string_view name = "other numbers of bits: ";
  for (const auto& [code, known] : kNames) {
    if (type.code == static_cast<std::uint8_t>(code)) name = known;
  }
  const bool is_bool = name == "bool" && type.bits == 8;
  const std::string text = std::string(name) + (is_bool ? "" : std::to_string(type.bits)) +
                           (type.lanes == 1 ? "" : " in " + std::to_string(type.lanes) + " lanes");
  const bool is_bfloat16 = text == "bfloat16";
  // The processor, and memory of devices that it reads as well: CUDA's host and managed memory, and
  // ROCm's host memory.
  const int device = shared.device_type();
  const bool is_readable = device == 1 || device == 3 || device == 11 || device == 13;
  const bool is_number = is_bfloat16 || is_bool || name == "int" || name == "uint" ||
                         (name == "float" && type.bits >= 16 && type.bits <= 64);
  nb::object array = nb::none();
  if (type.lanes == 1 && is_readable && is_number) {
    if (is_bfloat16) type.code = static_cast<std::uint8_t>(Code::UInt);
    auto* kept = new Shared(shared);
    const nb::capsule owner(kept, [](void* gone) noexcept { delete static_cast<Shared*>(gone); });
    std::vector<std::size_t> shape;
    std::vector<std::int64_t> strides;
    for (std::size_t i = 0; i < shared.ndim(); ++i) {
      shape.push_back(shared.shape(i));
      strides.push_back(shared.stride(i));
    }
    array = nb::cast(nb::ndarray<nb::numpy, nb::ro>(shared.data(), shape.size(), shape.data(),
                                                    owner, strides.data(), type));
  }
  return nb::make_tuple(array, text, device);
}

OwnedArray<std::uint32_t> draw_units(const Sampler& sampler,
                                     const Array<std::uint32_t, 1>& outcomes,
                                     const Array<std::uint64_t, 1>& offsets,
                                     const std::optional<Array<double, 1>>& weights,
                                     std::size_t threads, Progress progress) {
  std::vector<std::uint32_t> released(offsets.size() == 0 ? 0 : offsets.size() - 1);
  const auto draw = [&] {
    const auto counted = weights ? std::span<const double>(weights->data(), weights->size())
                                 : std::span<const double>();
    sampler.draw_units(std::span<const std::uint32_t>(outcomes.data(), outcomes.size()),
                       std::span<const std::uint64_t>(offsets.data(), offsets.size()), counted,
                       released, threads);
  };
  computed(draw, std::move(progress));
  return owned_array(std::move(released));
}

OwnedArray<std::uint32_t> draw_units_by_key(const Sampler& sampler,
                                            const Array<std::uint32_t, 1>& outcomes,
                                            const Array<std::uint64_t, 1>& offsets,
                                            const std::optional<Array<double, 1>>& weights,
                                            const ReleaseKey& key,
                                            const nb::typed<nb::list, nb::bytes>& identities,
                                            std::size_t threads, Progress progress) {
  std::vector<std::string_view> units;
  units.reserve(identities.size());
  for (const nb::handle identity : identities) {
    const auto bytes = nb::cast<nb::bytes>(identity);  // which the list keeps alive
    units.emplace_back(bytes.c_str(), bytes.size());
  }
  std::vector<std::uint32_t> released(offsets.size() == 0 ? 0 : offsets.size() - 1);
  const auto draw = [&] {
    const auto counted = weights ? std::span<const double>(weights->data(), weights->size())
                                 : std::span<const double>();
    sampler.draw_units(std::span<const std::uint32_t>(outcomes.data(), outcomes.size()),
                       std::span<const std::uint64_t>(offsets.data(), offsets.size()), counted,
                       released, key, units, threads);
  };
  computed(draw, std::move(progress));
  return owned_array(std::move(released));
}

/// Rows of logits of NumPy's, which lie one after the other.
class Logits {
 public:
  Logits(nb::handle array, bool is_bfloat16) : memory_(array, PyBUF_FORMAT) {
    const Py_buffer& view = memory_.view();
    const std::optional<Numbers::Kind> kind =
        memory_.is_there() ? kind_of(view, is_bfloat16) : std::nullopt;
    if (!kind || view.ndim != 2) throw nb::type_error("logits must be numbers in rows");
    numbers_ = {*kind, view.buf, static_cast<std::size_t>(view.shape[0]),
                static_cast<std::size_t>(view.shape[1])};
  }
  [[nodiscard]] const Numbers& numbers() const { return numbers_; }

 private:
  Memory memory_;
  Numbers numbers_;
};

OwnedArray<std::uint32_t> draw_tokens(const TokenSampler& sampler, const Logits& secret,
                                      const Logits& open) {
  std::vector<std::uint32_t> released(open.numbers().rows);
  computed([&] { sampler.draw(secret.numbers(), open.numbers(), released); });
  return owned_array(std::move(released));
}

nb::bytes bytes_for_workers(const ReleaseKey& key) {
  const std::vector<std::uint8_t> handed = key.bytes_for_workers();
  return nb::bytes(handed.data(), handed.size());
}

ReleaseKey of_worker_bytes(const nb::bytes& handed) {
  return ReleaseKey::of_worker_bytes(
      {reinterpret_cast<const std::uint8_t*>(handed.c_str()), handed.size()});
}

template <class Value>
OwnedArray<std::uint32_t> respond(const RandomizedResponse& response,
                                  const Array<Value, 1>& values) {
  std::vector<std::uint32_t> released(values.size());
  computed([&] { response.draw(std::span<const Value>(values.data(), values.size()), released); });
  return owned_array(std::move(released));
}

}  // namespace

void add_sampler(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<ReleaseKey>(module, "ReleaseKey")
      .def(nb::init<>())
      .def("bytes_for_workers", &bytes_for_workers)
      .def_static("of_worker_bytes", &of_worker_bytes, "bytes"_a);
  nb::class_<SamplerParameters>(module, "SamplerParameters")
      .def(
          "__init__",
          [](SamplerParameters* made, const std::string& mechanism, std::size_t k,
             std::optional<double> epsilon, std::optional<double> mu,
             const std::vector<double>& reference, const std::map<std::string, double>& numbers,
             const std::vector<double>& channel) {
            new (made) SamplerParameters{mechanism, k, epsilon, mu, reference, numbers, channel};
          },
          "mechanism"_a, "k"_a, "epsilon"_a.none() = nb::none(), "mu"_a.none() = nb::none(),
          "reference"_a = std::vector<double>(), "numbers"_a = std::map<std::string, double>(),
          "channel"_a = std::vector<double>())
      .def("warnings", &warnings_of);
  nb::class_<Sampler>(module, "Sampler")
      .def(
          "__init__",
          [](Sampler* made, const SamplerParameters& parameters) {
            computed([&] { new (made) Sampler(parameters); });
          },
          "parameters"_a)
      .def_prop_ro("k", &Sampler::k)
      .def("guarantee", &Sampler::guarantee)
      .def("epsilon_realised_up",
           [](const Sampler& sampler) {
             return computed([&] { return sampler.epsilon_realised_up(); });
           })
      .def("draw", &draw_scores, "scores"_a.none(), "is_bfloat16"_a = false)
      .def("draw_units", &draw_units, "outcomes"_a.noconvert(), "offsets"_a.noconvert(),
           "weights"_a.none(), "threads"_a, "progress"_a.none())
      .def("draw_units_by_key", &draw_units_by_key, "outcomes"_a.noconvert(),
           "offsets"_a.noconvert(), "weights"_a.none(), "key"_a, "identities"_a, "threads"_a,
           "progress"_a.none());

  module.def("shared_array", &shared_array, "given"_a.none());
  nb::class_<Logits>(module, "Logits")
      .def(nb::init<nb::handle, bool>(), "array"_a, "is_bfloat16"_a = false);
  nb::class_<TokenSampler>(module, "TokenSampler")
      .def(nb::init<double, std::size_t>(), "epsilon"_a, "top"_a)
      .def(
          "check",
          [](const TokenSampler& sampler, const Logits& open) {
            computed([&] { sampler.check(open.numbers()); });
          },
          "open"_a)
      .def("draw", &draw_tokens, "secret"_a, "open"_a);

  nb::class_<RandomizedResponse>(module, "RandomizedResponse")
      .def(nb::init<std::size_t, double>(), "k"_a, "epsilon"_a)
      .def_prop_ro("k", &RandomizedResponse::k)
      .def_prop_ro("epsilon", &RandomizedResponse::epsilon)
      .def_prop_ro("kept", &RandomizedResponse::kept)
      .def_prop_ro("other", &RandomizedResponse::other)
      .def_prop_ro("total", &RandomizedResponse::total)
      .def("draw", &respond<std::int64_t>, "values"_a.noconvert())
      .def("draw", &respond<std::int32_t>, "values"_a.noconvert())
      .def("draw", &respond<std::uint32_t>, "values"_a.noconvert())
      .def("draw", &respond<std::uint8_t>, "values"_a.noconvert());
}

}  // namespace mollify::python
