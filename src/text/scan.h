// Reads the small pieces all notations share: whole numbers, lists, words in any case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// Digits and nothing else; nothing when empty, signed, or beyond 64 bits.
std::optional<std::int64_t> whole_number(std::string_view text);

// The same with a sign in front, which may be there.
std::optional<std::int64_t> signed_number(std::string_view text);

// "a,,b" has three parts, "" has one (empty) part.
std::vector<std::string_view> split(std::string_view text, char separator);

std::string_view without_blanks_around(std::string_view text);

bool same_ignoring_case(std::string_view a, std::string_view b);
bool starts_ignoring_case(std::string_view text, std::string_view beginning);
std::string to_lower(std::string_view text);

// 'text' as an error message shows it: in quotes, unprintable bytes as \xNN, cut after 60 bytes.
std::string quoted(std::string_view text);

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace sluice
