// Slurm's words for why a job waits, as a person would say them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {

std::span<const std::pair<std::string_view, std::string_view>> reason_words();

// The words for a reason; the reason itself where it says enough, or is not known.
std::string_view words_for_reason(std::string_view reason);

}  // namespace sluice
