// table_lanes.h, compiled once for each instruction set: see mollify_add_library in CMake.
// No inline function from elsewhere may be called here, be it the standard library's or a header's:
// compiled for AVX2, it could be the copy the linker keeps for everybody.
#include "methods/graphical/table_lanes.h"

#if defined(__FMA__)
#include <immintrin.h>
#endif

namespace mollify::detail {

namespace {

typedef double Double4 __attribute__((vector_size(32)));
typedef long long Long4 __attribute__((vector_size(32)));

constexpr std::size_t kFour = 4;

inline Double4 load4(const double* from) {
  Double4 vector;
  __builtin_memcpy(&vector, from, sizeof vector);
  return vector;
}

inline void store4(Double4 vector, double* to) { __builtin_memcpy(to, &vector, sizeof vector); }

inline Double4 four(double value) { return Double4{value, value, value, value}; }

/// a b + c, rounded once where the processor can.
inline Double4 multiply_add4(Double4 a, Double4 b, Double4 c) {
#if defined(__FMA__)
  return _mm256_fmadd_pd(a, b, c);
#else
  return a * b + c;
#endif
}

inline Double4 greater4(Double4 x, Double4 y) { return x > y ? x : y; }

inline double sum4(Double4 x) { return (x[0] + x[2]) + (x[1] + x[3]); }

/// e^x for x of at most 0: 2^k e^r with |r| <= ln 2 / 2 and e^r by Taylor's series to r^13, whose
/// rest is below 2^-55.
inline Double4 exp4(Double4 x) {
  const Double4 least = four(-700);
  const Double4 bounded = greater4(x, least);
  // Adding 1.5 * 2^52 leaves the nearest integer in the low bits.
  const Double4 magic = four(0x1.8p52);
  const Double4 shifted = multiply_add4(bounded, four(0x1.71547652b82fep0), magic);
  const Double4 k = shifted - magic;
  // ln 2 in two parts. The first has so few bits that its products are exact.
  Double4 r = multiply_add4(k, four(-0x1.62e42fefap-1), bounded);
  r = multiply_add4(k, four(-0x1.cf79abc9e3b3ap-40), r);
  Double4 p = four(1.0 / 6227020800);
  p = multiply_add4(p, r, four(1.0 / 479001600));
  p = multiply_add4(p, r, four(1.0 / 39916800));
  p = multiply_add4(p, r, four(1.0 / 3628800));
  p = multiply_add4(p, r, four(1.0 / 362880));
  p = multiply_add4(p, r, four(1.0 / 40320));
  p = multiply_add4(p, r, four(1.0 / 5040));
  p = multiply_add4(p, r, four(1.0 / 720));
  p = multiply_add4(p, r, four(1.0 / 120));
  p = multiply_add4(p, r, four(1.0 / 24));
  p = multiply_add4(p, r, four(1.0 / 6));
  p = multiply_add4(p, r, four(0.5));
  p = multiply_add4(p, r, four(1.0));
  p = multiply_add4(p, r, four(1.0));
  // The exponent is added to the result's; e^-700 is a normal number.
  const Long4 bits = reinterpret_cast<Long4>(p) + (reinterpret_cast<Long4>(shifted) << 52);
  const Long4 kept = bits & reinterpret_cast<Long4>(x > least);
  return reinterpret_cast<Double4>(kept);
}

void exponentiate(const double* from, double shift, double* to, std::size_t count) {
  const Double4 shifts = four(shift);
  std::size_t i = 0;
  for (; i + kFour <= count; i += kFour) store4(exp4(load4(from + i) - shifts), to + i);
  if (i == count) return;
  Double4 rest = four(0);
  for (std::size_t k = i; k < count; ++k) rest[k - i] = from[k] - shift;
  rest = exp4(rest);
  for (std::size_t k = i; k < count; ++k) to[k] = rest[k - i];
}

double greatest(const double* from, std::size_t count) {
  double most = from[0];
  std::size_t i = 0;
  if (count >= kFour) {
    Double4 greatest = load4(from);
    for (i = kFour; i + kFour <= count; i += kFour) greatest = greater4(greatest, load4(from + i));
    for (std::size_t k = 0; k < kFour; ++k) most = most > greatest[k] ? most : greatest[k];
  }
  for (; i < count; ++i) most = most > from[i] ? most : from[i];
  return most;
}

void add_rows(TableRows table, const double* from, double* sums) {
  std::size_t cell = 0;
  for (; cell + kFour <= table.cells; cell += kFour) {
    Double4 sum = load4(sums + cell);
    const double* row = from + cell;
    for (std::size_t i = 0; i < table.rows; ++i, row += table.cells) sum += load4(row);
    store4(sum, sums + cell);
  }
  for (; cell < table.cells; ++cell) {
    double sum = sums[cell];
    for (std::size_t i = 0; i < table.rows; ++i) sum += from[i * table.cells + cell];
    sums[cell] = sum;
  }
}

void add_cells(TableRows table, const double* from, double* sums) {
  for (std::size_t i = 0; i < table.rows; ++i, from += table.cells) {
    Double4 sum = four(0);
    std::size_t cell = 0;
    for (; cell + kFour <= table.cells; cell += kFour) sum += load4(from + cell);
    double rest = 0;
    for (; cell < table.cells; ++cell) rest += from[cell];
    sums[i] += sum4(sum) + rest;
  }
}

void add_to_rows(TableRows table, const double* terms, double* to) {
  for (std::size_t i = 0; i < table.rows; ++i, to += table.cells) {
    std::size_t cell = 0;
    for (; cell + kFour <= table.cells; cell += kFour) {
      store4(load4(to + cell) + load4(terms + cell), to + cell);
    }
    for (; cell < table.cells; ++cell) to[cell] += terms[cell];
  }
}

void multiply_rows(TableRows table, const double* factors, double* to) {
  for (std::size_t i = 0; i < table.rows; ++i, to += table.cells) {
    std::size_t cell = 0;
    for (; cell + kFour <= table.cells; cell += kFour) {
      store4(load4(to + cell) * load4(factors + cell), to + cell);
    }
    for (; cell < table.cells; ++cell) to[cell] *= factors[cell];
  }
}

void add_to_cells(TableRows table, const double* terms, double* to) {
  for (std::size_t i = 0; i < table.rows; ++i, to += table.cells) {
    const Double4 term = four(terms[i]);
    std::size_t cell = 0;
    for (; cell + kFour <= table.cells; cell += kFour) store4(load4(to + cell) + term, to + cell);
    for (; cell < table.cells; ++cell) to[cell] += terms[i];
  }
}

void multiply_cells(TableRows table, const double* factors, double* to) {
  for (std::size_t i = 0; i < table.rows; ++i, to += table.cells) {
    const Double4 factor = four(factors[i]);
    std::size_t cell = 0;
    for (; cell + kFour <= table.cells; cell += kFour) store4(load4(to + cell) * factor, to + cell);
    for (; cell < table.cells; ++cell) to[cell] *= factors[i];
  }
}

double product(const double* one, const double* other, std::size_t count) {
  Double4 sum = four(0);
  Double4 more = four(0);
  std::size_t i = 0;
  for (; i + 2 * kFour <= count; i += 2 * kFour) {
    sum = multiply_add4(load4(one + i), load4(other + i), sum);
    more = multiply_add4(load4(one + i + kFour), load4(other + i + kFour), more);
  }
  double rest = 0;
  for (; i < count; ++i) rest += one[i] * other[i];
  return sum4(sum + more) + rest;
}

void add_multiple(double factor, const double* from, double* to, std::size_t count) {
  const Double4 factors = four(factor);
  std::size_t i = 0;
  for (; i + kFour <= count; i += kFour) {
    store4(multiply_add4(factors, load4(from + i), load4(to + i)), to + i);
  }
  for (; i < count; ++i) to[i] += factor * from[i];
}

constexpr TableLanes kTablePasses = {exponentiate, greatest,      add_rows,     add_cells,
                                     add_to_rows,  multiply_rows, add_to_cells, multiply_cells,
                                     product,      add_multiple};

}  // namespace

const TableLanes TableLanes::MOLLIFY_LANES = kTablePasses;

}  // namespace mollify::detail
