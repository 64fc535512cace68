#include "formats/ledger.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "formats/scratch.h"
#include "mollify/privacy.h"
#include "refusal.h"

namespace mollify::front {

namespace inside = ::mollify;

namespace {

/// As a release does.
void charge(const std::string& path, const std::string& epsilon) {
  inside::LedgerFile(path, inside::LedgerFile::Opening::kExisting)
      .charge({.data_set = "people",
               .scope = inside::ProtectionScope::row(),
               .cost = inside::ExactPrivacy::pure(inside::Decimal::parse(epsilon, "epsilon")),
               .method = "central",
               .mechanism = "ds-roo",
               .count = 10,
               .certificate_sha256 = "abc",
               .without_total = true});
}

TEST(FrontLedger, BalancesInNumbersAsTheyWereTyped) {
  const inside::test::Scratch scratch;
  const std::string path = scratch.path("ledger");
  Ledger ledger(path);
  EXPECT_EQ(ledger.balance("people").releases, 0U);
  ledger.declare("people", Privacy::pure(1.0));
  // Ten times 0.1 are 1, although not in doubles.
  for (int i = 0; i < 9; ++i) charge(path, "0.1");
  const LedgerBalance balance = ledger.balance("people");
  EXPECT_EQ(balance.releases, 9U);
  EXPECT_EQ(balance.scope, "row");
  EXPECT_EQ(balance.total, Privacy::pure(1));
  EXPECT_EQ(balance.spent, Privacy::pure(0.9));
  EXPECT_EQ(balance.remaining, Privacy::pure(0.1));
  charge(path, "0.1");
  EXPECT_EQ(ledger.balance("people").remaining, Privacy::pure(0));
  EXPECT_NE(test::refusal_of([&] { charge(path, "0.1"); }), "accepted");
}

TEST(FrontLedger, ChargesDrawsThatNoReleaseMakes) {
  const inside::test::Scratch scratch;
  Ledger ledger(scratch.path("ledger"));
  const auto drawn = [&](double epsilon, const std::string& scope) {
    return test::refusal_of(
        [&] { ledger.charge("people", Privacy::pure(epsilon), scope, "relative", 3); });
  };
  EXPECT_NE(drawn(0.1, "row"), "accepted") << "there is no total";
  ledger.declare("people", Privacy::pure(0.5), "row");
  EXPECT_EQ(drawn(0.3, "row"), "accepted");
  EXPECT_EQ(drawn(0.1, "table"), "accepted") << "which protects more";
  EXPECT_NE(drawn(0.2, "row"), "accepted") << "0.1 is left";
  EXPECT_NE(drawn(0.1, "everybody"), "accepted");
  EXPECT_EQ(ledger.balance("people").remaining, Privacy::pure(0.1));
}

TEST(FrontLedger, KnowsEveryDataSet) {
  const inside::test::Scratch scratch;
  const std::string path = scratch.path("ledger");
  Ledger ledger(path);
  ledger.declare("visits", Privacy::approximate(2, 1e-6), "unit=person");
  charge(path, "0.5");
  ASSERT_EQ(ledger.balances().size(), 2U);
  const LedgerBalance visits = Ledger::existing(path).balance("visits");
  EXPECT_EQ(visits.total, Privacy::approximate(2, 1e-6));
  EXPECT_EQ(visits.scope, "unit=person");
  const LedgerBalance people = ledger.balance("people");
  EXPECT_FALSE(people.total);
  EXPECT_FALSE(people.remaining);
  EXPECT_EQ(people.spent, Privacy::pure(0.5));
  const auto entries = nlohmann::json::parse(ledger.history("people"));
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0]["cost"]["epsilon"], "0.5");
  EXPECT_EQ(entries[0]["kind"], "release");
  EXPECT_EQ(test::refusal_of([&] { (void)ledger.history("nobody"); }),
            "the ledger has no data set named \"nobody\"");
}

TEST(FrontLedger, RefusesInOneSentence) {
  const inside::test::Scratch scratch;
  EXPECT_NE(test::refusal_of([&] { (void)Ledger::existing(scratch.path("none")); }), "accepted");
  Ledger ledger(scratch.path("ledger"));
  EXPECT_EQ(test::refusal_of([&] { ledger.declare("people", Privacy::pure(1), "everybody"); }),
            "scope must be row, unit=COLUMN or table, but is \"everybody\"");
  EXPECT_NE(test::refusal_of([&] { ledger.declare("people", Privacy::pure(-1)); }), "accepted");
  EXPECT_NE(test::refusal_of([&] { ledger.declare("people", Privacy::gaussian(1)); }), "accepted");
  ledger.declare("people", Privacy::pure(1));
  EXPECT_NE(test::refusal_of([&] { ledger.declare("people", Privacy::pure(2)); }), "accepted");
  ledger.declare("people", Privacy::pure(2), "row", true);
  EXPECT_EQ(ledger.balance("people").total, Privacy::pure(2));
}

}  // namespace
}  // namespace mollify::front
