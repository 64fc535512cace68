/* mollify on a device: a private value, or the private records of one person, in; a record that can
 * be sent out. For C, C++, Swift, JNI and WebAssembly. It needs a C++ runtime, and neither files nor
 * threads nor any other library: find_package(mollify COMPONENTS device) gives mollify::device.
 *
 * Errors. Every function that can fail returns a mollify_device_status and leaves its last parameter
 * alone when it fails. mollify_device_last_error() then is the reason in one sentence, made from
 * public information only. Nothing is thrown. No private value is ever refused.
 *
 * Entropy comes from the operating system, or from the host of WebAssembly. Without it a draw
 * returns MOLLIFY_DEVICE_NO_ENTROPY and releases nothing: there is no fallback and no seed. If there
 * is no memory for a draw, the program ends before anything is released.
 *
 * Each draw costs its epsilon, and draws about one person add up.
 *
 * Ownership. The caller frees each object by the function with its name; freeing NULL does nothing.
 * Texts are UTF-8 and end in a zero byte. No pointer may be NULL where that is not said.
 *
 * Threads. An object belongs to one thread at a time: each has a generator of its own. */
#ifndef MOLLIFY_DEVICE_H
#define MOLLIFY_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#if !defined(MOLLIFY_DEVICE_API)
#if defined(_WIN32)
#define MOLLIFY_DEVICE_API
#else
#define MOLLIFY_DEVICE_API __attribute__((visibility("default")))
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mollify_device_status {
  MOLLIFY_DEVICE_OK = 0,
  /* There is no memory for an object. */
  MOLLIFY_DEVICE_FAILURE = 1,
  /* A public input cannot be used. */
  MOLLIFY_DEVICE_INVALID_INPUT = 2,
  /* The operating system gives no entropy. */
  MOLLIFY_DEVICE_NO_ENTROPY = 3
} mollify_device_status;

/* Why the last call of this thread that did not return MOLLIFY_DEVICE_OK did not. Valid until the
 * next such call; at most 1023 bytes; empty if there was none. */
MOLLIFY_DEVICE_API const char* mollify_device_last_error(void);

/* The stable name of that reason, such as "out-of-range" (docs/reference/messages.md), "no-memory"
 * or "no-entropy". Valid as long. */
MOLLIFY_DEVICE_API const char* mollify_device_last_error_code(void);

/* "0.1.0": for as long as the library is loaded. */
MOLLIFY_DEVICE_API const char* mollify_device_version(void);

/* ---- One private value in, one report out ----------------------------------------------------- */

/* k-ary randomized response: reports a value of {0, ..., k - 1} as itself with probability kept /
 * total, and as each other one with probability other / total, where kept <= e^epsilon other, decided
 * in integers. Only its generator changes. */
typedef struct mollify_device_response mollify_device_response;

/* k is from 1 to 2^24. Epsilon is a decimal number as people type it, "2" or "0.1" or "1e-6", of one
 * report, from 1e-6; above 30 it counts as 30. */
MOLLIFY_DEVICE_API mollify_device_status
mollify_device_new_response(uint32_t k, const char* epsilon, mollify_device_response** response);
MOLLIFY_DEVICE_API void mollify_device_free_response(mollify_device_response* response);

MOLLIFY_DEVICE_API uint64_t mollify_device_response_kept(const mollify_device_response* response);
MOLLIFY_DEVICE_API uint64_t mollify_device_response_other(const mollify_device_response* response);
MOLLIFY_DEVICE_API uint64_t mollify_device_response_total(const mollify_device_response* response);

/* The epsilon that each report keeps: a double that is not above the one asked for. */
MOLLIFY_DEVICE_API double mollify_device_response_epsilon(const mollify_device_response* response);

/* One report for each of `count` values. A value of k or more is private data, and counts as 0. */
MOLLIFY_DEVICE_API mollify_device_status mollify_device_respond(mollify_device_response* response,
                                                                const uint32_t* values,
                                                                size_t count, uint32_t* released);

/* ---- One private distribution over k outcomes in, one outcome out ----------------------------- */

/* The band and the clamp of method `local`: an outcome is released with a probability between public
 * bounds, as near to its score's share as these allow. Immutable but for its generator and the
 * memory of a draw. */
typedef struct mollify_device_sampler mollify_device_sampler;

/* k is from 1 to 2^24, epsilon as above, of one draw. The band is "minimax", "relative" or
 * "location", whose b is `location`, between e^-epsilon and 1; for the others it is not read. The
 * reference has k finite, positive masses, not necessarily normalised, and NULL is uniform. */
MOLLIFY_DEVICE_API mollify_device_status
mollify_device_new_sampler(uint32_t k, const char* epsilon, const char* band, double location,
                           const double* reference, mollify_device_sampler** sampler);
MOLLIFY_DEVICE_API void mollify_device_free_sampler(mollify_device_sampler* sampler);

MOLLIFY_DEVICE_API uint32_t mollify_device_sampler_k(const mollify_device_sampler* sampler);
MOLLIFY_DEVICE_API double mollify_device_sampler_epsilon(const mollify_device_sampler* sampler);

/* One draw for each of `rows` rows of k scores, rows after rows. Scores are private: they do not
 * have to be normalised nor make sense, NaN and negative ones count as 0, and without any the
 * reference is released. */
MOLLIFY_DEVICE_API mollify_device_status mollify_device_draw(mollify_device_sampler* sampler,
                                                             const double* scores, size_t rows,
                                                             uint32_t* released);
MOLLIFY_DEVICE_API mollify_device_status mollify_device_draw_float(mollify_device_sampler* sampler,
                                                                   const float* scores, size_t rows,
                                                                   uint32_t* released);

/* `draws` draws, which cost `draws` times epsilon, for one person's records: `count` outcomes in any
 * order, and as many weights; where `weights` is NULL each counts 1. Outcomes of k or more are
 * skipped. Without records the reference is released. */
MOLLIFY_DEVICE_API mollify_device_status
mollify_device_draw_outcomes(mollify_device_sampler* sampler, const uint32_t* outcomes,
                             const double* weights, size_t count, size_t draws, uint32_t* released);

#ifdef __cplusplus
}
#endif

#endif
