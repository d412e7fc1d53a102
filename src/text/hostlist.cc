// Bracket expansion and compression of host names.
#include "text/hostlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "text/scan.h"

namespace sluice {
namespace {

constexpr const char* kForms = "write names and ranges, as in d[1-10],p1 or n[01-16,20]";

// 18 digits fit into 63 bits whatever they are; a longer number is part of the name.
constexpr std::size_t kMostDigits = 18;
// One list holds at most so many: a short text could name more than the memory holds.
constexpr std::size_t kMostHosts = 1 << 20;
// Names of hosts are no longer (RFC 1035).
constexpr std::size_t kLongestHost = 255;

// "node012" is {"node", 12, 3}; a name without a number at its end has no digits.
struct HostName {
  std::string_view prefix;
  std::int64_t number = 0;
  std::size_t digits = 0;
  bool padded = false;  // Begins with a zero: the width is part of the name.
};

HostName take_apart(std::string_view name) {
  std::size_t at = name.size();
  while (at > 0 && is_digit(name[at - 1])) --at;
  HostName host;
  if (name.size() - at > kMostDigits || at == name.size()) {
    host.prefix = name;
    return host;
  }
  host.prefix = name.substr(0, at);
  host.digits = name.size() - at;
  host.number = whole_number(name.substr(at)).value_or(0);
  host.padded = host.digits > 1 && name[at] == '0';
  return host;
}

// b is the name that follows a when counting: d9, d10; d09, d10; but not d1, d02.
bool follows(const HostName& a, const HostName& b) {
  if (b.number != a.number + 1) return false;
  return a.digits == b.digits || (!a.padded && !b.padded);
}

std::vector<std::string_view> split_outside_brackets(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  bool inside = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') inside = true;
    if (i < text.size() && text[i] == ']') inside = false;
    if (i == text.size() || (!inside && (text[i] == ',' || is_blank(text[i])))) {
      if (i > start) parts.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  return parts;
}

// "1,3-5" to "1", "3", "4", "5"; "01-03" keeps two digits.
Result<std::vector<std::string>> expand_ranges(std::string_view ranges, std::string_view whole) {
  std::vector<std::string> numbers;
  for (std::string_view range : split(ranges, ',')) {
    range = without_blanks_around(range);
    const std::size_t dash = range.find('-');
    const std::string_view low_text = without_blanks_around(range.substr(0, dash));
    const std::string_view high_text =
        dash == std::string_view::npos ? low_text : without_blanks_around(range.substr(dash + 1));
    const auto low = whole_number(low_text);
    const auto high = whole_number(high_text);
    if (!low || !high || low_text.size() > kMostDigits || high_text.size() > kMostDigits)
      return bad_input(
          fmt::format("{} is not a range of numbers, in {}", quoted(range), quoted(whole)), kForms);
    if (*high < *low)
      return bad_input(
          fmt::format("the range {} runs backwards, in {}", quoted(range), quoted(whole)),
          fmt::format("write {}-{}", high_text, low_text));
    if (static_cast<std::uint64_t>(*high - *low) + numbers.size() >= kMostHostsInRange)
      return bad_input(
          fmt::format("more than {} hosts in one bracket, in {}", kMostHostsInRange, quoted(whole)),
          kForms);
    for (std::int64_t n = *low; n <= *high; ++n)
      numbers.push_back(fmt::format("{:0{}}", n, low_text.size()));
  }
  return numbers;
}

// "a[1-2]b[3-4]" to a1b3, a1b4, a2b3, a2b4.
Result<std::vector<std::string>> expand_one(std::string_view text) {
  std::vector<std::string> names{""};
  std::string_view rest = text;
  bool after_bracket = false;
  while (!rest.empty()) {
    const std::size_t open = rest.find('[');
    const std::string_view plain = rest.substr(0, open);
    if (plain.find(']') != std::string_view::npos)
      return bad_input(fmt::format("']' without '[' in {}", quoted(text)), kForms);
    if (names.front().size() + plain.size() > kLongestHost)
      return bad_input(fmt::format("a host name of more than {} bytes in {}", kLongestHost,
                                   quoted(text.substr(0, kLongestHost))));
    for (std::string& name : names) name += plain;
    if (open == std::string_view::npos) {
      if (after_bracket)
        return bad_input(
            fmt::format("{} after the last bracket of {}", quoted(plain), quoted(text)),
            "Slurm's lists end with the bracket; name these hosts one by one");
      break;
    }
    const std::size_t close = rest.find(']', open);
    if (close == std::string_view::npos)
      return bad_input(fmt::format("'[' without ']' in {}", quoted(text)), kForms);
    const std::string_view ranges = rest.substr(open + 1, close - open - 1);
    if (ranges.find('[') != std::string_view::npos)
      return bad_input(fmt::format("a bracket inside a bracket in {}", quoted(text)), kForms);
    TRY(const auto numbers, expand_ranges(ranges, text));
    if (names.size() * numbers.size() > kMostHostsInRange)
      return bad_input(fmt::format("{} means more than {} hosts", quoted(text), kMostHostsInRange),
                       kForms);
    std::vector<std::string> longer;
    longer.reserve(names.size() * numbers.size());
    for (const std::string& name : names)
      for (const std::string& number : numbers) longer.push_back(name + number);
    names = std::move(longer);
    rest.remove_prefix(close + 1);
    after_bracket = true;
  }
  return names;
}

}  // namespace

Result<std::vector<std::string>> expand_hostlist(std::string_view text) {
  std::vector<std::string> hosts;
  for (std::string_view part : split_outside_brackets(text)) {
    TRY(auto names, expand_one(part));
    if (hosts.size() + names.size() > kMostHosts)
      return bad_input(fmt::format("a list of more than {} hosts", kMostHosts));
    hosts.insert(hosts.end(), std::make_move_iterator(names.begin()),
                 std::make_move_iterator(names.end()));
  }
  return hosts;
}

std::string compress_hostlist(std::span<const std::string> hosts) {
  std::string out;
  std::size_t i = 0;
  while (i < hosts.size()) {
    if (!out.empty()) out += ',';
    const HostName first = take_apart(hosts[i]);
    std::size_t end = i + 1;
    if (first.digits > 0)
      while (end < hosts.size()) {
        const HostName next = take_apart(hosts[end]);
        if (next.digits == 0 || next.prefix != first.prefix) break;
        ++end;
      }
    if (end == i + 1) {
      out += hosts[i++];
      continue;
    }
    out += fmt::format("{}[", first.prefix);
    const std::size_t group = i;
    while (i < end) {
      const HostName low = take_apart(hosts[i]);
      HostName high = low;
      std::size_t next = i + 1;
      for (; next < end; ++next) {
        const HostName candidate = take_apart(hosts[next]);
        if (!follows(high, candidate)) break;
        high = candidate;
      }
      if (i > group) out += ',';
      out += fmt::format("{:0{}}", low.number, low.digits);
      if (next > i + 1) out += fmt::format("-{:0{}}", high.number, high.digits);
      i = next;
    }
    out += ']';
  }
  return out;
}

void sort_hosts(std::vector<std::string>& hosts) {
  const auto key = [](const std::string& name) {
    const HostName host = take_apart(name);
    return std::tuple(host.prefix, host.padded ? host.digits : 0, host.number, host.digits);
  };
  std::stable_sort(hosts.begin(), hosts.end(),
                   [&](const std::string& a, const std::string& b) { return key(a) < key(b); });
}

}  // namespace sluice
