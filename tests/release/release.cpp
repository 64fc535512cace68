// The order in which a release is made, and that it does not matter where its records come from.
#include "release/release.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "core/invalid_input.h"
#include "core/table.h"
#include "formats/arrow.h"
#include "formats/domain_yaml.h"
#include "kernel/search.h"
#include "methods/central/method.h"
#include "methods/gaussian/method.h"
#include "methods/local/release.h"
#include "methods/local/space.h"
#include "records/private_table.h"
#include "records/source.h"
#include "release/prepared.h"

namespace mollify {
namespace {

using test::Scratch;

constexpr const char* kFiniteDomain =
    "columns:\n"
    "  a: {type: categorical, values: [x, y], null: x}\n"
    "  b: {type: boolean, null: false}\n";
constexpr const char* kNumericDomain =
    "columns:\n"
    "  a: {type: number, min: 0, max: 10, null: 0}\n"
    "  b: {type: number, min: 0, max: 10, null: 0}\n";
constexpr int kRows = 4000;

/// Every kind of release there is, of data.csv of either domain: 4000 rows of 2000 units.
std::vector<ReleaseSpec> every_release(const Scratch& scratch) {
  std::string finite = "id,a,b\n";
  std::string numeric = "id,a,b\n";
  for (int row = 0; row < kRows; ++row) {
    const std::string id = std::to_string(row / 2) + ",";
    finite += id + (row % 3 == 0 ? "y," : "x,") + (row % 5 == 0 ? "true\n" : "false\n");
    numeric += id + std::to_string(row % 10) + "," + std::to_string(row % 7) + "\n";
  }
  scratch.write("finite.csv", finite);
  scratch.write("numeric.csv", numeric);
  const auto spec = [&](const char* name, const char* domain, Method method, UnitColumns unit,
                        auto own, ExactPrivacy privacy) {
    ReleaseSpec made;
    made.domain.file = scratch.write(name + std::string(".yaml"), domain);
    made.method = method;
    made.unit = std::move(unit);
    made.count = method == Method::kLocal ? 1 : 50;
    made.own = std::move(own);
    made.privacy = privacy;
    made.accept_error = kRowMethods.has(method);
    return made;
  };
  const ExactPrivacy pure = ExactPrivacy::pure(Decimal(20));
  const GaussianSpec gaussian{.covariance_bound = 1, .mean_bound = 20};
  LocalSpec scored;
  scored.space.scorer = ScorerKind::kKernel;
  scored.space.kind = SpaceKind::kCategories;
  scored.mechanism = Mechanism::kRelative;
  LocalSpec fresh;
  fresh.space.candidates = 30;
  fresh.space.fresh = true;
  return {spec("finite", kFiniteDomain, Method::kIntegral, UnitColumns(), LocalSpec(), pure),
          spec("finite", kFiniteDomain, Method::kLocal, "id", LocalSpec(), pure),
          spec("finite", kFiniteDomain, Method::kLocal, "id", scored, pure),
          spec("finite", kFiniteDomain, Method::kLocal, "id", fresh, pure),
          spec("finite", kFiniteDomain, Method::kCentral, UnitColumns(), CentralSpec(), pure),
          spec("finite", kFiniteDomain, Method::kCentral, "id", CentralSpec(), pure),
          spec("numeric", kNumericDomain, Method::kGaussian, UnitColumns(), gaussian, pure),
          spec("numeric", kNumericDomain, Method::kGaussian, "id", gaussian, pure)};
}

std::string data_of(const Scratch& scratch, const ReleaseSpec& spec) {
  return scratch.path(spec.own.get<GaussianSpec>() != nullptr ? "numeric.csv" : "finite.csv");
}

std::unique_ptr<const PreparedRelease> ready(const ReleaseSpec& spec, const Source& data) {
  return prepare(spec, PublicFiles(), public_count(spec, data));
}

/// Keeps the order in which it, and the sink next to it, are called.
class Witness final : public Ledger {
 public:
  explicit Witness(bool refuses) : refuses_(refuses) {}
  ChargeReceipt charge(const ReleaseCharge& release) override {
    said += "charged " + release.method + " ";
    charged = release;
    if (refuses_) throw InvalidInput("budget-exceeded", "the total is passed");
    return {};
  }
  std::string said{};
  ReleaseCharge charged{};

 private:
  bool refuses_;
};

class WitnessSink final : public Sink {
 public:
  explicit WitnessSink(Witness& witness) : witness_(witness) {}
  void begin(const Schema&) override { witness_.said += "begun "; }
  void write(const Block&) override {
    if (!witness_.said.ends_with("written ")) witness_.said += "written ";
  }

 private:
  Witness& witness_;
};

TEST(Release, ChargesDrawsAndCertifiesInThisOrder) {
  const Scratch scratch;
  for (const ReleaseSpec& spec : every_release(scratch)) {
    const CsvSource data(data_of(scratch, spec));
    const auto prepared = ready(spec, data);
    Witness witness(false);
    WitnessSink sink(witness);
    const Released released = release(*prepared, data, sink, Charging{witness, "people"});
    const std::string method(name_of(spec.method));
    EXPECT_EQ(witness.said, "charged " + method + " begun written ");
    EXPECT_EQ(released.certificate, certificate_text(prepared->certificate()));
    EXPECT_EQ(released.model, "");
    EXPECT_EQ(witness.charged.data_set, "people");
    EXPECT_EQ(witness.charged.scope, spec.scope());
    EXPECT_LE(witness.charged.cost.epsilon, spec.privacy.epsilon);
  }
}

TEST(Release, LeavesNothingOfWhatIsNotCharged) {
  const Scratch scratch;
  for (const ReleaseSpec& spec : every_release(scratch)) {
    const CsvSource data(data_of(scratch, spec));
    const auto prepared = ready(spec, data);
    Witness witness(true);
    WitnessSink sink(witness);
    EXPECT_THROW(static_cast<void>(release(*prepared, data, sink, Charging{witness, "people"})),
                 InvalidInput);
    EXPECT_EQ(witness.said, "charged " + std::string(name_of(spec.method)) + " ");
  }
}

// A release by sums is charged as any other, before any sum is asked for.
TEST(Release, BySumsIsChargedBeforeAnythingIsSummed) {
  const Scratch scratch;
  int tried = 0;
  for (const ReleaseSpec& spec : every_release(scratch)) {
    const auto prepared = ready(spec, CsvSource(data_of(scratch, spec)));
    if (spec.unit || dynamic_cast<const SummedRelease*>(prepared.get()) == nullptr) continue;
    ++tried;
    for (const bool refuses : {false, true}) {
      Witness witness(refuses);
      WitnessSink sink(witness);
      const auto released = [&] {
        static_cast<void>(release_by_sums(
            *prepared,
            [&](const std::string&) {
              witness.said += "summed ";
              return std::vector<std::int64_t>();
            },
            sink, Charging{witness, "people"}));
      };
      if (refuses) {
        EXPECT_THROW(released(), InvalidInput);
        EXPECT_EQ(witness.said, fmt::format("charged {} ", name_of(spec.method)));
        continue;
      }
      released();
      EXPECT_TRUE(
          witness.said.starts_with(fmt::format("charged {} begun summed ", name_of(spec.method))))
          << witness.said;
      EXPECT_TRUE(witness.said.ends_with("summed written ")) << witness.said;
      EXPECT_EQ(witness.charged.data_set, "people");
      EXPECT_EQ(witness.charged.scope, spec.scope());
      EXPECT_EQ(witness.charged.cost.epsilon, prepared->cost().epsilon);
    }
  }
  EXPECT_EQ(tried, 1);
}

#ifdef __x86_64__
/// From here on the operating system gives no entropy: the first random word ends the program.
void refuse_entropy() {
  std::array<sock_filter, 4> program = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(SYS_getrandom), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(EIO)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    std::exit(0);
  }
}

[[noreturn]] void release_without_entropy(const Scratch& scratch, const ReleaseSpec& spec,
                                          bool refuses) {
  refuse_entropy();
  const CsvSource data(data_of(scratch, spec));
  const auto prepared = ready(spec, data);
  Witness witness(refuses);
  WitnessSink sink(witness);
  try {
    static_cast<void>(release(*prepared, data, sink, Charging{witness, "people"}));
  } catch (const InvalidInput&) {
    std::exit(7);
  }
  std::exit(0);
}

// If the charge is refused nothing ends the program, so no word had been asked for; where it is
// not, the same release ends it.
TEST(ReleaseDeathTest, DrawsNoRandomWordBeforeTheCharge) {
  const Scratch scratch;
  for (const ReleaseSpec& spec : every_release(scratch)) {
    EXPECT_EXIT(release_without_entropy(scratch, spec, true), ::testing::ExitedWithCode(7), "");
    EXPECT_EXIT(release_without_entropy(scratch, spec, false), ::testing::KilledBySignal(SIGABRT),
                "gives no entropy");
  }
}
#endif

/// Writes all of a source to a sink, as texts.
void copy(const Source& source, Sink& sink) {
  Schema schema;
  std::vector<std::size_t> all;
  for (const std::string& name : source.columns()) {
    all.push_back(schema.size());
    schema.push_back({.name = name});
  }
  sink.begin(schema);
  source.visit(all, [&](const Block& block) { sink.write(block); });
}

/// The values of a source in memory, and through an Arrow stream.
class Copies {
 public:
  explicit Copies(const Source& source) {
    copy(source, kept_);
    std::vector<Values> columns;
    for (std::size_t i = 0; i < source.columns().size(); ++i) columns.push_back(kept_.column(i));
    memory_.emplace(source.columns(), std::move(columns));
    ArrowSink sink;
    copy(source, sink);
    ArrowArrayStream stream{};
    sink.export_to(&stream);
    arrow_.emplace(&stream);
  }
  [[nodiscard]] std::array<const Source*, 2> sources() const { return {&*memory_, &*arrow_}; }

 private:
  MemorySink kept_;
  std::optional<MemorySource> memory_;
  std::optional<ArrowSource> arrow_;
};

TEST(Release, HasOneCertificateWhereverItsRecordsCome) {
  const Scratch scratch;
  for (const ReleaseSpec& spec : every_release(scratch)) {
    const CsvSource file(data_of(scratch, spec));
    const Copies copies(file);
    for (const Source* source : copies.sources()) {
      EXPECT_EQ(certificate_text(ready(spec, file)->certificate()),
                certificate_text(ready(spec, *source)->certificate()));
    }
  }
}

// The estimate decides the law, to the integer.
TEST(Release, HasOneLawWhereverItsRecordsCome) {
  const Scratch scratch;
  for (const ReleaseSpec& spec : every_release(scratch)) {
    if (spec.own.get<LocalSpec>() == nullptr || spec.own.get<LocalSpec>()->space.fresh) continue;
    const CsvSource file(data_of(scratch, spec));
    const Copies copies(file);
    const auto prepared = prepare_local(spec, PublicFiles());
    SecureRandom random;
    // By scores units come in no order, so laws are counted.
    const auto laws_of = [&](const Source& source) {
      const UnitEstimates units(*prepared, source, random);
      std::vector<float> masses(prepared->space().size());
      Table table(*prepared->sampler().band());
      std::map<std::vector<std::uint64_t>, int> laws;
      for (std::size_t unit = 0; unit < units.size(); ++unit) {
        units.masses(unit, masses);
        project(table, masses);
        ++laws[{table.numerators().begin(), table.numerators().end()}];
      }
      return laws;
    };
    const auto laws = laws_of(file);
    EXPECT_FALSE(laws.empty());
    for (const Source* source : copies.sources()) EXPECT_EQ(laws_of(*source), laws);
  }
  // Central samplers draw from the outcomes and the points themselves.
  const Domain finite = read_domain(scratch.path("finite.yaml"));
  const CsvSource file(scratch.path("finite.csv"));
  const Copies copies(file);
  for (const Source* source : copies.sources()) {
    EXPECT_EQ(read_outcomes(file, finite), read_outcomes(*source, finite));
  }
  const Domain numeric = read_domain(scratch.path("numeric.yaml"));
  const RealColumns columns(numeric);
  const CsvSource numbers(scratch.path("numeric.csv"));
  const Copies same(numbers);
  const auto rows = [&](const Source& source) {
    std::vector<double> all;
    NumericRows(source, columns).visit([&](std::span<const double> block) {
      all.insert(all.end(), block.begin(), block.end());
    });
    return all;
  };
  for (const Source* source : same.sources()) EXPECT_EQ(rows(numbers), rows(*source));
}

}  // namespace
}  // namespace mollify
