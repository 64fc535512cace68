// The methods of a release: their words, their common traits, and sets of them.
#pragma once

#include <array>
#include <bit>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/named.h"

namespace mollify {

/// Common traits of methods, for parts of a spec and sentences.
enum MethodTrait : unsigned {
  kDraws = 1,      ///< protects all that a unit or a table holds, by one draw
  kOfRows = 2,     ///< protects each row or unit of a table
  kByUnit = 4,     ///< may have units
  kOneModel = 8,   ///< releases a model, with any number of rows at one cost
  kHandsOut = 16,  ///< hands its model out, as a file that more rows can be drawn from
};

// Every method: its word in C++, its word everywhere else, the function that gives it, in its
// folder under methods/, and its traits. A new method is a folder and a line here.
//
//  - local: each unit's records are one distribution, all of which is protected;
//  - integral: the whole table is one distribution, all of which is protected;
//  - integral-model: the same; one of many public models is released, and rows of it are free;
//  - central: independent records of a finite domain;
//  - gaussian: independent rows of numbers, of one Gaussian;
//  - gaussian-model: a noisy mean and covariance, whose rows are free;
//  - marginals: a model of noisy marginals, whose rows are free.
// clang-format off
#define MOLLIFY_METHODS(METHOD)                                                                    \
  METHOD(kLocal, "local", local_method, kDraws | kByUnit)                                          \
  METHOD(kIntegral, "integral", integral_method, kDraws)                                           \
  METHOD(kIntegralModel, "integral-model", integral_model_method, kDraws | kOneModel | kHandsOut)  \
  METHOD(kCentral, "central", central_method, kOfRows | kByUnit)                                   \
  METHOD(kGaussian, "gaussian", gaussian_method, kOfRows | kByUnit)                                \
  METHOD(kGaussianModel, "gaussian-model", gaussian_model_method, kOfRows | kByUnit | kOneModel)   \
  METHOD(kMarginals, "marginals", marginals_method, kOfRows | kByUnit | kOneModel | kHandsOut)
// clang-format on

#define MOLLIFY_WORD(word, name, function, traits) word,
/// How a release is made. It decides what is protected, which parts a spec has and what is drawn.
enum class Method { MOLLIFY_METHODS(MOLLIFY_WORD) };
#undef MOLLIFY_WORD

constexpr auto names_of(Method) {
#define MOLLIFY_NAME(word, name, function, traits) Named{Method::word, name},
  return std::array{MOLLIFY_METHODS(MOLLIFY_NAME)};
#undef MOLLIFY_NAME
}

/// Some of the methods.
class Methods {
 public:
  constexpr Methods() = default;
  constexpr Methods(std::initializer_list<Method> some) {
    for (const Method one : some) bits_ |= 1U << static_cast<unsigned>(one);
  }
  [[nodiscard]] constexpr bool has(Method one) const {
    return (bits_ >> static_cast<unsigned>(one) & 1U) != 0;
  }
  [[nodiscard]] constexpr Methods with(Method one) const {
    Methods more = *this;
    more.bits_ |= 1U << static_cast<unsigned>(one);
    return more;
  }
  [[nodiscard]] constexpr bool intersects(Methods others) const {
    return (bits_ & others.bits_) != 0;
  }
  [[nodiscard]] constexpr Methods both(Methods others) const {
    Methods shared;
    shared.bits_ = bits_ & others.bits_;
    return shared;
  }
  /// Requires that there is one.
  [[nodiscard]] constexpr Method first() const {
    return static_cast<Method>(std::countr_zero(bits_));
  }
  /// "methods local and central".
  [[nodiscard]] std::string text() const;

 private:
  unsigned bits_ = 0;
};

/// Those that have all of these traits: of 0, every one.
[[nodiscard]] constexpr Methods methods_that(unsigned trait) {
  Methods found;
#define MOLLIFY_TRAITS(word, name, function, traits) \
  if (((traits)&trait) == trait) found = found.with(Method::word);
  MOLLIFY_METHODS(MOLLIFY_TRAITS)
#undef MOLLIFY_TRAITS
  return found;
}

inline constexpr Methods kEveryMethod = methods_that(0);
inline constexpr Methods kDrawMethods = methods_that(kDraws);
inline constexpr Methods kRowMethods = methods_that(kOfRows);
inline constexpr Methods kUnitMethods = methods_that(kByUnit);
inline constexpr Methods kUnitDraws = methods_that(kDraws | kByUnit);
inline constexpr Methods kModelMethods = methods_that(kOneModel);
/// Those in which rows may have weights.
inline constexpr Methods kWeightMethods{Method::kLocal, Method::kIntegral, Method::kCentral,
                                        Method::kMarginals};
inline constexpr Methods kPublishedModels = methods_that(kHandsOut);

}  // namespace mollify
