// What checking a certificate finds, also in what is bad in its last place alone.
#include "release/verification.h"

#include <cmath>
#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/invalid_input.h"
#include "formats/domain_yaml.h"
#include "methods/central/method.h"
#include "methods/gaussian/method.h"
#include "methods/local/mechanism.h"
#include "methods/marginals/method.h"
#include "refusal.h"
#include "release/design.h"
#include "release/prepared.h"

namespace mollify {
namespace {

using test::Scratch;

constexpr const char* kVerifiedDomain =
    "columns:\n"
    "  a: {type: integer, min: 1, max: 16, null: 1}\n";

/// A release of 400 rows, its certificate as JSON, and its verification after a change.
class ChangedCertificate {
 public:
  explicit ChangedCertificate(const std::function<void(ReleaseSpec&)>& ask) {
    std::string data = "id,a\n";
    for (int row = 0; row < 400; ++row) {
      data += std::to_string(row / 2) + "," + std::to_string(row % 16 + 1) + "\n";
    }
    scratch.write("data.csv", data);
    ReleaseSpec spec = test::integral_spec(scratch, kVerifiedDomain);
    ask(spec);
    const auto release = test::prepared(scratch, spec);
    json = Json::parse(certificate_text(release->certificate()));
  }

  [[nodiscard]] CertificateCheck check() const {
    return verify_certificate(parse_certificate(json.dump(), "it"), "it",
                              read_domain(scratch.path("domain.yaml")), known);
  }

  Scratch scratch;
  KnownInputs known;
  Json json;
};

void ask_for(ReleaseSpec& spec, CentralMechanism mechanism, std::uint64_t count) {
  spec.method = Method::kCentral;
  spec.own = CentralSpec{.mechanism = mechanism};
  spec.count = count;
  spec.accept_error = true;
  spec.privacy = ExactPrivacy::approximate(Decimal(1), Decimal(1e-6));
}

// Another processor may round what was found in doubles differently. Those digits change neither
// what is promised nor whether it is found to hold; more than these is refused.
TEST(VerifyCertificate, ToleratesTheLastDigitsOfAnotherProcessor) {
  const auto step = [](const Json& number, double by) {
    return by == 0 ? std::nextafter(number.get<double>(), 0.0) : number.get<double>() * by;
  };
  for (const auto& [mechanism, count] :
       {std::pair{CentralMechanism::kSubsetRr, 20}, {CentralMechanism::kShuffledRr, 400}}) {
    ChangedCertificate changed([&, m = mechanism, c = count](ReleaseSpec& spec) {
      ask_for(spec, m, static_cast<std::uint64_t>(c));
    });
    ASSERT_TRUE(changed.check().holds());
    const Json genuine = changed.json;
    for (const char* place : {"/design/epsilon0", "/accuracy/total_variation"}) {
      const Json::json_pointer at(place);
      changed.json[at] = step(genuine[at], 0);
      EXPECT_TRUE(changed.check().holds()) << place;
      changed.json[at] = step(genuine[at], 0.999);
      EXPECT_FALSE(changed.check().holds()) << place;
      changed.json = genuine;
    }
  }
}

// An epsilon0 that is nearly the designed one is checked unchanged: shuffling makes too little of
// it, by its upper bound, though not by its lower one.
TEST(VerifyCertificate, ChecksTheResponseThatIsStated) {
  for (const auto& [mechanism, count] :
       {std::pair{CentralMechanism::kSubsetRr, 20}, {CentralMechanism::kShuffledRr, 400}}) {
    ChangedCertificate changed([&, m = mechanism, c = count](ReleaseSpec& spec) {
      ask_for(spec, m, static_cast<std::uint64_t>(c));
    });
    Json& epsilon0 = changed.json["design"]["epsilon0"];
    epsilon0 = epsilon0.get<double>() * (1 + 0.9e-9);
    const CertificateCheck check = changed.check();
    EXPECT_TRUE(check.design_matches);
    EXPECT_FALSE(check.guarantee_holds);
    EXPECT_FALSE(check.holds());
  }
}

void ask_for_curve(ReleaseSpec& spec) {
  test::local_of(spec).mechanism = Mechanism::kGaussianCurve;
  spec.count = 1;
  spec.privacy = ExactPrivacy::gaussian(Decimal(1));
}

// What gaussian-curve keeps is found in doubles. A little less is as private; a trifle more than
// the curve allows is not, whatever processor looks.
TEST(VerifyCertificate, ChecksWhatTheCurveKeeps) {
  ChangedCertificate changed(ask_for_curve);
  const auto kept = std::stoull(changed.json["facts"]["kept"].get<std::string>());
  ASSERT_TRUE(changed.check().holds());
  const auto with = [&](std::uint64_t parts) {
    ReleaseSpec spec = test::integral_spec(changed.scratch, kVerifiedDomain);
    ask_for_curve(spec);
    PublicFacts facts{.outcomes = 16, .kept = parts};
    const Domain domain = read_domain(changed.scratch.path("domain.yaml"));
    spec.domain.sha256 = domain.hash();
    const std::string text = certificate_text(design_release(spec, facts, domain).certificate);
    return verify_certificate(parse_certificate(text, "it"), "it", domain).holds();
  };
  EXPECT_TRUE(with(kept));
  EXPECT_TRUE(with(kept - 1000));
  EXPECT_TRUE(with(kept + 1000));                          // 2^-52: far below what was left over
  EXPECT_THROW(with(kept + (kept >> 25U)), InvalidInput);  // nearly the same, and not private
  EXPECT_THROW(with(kept - (kept >> 10U)), InvalidInput);  // private, and not what was asked for
  changed.json["facts"]["kept"] = std::to_string(kept + (kept >> 25U));
  EXPECT_FALSE(changed.check().holds());
  changed.json["facts"].erase("kept");
  EXPECT_FALSE([&] {
    try {
      return changed.check().holds();
    } catch (const InvalidInput&) {
      return false;
    }
  }());
}

// Floor and bound are integers in the certificate, and a forged one is refused.
TEST(VerifyCertificate, RefusesForgedFloorsAndBounds) {
  ChangedCertificate changed([](ReleaseSpec& spec) {
    spec.count = 1;
    spec.privacy = ExactPrivacy::pure(Decimal(7.6008));
  });
  ASSERT_TRUE(changed.check().holds());
  const Json genuine = changed.json;
  const ExpBound bound(7.6008);
  EXPECT_EQ(genuine["design"]["bound_integers"]["mantissa"], std::to_string(bound.mantissa()));
  EXPECT_EQ(
      std::ldexp(std::stod(genuine["design"]["floor_integers"]["mantissa"].get<std::string>()),
                 -genuine["design"]["floor_integers"]["shift"].get<int>()),
      genuine["design"]["floor"].get<double>());
  for (const char* part : {"floor_integers", "bound_integers"}) {
    for (const int by : {-1, 1}) {
      changed.json = genuine;
      Json& mantissa = changed.json["design"][part]["mantissa"];
      mantissa = std::to_string(by + std::stoll(mantissa.get<std::string>()));
      EXPECT_FALSE(changed.check().design_matches) << part << by;
    }
    changed.json = genuine;
    changed.json["design"][part]["shift"] = 40;
    EXPECT_FALSE(changed.check().holds()) << part;
  }
}

/// The verification of a certificate of methods gaussian or marginals whose numbers are changed and
/// all else is what follows from them: as another machine, or a forger, would make it.
class RemadeCertificate {
 public:
  RemadeCertificate(ReleaseSpec spec, PublicFacts facts, const char* type)
      : domain_(parse_domain(
            std::string("columns:\n  a: {type: ") + type + "}\n  b: {type: " + type + "}\n",
            "domain.yaml")) {
    spec.method = test::row_method_of(spec.own);
    spec.domain.file = "domain.yaml";
    spec.domain.sha256 = domain_.hash();
    spec.count = 2;
    spec.accept_error = true;
    genuine = Json::parse(certificate_text(design_release(spec, facts, domain_).certificate));
  }

  [[nodiscard]] CertificateCheck after(const std::function<void(Json&)>& change) const {
    Json changed = genuine;
    change(changed);
    const StatedCertificate stated = parse_certificate(changed.dump(), "it");
    const std::string text = certificate_text(stated_release(stated, domain_).certificate);
    return check(Json::parse(text));
  }

  [[nodiscard]] CertificateCheck check(const Json& cert) const {
    return verify_certificate(parse_certificate(cert.dump(), "it"), "it", domain_);
  }

  /// Whether it is found that the guarantee, and nothing else, does not hold.
  [[nodiscard]] bool is_broken_by(const std::function<void(Json&)>& change) const {
    const CertificateCheck check = after(change);
    return check.is_designed && check.design_matches && check.accuracy_matches &&
           !check.guarantee_holds && !check.holds();
  }

  Json genuine;

 private:
  Domain domain_;
};

void add_to_text(Json& number, std::int64_t more) {
  number = std::to_string(std::stoll(number.get<std::string>()) + more);
}

/// Both members that say what is promised.
void promise_epsilon(Json& cert, double times) {
  for (const char* part : {"draw", "privacy"}) {
    cert[part]["epsilon"] = cert[part]["epsilon"].get<double>() * times;
  }
}

RemadeCertificate gaussian_certificate(const ExactPrivacy& privacy, double bound,
                                       std::vector<RealRange> ranges,
                                       const char* type = "number, min: -4, max: 4, null: 0") {
  ReleaseSpec spec;
  spec.own = GaussianSpec{.covariance_bound = bound,
                          .mean_bound = ranges.empty() ? std::optional(3.0) : std::nullopt};
  spec.privacy = privacy;
  return {spec, {.records = 20'000, .mean_ranges = std::move(ranges)}, type};
}

// A search on another processor may end at another radius, epsilon or noise. Its result is read
// from the certificate, and holds if its integers keep the promise.
TEST(VerifyCertificate, TakesTheGaussianDesignThatIsStated) {
  const ExactPrivacy approximate = ExactPrivacy::approximate(Decimal(0.5), Decimal(1e-6));
  for (const double bound : {1.0, 2.5}) {
    const RemadeCertificate made = gaussian_certificate(approximate, bound, {});
    EXPECT_TRUE(made.after([](Json&) {}).holds());
    const auto smaller = [](Json& cert) {
      cert["design"]["lattice_radius"] = cert["design"]["lattice_radius"].get<std::uint64_t>() - 1;
    };
    EXPECT_TRUE(made.after(smaller).holds()) << bound;
    // The last digit of an epsilon that a search ends at, either way: delta has room.
    EXPECT_TRUE(made.after([](Json& cert) { promise_epsilon(cert, 1 - 0x1p-52); }).holds());
    // More than was asked for.
    Json changed = made.genuine;
    promise_epsilon(changed, 0.51 / changed["draw"]["epsilon"].get<double>());
    EXPECT_FALSE(made.check(changed).holds());
  }
  // Not what the integers give: accuracy, words and doubles of the design are looked at too.
  const RemadeCertificate made = gaussian_certificate(approximate, 1, {});
  EXPECT_TRUE(made.check(made.genuine).holds());
  for (const char* place :
       {"/accuracy/clip", "/accuracy/shape", "/accuracy/lattice", "/accuracy/total_variation",
        "/design/clip_radius", "/design/mean_radius"}) {
    Json changed = made.genuine;
    Json& number = changed[Json::json_pointer(place)];
    number = number.get<double>() * 0.999 + 1e-9;
    const CertificateCheck check = made.check(changed);
    EXPECT_FALSE(check.holds()) << place;
    EXPECT_TRUE(check.guarantee_holds) << place;
  }
}

TEST(VerifyCertificate, RefusesGaussianIntegersThatGiveMoreThanIsPromised) {
  const ExactPrivacy pure = ExactPrivacy::pure(Decimal(0.5));
  const ExactPrivacy approximate = ExactPrivacy::approximate(Decimal(0.5), Decimal(1e-6));
  const ExactPrivacy concentrated = ExactPrivacy::concentrated(Decimal(0.05));
  for (const ExactPrivacy& privacy : {pure, approximate, concentrated}) {
    for (const double bound : {1.0, 2.5}) {
      if (bound > 1 && privacy.notion == PrivacyNotion::kPure) continue;
      const RemadeCertificate made = gaussian_certificate(privacy, bound, {});
      EXPECT_TRUE(made.after([](Json&) {}).holds());
      // A cell more at a ten-thousandth, as far as accuracy goes along with it.
      EXPECT_TRUE(made.is_broken_by([](Json& cert) {
        Json& radius = cert["design"]["lattice_radius"];
        radius = radius.get<std::uint64_t>() + 1 + radius.get<std::uint64_t>() / 10'000;
      }));
      if (privacy.notion == PrivacyNotion::kConcentrated) {
        EXPECT_TRUE(made.is_broken_by([](Json& cert) {
          for (const char* part : {"draw", "privacy"}) {
            cert[part]["rho"] = cert[part]["rho"].get<double>() * (1 - 0x1p-50);
          }
        }));
      } else {
        EXPECT_TRUE(made.is_broken_by([](Json& cert) { promise_epsilon(cert, 0.9999); }));
      }
    }
  }
}

TEST(VerifyCertificate, RefusesACentreThatSpendsMoreThanIsPromised) {
  const std::vector<RealRange> ranges = {{-4, 4}, {-4, 4}};
  const auto rate_up = [](Json& cert) {
    add_to_text(
        cert["design"]["centre"]["rate"]["numerator"],
        1 + std::stoll(cert["design"]["centre"]["rate"]["numerator"].get<std::string>()) / 1000);
  };
  for (const ExactPrivacy& privacy :
       {ExactPrivacy::pure(Decimal(0.5)), ExactPrivacy::concentrated(Decimal(0.05)),
        ExactPrivacy::approximate(Decimal(0.5), Decimal(1e-6))}) {
    const RemadeCertificate made = gaussian_certificate(privacy, 1, ranges);
    EXPECT_TRUE(made.after([](Json&) {}).holds());
    EXPECT_TRUE(made.is_broken_by(rate_up));
  }
  // Wide ranges: a histogram finds the centre's cell first.
  const RemadeCertificate made = gaussian_certificate(
      ExactPrivacy::approximate(Decimal(0.5), Decimal(1e-6)), 1, {{-1e12, 1e12}, {-1e12, 1e12}},
      "number, min: -1000000000000, max: 1000000000000, null: 0");
  EXPECT_TRUE(made.after([](Json&) {}).holds());
  ASSERT_FALSE(made.genuine["design"]["centre"]["histogram"].is_null());
  EXPECT_TRUE(made.is_broken_by(rate_up));
  for (const char* part : {"epsilon", "delta"}) {
    const auto spend_more = [&](Json& cert) {
      Json& spent = cert["design"]["centre"]["histogram"][part];
      spent = spent.get<double>() * 1.001;
    };
    EXPECT_TRUE(made.is_broken_by(spend_more)) << part;
  }
  // A threshold below what its delta allows is of no histogram.
  const auto lower = [](Json& cert) {
    add_to_text(cert["design"]["centre"]["histogram"]["threshold"], -2);
  };
  EXPECT_THROW(static_cast<void>(made.after(lower)), InvalidInput);
  Json changed = made.genuine;
  lower(changed);
  EXPECT_FALSE(made.check(changed).holds());
}

// Of marginals and a shared Gaussian the square of mu that all steps spend is stated; noise follows
// from it. A last digit more is within delta's room; a thousandth more is not.
TEST(ParseCertificate, RefusesNumbersOfRecordsThatNoTableHas) {
  ReleaseSpec spec;
  spec.own = MarginalsSpec{};
  spec.privacy = ExactPrivacy::approximate(Decimal(0.5), Decimal(1e-6));
  const RemadeCertificate made(spec, {.records = 20'000}, "integer, min: 0, max: 6");
  for (const std::uint64_t records : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    Json changed = made.genuine;
    changed["facts"]["records"] = records;
    EXPECT_THAT(test::refusal_of([&] { static_cast<void>(made.check(changed)); }),
                testing::HasSubstr("from 1 to 1099511627776 records at /facts/records"));
  }
}

TEST(VerifyCertificate, TakesTheAmountThatStepsSpendAsStated) {
  const auto add_amount = [](std::int64_t more) {
    return [more](Json& cert) { add_to_text(cert["facts"]["amount"]["mantissa"], more); };
  };
  constexpr std::int64_t kThousandth = std::int64_t{1} << 43;
  for (const bool shared : {false, true}) {
    ReleaseSpec spec;
    if (shared) {
      spec.own = GaussianSpec{};
    } else {
      spec.own = MarginalsSpec{};
    }
    spec.privacy = ExactPrivacy::approximate(Decimal(0.5), Decimal(1e-6));
    const RemadeCertificate made(
        spec, {.records = 20'000},
        shared ? "number, min: -4, max: 4, null: 0" : "integer, min: 0, max: 6");
    EXPECT_TRUE(made.after([](Json&) {}).holds());
    EXPECT_TRUE(made.after(add_amount(-9)).holds());
    EXPECT_TRUE(made.after(add_amount(9)).holds());
    EXPECT_TRUE(made.is_broken_by(add_amount(kThousandth)));
    // Noise for a tenth of the budget is no design for it.
    EXPECT_THROW(static_cast<void>(made.after([](Json& cert) {
                   Json& shift = cert["facts"]["amount"]["shift"];
                   shift = shift.get<int>() + 3;
                 })),
                 InvalidInput);
    // Other noise than follows.
    Json changed = made.genuine;
    Json& noise = shared ? changed["design"]["rounds"][3]["variance"]["numerator"]
                         : changed["design"]["column_variance"]["numerator"];
    add_to_text(noise, -1);
    EXPECT_FALSE(made.check(changed).design_matches);
    // Less promised than was asked for.
    changed = made.genuine;
    promise_epsilon(changed, 0.999);
    EXPECT_FALSE(made.check(changed).holds());
    EXPECT_THROW(static_cast<void>(parse_certificate(
                     [&] {
                       Json bad = made.genuine;
                       bad["facts"]["amount"]["mantissa"] = "0";
                       return bad.dump();
                     }(),
                     "it")),
                 InvalidInput);
  }
}

TEST(VerifyCertificate, SaysWhichPromiseIsNotTheOneThatFollows) {
  ChangedCertificate changed([](ReleaseSpec&) {});
  const Json genuine = changed.json;
  changed.json["privacy"]["epsilon"] = 0.9;
  EXPECT_FALSE(changed.check().total_holds);
  EXPECT_TRUE(changed.check().guarantee_holds);
  changed.json = genuine;
  changed.json["draw"]["epsilon"] = 0.3;
  EXPECT_FALSE(changed.check().guarantee_holds);
  EXPECT_TRUE(changed.check().total_holds);
  changed.json = genuine;
  changed.json["mechanism"] = "relative";
  EXPECT_FALSE(changed.check().design_matches);
}

TEST(VerifyCertificate, IsNotCheckedWithAnotherDomain) {
  const ChangedCertificate changed([](ReleaseSpec&) {});
  const std::string other = changed.scratch.write(
      "other.yaml", "columns:\n  a: {type: integer, min: 0, max: 15, null: 0}\n");
  const CertificateCheck check =
      verify_certificate(parse_certificate(changed.json.dump(), "it"), "it", read_domain(other));
  EXPECT_STREQ(check.verdict(), "not checked: this is not the release's domain");
  EXPECT_FALSE(check.holds());
  EXPECT_FALSE(check.is_designed);
  ChangedCertificate forged([](ReleaseSpec&) {});
  forged.json["facts"]["k"] = 15;
  EXPECT_STREQ(forged.check().verdict(), "DOES NOT HOLD");
}

TEST(VerifyCertificate, ComparesAListOfCandidates) {
  ChangedCertificate changed([](ReleaseSpec& spec) {
    auto& space = test::local_of(spec).space;
    space.kind = SpaceKind::kCandidates;
    space.candidates = 3;
  });
  const Domain domain = read_domain(changed.scratch.path("domain.yaml"));
  const Candidates list = Candidates::seeded(domain, 3);
  changed.known.list = list;
  EXPECT_EQ(changed.check().list_matches, true);
  // Another record in the last place.
  std::vector<std::uint32_t> digits(list.digits().begin(), list.digits().end());
  digits.back() = (digits.back() + 1) % 16;
  changed.known.list = Candidates::of(domain, digits);
  EXPECT_EQ(changed.check().list_matches, false);
  EXPECT_FALSE(changed.check().holds());
}

std::string refusal_after(const std::function<void(Json&)>& change) {
  ChangedCertificate changed([&](ReleaseSpec& spec) {
    spec.method = Method::kLocal;
    spec.unit = "id";
  });
  change(changed.json);
  try {
    static_cast<void>(parse_certificate(changed.json.dump(), "it"));
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ParseCertificate, RefusesByNameWhatNoReleaseHas) {
  EXPECT_EQ(refusal_after([](Json&) {}), "accepted");
  for (const std::uint64_t units : {std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()}) {
    EXPECT_EQ(refusal_after([&](Json& made) { made["facts"]["units"] = units; }),
              "it must have from 1 to 4294967295 units at /facts/units");
  }
  for (const char* digest : {"", "abc", "0123456789abcdef", "\u200b"}) {
    EXPECT_EQ(refusal_after([&](Json& made) {
                made["spec"]["roster"] = {{"file", "units.csv"}, {"sha256", digest}};
              }),
              "it must have a SHA-256, 64 hexadecimal digits, at /spec/roster/sha256");
  }
  for (const char* version : {"", "0.1.0\u200b", "0.1\n", "0.1 0"}) {
    EXPECT_EQ(
        refusal_after([&](Json& made) { made["version"] = version; }),
        "it must have a version of letters, digits, points, plus and minus signs at /version");
  }
  for (const Json& outcomes : {Json(120.9), Json(-1), Json(1e300)}) {
    EXPECT_EQ(refusal_after([&](Json& made) { made["facts"]["k"] = outcomes; }),
              "it must have a whole number at /facts/k");
  }
  // Cast to 32 bits this is outcome 1.
  EXPECT_EQ(refusal_after([](Json& made) {
              made["facts"]["reference"] = {{(std::uint64_t{1} << 32U) + 1, 1}};
            }),
            "it must have pairs of an outcome and a number of records at /facts/reference");
}

}  // namespace
}  // namespace mollify
