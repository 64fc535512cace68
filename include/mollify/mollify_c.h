/* mollify for C, and for everything that calls C: samples of private data under differential
 * privacy.
 *
 * Errors. Every function that can fail returns a mollify_status, and what it returns otherwise
 * through its last parameters, which it leaves alone when it fails. mollify_last_error() then is
 * the reason in one sentence, made from public information only. Nothing is thrown across this
 * interface. Without entropy from the operating system the program is aborted: there is no
 * fallback.
 *
 * Ownership. Whoever gets a text frees it by mollify_free_text, a sampler by mollify_free_sampler,
 * an Arrow stream by the stream's own `release`. Freeing NULL does nothing. Texts are UTF-8 and end
 * in a zero byte. No pointer may be NULL where that is not said.
 *
 * Warnings. `warnings`, the last parameter of every function that releases, becomes a JSON array of
 * objects of texts, "code", "severity" and "text", which is a sentence to show to the user: above
 * all that the release is mostly noise, or that its epsilon means little. The array is empty if
 * there is nothing to warn of, and never depends on private data. The parameter may be NULL.
 *
 * Threads. Every function may be called from several threads at once. */
#ifndef MOLLIFY_C_H
#define MOLLIFY_C_H

#include <stddef.h>
#include <stdint.h>

#include "mollify/arrow_c.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mollify_status {
  MOLLIFY_OK = 0,
  /* A file could not be written, memory is exhausted, ... */
  MOLLIFY_FAILURE = 1,
  /* A public input cannot be used: a parameter, a spec, a domain, a column that is missing. */
  MOLLIFY_INVALID_INPUT = 2
} mollify_status;

/* Why the last call of this thread that did not return MOLLIFY_OK did not. Valid until the next
 * such call; at most 4095 bytes; empty if there was none. */
const char* mollify_last_error(void);

/* The stable name of that reason, such as "delta-too-large" (docs/reference/messages.md), or
 * "failure" where no public input is at fault. Valid as long. */
const char* mollify_last_error_code(void);

/* The facts of that reason as a JSON object, if a public input is at fault, and otherwise {}:
 * {"code", "text", "parameter", "column", "file", "line", "quantities": [{"name", "value", "unit"},
 * ...], "ways_out": [{"action", "part", "value"}, ...]}. A parameter is the place of a key in what
 * was asked with, such as "privacy/epsilon". A part may be null. Valid as long. */
const char* mollify_last_error_facts(void);

/* "0.1.0": for as long as the library is loaded. */
const char* mollify_version(void);

void mollify_free_text(char* text);

/* ---- One private distribution over k outcomes in, one released outcome out ------------------ */

/* A local mechanism: immutable, may be shared by threads. As mollify::Sampler (mollify/sampler.h):
 * each draw keeps the promise for whoever the distribution belongs to, draws from the same one add
 * up, no value of a score or weight is ever refused, and randomness is the operating system's. */
typedef struct mollify_sampler mollify_sampler;

/* The parameters are a JSON object:
 *   {"mechanism": "minimax", "k": 6, "epsilon": 2}
 * and, where the mechanism has them, "mu", its numbers ("c1", "gamma", ...: mollify/sampler.h) and
 * "reference", an array of one positive number for each outcome, or "channel", rows of them one
 * after the other. */
mollify_status mollify_new_sampler(const char* parameters, mollify_sampler** sampler,
                                   char** warnings);
void mollify_free_sampler(mollify_sampler* sampler);

uint64_t mollify_sampler_k(const mollify_sampler* sampler);

/* A bound, from public integers and rounded up, on ln of the ratio of any outcome's probabilities
 * under any two inputs. */
double mollify_sampler_epsilon_realised_up(const mollify_sampler* sampler);

/* One draw for each of `rows` rows of k scores, rows after rows. */
mollify_status mollify_draw(const mollify_sampler* sampler, const double* scores, uint64_t rows,
                            uint32_t* released);
mollify_status mollify_draw_float(const mollify_sampler* sampler, const float* scores,
                                  uint64_t rows, uint32_t* released);

/* One draw for each of `units` units: unit u has outcomes[offsets[u]] ... outcomes[offsets[u + 1] -
 * 1], in any order, and as many weights; where `weights` is NULL each counts 1. There are units + 1
 * offsets, and the last one is the number of outcomes. */
mollify_status mollify_draw_units(const mollify_sampler* sampler, const uint32_t* outcomes,
                                  const uint64_t* offsets, const double* weights, uint64_t units,
                                  uint32_t* released);

/* ---- Private records in, private samples out ------------------------------------------------- */

/* A spec says what to release: JSON with the keys of docs/reference/spec.md. It names files,
 * but may hold the domain's text itself. A release returns its certificate, which is JSON too.
 *
 * A release is charged to the ledger, a file that is made if there is none, under the data set's
 * name, before any random word is drawn; both are NULL for none. The data set must have a total
 * (mollify_declare). When a function fails, nothing was released, and what was charged
 * stays charged. mollify_release_report gives the warnings before anything is charged. */

/* Declares what the releases of a data set may cost together, those charged already included. The
 * total is a JSON object, {"epsilon": 1, "delta": 1e-6} or {"rho": 0.1}. "scope" is for whom: "row",
 * which is the default, "unit=COLUMN" or "table". With "replace": true the data set may have another
 * total, whose scope stays unless one is given. A missing ledger file is made. */
mollify_status mollify_declare(const char* ledger, const char* data_set, const char* total);

/* From a stream of record batches to another one. `data` is taken over, whatever comes of it;
 * `released` is written on success alone, and then whoever has it releases it. */
mollify_status mollify_release(const char* spec, struct ArrowArrayStream* data, const char* ledger,
                               const char* data_set, struct ArrowArrayStream* released,
                               char** certificate, char** warnings);

/* The same for a release by method "marginals" or "integral-model", whose model is released too: a
 * JSON object. */
mollify_status mollify_release_model(const char* spec, struct ArrowArrayStream* data,
                                     const char* ledger, const char* data_set,
                                     struct ArrowArrayStream* released, char** certificate,
                                     char** model, char** warnings);

/* So many more rows, from 1 to 10^8, from a model that was released. It spends nothing: its rows
 * tell no more about the data than it does. `given` is a JSON object of columns and the values that
 * they have in these rows, texts as a file would hold them ("" for a null), or NULL; the rows are
 * of the model's own law of such rows. `rows` is written on success alone, and then whoever has it
 * releases it. */
mollify_status mollify_generate(const char* model, uint64_t count, const char* given,
                                struct ArrowArrayStream* rows);

/* From a CSV file to another one. Both files, that of the records and that of the certificate,
 * appear whole or not at all, and at no time are there records without their certificate. */
mollify_status mollify_release_csv(const char* spec, const char* data, const char* ledger,
                                   const char* data_set, const char* released,
                                   const char* certificate, char** warnings);

/* The certificate that such a release would have, without one: for a spec, and the number of rows
 * or units in the central model (0 in the others). */
mollify_status mollify_prepare(const char* spec, uint64_t records, char** certificate);

/* What is worth knowing about such a release before it is made, a JSON object: "total_variation" (a
 * number or null), "why" (a text), "notes" (a list of texts) and "warnings" (a list of objects as
 * above: above all, that it is mostly noise). Arguments are those of mollify_prepare. */
mollify_status mollify_release_report(const char* spec, uint64_t records, char** report);

/* Computes a certificate again, in integers, for a domain given as the text of its file. The report
 * is a JSON object: "holds", and what was found on the way. A certificate that does not hold is no
 * failure of this function. */
mollify_status mollify_verify(const char* certificate, const char* domain, char** report);

/* ---- Questions and answers -------------------------------------------------------------------- */

/* A question is a JSON object of the parts that docs/reference/spec.md tells, as the functions of
 * these names in mollify/answers.h take it. The report is what `mollify NAME --json` prints. */

/* What a release needs or can do, by any method, before any data; one quantity is left out:
 *   {"method": "central", "k": 100, "count": 10, "privacy": {"epsilon": 1, "delta": 1e-9},
 *    "alpha": 0.1} */
mollify_status mollify_plan(const char* question, char** report);

/* Which release to take:
 *   {"purpose": "records", "protect": "person", "n": 500, "domain": {"file": "people.yaml"}} */
mollify_status mollify_advise(const char* question, char** report);

/* How private shuffled reports are: {"n": 1000, "k": 10, "epsilon0": 2, "delta": 1e-6} */
mollify_status mollify_amplify(const char* question, char** report);

/* What released records tell of the population, for the collector: from a CSV file of them, their
 * certificate, the domain given as the text of its file, and nothing else. The question, such as
 * {"confidence": 0.99, "pairs": true}, may be NULL. */
mollify_status mollify_estimate(const char* certificate, const char* domain, const char* released,
                                const char* question, char** report);

/* An estimate from several releases of the same columns, which may differ in their budgets and
 * mechanisms: `count` certificates, domains and files, from 1, in the same order. */
mollify_status mollify_estimate_together(const char* const* certificates,
                                         const char* const* domains, const char* const* released,
                                         size_t count, const char* question, char** report);

/* NOT PRIVATE, for the data holder: the values of a CSV file that the domain, given as the text of
 * its file, does not declare. The question, such as {"unit": "who"}, may be NULL. */
mollify_status mollify_check(const char* domain, const char* data, const char* question,
                             char** report);

#ifdef __cplusplus
}
#endif

#endif
