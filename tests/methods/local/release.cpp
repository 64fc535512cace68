#include "methods/local/release.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "chi_square.h"
#include "methods/local/method.h"
#include "methods/local/space.h"
#include "release/prepared.h"

namespace mollify {
namespace {

using test::Scratch;

constexpr const char* kLocalDomain =
    "columns:\n"
    "  a: {type: categorical, values: [x, y, z], null: category}\n"
    "  b: {type: integer, min: 0, max: 9, bins: 5, null: 0}\n";

// Whatever bytes follow the header: the same number of rows, and the same certificate.
RC_GTEST_PROP(LocalRelease, IsTotalInItsRecords, ()) {
  const Scratch scratch;
  ReleaseSpec spec = test::integral_spec(scratch, kLocalDomain);
  const auto bytes = *rc::gen::container<std::string>(rc::gen::oneOf(
      rc::gen::arbitrary<char>(), rc::gen::elementOf(std::string(",,,\n\n\"\rxy19"))));
  scratch.write("data.csv", "id,a,b\n" + bytes);
  if (*rc::gen::arbitrary<bool>()) {
    spec.method = Method::kLocal;
    spec.unit = "id";
    spec.roster = PublicFile{scratch.write("units.csv", "id\nx\ny\n19\n")};
  }
  const auto release = test::prepared(scratch, spec);
  const std::string csv = test::drawn(*release, scratch);
  RC_ASSERT(std::count(csv.begin(), csv.end(), '\n') == (spec.roster ? 10 : 4));
  scratch.write("data.csv", "id,a,b\n");
  RC_ASSERT(certificate_text(test::prepared(scratch, spec)->certificate()) ==
            certificate_text(release->certificate()));
}

// 100 000 draws of one record each from the law that the sampler itself states.
TEST(LocalRelease, DrawsFromTheLawOfTheTable) {
  const Scratch scratch;
  ReleaseSpec spec = test::integral_spec(scratch, kLocalDomain);
  scratch.write("data.csv", "a,b\nx,0\nx,1\ny,9\nq,-5\n");
  spec.count = 100'000;
  spec.privacy = ExactPrivacy::pure(Decimal(200'000));
  const auto release = test::prepared_local(scratch, spec);
  ASSERT_EQ(release->certificate().draw, Privacy::pure(2));
  const Domain& domain = release->space().domain();
  const std::string csv = test::drawn(*release, scratch);
  std::vector<std::uint64_t> observed(domain.size());
  std::size_t begin = csv.find('\n') + 1;
  while (begin < csv.size()) {
    const std::size_t end = csv.find('\n', begin);
    const std::size_t comma = csv.find(',', begin);
    const std::string_view fields[] = {std::string_view(csv).substr(begin, comma - begin),
                                       std::string_view(csv).substr(comma + 1, end - comma - 1)};
    ++observed[domain.encode(fields)];
    begin = end + 1;
  }
  // x,0 and x,1 share a cell; q is null and -5 is 0.
  const std::string_view twice[] = {"x", "0"};
  const std::string_view once[] = {"y", "9"};
  const std::string_view unknown[] = {"", "0"};
  std::vector<std::uint32_t> outcomes = {domain.encode(twice), domain.encode(once),
                                         domain.encode(unknown)};
  std::vector<double> weights = {2, 1, 1};
  const Law law = release->sampler().law({outcomes, weights});
  EXPECT_TRUE(test::follows(law.probabilities, observed));
}

/// The cells that a release of units, each with a draw, has in its order.
std::vector<std::uint32_t> cells_in(const std::string& csv, const Domain& domain) {
  std::vector<std::uint32_t> cells;
  for (std::size_t begin = csv.find('\n') + 1; begin < csv.size();) {
    const std::size_t end = csv.find('\n', begin);
    const std::size_t last = csv.rfind(',', end);
    const std::size_t first = csv.rfind(',', last - 1);
    const std::string_view fields[] = {std::string_view(csv).substr(first + 1, last - first - 1),
                                       std::string_view(csv).substr(last + 1, end - last - 1)};
    cells.push_back(domain.encode(fields));
    begin = end + 1;
  }
  return cells;
}

// Units of several threads, in the roster's order: each follows the law, and those that threads
// drew side by side are independent.
TEST(LocalRelease, DrawsByThreads) {
  constexpr std::size_t kUnits = 20'000;
  const Scratch scratch;
  std::string data = "id,a,b\n";
  std::string roster = "id\n";
  for (std::size_t unit = 0; unit < kUnits; ++unit) {
    data += std::to_string(unit) + ",x,0\n" + std::to_string(unit) + ",y,9\n";
    roster += std::to_string(unit) + "\n";
  }
  scratch.write("data.csv", data);
  ReleaseSpec spec = test::integral_spec(scratch, kLocalDomain);
  spec.method = Method::kLocal;
  spec.count = 1;
  spec.unit = "id";
  spec.roster = PublicFile{scratch.write("roster.csv", roster)};
  const auto release = test::prepared_local(scratch, spec);
  const Domain& domain = release->space().domain();
  const std::string_view once[] = {"x", "0"};
  const std::string_view twice[] = {"y", "9"};
  const std::vector<std::uint32_t> outcomes = {domain.encode(once), domain.encode(twice)};
  const std::vector<double> weights = {1, 1};
  const std::vector<double> law = release->sampler().law({outcomes, weights}).probabilities;
  for (const std::size_t threads : {2U, 5U}) {
    const auto cells =
        cells_in(test::drawn(*release, CsvSource(scratch.path("data.csv")), threads), domain);
    ASSERT_EQ(cells.size(), kUnits);
    std::vector<std::uint64_t> observed(domain.size());
    for (const std::uint32_t cell : cells) ++observed[cell];
    EXPECT_TRUE(test::follows(law, observed));
    std::vector<double> product;
    for (const double one : law) {
      for (const double two : law) product.push_back(one * two);
    }
    std::vector<std::uint64_t> pairs(product.size());
    for (std::size_t i = 0; i < kUnits / 2; ++i) {
      ++pairs[cells[i] * domain.size() + cells[kUnits / 2 + i]];
    }
    EXPECT_TRUE(test::follows(product, pairs));
  }
}

TEST(LocalRelease, CertifiesWhatVerificationConfirms) {
  const Scratch scratch;
  scratch.write("data.csv", "a,b\nx,0\n");
  ReleaseSpec spec = test::integral_spec(scratch, kLocalDomain);
  test::local_of(spec).reference =
      PublicFile{scratch.write("reference.csv", "a,b\nx,1\nx,2\n,9\n")};
  const auto release = test::prepared_local(scratch, spec);
  const Certificate& certificate = release->certificate();
  EXPECT_EQ(certificate.as<LocalDesign>()->mechanism, Mechanism::kRelative);
  const StatedCertificate read = parse_certificate(certificate_text(certificate), "certificate");
  EXPECT_EQ(read.spec, certificate.spec);
  EXPECT_EQ(read.facts, certificate.facts);
  EXPECT_EQ(read.total, certificate.total);
  const CertificateCheck check = test::checked(*release, release->space().domain());
  EXPECT_TRUE(check.holds());
  EXPECT_LE(check.epsilon_realised_up, certificate.draw.epsilon);
}

TEST(LocalRelease, ChoosesTheMechanismThatItsParametersStandFor) {
  LocalSpec spec;
  EXPECT_EQ(chosen_mechanism(spec, false), Mechanism::kMinimax);
  spec.reference = PublicFile{"r.csv"};
  EXPECT_EQ(chosen_mechanism(spec, false), Mechanism::kRelative);
  spec.numbers.c2 = 2;
  EXPECT_EQ(chosen_mechanism(spec, false), Mechanism::kClass);
  spec.numbers.gamma = 2;
  EXPECT_EQ(chosen_mechanism(spec, false), Mechanism::kNeighbourhood);
  EXPECT_EQ(chosen_mechanism(spec, true), Mechanism::kGaussianCurve);
  spec.mechanism = Mechanism::kMixture;
  EXPECT_EQ(chosen_mechanism(spec, true), Mechanism::kMixture);
}

TEST(LocalRelease, RefusesBeforeItReadsARecord) {
  const Scratch scratch;
  scratch.write("data.csv", "id,a,b\n");
  const auto sentence = [&](const auto& change) {
    ReleaseSpec spec = test::integral_spec(scratch, kLocalDomain);
    change(spec);
    return test::refusal(scratch, [&] { static_cast<void>(test::prepared(scratch, spec)); });
  };
  EXPECT_EQ(sentence([](ReleaseSpec& spec) { spec.method = Method::kCentral; }),
            "method central must have the parts of its own, but has others");
  EXPECT_EQ(sentence([](ReleaseSpec& spec) { spec.privacy = ExactPrivacy::pure(Decimal()); }),
            "epsilon must be finite and positive, but is 0");
  EXPECT_EQ(sentence([](ReleaseSpec& spec) {
              spec.privacy = ExactPrivacy::gaussian(Decimal(1));
              test::local_of(spec).mechanism = Mechanism::kMinimax;
            }),
            "--epsilon is missing: mechanism minimax needs it");
  EXPECT_EQ(sentence([&](ReleaseSpec& spec) {
              test::local_of(spec).reference = PublicFile{scratch.path("data.csv")};
            }),
            "the reference must be public, but data.csv is the private file itself");
  EXPECT_EQ(sentence([&](ReleaseSpec& spec) {
              spec.method = Method::kLocal;
              spec.unit = "id";
              spec.roster = PublicFile{scratch.path("data.csv")};
            }),
            "the roster must be public, but data.csv is the private file itself");
  EXPECT_EQ(sentence([&](ReleaseSpec& spec) {
              test::local_of(spec).reference =
                  PublicFile{scratch.write("r.csv", "a,b\nx,1\n"), std::string(64, '0')};
            }).substr(0, 67),
            "r.csv must have the SHA-256 that the spec states, 00000000000000000");
}

}  // namespace
}  // namespace mollify
