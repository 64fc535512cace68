/* Speed of the device library, for npm_speed.sh: the best of seven runs, in millions of draws a second. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mollify/device.h"

enum { kReports = 2000000, kOutcomes = 100, kRows = 2000 };

static uint32_t values[kReports], released[kReports];
static double scores[kOutcomes * kRows];

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void require(mollify_device_status status) {
  if (status == MOLLIFY_DEVICE_OK) return;
  fprintf(stderr, "%s\n", mollify_device_last_error());
  exit(1);
}

int main(void) {
  mollify_device_response* response = NULL;
  mollify_device_sampler* sampler = NULL;
  double respond = 1e9, draw = 1e9;
  int i;
  for (i = 0; i < kReports; ++i) values[i] = (uint32_t)i % 14;
  for (i = 0; i < kOutcomes * kRows; ++i) scores[i] = (double)((long long)i * 7919 % 97);
  require(mollify_device_new_response(14, "2", &response));
  require(mollify_device_new_sampler(kOutcomes, "2", "minimax", 0, NULL, &sampler));
  for (i = 0; i < 7; ++i) {
    double start = seconds(), took;
    require(mollify_device_respond(response, values, kReports, released));
    took = seconds() - start;
    if (took < respond) respond = took;
    start = seconds();
    require(mollify_device_draw(sampler, scores, kRows, released));
    took = seconds() - start;
    if (took < draw) draw = took;
  }
  printf("{\"respond\": %.4f, \"draw\": %.4f}\n", kReports / respond / 1e6, kRows / draw / 1e6);
  mollify_device_free_response(response);
  mollify_device_free_sampler(sampler);
  return 0;
}
