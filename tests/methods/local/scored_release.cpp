// Releases over grids and candidates draw from the kernel's tables.
#include <cmath>
#include <map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chi_square.h"
#include "domain/column.h"
#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "laboratory/law/law.h"
#include "measures/measure.h"
#include "methods/local/bands.h"
#include "methods/local/method.h"
#include "methods/local/sampler.h"
#include "methods/local/space.h"
#include "records/private_table.h"
#include "refusal.h"
#include "release/prepared.h"

namespace mollify {
namespace {

using test::Scratch;

constexpr const char* kNumbers =
    "seed: 3\n"
    "columns:\n"
    "  x: {type: number, min: 0, max: 10, null: 0}\n"
    "  y: {type: number, min: 0, max: 1, null: 0}\n";
constexpr const char* kMixed =
    "seed: 3\n"
    "columns:\n"
    "  x: {type: number, min: 0, max: 10, null: category}\n"
    "  y: {type: number, min: 0, max: 1, null: 0}\n"
    "  w: {type: categorical, values: [a, b, c], null: a}\n";
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
      read_table_digits(CsvSource(scratch.path("data.csv")), space.domain(), 100, random).digits;
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

// -----------------------------------------------------------------------------------------------
// A density as the reference.

constexpr const char* kLine = "columns:\n  x: {type: number, min: -4, max: 4, null: -4}\n";
constexpr const char* kPlane =
    "columns:\n  x: {type: number, min: -3, max: 3, null: -3}\n  y: {type: number, min: -3, max: "
    "3, null: -3}\n";
constexpr const char* kLineEnvelope =
    R"({"type":"gaussian_mixture_envelope","radius":1,"variance":1,"dimension":1,"box":[[-4,4]]})";
constexpr const char* kPlaneEnvelope =
    R"({"type":"gaussian_mixture_envelope","radius":1,"variance":0.5,"dimension":2})";

struct DensityCase {
  const char* domain;
  const char* envelope;
  double c2;  ///< of the reference files: [Park et al. 2024, Appendices F-B and F-C]
  Box box;
  std::uint64_t cells;
};

// Theorem III.3's band on the cells of the domain: the one that `mollify law` analyses.
TEST(ScoredRelease, OfAnEnvelopeHasTheBandOfItsClass) {
  const double epsilon = 2;
  for (const DensityCase& one :
       {DensityCase{kLine, kLineEnvelope, 1.7976118727565433, {{-4, 4}}, 1000},
        DensityCase{kPlane, kPlaneEnvelope, 3.7724538509, {{-3, 3}, {-3, 3}}, 900}}) {
    const Scratch scratch;
    ReleaseSpec spec = scored_spec(scratch, one.domain, 1);
    scratch.write("data.csv", "x,y\n0.5,0.1\n0.6,0\n");
    test::local_of(spec).space.cells = one.cells;
    test::local_of(spec).reference = PublicFile{scratch.write("envelope.json", one.envelope)};
    const auto release = test::prepared_local(scratch, spec);
    const Certificate& certificate = release->certificate();
    EXPECT_EQ(certificate.mechanism(), "class");
    const LocalSpec& whole = *certificate.spec.own.get<LocalSpec>();
    EXPECT_NEAR(whole.numbers.c2.value(), one.c2, 1e-8 * one.c2);
    EXPECT_GE(whole.numbers.c2.value(), one.c2 * (1 - 1e-10));
    EXPECT_NEAR(certificate.as<LocalDesign>()->floor.value(), class_floor(0, one.c2, epsilon),
                1e-8);
    // The masses sum to one, so points outside the box are counted to the outermost cells.
    const auto measure = measure_from_json(one.envelope, "envelope");
    std::vector<std::vector<double>> edges;
    for (const Interval& axis : one.box) {
      edges.push_back(equal_width_edges(axis, cells_along_each_axis(one.cells, one.box.size())));
    }
    const GridSampler sampler(measure, Grid(edges), class_floor(0, one.c2, epsilon), epsilon);
    const Band& band = *release->sampler().band();
    ASSERT_EQ(band.outcome_count(), sampler.band().outcome_count());
    double sum = 0;
    for (std::size_t i = 0; i < band.outcome_count(); ++i) {
      const auto lower = static_cast<double>(band.lower(i));
      EXPECT_NEAR(lower, static_cast<double>(sampler.band().lower(i)), 1e-6 * lower) << i;
      sum += sampler.reference_masses()[i];
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    std::printf("c2 %.10f, floor %.8f, masses sum to 1 - %.1e\n", *whole.numbers.c2,
                *certificate.as<LocalDesign>()->floor, 1 - sum);
    EXPECT_TRUE(test::checked(*release, read_domain(spec.domain.file)).holds())
        << certificate_text(certificate);
    // What is asked for stays: another band, and a class with another constant.
    test::local_of(spec).band = PlacedBand{};
    EXPECT_EQ(test::prepared_local(scratch, spec)->certificate().mechanism(), "relative");
    test::local_of(spec).band.reset();
    test::local_of(spec).numbers.c2 = 5;
    const auto wider = test::prepared_local(scratch, spec);
    EXPECT_EQ(wider->certificate().spec.own.get<LocalSpec>()->numbers.c2, 5);
  }
}

// False alarms: one in a million, as test::follows has it.
TEST(ScoredRelease, OfADensityFollowsItsTable) {
  const Scratch scratch;
  ReleaseSpec spec = scored_spec(scratch, kLine, 40'000);
  scratch.write("data.csv", "x\n0.5\n0.6\n");
  test::local_of(spec).space.cells = 40;
  for (const char* density : {kLineEnvelope, R"({"type":"gaussian","mean":[1],"variance":1})",
                              R"({"type":"histogram","edges":[[-5,0,5]],"masses":[1,3]})"}) {
    test::local_of(spec).reference = PublicFile{scratch.write("density.json", density)};
    const auto release = test::prepared_local(scratch, spec);
    std::vector<std::uint64_t> observed(40);
    for (const auto& digits : released(*release, scratch)) ++observed[digits[0]];
    EXPECT_TRUE(test::follows(law_of(*release, scratch), observed));
  }
}

TEST(ScoredRelease, RefusesADensityThatDoesNotFit) {
  const Scratch scratch;
  ReleaseSpec spec = scored_spec(scratch, kLine, 1);
  scratch.write("data.csv", "x\n0.5\n");
  const auto refused = [&](const char* density) {
    test::local_of(spec).reference = PublicFile{scratch.write("density.json", density)};
    return test::refusal_of([&] { test::prepared_local(scratch, spec); });
  };
  EXPECT_THAT(refused(kPlaneEnvelope), ::testing::HasSubstr("a dimension for each of 1 column"));
  EXPECT_THAT(refused(R"({"type":"gaussian","mean":[1000],"variance":1})"),
              ::testing::HasSubstr("only 0 of the reference's mass lies between min and max"));
  test::local_of(spec).space.candidates = 10;
  EXPECT_THAT(refused(kLineEnvelope), ::testing::HasSubstr("is a density"));
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
