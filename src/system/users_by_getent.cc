// The lists as getent(1) prints them; where there is no getent, /etc/passwd and /etc/group.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "system/users.h"

namespace sluice {
namespace {

// A daemon of root asks too: only where the system itself puts the program, never through PATH.
constexpr const char* kPlaces[] = {"/usr/bin/getent", "/bin/getent",
                                   "/run/current-system/sw/bin/getent"};
constexpr int kNoSuchKey = 2;
constexpr int kCannotBeListed = 3;

const std::string& getent() {
  static const std::string place = [] {
    for (const char* each : kPlaces)
      if (::access(each, X_OK) == 0) return std::string(each);
    return std::string();
  }();
  return place;
}

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

std::vector<std::string_view> fields(std::string_view line) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t end = line.find(':');
    out.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return out;
    line.remove_prefix(end + 1);
  }
}

template <class Use>
void each_line(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string file_text(const std::string& path) {
  const std::ifstream file(path);
  std::ostringstream out;
  if (file) out << file.rdbuf();
  return out.str();
}

// What the list has for the key, or all of it. Lines that were not asked for may be among them: a
// name of digits is a number to getent.
Result<std::string> ask(RunProgram run, const std::string& list,
                        const std::optional<std::string>& key) {
  if (getent().empty()) return list == "initgroups" ? std::string() : file_text("/etc/" + list);
  std::vector<std::string> argv = {getent(), list};
  if (key) argv.insert(argv.end(), {"--", *key});
  TRY(const ProgramOutput got, run(argv));
  const bool answered = got.exit_code == 0 || got.exit_code == kNoSuchKey ||
                        (!key && got.exit_code == kCannotBeListed);
  if (!answered)
    return tl::unexpected<Error>(
        Error{ErrorKind::kUnreachable,
              fmt::format("{} {} cannot be looked up: getent ended with {}",
                          list == "group" ? "group" : "user", key.value_or(""), got.exit_code),
              {},
              fmt::format("`getent {} {}` must answer.", list, key.value_or(""))});
  return got.output;
}

// Such a name is in no list, and a line made of it could be taken for another's.
bool may_be_name(const std::string& name) {
  return !name.empty() && name.find_first_of(std::string_view(":\n\0", 3)) == std::string::npos;
}

template <class Entry, class Read, class Is>
Result<std::optional<Entry>> first_of(RunProgram run, const std::string& list,
                                      const std::string& key, const Read& read,
                                      const Is& is_asked_for) {
  TRY(const std::string text, ask(run, list, key));
  std::optional<Entry> found;
  each_line(text, [&](std::string_view line) {
    auto entry = read(line);
    if (!found && entry && is_asked_for(*entry)) found = std::move(entry);
  });
  return found;
}

class GetentLists final : public UserLists {
 public:
  explicit GetentLists(RunProgram run) : run_(run) {}
  Result<std::optional<SystemUser>> user_named(const std::string& name) const override {
    if (!may_be_name(name)) return std::nullopt;
    return first_of<SystemUser>(run_, "passwd", name, read_user_line,
                                [&](const SystemUser& user) { return user.name == name; });
  }
  Result<std::optional<SystemUser>> user_of(std::uint32_t uid) const override {
    return first_of<SystemUser>(run_, "passwd", std::to_string(uid), read_user_line,
                                [&](const SystemUser& user) { return user.uid == uid; });
  }
  Result<std::optional<SystemGroup>> group_named(const std::string& name) const override {
    if (!may_be_name(name)) return std::nullopt;
    return first_of<SystemGroup>(run_, "group", name, read_group_line,
                                 [&](const SystemGroup& group) { return group.name == name; });
  }
  Result<std::optional<SystemGroup>> group_of(std::uint32_t gid) const override {
    return first_of<SystemGroup>(run_, "group", std::to_string(gid), read_group_line,
                                 [&](const SystemGroup& group) { return group.gid == gid; });
  }
  Result<std::vector<std::uint32_t>> groups_of(const SystemUser& user) const override {
    std::vector<std::uint32_t> out = {user.gid};
    const auto add = [&](std::uint32_t gid) {
      if (std::find(out.begin(), out.end(), gid) == out.end()) out.push_back(gid);
    };
    if (getent().empty()) {
      each_line(file_text("/etc/group"), [&](std::string_view line) {
        const auto group = read_group_line(line);
        const std::string_view members = line.substr(line.rfind(':') + 1);
        if (group &&
            (',' + std::string(members) + ',').find(',' + user.name + ',') != std::string::npos)
          add(group->gid);
      });
      return out;
    }
    // "ann                   1000 27 100"
    TRY(const std::string text, ask(run_, "initgroups", user.name));
    std::istringstream words(text);
    std::string word;
    words >> word;
    while (words >> word)
      if (const auto gid = number(word)) add(*gid);
    return out;
  }
  std::vector<SystemUser> all_users() const override {
    std::vector<SystemUser> out;
    const auto text = ask(run_, "passwd", std::nullopt);
    if (!text) return out;
    each_line(*text, [&](std::string_view line) {
      if (auto user = read_user_line(line)) out.push_back(std::move(*user));
    });
    return out;
  }

 private:
  RunProgram run_;
};

}  // namespace

std::optional<SystemUser> read_user_line(std::string_view line) {
  const auto parts = fields(line);
  if (parts.size() != 7 || parts[0].empty()) return std::nullopt;
  const auto uid = number(parts[2]);
  const auto gid = number(parts[3]);
  if (!uid || !gid) return std::nullopt;
  return SystemUser{std::string(parts[0]), *uid, *gid, std::string(parts[5]),
                    std::string(parts[6])};
}

std::optional<SystemGroup> read_group_line(std::string_view line) {
  const auto parts = fields(line);
  if (parts.size() != 4 || parts[0].empty()) return std::nullopt;
  const auto gid = number(parts[2]);
  if (!gid) return std::nullopt;
  return SystemGroup{std::string(parts[0]), *gid};
}

std::unique_ptr<UserLists> users_by_getent(RunProgram run) {
  return std::make_unique<GetentLists>(run);
}

}  // namespace sluice
