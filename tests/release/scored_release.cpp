// Releases over grids and candidates draw from the kernel's tables.
#include <cmath>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "io/csv_reader.h"
#include "io/private_table.h"
#include "io/scratch.h"
#include "local/band_sampler.h"
#include "local/scored_table.h"
#include "release/local_release.h"
#include "release/verification.h"

namespace mollify {
namespace {

using test::Scratch;

constexpr const char* kNumbers =
    "seed: 3\n"
    "columns:\n"
    "  x: {type: number, min: 0, max: 10}\n"
    "  y: {type: number, min: 0, max: 1}\n";
constexpr const char* kMixed =
    "seed: 3\n"
    "columns:\n"
    "  x: {type: number, min: 0, max: 10, null: category}\n"
    "  y: {type: number, min: 0, max: 1}\n"
    "  w: {type: categorical, values: [a, b, c]}\n";
constexpr const char* kRecords =
    "id,x,y,w\nu,2,0.1,a\nu,3,0.2,a\nu,2.5,0.3,b\nv,9,0.9,c\nu,,0.2,a\n";

/// Draws of one record at epsilon 2 each, from the whole table.
LocalReleaseRequest scored_request_in(const Scratch& scratch, const char* domain,
                                      std::uint64_t count) {
  LocalReleaseRequest request;
  request.model = "integral";
  request.data = scratch.write("data.csv", kRecords);
  request.domain = scratch.write("domain.yaml", domain);
  request.count = count;
  request.epsilon = 2.0 * static_cast<double>(count);
  return request;
}

/// The digits of each released record.
std::vector<std::vector<std::uint32_t>> released(const LocalRelease& release,
                                                 const Scratch& scratch) {
  SecureRandom random;
  CsvReader csv(scratch.write("out.csv", release.run(random)));
  std::vector<std::vector<std::uint32_t>> records;
  while (csv.next()) {
    std::vector<std::uint32_t> digits(release.domain().columns().size());
    release.space().domain().encode_digits(csv.fields(), digits);
    records.push_back(std::move(digits));
  }
  return records;
}

/// The law that the kernel's table of the release has for the data, built again from its parts.
std::vector<double> law_of(const LocalRelease& release, const Scratch& scratch) {
  const ReleaseSpace& space = release.space();
  SecureRandom random;
  const auto digits = read_table_digits(scratch.path("data.csv"), space.domain(), 100, random);
  ScoredTable table(*release.sampler().band());
  table.assign(*make_scorer(release.certificate().scorer, space.points(), 1),
               space.layout().points(digits), space.densities());
  return test::probabilities_of(table.table().numerators());
}

TEST(ScoredRelease, OverCandidatesFollowsTheirTable) {
  const Scratch scratch;
  for (const ScorerKind scorer : {ScorerKind::kKernel, ScorerKind::kEmpirical}) {
    LocalReleaseRequest request = scored_request_in(scratch, kMixed, 40'000);
    request.space.candidates = 200;
    request.space.scorer = scorer;
    const LocalRelease release(request);
    ASSERT_EQ(release.space().size(), 200U);
    std::map<std::vector<std::uint32_t>, std::size_t> index;
    const Candidates& list = *release.space().candidates();
    for (std::size_t i = 0; i < list.size(); ++i) {
      index[std::vector<std::uint32_t>(list[i].begin(), list[i].end())] = i;
    }
    ASSERT_EQ(index.size(), 200U);
    std::vector<std::uint64_t> observed(200);
    for (const auto& digits : released(release, scratch)) ++observed.at(index.at(digits));
    EXPECT_TRUE(test::follows(law_of(release, scratch), observed));
  }
}

TEST(ScoredRelease, OverAGridFollowsItsTable) {
  const Scratch scratch;
  LocalReleaseRequest request = scored_request_in(scratch, kNumbers, 40'000);
  request.space.cells = 144;
  for (const bool reference : {false, true}) {
    if (reference) request.reference = scratch.write("public.csv", "x,y\n1,0.5\n2,0.5\n2,0.1\n");
    const LocalRelease release(request);
    ASSERT_EQ(release.space().kind(), SpaceKind::kGrid);
    ASSERT_EQ(release.space().size(), 144U);
    std::vector<std::uint64_t> observed(144);
    for (const auto& digits : released(release, scratch)) ++observed[digits[0] * 12 + digits[1]];
    EXPECT_TRUE(test::follows(law_of(release, scratch), observed));
  }
}

// Of fresh lists the law is a mean over lists. Every unit's word is a, which an even list has in a
// third of its records: 1667 of 5000, standard deviation 33. The bound is seven of them away.
TEST(ScoredRelease, OverFreshListsLeansTowardsTheRecords) {
  const Scratch scratch;
  LocalReleaseRequest request = scored_request_in(scratch, kMixed, 1);
  request.model = "local";
  request.unit = "id";
  std::string records = "id,x,y,w\n";
  for (int unit = 0; unit < 5000; ++unit) records += std::to_string(unit) + ",2,0.5,a\n";
  scratch.write("data.csv", records);
  request.space.candidates = 300;
  request.space.fresh = true;
  const LocalRelease release(request);
  std::size_t words = 0;
  std::map<std::vector<std::uint32_t>, int> seen;
  for (const auto& digits : released(release, scratch)) {
    if (digits[2] == 0) ++words;
    ++seen[digits];
  }
  std::printf("%zu of 5000 records have the unit's word, 1667 without data\n", words);
  EXPECT_GT(words, 1900U);
  EXPECT_GT(seen.size(), 4980U) << "lists are not shared";
}

TEST(ScoredRelease, CertifiesWhatVerificationConfirms) {
  const Scratch scratch;
  scratch.write("reference.csv", "x,y,w\n1,0.5,a\n2,0.5,a\n4,0.1,b\n");
  for (const char* domain : {kNumbers, kMixed}) {
    for (const bool fresh : {false, true}) {
      for (const bool reference : {false, true}) {
        for (const auto& band : {BandChoice{}, BandChoice{BandChoice::Kind::kMinimax, 0},
                                 BandChoice{BandChoice::Kind::kLocation, 0.4}}) {
          LocalReleaseRequest request = scored_request_in(scratch, domain, 3);
          request.space.candidates = 50;
          request.space.fresh = fresh;
          request.band = band;
          if (band.kind == BandChoice::Kind::kMinimax) request.c2 = 7;
          if (reference) request.reference = scratch.path("reference.csv");
          const LocalRelease release(request);
          const std::string json = certificate_json(release.certificate());
          const Certificate parsed = parse_certificate(json, "certificate");
          EXPECT_EQ(certificate_json(parsed), json);
          const CertificateCheck check = check_certificate(parsed, release.domain());
          EXPECT_TRUE(check.holds()) << json;
          EXPECT_EQ(check.list_matches.has_value(), !fresh && !reference);
          const CertificateCheck with_list =
              check_certificate(parsed, release.domain(), release.space().candidates());
          EXPECT_EQ(with_list.list_matches.value_or(true), true);
          EXPECT_EQ(with_list.list_matches.has_value(), !fresh);
        }
      }
    }
  }
}

TEST(ScoredRelease, DeniesAnotherListAndAnotherGrid) {
  const Scratch scratch;
  LocalReleaseRequest request = scored_request_in(scratch, kNumbers, 1);
  request.reference = scratch.write("public.csv", "x,y\n1,0.5\n");
  const LocalRelease grid(request);
  EXPECT_TRUE(check_certificate(grid.certificate(), grid.domain()).holds());
  Certificate certificate = grid.certificate();
  certificate.space.cells = 60'000;
  EXPECT_FALSE(check_certificate(certificate, grid.domain()).holds());

  request.reference.reset();
  request.space.candidates = 50;
  const LocalRelease listed(request);
  certificate = listed.certificate();
  EXPECT_TRUE(check_certificate(certificate, listed.domain()).holds());
  certificate.space.sha256 = std::string(64, '0');
  EXPECT_FALSE(check_certificate(certificate, listed.domain()).holds());
}

}  // namespace
}  // namespace mollify
