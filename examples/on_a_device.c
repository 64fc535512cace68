/* A device that reports one of fourteen answers, and releases a record like its own. */
#include <stdio.h>

#include <mollify/device.h>

int main(void) {
  mollify_device_response* response = NULL;
  mollify_device_sampler* sampler = NULL;
  const uint32_t answer = 3;                    /* private: one of 14 */
  const double records[6] = {0, 8, 0, 0, 1, 0}; /* private: how often each kind occurs */
  uint32_t report = 14, outcome = 6;
  if (mollify_device_new_response(14, "2", &response) != 0 ||
      mollify_device_respond(response, &answer, 1, &report) != 0 ||
      mollify_device_new_sampler(6, "2", "minimax", 0, NULL, &sampler) != 0 ||
      mollify_device_draw(sampler, records, 1, &outcome) != 0) {
    fprintf(stderr, "%s\n", mollify_device_last_error());
    return 1; /* nothing to send */
  }
  printf("to send: report %u of 14, outcome %u of 6\n", report, outcome);
  mollify_device_free_response(response);
  mollify_device_free_sampler(sampler);
  return report < 14 && outcome < 6 ? 0 : 1;
}
