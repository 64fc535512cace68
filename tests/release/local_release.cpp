#include "release/local_release.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "chi_square.h"
#include "io/scratch.h"
#include "kernel/core/invalid_input.h"
#include "release/verification.h"

namespace mollify {
namespace {

using test::Scratch;

constexpr const char* kDomain =
    "columns:\n"
    "  a: {type: categorical, values: [x, y, z], null: category}\n"
    "  b: {type: integer, min: 0, max: 9, bins: 5}\n";

LocalReleaseRequest request_in(const Scratch& scratch) {
  LocalReleaseRequest request;
  request.model = "integral";
  request.data = scratch.path("data.csv");
  request.domain = scratch.write("domain.yaml", kDomain);
  request.count = 3;
  request.epsilon = 1;
  return request;
}

// Whatever bytes stand below the header: the same number of rows, and the same certificate.
RC_GTEST_PROP(LocalRelease, IsTotalInItsRecords, ()) {
  const Scratch scratch;
  LocalReleaseRequest request = request_in(scratch);
  const auto bytes = *rc::gen::container<std::string>(rc::gen::oneOf(
      rc::gen::arbitrary<char>(), rc::gen::elementOf(std::string(",,,\n\n\"\rxy19"))));
  scratch.write("data.csv", "id,a,b\n" + bytes);
  if (*rc::gen::arbitrary<bool>()) {
    request.model = "local";
    request.unit = "id";
    request.roster = scratch.write("units.csv", "id\nx\ny\n19\n");
  }
  const LocalRelease release(request);
  SecureRandom random;
  const std::string csv = release.run(random);
  RC_ASSERT(std::count(csv.begin(), csv.end(), '\n') == (request.roster ? 10 : 4));
  scratch.write("data.csv", "id,a,b\n");
  RC_ASSERT(certificate_json(LocalRelease(request).certificate()) ==
            certificate_json(release.certificate()));
}

// 100 000 draws of one record each from the law that the sampler itself states.
TEST(LocalRelease, DrawsFromTheLawOfTheTable) {
  const Scratch scratch;
  LocalReleaseRequest request = request_in(scratch);
  scratch.write("data.csv", "a,b\nx,0\nx,1\ny,9\nq,-5\n");
  request.count = 100'000;
  request.epsilon = 200'000;
  const LocalRelease release(request);
  ASSERT_EQ(release.certificate().per_draw.parameter(), 2);
  SecureRandom random;
  const std::string csv = release.run(random);
  std::vector<std::uint64_t> observed(release.domain().size());
  std::size_t begin = csv.find('\n') + 1;
  while (begin < csv.size()) {
    const std::size_t end = csv.find('\n', begin);
    const std::size_t comma = csv.find(',', begin);
    const std::string_view fields[] = {std::string_view(csv).substr(begin, comma - begin),
                                       std::string_view(csv).substr(comma + 1, end - comma - 1)};
    ++observed[release.domain().encode(fields)];
    begin = end + 1;
  }
  // x,0 and x,1 share a cell; q is x and -5 is 0, as declared: three of four records lie there.
  const std::string_view thrice[] = {"x", "0"};
  const std::string_view once[] = {"y", "9"};
  std::vector<std::uint32_t> outcomes = {release.domain().encode(thrice),
                                         release.domain().encode(once)};
  std::vector<double> weights = {3, 1};
  const Law law = release.sampler().law({outcomes, weights});
  EXPECT_TRUE(test::follows(law.probabilities, observed));
}

TEST(LocalRelease, CertifiesWhatVerificationConfirms) {
  const Scratch scratch;
  scratch.write("data.csv", "a,b\nx,0\n");
  LocalReleaseRequest request = request_in(scratch);
  request.reference = scratch.write("reference.csv", "a,b\nx,1\nx,2\n,9\n");
  const LocalRelease release(request);
  EXPECT_EQ(release.certificate().mechanism, Mechanism::kRelative);
  const Certificate read =
      parse_certificate(certificate_json(release.certificate()), "certificate");
  EXPECT_EQ(certificate_json(read), certificate_json(release.certificate()));
  const CertificateCheck check = check_certificate(read, release.domain());
  EXPECT_TRUE(check.holds());
  EXPECT_LE(check.epsilon_realised_up, read.per_draw.parameter());
}

TEST(LocalRelease, ChoosesTheMechanismThatItsParametersStandFor) {
  LocalReleaseRequest request;
  EXPECT_EQ(chosen_mechanism(request), Mechanism::kMinimax);
  request.reference = "r.csv";
  EXPECT_EQ(chosen_mechanism(request), Mechanism::kRelative);
  request.c2 = 2;
  EXPECT_EQ(chosen_mechanism(request), Mechanism::kClass);
  request.gamma = 2;
  EXPECT_EQ(chosen_mechanism(request), Mechanism::kNeighbourhood);
  request.mu = 1;
  EXPECT_EQ(chosen_mechanism(request), Mechanism::kGaussianCurve);
  request.mechanism = Mechanism::kMixture;
  EXPECT_EQ(chosen_mechanism(request), Mechanism::kMixture);
}

TEST(LocalRelease, RefusesBeforeItReadsARecord) {
  const Scratch scratch;
  scratch.write("data.csv", "id,a,b\n");
  const auto sentence = [&](const auto& change) {
    LocalReleaseRequest request = request_in(scratch);
    change(request);
    return test::refusal(scratch, [&] { const LocalRelease release(request); });
  };
  EXPECT_EQ(sentence([](LocalReleaseRequest& r) { r.model = "central"; }),
            "model must be local or integral, but is \"central\"");
  EXPECT_EQ(sentence([](LocalReleaseRequest& r) { r.epsilon = -1; }),
            "epsilon must be finite and positive, but is -1");
  EXPECT_EQ(sentence([](LocalReleaseRequest& r) { r.epsilon.reset(); }),
            "mechanism minimax needs epsilon, but none is given");
  EXPECT_EQ(sentence([&](LocalReleaseRequest& r) { r.reference = r.data; }),
            "the reference must be public, but data.csv is the private file itself");
  EXPECT_EQ(sentence([&](LocalReleaseRequest& r) {
              r.model = "local";
              r.unit = "id";
              r.roster = r.data;
            }),
            "the roster must be public, but data.csv is the private file itself");
}

}  // namespace
}  // namespace mollify
