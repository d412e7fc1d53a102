// Targets of requests from what was typed: "/v1/queue?user=ann&state=R".
#pragma once

#include <string>
#include <string_view>

#include "wire/http.h"

namespace sluice {

class Target {
 public:
  explicit Target(std::string path) : text_(std::move(path)) {}
  Target& with(std::string_view name, const std::string& value) {
    if (value.empty()) return *this;
    text_ += first_ ? "?" : "&";
    first_ = false;
    text_ += std::string(name) + "=" + percent_encoded(value);
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool first_ = true;
};

}  // namespace sluice
