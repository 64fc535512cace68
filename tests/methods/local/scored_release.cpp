// Releases over grids and candidates draw from the kernel's tables.
#include <cmath>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "methods/local/bands.h"
#include "methods/local/method.h"
#include "methods/local/sampler.h"
#include "methods/local/space.h"
#include "records/private_table.h"
#include "release/prepared.h"

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
constexpr const char* kScoredRecords =
    "id,x,y,w\nu,2,0.1,a\nu,3,0.2,a\nu,2.5,0.3,b\nv,9,0.9,c\nu,,0.2,a\n";

/// Draws of one record at epsilon 2 each, from the whole table.
ReleaseSpec scored_spec(const Scratch& scratch, const char* domain, std::uint64_t count) {
  ReleaseSpec spec = test::integral_spec(scratch, domain);
  scratch.write("data.csv", kScoredRecords);
  spec.count = count;
  spec.privacy = ExactPrivacy::pure(Decimal(2.0 * static_cast<double>(count)));
  return spec;
}

/// The digits of each released record.
std::vector<std::vector<std::uint32_t>> released(const LocalRelease& release,
                                                 const Scratch& scratch) {
  CsvReader csv(scratch.write("out.csv", test::drawn(release, scratch)));
  const Domain& domain = release.space().domain();
  std::vector<std::vector<std::uint32_t>> records;
  while (csv.next()) {
    std::vector<std::uint32_t> digits(domain.columns().size());
    domain.encode_digits(csv.fields(), digits);
    records.push_back(std::move(digits));
  }
  return records;
}

/// The law that the kernel's table of the release has for the data, built again from its parts.
std::vector<double> law_of(const LocalRelease& release, const Scratch& scratch) {
  const ReleaseSpace& space = release.space();
  SecureRandom random;
  const auto digits =
      read_table_digits(CsvSource(scratch.path("data.csv")), space.domain(), 100, random);
  ScoredTable table(*release.sampler().band());
  table.assign(*make_scorer(release.certificate().as<LocalDesign>()->scorer, space.points(), 1),
               space.layout().points(digits), space.densities());
  return test::probabilities_of(table.table().numerators());
}

TEST(ScoredRelease, OverCandidatesFollowsTheirTable) {
  const Scratch scratch;
  for (const ScorerKind scorer : {ScorerKind::kKernel, ScorerKind::kEmpirical}) {
    ReleaseSpec spec = scored_spec(scratch, kMixed, 40'000);
    test::local_of(spec).space.candidates = 200;
    test::local_of(spec).space.scorer = scorer;
    const auto release = test::prepared_local(scratch, spec);
    ASSERT_EQ(release->space().size(), 200U);
    std::map<std::vector<std::uint32_t>, std::size_t> index;
    const Candidates& list = *release->space().candidates();
    for (std::size_t i = 0; i < list.size(); ++i) {
      index[std::vector<std::uint32_t>(list[i].begin(), list[i].end())] = i;
    }
    ASSERT_EQ(index.size(), 200U);
    std::vector<std::uint64_t> observed(200);
    for (const auto& digits : released(*release, scratch)) ++observed.at(index.at(digits));
    EXPECT_TRUE(test::follows(law_of(*release, scratch), observed));
  }
}

TEST(ScoredRelease, OverAGridFollowsItsTable) {
  const Scratch scratch;
  ReleaseSpec spec = scored_spec(scratch, kNumbers, 40'000);
  test::local_of(spec).space.cells = 144;
  for (const bool reference : {false, true}) {
    if (reference) {
      test::local_of(spec).reference =
          PublicFile{scratch.write("public.csv", "x,y\n1,0.5\n2,0.5\n2,0.1\n")};
    }
    const auto release = test::prepared_local(scratch, spec);
    ASSERT_EQ(release->space().kind(), SpaceKind::kGrid);
    ASSERT_EQ(release->space().size(), 144U);
    std::vector<std::uint64_t> observed(144);
    for (const auto& digits : released(*release, scratch)) ++observed[digits[0] * 12 + digits[1]];
    EXPECT_TRUE(test::follows(law_of(*release, scratch), observed));
  }
}

// Of fresh lists the law is a mean over lists. Every unit's word is a, which an even list has in a
// third of its records: 1667 of 5000, standard deviation 33. The bound is seven of them away.
TEST(ScoredRelease, OverFreshListsLeansTowardsTheRecords) {
  const Scratch scratch;
  ReleaseSpec spec = scored_spec(scratch, kMixed, 1);
  spec.method = Method::kLocal;
  spec.unit = "id";
  std::string records = "id,x,y,w\n";
  for (int unit = 0; unit < 5000; ++unit) records += std::to_string(unit) + ",2,0.5,a\n";
  scratch.write("data.csv", records);
  test::local_of(spec).space.candidates = 300;
  test::local_of(spec).space.fresh = true;
  const auto release = test::prepared_local(scratch, spec);
  std::size_t words = 0;
  std::map<std::vector<std::uint32_t>, int> seen;
  for (const auto& digits : released(*release, scratch)) {
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
        for (const auto& band : {PlacedBand{}, PlacedBand{Mechanism::kMinimax},
                                 PlacedBand{Mechanism::kLocation, 0.4}}) {
          ReleaseSpec spec = scored_spec(scratch, domain, 3);
          test::local_of(spec).space.candidates = 50;
          test::local_of(spec).space.fresh = fresh;
          test::local_of(spec).band = band;
          if (band.mechanism == Mechanism::kMinimax) test::local_of(spec).numbers.c2 = 7;
          if (reference) {
            test::local_of(spec).reference = PublicFile{scratch.path("reference.csv")};
          }
          const auto release = test::prepared_local(scratch, spec);
          const Domain whole = read_domain(spec.domain.file);
          const CertificateCheck check = test::checked(*release, whole);
          EXPECT_TRUE(check.holds()) << certificate_text(release->certificate());
          EXPECT_EQ(check.list_matches.has_value(), !fresh && !reference);
          const CertificateCheck with_list =
              test::checked(*release, whole, release->space().candidates());
          EXPECT_TRUE(with_list.holds());
          EXPECT_EQ(with_list.list_matches.has_value(), !fresh);
        }
      }
    }
  }
}

TEST(ScoredRelease, DeniesAnotherListAndAnotherGrid) {
  const Scratch scratch;
  ReleaseSpec spec = scored_spec(scratch, kNumbers, 1);
  const Domain domain = read_domain(spec.domain.file);
  test::local_of(spec).reference = PublicFile{scratch.write("public.csv", "x,y\n1,0.5\n")};
  const auto stated = [](const LocalRelease& release) {
    return parse_certificate(certificate_text(release.certificate()), "certificate");
  };
  const auto holds = [&](const StatedCertificate& certificate) {
    return verify_certificate(certificate, "certificate", domain).holds();
  };
  StatedCertificate grid = stated(*test::prepared_local(scratch, spec));
  EXPECT_TRUE(holds(grid));
  test::local_of(grid.spec).space.cells = 60'000;
  EXPECT_FALSE(holds(grid));

  test::local_of(spec).reference.reset();
  test::local_of(spec).space.candidates = 50;
  StatedCertificate listed = stated(*test::prepared_local(scratch, spec));
  EXPECT_TRUE(holds(listed));
  listed.facts.list_sha256 = std::string(64, '0');
  EXPECT_FALSE(holds(listed));
}

}  // namespace
}  // namespace mollify
