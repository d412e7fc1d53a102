// Reads and writes array specs.
#include "text/array_spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "text/index_terms.h"
#include "text/scan.h"

namespace sluice {
namespace {

// A third of a million tasks that no range holds together.
constexpr std::size_t kLongest = std::size_t{4} << 20;

constexpr const char* kForms = "write indices and ranges, as in 0-99, 1,3,7 or 0-999:2%10";

Result<std::uint32_t> parse_index(std::string_view text, std::string_view whole) {
  const auto value = whole_number(text);
  if (!value)
    return bad_input(fmt::format("{} is not an array index, in {}", quoted(text), quoted(whole)),
                     kForms);
  if (*value > kMostArrayIndex)
    return bad_input(fmt::format("array index {} is larger than {}", *value, kMostArrayIndex),
                     "number the tasks from 0");
  return static_cast<std::uint32_t>(*value);
}

// "7", "1-9", "1-9:2" into the set.
Result<void> insert_member(IndexSet& indices, std::string_view member, std::string_view whole,
                           std::size_t& left) {
  const std::size_t dash = member.find('-');
  if (dash == std::string_view::npos) {
    TRY(const std::uint32_t index, parse_index(member, whole));
    indices.insert(index);
    return {};
  }
  const std::size_t colon = member.find(':', dash);
  const auto high_text = member.substr(
      dash + 1, colon == std::string_view::npos ? std::string_view::npos : colon - dash - 1);
  TRY(const std::uint32_t low, parse_index(member.substr(0, dash), whole));
  TRY(const std::uint32_t high, parse_index(high_text, whole));
  std::uint32_t step = 1;
  if (colon != std::string_view::npos) {
    TRY(step, parse_index(member.substr(colon + 1), whole));
    if (step == 0)
      return bad_input(fmt::format("the step of {} is zero, in {}", quoted(member), quoted(whole)),
                       kForms);
  }
  if (high < low)
    return bad_input(fmt::format("{} runs backwards, in {}", quoted(member), quoted(whole)),
                     fmt::format("write {}-{}", high, low));
  // Ranges that overlap over and over are no array that anybody means, and each takes its time.
  const std::size_t members = (high - low) / step + 1;
  if (members > left)
    return bad_input(fmt::format("the ranges of {} overlap too often", quoted(whole)),
                     "name each index once");
  left -= members;
  indices.insert_range(low, high, step);
  return {};
}

std::string with_throttle(std::string text, const ArraySpec& spec) {
  if (spec.throttle) text += fmt::format("%{}", *spec.throttle);
  return text;
}

}  // namespace

Result<ArraySpec> parse_array_spec(std::string_view text) {
  if (text.size() > kLongest)
    return bad_input(fmt::format("{} has more than {} bytes", quoted(text), kLongest),
                     "write ranges, as in 0-999:2");
  ArraySpec spec;
  std::string_view members = text;
  if (members.size() >= 2 && members.front() == '[' && members.back() == ']')
    members = members.substr(1, members.size() - 2);
  bool throttle_seen = false;
  std::size_t left = std::size_t{4} * kMostArrayIndex;
  while (!members.empty()) {
    std::string_view member = members.substr(0, members.find(','));
    members.remove_prefix(std::min(members.size(), member.size() + 1));
    const std::size_t percent = member.find('%');
    if (percent != std::string_view::npos) {
      const std::string_view limit = member.substr(percent + 1);
      const auto count = limit.empty() ? std::optional<std::int64_t>(0) : whole_number(limit);
      if (!count || *count > kMostArrayIndex)
        return bad_input(
            fmt::format("{} is not a number of tasks at once, in {}", quoted(limit), quoted(text)),
            kForms);
      if (!throttle_seen && *count > 0) spec.throttle = static_cast<std::uint32_t>(*count);
      throttle_seen = true;
      member = member.substr(0, percent);
      // Slurm reads "%5" as task 0, which no user means.
      if (member.empty())
        return bad_input(fmt::format("no index before '%' in {}", quoted(text)), kForms);
    }
    if (member.empty()) continue;
    TRY_VOID(insert_member(spec.indices, member, text, left));
  }
  if (spec.indices.empty())
    return bad_input(fmt::format("{} names no array index", quoted(text)), kForms);
  return spec;
}

std::string format_array_tasks(const ArraySpec& spec, std::size_t max_bytes) {
  const IndexSet& indices = spec.indices;
  std::string out;
  // Slurm writes a step only for the whole set, and only from six tasks over more than ten indices.
  const std::uint32_t least = indices.first().value_or(0);
  const std::uint32_t most = indices.last().value_or(0);
  if (indices.size() > 5 && most - least > 10) {
    const IndexRun whole = indices.run_from(least);
    if (whole.step > 1 && whole.last == most) {
      append_term(out, {least, most, whole.step});
      return with_throttle(std::move(out), spec);
    }
  }
  for (auto first = indices.first(); first;) {
    const std::uint32_t end = indices.first_absent(*first);
    if (!out.empty()) out += ',';
    append_term(out, {*first, end - 1, 1});
    first = indices.first(end);
    if (max_bytes != 0 && out.size() > max_bytes) break;
  }
  if (max_bytes >= 4 && out.size() > max_bytes - 3) {
    out.resize(max_bytes - 4);
    out += "...";
  }
  return with_throttle(std::move(out), spec);
}

std::string compress_indices(const IndexSet& indices) {
  std::string out;
  for (const IndexTerm& term : best_terms(indices)) {
    if (!out.empty()) out += ',';
    append_term(out, term);
  }
  return out;
}

std::string format_array_spec(const ArraySpec& spec) {
  return with_throttle(compress_indices(spec.indices), spec);
}

std::vector<ArraySpecPart> split_array_spec(const ArraySpec& spec, std::size_t max_bytes) {
  const std::size_t throttle = with_throttle("", spec).size();
  // The longest term is "4000000-4000000:4000000".
  CHECK(max_bytes >= throttle + 23, "an array spec is split into parts of at least one term");
  std::vector<ArraySpecPart> parts;
  for (const IndexTerm& term : best_terms(spec.indices)) {
    std::string text;
    append_term(text, term);
    if (parts.empty() || parts.back().text.size() + 1 + text.size() + throttle > max_bytes)
      parts.emplace_back();
    else
      parts.back().text += ',';
    parts.back().text += text;
    parts.back().indices.insert_range(term.first, term.last, term.step);
  }
  for (ArraySpecPart& part : parts) part.text = with_throttle(std::move(part.text), spec);
  return parts;
}

}  // namespace sluice
