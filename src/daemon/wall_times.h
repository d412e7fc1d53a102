// Rows as people's clocks have it. Engine time and wall time: host/machine/engine_clock.h.
#pragma once

#include <string_view>
#include <utility>

#include "base/time.h"
#include "views/json_fields.h"

namespace sluice {

// Moves every time in a row, by the description that makes it JSON.
class TimeMover {
 public:
  explicit TimeMover(Duration by) : by_(by) {}

  template <class T>
  void operator()(std::string_view, T& value) {
    move(value);
  }
  template <class T>
  void move(T& value) {
    if constexpr (std::is_same_v<T, Instant>) {
      value += by_;
    } else if constexpr (IsOptional<T>::value) {
      if (value) move(*value);
    } else if constexpr (IsVector<T>::value) {
      if constexpr (!std::is_same_v<T, std::vector<bool>>)
        for (auto& each : value) move(each);
    } else if constexpr (std::is_class_v<T> && !HasText<T> && !IsId<T>::value &&
                         !IsTextMap<T>::value && !std::is_same_v<T, std::string> &&
                         !std::is_same_v<T, Duration>) {
      json_fields(*this, value);
    }
  }

 private:
  Duration by_;
};

// For people to read.
template <class T>
T in_wall_time(T value, Duration wall_ahead) {
  if (wall_ahead != Duration(0)) TimeMover(wall_ahead).move(value);
  return value;
}

}  // namespace sluice
