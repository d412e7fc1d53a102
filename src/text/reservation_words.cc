// One table of flags, one reader of keys.
#include "text/reservation_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/begin_time.h"
#include "text/duration.h"
#include "text/hostlist.h"
#include "text/scan.h"
#include "text/spelling.h"

namespace sluice {
namespace {

struct FlagWord {
  std::string_view name;
  std::string_view folded;  // As it is compared.
  bool ReservationFlags::*flag;
};
constexpr FlagWord kFlags[] = {
    {"MAINT", "maint", &ReservationFlags::maint},
    {"IGNORE_JOBS", "ignorejobs", &ReservationFlags::ignore_jobs},
    {"OVERLAP", "overlap", &ReservationFlags::overlap},
    {"FLEX", "flex", &ReservationFlags::flex},
    {"TIME_FLOAT", "timefloat", &ReservationFlags::time_float},
    {"NO_HOLD_JOBS_AFTER_END", "noholdjobsafterend", &ReservationFlags::no_hold_after_end},
};

struct RepeatWord {
  std::string_view name;
  std::string_view folded;
  ReservationRepeat repeat;
};
constexpr RepeatWord kRepeats[] = {
    {"HOURLY", "hourly", ReservationRepeat::kHourly},
    {"DAILY", "daily", ReservationRepeat::kDaily},
    {"WEEKLY", "weekly", ReservationRepeat::kWeekly},
};

// Slurm has them, sluice does not.
constexpr std::string_view kNotHere[] = {"anynodes",  "licenseonly", "maxstartdelay", "firstcores",
                                         "partnodes", "purgecomp",   "replace",       "replacedown",
                                         "specnodes", "staticalloc", "userdelete",    "weekday",
                                         "weekend",   "magnetic",    "promiscuous",   "allnodes"};

std::vector<std::string> known_flags() {
  std::vector<std::string> out;
  for (const FlagWord& flag : kFlags) out.emplace_back(flag.name);
  for (const RepeatWord& repeat : kRepeats) out.emplace_back(repeat.name);
  return out;
}

std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view part : split(text, ','))
    if (const std::string_view name = without_blanks_around(part); !name.empty())
      out.emplace_back(name);
  return out;
}

bool is(std::string_view key, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), key) != names.end();
}

constexpr Duration kOneYear = std::chrono::hours(24 * 365);

Result<Duration> duration_of(std::string_view value) {
  TRY(const TimeLimit limit, parse_friendly_duration(value));
  const Duration length = limit.duration.value_or(kOneYear);
  if (length <= Duration(0))
    return bad_input(fmt::format("{} is not a length of time", quoted(value)));
  return length;
}

Result<std::int32_t> node_count_of(std::string_view value) {
  const auto number = whole_number(value);
  if (!number || *number < 1 || *number > INT32_MAX)
    return bad_input(fmt::format("{} is not a number of nodes", quoted(value)));
  return static_cast<std::int32_t>(*number);
}

tl::unexpected<Error> no_such_key(std::string_view key) {
  static const std::vector<std::string> kKeys = {"start",    "end",       "duration", "nodes",
                                                 "nodecnt",  "partition", "features", "users",
                                                 "accounts", "flags"};
  return bad_input(fmt::format("{} is not a part of a reservation here", quoted(key)),
                   allowed_words(key, kKeys));
}

}  // namespace

Result<void> read_reservation_flag(std::string_view word, ReservationRequest& out) {
  const std::string wanted = folded(word);
  for (const FlagWord& flag : kFlags)
    if (flag.folded == wanted) {
      out.flags.*flag.flag = true;
      return {};
    }
  for (const RepeatWord& repeat : kRepeats)
    if (repeat.folded == wanted) {
      if (out.repeat != ReservationRepeat::kNever && out.repeat != repeat.repeat)
        return bad_input("a reservation repeats in one way only");
      out.repeat = repeat.repeat;
      return {};
    }
  // scontrol shows it of every reservation that names its nodes.
  if (wanted == "specnodes") return {};
  if (std::find(std::begin(kNotHere), std::end(kNotHere), wanted) != std::end(kNotHere))
    return bad_input(fmt::format("the flag {} is Slurm's and not supported here", quoted(word)),
                     allowed_words("", known_flags()));
  return bad_input(fmt::format("there is no flag {}", quoted(word)),
                   allowed_words(word, known_flags()));
}

Result<ReservationSetting> split_reservation_setting(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos)
    return bad_input(fmt::format("{} is not KEY=VALUE", quoted(word)),
                     "write start=now duration=2h nodes=n1 users=ann");
  return ReservationSetting{word.substr(0, equals), word.substr(equals + 1)};
}

Result<void> read_reservation_word(std::string_view key, std::string_view value,
                                   const ReadMoment& read_moment, ReservationRequest& out) {
  const std::string name = folded(key);
  if (is(name, {"start", "starttime"})) {
    TRY(const ReservationMoment moment, read_moment(value));
    out.start = moment.at;
    out.start_in = moment.after;
  } else if (is(name, {"end", "endtime"})) {
    TRY(const ReservationMoment moment, read_moment(value));
    if (!moment.at) return bad_input("the end of a reservation is a time", "or give its duration=");
    out.end = moment.at;
  } else if (name == "duration") {
    TRY(out.duration, duration_of(value));
  } else if (is(name, {"nodes", "node"})) {
    if (same_ignoring_case(value, "all")) {
      out.all_nodes = true;
    } else {
      TRY(out.nodes, expand_hostlist(value));
    }
  } else if (is(name, {"nodecnt", "nodecount"})) {
    TRY(out.node_count, node_count_of(value));
  } else if (is(name, {"partition", "partitionname"})) {
    out.partition = value;
  } else if (is(name, {"features", "feature"})) {
    if (value.find_first_of("|[]()*") != std::string_view::npos)
      return bad_input(fmt::format("{} is more than a list of features", quoted(value)),
                       "write features=a,b or a&b for nodes that have all of them");
    std::string plain(value);
    std::replace(plain.begin(), plain.end(), '&', ',');
    out.features = list_of(plain);
  } else if (is(name, {"users", "user"})) {
    out.users = list_of(value);
  } else if (is(name, {"accounts", "account"})) {
    out.accounts = list_of(value);
  } else if (name == "flags") {
    for (const std::string& word : list_of(value)) TRY_VOID(read_reservation_flag(word, out));
  } else {
    return no_such_key(key);
  }
  return {};
}

Result<void> read_reservation_change(std::string_view key, std::string_view value,
                                     const ReadMoment& read_moment, ReservationChange& out) {
  ReservationRequest read;
  TRY_VOID(read_reservation_word(key, value, read_moment, read));
  const std::string name = folded(key);
  if (name.starts_with("start")) {
    if (!read.start) return bad_input("the start of a reservation is changed to a time");
    out.start = read.start;
  } else if (name.starts_with("end")) {
    out.end = read.end;
  } else if (name == "duration") {
    out.duration = read.duration;
  } else if (name.starts_with("node") && read.node_count == 0 && !read.all_nodes) {
    out.nodes = read.nodes;
  } else if (name.starts_with("user")) {
    out.users = read.users;
  } else if (name.starts_with("account")) {
    out.accounts = read.accounts;
  } else {
    return bad_input(fmt::format("{} of a reservation cannot be changed here", quoted(key)),
                     "allowed: start, end, duration, nodes, users, accounts");
  }
  return {};
}

Result<ReservationMoment> parse_reservation_time(std::string_view text) {
  constexpr const char* kForms = "write now+2h, or 2026-11-18T06:00Z, or 2026-11-18T06:00+01:00";
  ReservationMoment out;
  if (same_ignoring_case(text, "now")) {
    out.after = Duration(0);
    return out;
  }
  if (starts_ignoring_case(text, "now+")) {
    // sbatch's own words first: now+10minutes, and now+10 in seconds.
    if (const auto time = parse_begin_time(text, Instant{});
        time && (!is_digit(text.back()) || whole_number(text.substr(4)))) {
      out.after = time->time_since_epoch();
      return out;
    }
    auto after = parse_friendly_duration(text.substr(4));
    if (!after || !after->duration)
      return bad_input(fmt::format("{} is not a time", quoted(text)), kForms);
    out.after = after->duration;
    return out;
  }
  // Without its offset a time means another moment on every machine that reads it.
  std::string_view rest = text;
  Duration ahead{0};
  const std::size_t day = text.find('T');
  const std::size_t sign = day == std::string_view::npos ? day : text.find_first_of("+-", day);
  if (text.ends_with('Z')) {
    rest.remove_suffix(1);
  } else if (sign != std::string_view::npos && text.size() == sign + 6 && text[sign + 3] == ':') {
    const auto hours = whole_number(text.substr(sign + 1, 2));
    const auto mins = whole_number(text.substr(sign + 4, 2));
    if (!hours || !mins || *hours > 14 || *mins > 59)
      return bad_input(fmt::format("{} has no such offset", quoted(text)), kForms);
    ahead = minutes(*hours * 60 + *mins);
    if (text[sign] == '-') ahead = -ahead;
    rest = text.substr(0, sign);
  } else {
    return bad_input(fmt::format("{} does not say which offset from UTC it has", quoted(text)),
                     kForms);
  }
  if (rest.size() < 16 || rest[4] != '-')
    return bad_input(fmt::format("{} is not a time", quoted(text)), kForms);
  TRY(out.at, parse_begin_time(rest, Instant{}, UtcOffset{ahead}));
  return out;
}

std::string format_reservation_time(const std::optional<Instant>& at,
                                    const std::optional<Duration>& after) {
  if (at) return format_time(*at) + "Z";
  if (!after || *after <= Duration(0)) return "now";
  return "now+" + format_friendly_duration(*after);
}

std::vector<std::string> flag_words(const ReservationFlags& flags, ReservationRepeat repeat) {
  std::vector<std::string> out;
  for (const FlagWord& flag : kFlags)
    if (flags.*flag.flag) out.emplace_back(flag.name);
  for (const RepeatWord& word : kRepeats)
    if (word.repeat == repeat) out.emplace_back(word.name);
  return out;
}

}  // namespace sluice
