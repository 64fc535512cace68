/* Draws by the device library with frozen entropy, printed as integers: equal words give equal
 * integers on every processor and in WebAssembly, and the printed lines are compared with
 * tests/data/device_draws.txt. On Linux this program answers getrandom itself; the host of
 * WebAssembly answers random_get. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mollify/device.h"

#if defined(__linux__)
#include <sys/types.h>

/* In place of the system's, for this program alone. */
ssize_t getrandom(void* words, size_t size, unsigned flags);
ssize_t getrandom(void* words, size_t size, unsigned flags) {
  (void)flags;
  memset(words, 7, size);
  return (ssize_t)size;
}
#endif

enum { kMost = 6000 };

static uint32_t released[kMost];
static double scores[kMost];
static float narrow_scores[kMost];
static uint32_t outcomes[kMost];
static uint64_t state = 1;

/* Numbers without a meaning, alike everywhere. */
static uint32_t next(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33);
}

static void require(mollify_device_status status) {
  if (status == MOLLIFY_DEVICE_OK) return;
  printf("%d: %s\n", (int)status, mollify_device_last_error());
  exit(1);
}

static void print_released(const char* what, size_t count) {
  uint64_t digest = UINT64_C(14695981039346656037);
  size_t i = 0;
  printf("%s:", what);
  for (; i < count; ++i) {
    if (i < 12) printf(" %" PRIu32, released[i]);
    digest = (digest ^ released[i]) * UINT64_C(1099511628211);
  }
  printf(" ... %016" PRIx64 "\n", digest);
}

static void respond(uint32_t k, const char* epsilon) {
  mollify_device_response* response = NULL;
  double kept_epsilon = 0;
  uint64_t bits = 0;
  char what[80];
  size_t i = 0;
  require(mollify_device_new_response(k, epsilon, &response));
  kept_epsilon = mollify_device_response_epsilon(response);
  memcpy(&bits, &kept_epsilon, sizeof bits);
  printf("response %" PRIu32 " %s: %" PRIu64 " %" PRIu64 " %" PRIu64 " %016" PRIx64 "\n", k,
         epsilon, mollify_device_response_kept(response), mollify_device_response_other(response),
         mollify_device_response_total(response), bits);
  for (; i < kMost; ++i) outcomes[i] = next() % (k + 1);
  require(mollify_device_respond(response, outcomes, kMost, released));
  snprintf(what, sizeof what, "  reports");
  print_released(what, kMost);
  mollify_device_free_response(response);
}

/* One score of many kinds: most plain, some that make no sense. */
static double score(int kind) {
  const uint32_t some = next();
  switch (kind) {
    case 0:
      return some % 1000;
    case 1:
      return some % 7 == 0 ? ldexp(1 + some % 5, -(int)(some % 900)) : 0;
    case 2:
      return some % 11 == 0 ? (double)NAN : some % 13 == 0 ? -1.0 : some % 97;
    case 3:
      return some % 19 == 0 ? (double)INFINITY : some % 23;
    case 4:
      return ldexp(1 + some % 1000, (int)(some % 1900) - 950);
    case 5:
      return ldexp(1 + some % 3, -1074);
    default:
      return 0;
  }
}

static void sample(uint32_t k, const char* epsilon, const char* band, double location,
                   int has_reference) {
  static double reference[kMost];
  mollify_device_sampler* sampler = NULL;
  char what[80];
  uint32_t i = 0;
  int kind = 0;
  for (; i < k; ++i) reference[i] = 1 + next() % 50 / 8.0;
  require(mollify_device_new_sampler(k, epsilon, band, location, has_reference ? reference : NULL,
                                     &sampler));
  printf("sampler %" PRIu32 " %s %s%s\n", k, epsilon, band, has_reference ? " reference" : "");
  for (kind = 0; kind <= 6; ++kind) {
    const size_t rows = kMost / k > 50 ? 50 : kMost / k;
    for (i = 0; i < rows * k; ++i) {
      scores[i] = score(kind);
      narrow_scores[i] = (float)scores[i];
    }
    require(mollify_device_draw(sampler, scores, rows, released));
    snprintf(what, sizeof what, "  rows of kind %d", kind);
    print_released(what, rows);
    require(mollify_device_draw_float(sampler, narrow_scores, rows, released));
    snprintf(what, sizeof what, "  narrow rows of kind %d", kind);
    print_released(what, rows);
  }
  for (kind = 0; kind < 3; ++kind) {
    const size_t count = kind == 0 ? 1 : kind == 1 ? 40 : 300;
    for (i = 0; i < count; ++i) {
      outcomes[i] = next() % (k + k / 5 + 1);
      scores[i] = score(2);
    }
    require(mollify_device_draw_outcomes(sampler, outcomes, NULL, count, 30, released));
    print_released("  a person's records", 30);
    require(mollify_device_draw_outcomes(sampler, outcomes, scores, count, 3, released));
    print_released("  with weights", 3);
  }
  require(mollify_device_draw_outcomes(sampler, outcomes, NULL, 0, kMost, released));
  print_released("  without records", kMost);
  mollify_device_free_sampler(sampler);
}

int main(void) {
  respond(1, "1");
  respond(2, "1e-6");
  respond(2, "0.1");
  respond(14, "2");
  respond(14, "2.0000000000000000000000000000000000001");
  respond(1000, "4");
  respond(16777216, "30.5");
  sample(1, "1", "minimax", 0, 0);
  sample(2, "0.5", "minimax", 0, 0);
  sample(12, "2", "minimax", 0, 0);
  sample(12, "2", "relative", 0, 1);
  sample(56, "4", "location", 0.25, 1);
  sample(1000, "0.1", "relative", 0, 0);
  sample(2000, "12", "minimax", 0, 1);
  sample(5000, "1", "relative", 0, 1);
  sample(6000, "3", "minimax", 0, 0);
  return 0;
}
