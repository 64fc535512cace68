// Thirty calls as people mistype them, with the whole sentence that answers each: the given value,
// the allowed values, and the way out.
#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

#include "command_line.h"
#include "methods/central/samplers.h"
#include "name_lists.h"
#include "release/advice.h"

namespace mollify::test {
namespace {

constexpr const char* kLocal30 =
    "sample local --data schools.csv --domain schools.yaml --unit school --units "
    "schools_roster.csv ";

struct WrongCall {
  std::string call;
  std::string message;
};

Arguments words_of(const std::string& call) {
  std::istringstream stream(call);
  Arguments words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

TEST(WrongCalls, AreAnsweredByWhatToDo) {
  const CommandLine command;
  for (const char* name :
       {"schools.csv", "schools_roster.csv", "schools.yaml", "schools_mixed.yaml"}) {
    std::filesystem::copy_file(std::filesystem::path(MOLLIFY_TEST_DATA) / "../../data" / name,
                               command.files.path(name));
  }
  command.files.write("semicolons.csv", "school;sex;minority;ses;math\n1224;female;false;0;5\n");
  command.files.write("no_header.csv", "1224,female,false,0,5\n1224,male,false,0,5\n");
  command.files.write("ab.csv", "a,b\n1,2\n");
  command.files.write("typo.yaml", "columns:\n  sex: {type: categorcal, values: [a]}\n");
  command.files.write("open.yaml", "columns:\n  sex: {type: categorical, values: [a]\n");
  command.files.write("uncut.yaml",
                      "columns:\n  minority: {type: boolean, null: false}\n  ses: {type: number, "
                      "min: -3, max: 3, null: -3}\n");
  command.files.write("wide.yaml",
                      "columns:\n  a: {type: integer, min: 0, max: 999999, null: 0}\n"
                      "  b: {type: integer, min: 0, max: 999999, null: 0}\n");
  command.files.write(
      "seconds.yaml",
      "columns:\n  a: {type: integer, min: 0, max: 999999, null: 0}\n"
      "  t: {type: datetime, min: 2024-01-01, max: 2024-01-02, null: 2024-01-01}\n");
  command.files.write("there.csv", "a\n1\n");
  command.files.write("model.json", "{\"format\": \"mollify model 1\"}\n");
  ASSERT_EQ(command.run(words_of("ledger --ledger l.db --declare --data-set a --epsilon 1")).status,
            0);
  const std::string local = kLocal30;
  const std::string central = "sample central --data schools.csv --domain schools.yaml ";
  const WrongCall calls[] = {
      {local + "--count 1 --epsilon -1", "epsilon must be finite and positive, but is -1"},
      {local + "--count 1 --epsilon two", "epsilon must be a number, but is \"two\"; write 2"},
      {"advise --purpose synthetic --protect person",
       "purpose must be " + all_names<Purpose>(" or ") +
           ", but is \"synthetic\" (did you mean \"table\"?)"},
      {"advise --purpose table --protect user", "protect must be " + all_names<Protected>(" or ") +
                                                    ", but is \"user\" (did you mean \"person\"?)"},
      {"sample central --data schools.csv --domain schools.yaml --epsilon 1 --count 9000",
       "method central releases at most as many records as the table has, 7185, but 9000 are asked "
       "for: lower --count, or use method marginals, which releases any number of rows at one "
       "cost"},
      {local + "--count 1 --epsilon abc", "epsilon must be a number, but is \"abc\""},
      {local + "--count 1", "the budget is missing: give --epsilon or --mu"},
      {"sample local --data nosuch.csv --domain schools.yaml --unit school --epsilon 2",
       "nosuch.csv cannot be opened: there is no such file in "},
      {"sample local --data shools.csv --domain schools.yaml --unit school --epsilon 2",
       "shools.csv cannot be opened: there is no such file in  (did you mean \"schools.csv\"?)"},
      {"sample --data schools.csv --domain schools.yaml --epsilon 2",
       "the method is missing: " + all_names<Method>(" or ") + "; mollify advise helps to choose"},
      {"sample locl --data schools.csv --domain schools.yaml --epsilon 2",
       "the method must be " + all_names<Method>(" or ") +
           ", but is \"locl\" (did you mean \"local\"?); see mollify "
           "sample --help"},
      {"sample local --data schools.csv --domain schools.yaml --unit scool --epsilon 2",
       "schools.csv has no column \"scool\", which names the unit of a record; it has "
       "\"school\", \"sex\", \"minority\", \"ses\", \"math\" (did you mean \"school\"?)"},
      {"sample local --data semicolons.csv --domain schools.yaml --unit school --epsilon 2",
       "semicolons.csv has no column \"sex\", which the domain declares; its first line has "
       "semicolons and no comma, but commas separate fields"},
      {"sample local --data schools.csv --domain schools.yaml --unit school --units ab.csv "
       "--epsilon 2",
       "ab.csv has no column \"school\", which names the units (its first line must be a "
       "header; --units-column names another column); it has \"a\", \"b\""},
      {central + "--count 10 --epsilon 1 --delta 0.5",
       "delta must be below 1/n = 0.0001392 for 7185 records, but is 0.5: with a delta this "
       "large, whole records can be published unchanged. Use a smaller delta, or add "
       "--accept-large-delta to release anyway"},
      {"sample local --data schools.csv --domain schools_mixed.yaml --unit school --epsilon 0.1",
       "the release cannot be told apart from public noise: the expected error of a record "
       "of smooth data is 0.349 in total variation, and the error of the public reference alone "
       "is 0.368; --epsilon 1.06 would do, or add --accept-error to release anyway"},
      {central + "--epsilon 1", "--count is missing: how many records to release"},
      {local + "--count 1.5 --epsilon 2", "count must be a whole number, but is \"1.5\""},
      {local + "--count 1 --epsilon 2 --mechanism minmax",
       "mechanism must be " + local_mechanism_names() +
           ", but is \"minmax\" (did you mean \"minimax\"?)"},
      {central + "--count 10 --epsilon 1 --mechanism minimax",
       "mechanism must be auto, " + all_names<CentralMechanism>(" or ") +
           " in method central, but is \"minimax\", which is for " + kDrawMethods.text()},
      {"sample integral --data schools.csv --domain schools.yaml --epsilon 1 --delta 1e-6",
       "--delta is for " + kRowMethods.text() +
           ", but the method is integral, whose guarantee never fails: leave it out"},
      {local + "--count 1 --eps 1",
       "unknown flag --eps (did you mean \"--epsilon\"?); see mollify sample local --help"},
      {local + "--count 1 --epsilon 1 --reference schools.csv",
       "the reference must be public, but schools.csv is the private file itself"},
      {"sample marginals --data schools.csv --domain uncut.yaml --count 10 --epsilon 1",
       "method marginals takes columns of at most 65536 values, bins and nulls counted, but "
       "\"ses\" has 1048576: declare `bins` or `edges` there, such as `bins: 32`"},
      {central + "--count 10 --rho 0.5",
       "--rho works with --mechanism product, and with methods gaussian, gaussian-model and "
       "marginals; otherwise give --epsilon, with --delta or without"},
      {"sample integral --data schools.csv --domain schools.yaml --epsilon 1 --units "
       "schools_roster.csv",
       "--units is for " + kUnitMethods.text() + ", but the method is integral"},
      {"sample integral --data schools.csv --domain schools.yaml --epsilon 1 --unit school",
       "--unit is for " + kUnitMethods.text() +
           ", but the method is integral, which protects the whole table: leave it out"},
      {"plan local --k 0 --epsilon 1", "--k must be from 1 to 16777216, but is 0"},
      {"plan local --k 16",
       "the budget is missing: give --epsilon (mollify finds alpha) or --alpha (mollify "
       "finds epsilon)"},
      {"advise --purpose records --protect person --n 100 --columns 3,x",
       "each number of --columns must be whole and from 1 to 4294967295, but one is \"x\""},
      {"check --data schools.csv --domain typo.yaml",
       "typo.yaml line 2: column \"sex\": type must be " + column_type_names() +
           ", but is \"categorcal\" (did you mean "
           "\"categorical\"?)"},
      {"check --data schools.csv --domain open.yaml",
       "open.yaml line 2: the brace { is never closed"},
      {"amplify --n 100",
       "give exactly three of --n, --epsilon0, --epsilon and --delta; you gave 1"},
      {local + "--count 1 --epsilon 3 --ledger l.db --data-set a --out new.csv",
       "the total of \"a\" in l.db is epsilon 1: epsilon 1 remains, and this release costs "
       "epsilon 3; release with what remains, or declare a higher total (mollify ledger "
       "--replace)"},
      {"sample central --data schools.csv --domain wide.yaml --count 10 --epsilon 1",
       "method central needs a domain of at most 16777216 outcomes, but this one has "
       "1000000000000; the widest columns are \"a\" 1000000, \"b\" 1000000: declare fewer bins "
       "there (`bins: 4096` in each with more would do), or leave out the widest, or release rows "
       "of one "
       "noisy "
       "model (method marginals)"},
      {local + "--count 1 --epsilon 2 --out there.csv",
       "there.csv exists: add --overwrite to replace it, or give another name to --out"},
      // More of the kind.
      {"sample local --data no_header.csv --domain schools.yaml --unit school --epsilon 2",
       "no_header.csv has no column \"sex\", which the domain declares; mollify check prints "
       "its first line, which must be a header"},
      {"plan local --k 99999999 --epsilon 1", "--k must be from 1 to 16777216, but is 99999999"},
      {local + "--count 99999999999999999999 --epsilon 2",
       "count must be a whole number of at most 18446744073709551615, but is "
       "\"99999999999999999999\""},
      {local + "--count 1 --count 2 --epsilon 2",
       "--count is given more than once; see mollify sample local --help"},
      {local + "--epsilon 2 --out",
       "--out needs a value, but has none; see mollify sample local --help"},
      {local + "--epsilon 2 --out -",
       "--out takes a file, but is -: leave it out to write to standard output, or give ./- "
       "for a file of that name"},
      {local + "--epsilon 2 --out new.parquet",
       "--out writes text, but new.parquet ends with .parquet: give a name such as new.csv, "
       "or write the file from Python (release.to_parquet)"},
      {local + "--epsilon 2 --seed 4",
       "unknown flag --seed: a release takes no seed, because anyone who guessed it could subtract "
       "the noise. Rows of a released model do: mollify generate --seed; see mollify sample local "
       "--help"},
      {"plan local --domain schools.yaml --epsilon 2 --unit school",
       "--unit is for method marginals, but the method is local, whose plan holds for every unit: "
       "leave it out"},
      {"plan local --domain schools.yaml --epsilon 2 --units schools_roster.csv",
       "unknown flag --units: a plan holds for every roster, so leave it out; see mollify plan "
       "local "
       "--help"},
      {"candidates --count 100",
       "unknown flag --count (did you mean \"--candidates\"?); see mollify candidates --help"},
      {"advise --purpose table --rows 100",
       "unknown flag --rows: --n is how many persons or rows there are, --count how many to "
       "release; "
       "see mollify advise --help"},
      {"plan local --domain schools.csv --epsilon 1",
       "schools.csv line 1 must map `columns` to the domain's columns: a domain is a YAML file, "
       "and "
       "mollify domain --public FILE.csv drafts one from public data"},
      {"generate --model schools.yaml --count 3",
       "schools.yaml is not a model in the format \"mollify model 1\" or \"mollify model 2\": "
       "mollify sample --model-out "
       "writes a model of methods integral-model and marginals"},
      {"verify --certificate model.json --domain schools.yaml",
       "model.json is a model and not a certificate: mollify sample writes the certificate to "
       "OUT.certificate.json, or to the file of --certificate"},
      {local + "--count 1 --epsilon 1,5",
       "epsilon must be a number, but is \"1,5\"; write 1.5, or one number"},
      {local + "--count 1 --epsilon 1e400",
       "epsilon must be a number of at most 1.79769e+308 and at "
       "least 2.22507e-308, or 0, but is \"1e400\""},
      {"ledger --ledger none.db",
       "the ledger none.db cannot be opened: there is no such file in ; make one with "
       "mollify ledger --declare"},
      {"sample gaussian --data schools.csv --domain schools.yaml --epsilon 1 --count 1 "
       "--covariance-bound schools.csv",
       "covariance-bound must be a number, but is \"schools.csv\"; --covariance takes a file"},
      {local + "--epsilon 1 --count 100000",
       "the release cannot be told apart from public noise: the expected error of a record is "
       "0.352 "
       "in total variation, and the error of the public reference alone is 0.352; for shares of "
       "all "
       "units "
       "together use --mechanism randomized-response and mollify estimate; a smaller --count "
       "leaves "
       "more of the budget to each draw, or add --accept-error to release anyway"},
      {"advise --purpose sample --protect row --n 300 --count 3 --columns 3 --covariance there.csv",
       "--covariance is for method gaussian, which advise does not choose here: leave it out"},
      {"--versoin", "unknown flag --versoin (did you mean \"--version\"?); see mollify --help"},
      {"domain --data schools.csv",
       "unknown flag --data (did you mean \"--public\"?); see mollify domain --help"},
      {"generate --n 3",
       "unknown flag --n (did you mean \"--count\"?); see mollify generate --help"},
      {"generate --rows 3",
       "unknown flag --rows (did you mean \"--count\"?); see mollify generate --help"},
      {"estimate --data schools.csv",
       "unknown flag --data (did you mean \"--released\"?); see mollify estimate --help"},
      {local + "--output o.csv",
       "unknown flag --output (did you mean \"--out\"?); see mollify sample local --help"},
      {"sample local --private schools.csv",
       "unknown flag --private (did you mean \"--data\"?); see mollify sample local --help"},
      {"sample local --id school",
       "unknown flag --id (did you mean \"--unit\"?); see mollify sample local --help"},
      {"sample local --group school",
       "unknown flag --group (did you mean \"--unit\"?); see mollify sample local --help"},
      {"check --file schools.csv",
       "unknown flag --file (did you mean \"--data\"?); see mollify check --help"},
      {"verify c.json d.yaml",
       "no flag comes before \"c.json\": write --certificate c.json --domain d.yaml; see mollify "
       "verify --help"},
      {"verify --certificate schools.csv --domain schools.yaml",
       "schools.csv is not a certificate, which is JSON: mollify sample writes the certificate to "
       "OUT.certificate.json, or to the file of --certificate"},
      {"generate --model m.json --count 3 --seed -1",
       "seed must be a whole number from 0 to 18446744073709551615, but is \"-1\""},
      {"advise --n -5", "n must be a whole number from 0 to 18446744073709551615, but is \"-5\""},
      {local + "--epsilon 1,2,4",
       "epsilon must be a number, but is \"1,2,4\"; write one number of these"},
      {"sample gaussian-model --data schools.csv --domain schools.yaml --epsilon 1 --delta 1e-6 "
       "--count 1",
       "Gaussian rows need columns of type number, but column \"sex\" is categorical: leave it out "
       "of the domain, or use method marginals"},
      {"ledger --ledger l.db --data-set ab",
       "the ledger l.db has no data set named \"ab\" (did you mean \"a\"?); it has \"a\""},
      {"plan marginals --domain wide.yaml --n 100 --epsilon 1",
       "method marginals takes columns of at most 65536 values, bins and nulls counted, but \"a\" "
       "has 1000000, \"b\" has 1000000: declare `bins` or `edges` there, such as `bins: 32`"},
      {"plan marginals --domain seconds.yaml --n 100 --epsilon 1",
       "method marginals takes columns of at most 65536 values, bins and nulls counted, but \"a\" "
       "has 1000000, \"t\" has 172800: declare `bins` or `edges` for numbers, such as `bins: 32`; "
       "declare `bins` for days and times, such as `bins: month` or `bins: 32`"},
      {"", "a command is missing, such as sample; see mollify --help"},
  };
  for (const auto& [call, message] : calls) {
    const Ended ended = command.run(words_of(call));
    EXPECT_EQ(ended.status, 2) << call;
    EXPECT_EQ(ended.out, "") << call;
    EXPECT_EQ(command.files.without_folder(ended.err), "mollify: " + message + "\n") << call;
  }
}

}  // namespace
}  // namespace mollify::test
