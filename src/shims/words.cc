#include "shims/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>

#include "cli/local_time.h"
#include "shims/shim.h"
#include "system/users.h"
#include "text/hostlist.h"
#include "text/printable.h"
#include "text/scan.h"

namespace sluice {
namespace {

std::string formatted(const char* pattern, const std::tm& parts) {
  char text[256] = {};
  const std::size_t length = std::strftime(text, sizeof text, pattern, &parts);
  return std::string(text, length);
}

// "relative": nearer times are shorter.
std::string relative_time(Instant time) {
  const std::tm parts = local_parts(time);
  const std::tm now = local_parts(now_here());
  if (parts.tm_year != now.tm_year) return formatted("%e %b %Y", parts);
  const int days = parts.tm_yday - now.tm_yday;
  if (days == -1) return formatted("Ystday %H:%M", parts);
  if (days == 0) return formatted("%H:%M:%S", parts);
  if (days == 1) return formatted("Tomorr %H:%M", parts);
  if (days >= -1 && days <= 7) return formatted("%a %H:%M", parts);
  return formatted("%e %b %H:%M", parts);
}

struct Identity {
  std::string uid;
  std::string gid;
  std::string group;
};

const Identity& identity_of(const std::string& user) {
  static std::map<std::string, Identity> known;
  if (const auto found = known.find(user); found != known.end()) return found->second;
  Identity identity{user, user, user};
  if (const auto entry = system_users().user_named(user); entry && *entry) {
    identity = {std::to_string((*entry)->uid), std::to_string((*entry)->gid), {}};
    const auto own = system_users().group_of((*entry)->gid);
    identity.group = own && *own ? (*own)->name : identity.gid;
  }
  return known.emplace(user, std::move(identity)).first->second;
}

}  // namespace

std::string time_text(std::optional<Instant> time, std::string_view none) {
  if (!time) return std::string(none);
  static const std::string format = variable("SLURM_TIME_FORMAT").value_or("");
  if (format.empty() || format == "standard") {
    const std::tm parts = local_parts(*time);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", parts.tm_year + 1900,
                       parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  }
  if (format == "relative") return relative_time(*time);
  return formatted(format.c_str(), local_parts(*time));
}

std::string date_text(Instant time) { return formatted("%a %b %d %H:%M:%S %Y", local_parts(time)); }

std::string or_null(std::string_view text) { return text.empty() ? "(null)" : std::string(text); }
std::string or_na(std::string_view text) { return text.empty() ? "N/A" : std::string(text); }

std::string shown(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0 || acts_on_terminals(utf8_character(text.substr(0, length))))
      out += '?';
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string without_licenses(std::string_view list) {
  if (list.find("license/") == std::string_view::npos) return std::string(list);
  std::string out;
  for (const std::string_view word : split(list, ','))
    if (!word.starts_with("license/")) (out += out.empty() ? "" : ",") += word;
  return out;
}

std::string uid_text(const std::string& user) { return identity_of(user).uid; }
std::string gid_text(const std::string& user) { return identity_of(user).gid; }
std::string group_text(const std::string& user) { return identity_of(user).group; }

std::optional<std::string> user_name(std::string_view text) {
  const std::string name(text);
  if (is_user(name)) return name;
  if (const auto number = whole_number(text)) {
    const auto entry = system_users().user_of(static_cast<std::uint32_t>(*number));
    if (entry && *entry) return (*entry)->name;
  }
  return std::nullopt;
}

std::string known_users(ShimCall& call, const std::string& list) {
  std::string out;
  for (const std::string_view word : split(list, ',')) {
    if (word.empty()) continue;
    const auto name = user_name(word);
    if (!name) call.error(fmt::format("Invalid user: {}\n", word));
    out += (out.empty() ? "" : ",") + name.value_or("?" + std::string(word));
  }
  return out;
}

bool is_group(std::string_view text) {
  const auto named = system_users().group_named(std::string(text));
  if (named && *named) return true;
  const auto number = whole_number(text);
  if (!number) return false;
  const auto numbered = system_users().group_of(static_cast<std::uint32_t>(*number));
  return numbered && *numbered;
}

// So many bytes, as Slurm counts, but never a part of a letter.
static std::string_view cut_to(std::string_view text, std::size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  return text.substr(0, size);
}

void append_cell(std::string& out, std::string_view text, int width, bool right, CellCut how) {
  const auto size = static_cast<std::size_t>(width < 0 ? 0 : width);
  if (size == 0) {
    out += text;
    return;
  }
  constexpr std::string_view kNull = "(null)";
  if (!right && text == kNull && size < kNull.size()) text = {};
  const bool whole = right && how == CellCut::kLeftOnly;
  const std::string_view cut = whole ? text : cut_to(text, size);
  const std::size_t pad = size > cut.size() ? size - cut.size() : 0;
  if (right) out.append(pad, ' ');
  out += cut;
  if (!right) out.append(pad, ' ');
}

void append_marked_cell(std::string& out, std::string_view text, int width) {
  const auto size = static_cast<std::size_t>(std::abs(width));
  std::string cell(text);
  if (cell.size() > size && size > 0) cell = std::string(cut_to(text, size - 1)) + '+';
  const std::size_t pad = size > cell.size() ? size - cell.size() : 0;
  if (width > 0) out.append(pad, ' ');
  out += cell;
  if (width < 0) out.append(pad, ' ');
}

bool is_word(std::string_view text, std::string_view word) {
  return same_ignoring_case(text, word);
}

bool in_list(std::string_view list, std::string_view word) {
  for (const std::string_view each : split(list, ','))
    if (same_ignoring_case(each, word)) return true;
  return false;
}

bool share_a_node(const std::string& one, const std::string& other) {
  const auto nodes = expand_hostlist(one);
  const auto others = expand_hostlist(other);
  return nodes && others && std::any_of(nodes->begin(), nodes->end(), [&](const std::string& node) {
           return std::find(others->begin(), others->end(), node) != others->end();
         });
}

}  // namespace sluice
