// Trackable resources: a vector of integers whose dimensions are registered by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/result.h"

namespace sluice {

// A policy may register this many dimensions; the 25th is refused with a message. Slurm's own
// eight less the four nobody limits, plus twenty GPU types and licenses.
inline constexpr std::size_t kMaxTres = 24;

using TresIndex = Id<struct TresTag, std::uint8_t>;

// The dimensions every registry has, in the order in which Slurm looks at limits.
inline constexpr TresIndex kTresCpu{0};
inline constexpr TresIndex kTresMem{1};  // Megabytes.
inline constexpr TresIndex kTresNode{2};
inline constexpr TresIndex kTresBilling{3};
inline constexpr TresIndex kTresGpu{4};  // gres/gpu, of any type.
inline constexpr std::size_t kStandardTres = 5;

// Names to dimensions: "cpu", "mem", "node", "billing", "gres/gpu", then in order of registration
// "gres/gpu:a100", "license/matlab", ….
class TresRegistry {
 public:
  TresRegistry();
  std::size_t size() const { return names_.size(); }
  const std::string& name(TresIndex index) const { return names_[index.index()]; }
  // Slurm ignores case in "CPU", "Mem", "GRES/gpu"; so do we.
  std::optional<TresIndex> find(std::string_view name) const;
  Result<TresIndex> add(std::string_view name);
  friend bool operator==(const TresRegistry&, const TresRegistry&) = default;

 private:
  std::vector<std::string> names_;
};

// An amount in every dimension.
class TresVector {
 public:
  std::int64_t& operator[](TresIndex index) { return value_[index.index()]; }
  std::int64_t operator[](TresIndex index) const { return value_[index.index()]; }
  // Nothing of this dimension and those after it.
  void clear_from(std::size_t first);
  TresVector& operator+=(const TresVector& other) {
    for (std::size_t i = 0; i < kMaxTres; ++i) value_[i] += other.value_[i];
    return *this;
  }
  TresVector& operator-=(const TresVector& other) {
    for (std::size_t i = 0; i < kMaxTres; ++i) value_[i] -= other.value_[i];
    return *this;
  }
  friend bool operator==(const TresVector&, const TresVector&) = default;

 private:
  std::array<std::int64_t, kMaxTres> value_{};
};

// A limit in some dimensions, none in the others.
class TresLimits {
 public:
  bool empty() const { return set_ == 0; }
  bool has(TresIndex index) const { return ((set_ >> index.value()) & 1U) != 0; }
  std::optional<std::int64_t> get(TresIndex index) const {
    return has(index) ? std::optional(value_[index]) : std::nullopt;
  }
  std::int64_t operator[](TresIndex index) const { return value_[index]; }
  void put(TresIndex index, std::int64_t amount) {
    CHECK(index.index() < kMaxTres);
    set_ |= 1U << index.value();
    value_[index] = amount;
  }
  // The dimensions that are limited, one bit each, lowest first.
  std::uint32_t bits() const { return set_; }
  friend bool operator==(const TresLimits&, const TresLimits&) = default;

 private:
  std::uint32_t set_ = 0;
  TresVector value_;
};

// Weights by dimension in millionths of a unit (TRESBillingWeights, PriorityWeightTRES). A weight
// given per G or T ("Mem=0.25G") keeps that unit as a divisor in megabytes, so nothing is rounded.
struct TresWeight {
  TresIndex tres;
  std::int64_t millionths = 0;
  std::int64_t per = 1;  // Units of the dimension that the weight is for: 1024 for "G" of memory.
  friend bool operator==(const TresWeight&, const TresWeight&) = default;
};
using TresWeights = std::vector<TresWeight>;

}  // namespace sluice
