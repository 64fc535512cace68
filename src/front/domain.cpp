#include "front/domain.h"

#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "base/refusal.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "formats/domain_yaml.h"
#include "formats/draft_domain.h"
#include "formats/public_files.h"
#include "front/message.h"
#include "front/privacy.h"

namespace mollify::front {

Setting::Setting(double value) : form_(Form::kNumber), text_(fmt::format("{}", value)) {}

class Setting::Inside {
 public:
  static inside::Setting of(std::string_view key, const Setting& setting) {
    const bool is_word = (key == "null" && setting.text_ == "category") ||
                         (key == "outside" && setting.text_ == "clip");
    inside::Setting made{.quoted = setting.form_ == Form::kText && !is_word, .text = setting.text_};
    if (setting.form_ == Form::kValue) made.quoted = true;
    if (setting.form_ == Form::kNull) made = {.null = true, .text = "null"};
    if (setting.form_ != Form::kList && setting.form_ != Form::kLabels) return made;
    made = {.kind = setting.form_ == Form::kList ? inside::Setting::Kind::kSequence
                                                 : inside::Setting::Kind::kMapping};
    for (const Setting& item : setting.items_) made.items.push_back(of({}, item));
    return made;
  }
};

Column Column::declare(const std::string& name, const Settings& settings) {
  inside::Setting mapping{.kind = inside::Setting::Kind::kMapping};
  for (const auto& [key, setting] : settings) {
    mapping.items.push_back(inside::Setting::value(key));
    mapping.items.push_back(Setting::Inside::of(key, setting));
  }
  return Column(std::make_shared<const Inside>(inside::Column::declare(name, mapping)));
}

const std::string& Column::name() const noexcept { return inside_->column.name(); }
std::uint32_t Column::size() const noexcept { return inside_->column.size(); }

Domain outward(inside::Domain domain) {
  return Domain(std::make_shared<const Domain::Inside>(std::move(domain)));
}

std::string with_domain(std::string_view json, const Domain& domain, const std::string& name) {
  inside::require_json(json, name);
  inside::Json object = inside::Json::parse(json);
  if (!object.is_object()) return std::string(json);
  if (object.contains("domain")) {
    refuse_input("superfluous-parameter", "domain", {WayOut::leave("domain")},
                 "{} must name no domain where one is given, but it names one", name);
  }
  object["domain"] = {{"text", domain.yaml()}};
  return object.dump();
}

Domain Domain::make(const std::vector<Column>& columns, std::uint64_t seed) {
  std::vector<inside::Column> inner;
  inner.reserve(columns.size());
  for (const Column& column : columns) inner.push_back(column.inside().column);
  return outward(inside::Domain::make(std::move(inner), seed));
}

DomainDraft draft_domain(const std::string& public_csv, const std::vector<std::string>& columns,
                         const std::vector<std::string>& excluded,
                         std::optional<std::string_view> text,
                         const std::vector<std::pair<std::string, std::string>>& unread,
                         const OrderedWords& words) {
  inside::require_some_columns(columns, excluded);
  inside::DomainDraft draft =
      inside::draft_domain(public_csv, columns, excluded, text, unread, words);
  std::string yaml = draft.yaml();
  return {outward(std::move(draft.domain)), std::move(draft.notes), std::move(yaml),
          std::move(draft.seen)};
}

Domain Domain::read(const std::string& path) { return outward(inside::read_domain(path)); }

Domain Domain::parse(std::string_view yaml, const std::string& name) {
  return outward(inside::parse_domain(yaml, name));
}

std::string Domain::yaml() const { return inside::domain_yaml(inside_->domain); }
std::string Domain::json() const { return inside::domain_json(inside_->domain); }
std::string Domain::rules_for_validate() const {
  return inside::rules_for_validate(inside_->domain);
}
std::string Domain::hash() const { return inside_->domain.hash(); }
std::vector<std::string> Domain::column_names() const { return inside_->domain.names(); }

std::vector<Message> Domain::warnings() const { return outward(inside_->domain.warnings()); }
double Domain::outcome_count() const {
  const inside::Domain& domain = inside_->domain;
  return domain.possible() != nullptr && domain.is_enumerable() ? domain.size() : domain.product();
}
bool Domain::is_enumerable() const noexcept { return inside_->domain.is_enumerable(); }

std::uint32_t Domain::encode(std::span<const std::string_view> fields) const {
  inside_->domain.require_enumerable("an outcome");
  return inside_->domain.encode(fields);
}

std::vector<std::string> Domain::decode(std::uint32_t outcome) const {
  inside_->domain.require_enumerable("an outcome");
  refuse_outside(
      {.least = 0, .most = static_cast<double>(inside_->domain.size()), .is_open_above = true},
      outcome, "outcome", "an outcome must be below {}, but is {}", inside_->domain.size(),
      outcome);
  std::vector<std::string> fields;
  inside_->domain.decode(outcome, entropy(), fields);
  return fields;
}

bool operator==(const Domain& left, const Domain& right) {
  return left.inside_->domain == right.inside_->domain;
}

}  // namespace mollify::front
