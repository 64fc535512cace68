/* The C interface from C: it compiles without a warning, and a refusal is a status and a sentence. */
#include <stdio.h>
#include <string.h>

#include "mollify/mollify_c.h"

int main(void) {
  const double scores[6] = {0, 8, 0, 0, 1, 0};
  uint32_t released = 6;
  mollify_sampler* sampler = NULL;
  if (mollify_new_sampler("{\"k\": 6, \"epsilon\": 2}", &sampler, NULL) != MOLLIFY_OK) return 1;
  if (mollify_draw(sampler, scores, 1, &released) != MOLLIFY_OK || released >= 6) return 2;
  mollify_free_sampler(sampler);

  sampler = NULL;
  if (mollify_new_sampler("{\"k\": 6, \"epsilon\": -1}", &sampler, NULL) !=
      MOLLIFY_INVALID_INPUT) {
    return 3;
  }
  if (sampler != NULL || strstr(mollify_last_error(), "epsilon") == NULL) return 4;
  printf("mollify %s: %s\n", mollify_version(), mollify_last_error());
  return 0;
}
