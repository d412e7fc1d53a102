// What the files of the routes share.
#pragma once

#include "daemon/api.h"
#include "wire/api_fields.h"

namespace sluice {

template <class T>
void Api::answer(const Call& call, const T& value) {
  std::string body = to_json(value);
  body += '\n';
  call.reply->send(200, "application/json", std::move(body));
}

// "a,b" of a query; nothing for "".
std::vector<std::string> words_of(const std::string& list);
// "12,13_[1,3]" is two words.
std::vector<std::string> words_outside_brackets(const std::string& list);
Result<QueueFilter> filter_of(const HttpRequest& request);

inline constexpr const char* kInvalidJobText = "Invalid job id specified";

}  // namespace sluice
