/* One private record of a table that this program holds, by way of Arrow. */
#include <stdio.h>
#include <string.h>

#include "mollify/mollify_c.h"

/* The private table: one column of eight ages. */
static const int64_t ages[8] = {34, 36, 35, 71, 34, 33, 35, 36};

static const char* const spec =
    "{\"method\": \"integral\", \"count\": 1, \"privacy\": {\"epsilon\": 2},"
    " \"domain\": {\"text\": \"columns: {age: {type: integer, min: 0, max: 99, bins: 10,"
    " outside: clip, null: 0}}\"}}";

/* A stream of one batch, as the Arrow C data interface has them; nothing in it is allocated. */
static void release_schema(struct ArrowSchema* schema) { schema->release = NULL; }
static void release_array(struct ArrowArray* array) { array->release = NULL; }
static void release_stream(struct ArrowArrayStream* stream) { stream->release = NULL; }
static const char* no_error(struct ArrowArrayStream* stream) {
  (void)stream;
  return NULL;
}

static int get_schema(struct ArrowArrayStream* stream, struct ArrowSchema* schema) {
  static struct ArrowSchema age;
  static struct ArrowSchema* columns[1] = {&age};
  (void)stream;
  memset(&age, 0, sizeof age);
  age.format = "l"; /* 64-bit integers */
  age.name = "age";
  age.release = release_schema;
  memset(schema, 0, sizeof *schema);
  schema->format = "+s"; /* a record batch */
  schema->n_children = 1;
  schema->children = columns;
  schema->release = release_schema;
  return 0;
}

static int get_next(struct ArrowArrayStream* stream, struct ArrowArray* batch) {
  static struct ArrowArray age;
  static struct ArrowArray* columns[1] = {&age};
  static const void* values[2] = {NULL, ages}; /* no value is null */
  static const void* none[1] = {NULL};
  memset(batch, 0, sizeof *batch);
  if (stream->private_data == NULL) return 0; /* no further batch: one that is released already */
  stream->private_data = NULL;
  memset(&age, 0, sizeof age);
  age.length = 8;
  age.n_buffers = 2;
  age.buffers = values;
  age.release = release_array;
  batch->length = 8;
  batch->n_buffers = 1;
  batch->buffers = none;
  batch->n_children = 1;
  batch->children = columns;
  batch->release = release_array;
  return 0;
}

int main(void) {
  struct ArrowArrayStream data = {get_schema, get_next, no_error, release_stream, NULL};
  struct ArrowArrayStream released;
  struct ArrowArray batch;
  char* certificate = NULL;
  char* warnings = NULL;
  int whole = 1;
  data.private_data = &whole; /* not read yet */

  if (mollify_release(spec, &data, NULL, NULL, &released, &certificate, &warnings) != MOLLIFY_OK) {
    fprintf(stderr, "%s\n", mollify_last_error());
    return 1;
  }
  if (strcmp(warnings, "[]") != 0) fprintf(stderr, "warnings: %s\n", warnings);
  if (released.get_next(&released, &batch) != 0 || batch.release == NULL) return 1;
  printf("age %lld\n", (long long)((const int64_t*)batch.children[0]->buffers[1])[0]);
  batch.release(&batch);
  released.release(&released);
  printf("with a certificate of %zu bytes\n", strlen(certificate));
  mollify_free_text(certificate);
  mollify_free_text(warnings);
  return 0;
}
