#include "front/message.h"

#include <string>

namespace mollify::front {

std::vector<Message> outward(const std::vector<::mollify::Message>& messages) {
  std::vector<Message> all;
  for (const ::mollify::Message& one : messages) {
    all.push_back({std::string(one.code.name), std::string(name_of(one.severity)), one.text(),
                   one.remedy.all()});
  }
  return all;
}

}  // namespace mollify::front
