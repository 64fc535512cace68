#include "base/message.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/speech.h"

namespace mollify {

namespace {

/// The clauses after the verdict and its reason.
std::vector<std::string> rest_of(const Message& message) {
  std::vector<std::string> rest = message.clauses;
  if (!message.remedy.ways_out.empty()) {
    rest.push_back(words_of(message.remedy.ways_out) + " would do");
  }
  rest.insert(rest.end(), message.remedy.others.begin(), message.remedy.others.end());
  return rest;
}

}  // namespace

std::string Remedy::words() const {
  std::string text = ways_out.empty() ? "" : words_of(ways_out) + " would do";
  for (const std::string& one : others) text += (text.empty() ? "" : "; ") + one;
  return text;
}

std::string Message::text() const {
  std::string sentence = reason.empty() ? verdict : fmt::format("{}: {}", verdict, reason);
  for (const std::string& clause : rest_of(*this)) sentence += "; " + clause;
  return sentence;
}

std::string Message::brief() const {
  const std::vector<std::string> rest = rest_of(*this);
  return rest.empty() ? verdict : fmt::format("{}; {}", verdict, rest.front());
}

Json Message::json() const {
  Json ways = Json::array();
  for (const WayOut& way : remedy.ways_out) {
    ways.push_back(
        {{"action", action_name(way)}, {"part", part_name(way)}, {"value", value_name(way)}});
  }
  return {{"code", code.name},
          {"severity", name_of(severity)},
          {"text", text()},
          {"ways_out", std::move(ways)}};
}

std::string_view name_of(Severity severity) noexcept {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kNoise:
      return "noise";
  }
  return "";
}

Json json_of(std::span<const Message> messages) {
  Json list = Json::array();
  for (const Message& message : messages) list.push_back(message.json());
  return list;
}

void add_message(std::vector<Message>& messages, Message message) {
  const bool is_known = std::any_of(messages.begin(), messages.end(), [&](const Message& one) {
    return one.code == message.code && one.text() == message.text();
  });
  if (!is_known) messages.push_back(std::move(message));
}

void add_messages(std::vector<Message>& messages, std::vector<Message> more) {
  for (Message& message : more) add_message(messages, std::move(message));
}

}  // namespace mollify
