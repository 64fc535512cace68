#include "front/message.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/speech.h"
#include "mollify/program.h"

namespace mollify::front {

namespace inside = ::mollify;

std::vector<Message> outward(const std::vector<::mollify::Message>& messages) {
  std::vector<Message> all;
  for (const ::mollify::Message& one : messages) {
    all.push_back({std::string(one.code.name), std::string(name_of(one.severity)), one.text(),
                   one.remedy.all(), one.quantities});
  }
  return all;
}

std::string messages_json(const std::vector<Message>& messages) {
  inside::Json list = inside::Json::array();
  for (const Message& one : messages) {
    list.push_back({{"code", one.code},
                    {"severity", one.severity},
                    {"text", one.text},
                    {"quantities", inside::json_of(one.quantities)},
                    {"ways_out", inside::json_of(one.ways_out)}});
  }
  return list.dump(-1, ' ', false, inside::Json::error_handler_t::replace);
}

InvalidInput placed(const InvalidInput& refused) {
  using Action = WayOut::Action;
  const std::vector<Quantity> quantities = inside::shown_quantities(refused);
  Concern concern(inside::parameter_name_of(refused.parameter()));
  concern.column = refused.column();
  concern.file = refused.file();
  concern.line = refused.line();
  std::vector<WayOut> ways = refused.ways_out();
  if (ways.empty() && !refused.file().empty() && !refused.parameter().empty())
    ways.push_back(WayOut::set(refused.parameter()));
  for (WayOut& way : ways) {
    if (way.action != Action::kSet && way.action != Action::kAdd && way.action != Action::kLeave)
      continue;
    way = {way.action == Action::kLeave ? Action::kLeave : Action::kSet, inside::part_name(way),
           std::string(inside::value_name(way))};
  }
  inside::speak_of({});  // "units" is the place of a key now, and no flag with another place
  return {refused.code(), refused.what(), std::move(concern), std::move(ways), quantities};
}

std::string refusal_json(const InvalidInput& refused) {
  return inside::json_of(refused).dump(-1, ' ', false, inside::Json::error_handler_t::replace);
}

}  // namespace mollify::front
