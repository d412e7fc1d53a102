// Header lines to a document of the policy file's form.
#include "sim/stories/story_cluster.h"

#include <fmt/format.h>

#include <algorithm>

#include "policyfile/read/policy_reader.h"
#include "text/scan.h"
#include "text/spelling.h"

namespace sluice {
namespace {

constexpr std::string_view kKeywords[] = {"nodes",   "partition",   "qos",    "account", "user",
                                          "license", "reservation", "switch", "set"};

// What a node of a story has and a job gets where the story does not speak of memory: enough that
// memory never decides. The cluster on which stories were first checked had the same.
constexpr const char* kNodeMemory = "16G";
constexpr const char* kMemoryPerCpu = "10M";

Value scalar_at(std::string text, const Place& place) {
  Value value = Value::scalar(std::move(text));
  value.place = place;
  return value;
}

Value* find(Value& map, std::string_view key) {
  for (Entry& entry : map.entries)
    if (entry.key == key || folded(entry.key) == folded(key)) return &entry.value;
  return nullptr;
}

const Value* find(const Value& map, std::string_view key) {
  return find(const_cast<Value&>(map), key);
}

// Names are compared as they are written: a QoS "High" is not "high".
Value* find_name(Value& map, std::string_view name) {
  for (Entry& entry : map.entries)
    if (entry.key == name) return &entry.value;
  return nullptr;
}

void put(Value& map, const std::string& key, Value value) {
  const Place place = value.place;
  if (Value* known = find(map, key)) {
    *known = std::move(value);
    return;
  }
  map.add(key, std::move(value));
  map.entries.back().place = place;
}

enum class Match : std::uint8_t { kKey, kName };

// The map under this key, made where there is none.
Value& map_at(Value& map, const std::string& key, const Place& place, Match match = Match::kKey) {
  Value* known = match == Match::kKey ? find(map, key) : find_name(map, key);
  if (known == nullptr) {
    map.add(key, Value::map());
    map.entries.back().place = place;
    known = &map.entries.back().value;
    known->place = place;
  } else if (known->is_null()) {
    known->kind = Value::Kind::kMap;
    known->place = place;
  }
  return *known;
}

// users: alice, users: [a, b] and users: {a: {…}} all become the last.
Value& users_of(Value& account, const Place& place) {
  Value* known = find(account, "users");
  if (known != nullptr && !known->is_map() && !known->is_null()) {
    Value map = Value::map();
    map.place = known->place;
    std::vector<std::string> names;
    if (known->is_scalar())
      for (std::string_view name : split(known->text, ',')) names.emplace_back(name);
    for (const Value& item : known->items)
      if (item.is_scalar()) names.push_back(item.text);
    for (const std::string& name : names) map_at(map, name, known->place, Match::kName);
    *known = std::move(map);
  }
  return map_at(account, "users", place);
}

Value* find_account(Value& accounts, std::string_view name) {
  for (Entry& entry : accounts.entries) {
    if (entry.key == name) {
      if (entry.value.is_null()) entry.value.kind = Value::Kind::kMap;
      return &entry.value;
    }
    if (Value* below = find(entry.value, "accounts"))
      if (Value* found = find_account(*below, name)) return found;
  }
  return nullptr;
}

void list_accounts(const Value& accounts, std::vector<std::string>& out) {
  for (const Entry& entry : accounts.entries) {
    out.push_back(entry.key);
    if (const Value* below = find(entry.value, "accounts")) list_accounts(*below, out);
  }
}

Result<std::vector<KeyValue>> pairs_of(const StoryLine& line, std::size_t from) {
  std::vector<KeyValue> out;
  for (std::size_t i = from; i < line.words.size(); ++i) {
    KeyValue pair = split_key_value(line.words[i]);
    if (!pair.value || pair.key.empty())
      return story_error(line.place, line.words[i], "is not KEY=VALUE");
    out.push_back(std::move(pair));
  }
  return out;
}

Result<void> need_name(const StoryLine& line, const char* example) {
  if (line.words.size() < 2 || line.words[1].find('=') != std::string::npos)
    return story_error(line.place, line.words[0], "a name is missing", example);
  return {};
}

// 2, a100:4
Value gpu_entry(const std::string& text, const Place& place) {
  Value gpu = Value::map();
  gpu.place = place;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos) gpu.add("type", scalar_at(text.substr(0, colon), place));
  gpu.add("count", scalar_at(colon == std::string::npos ? text : text.substr(colon + 1), place));
  for (Entry& entry : gpu.entries) entry.place = place;
  return gpu;
}

}  // namespace

bool StoryCluster::is_keyword(std::string_view word) {
  return std::find(std::begin(kKeywords), std::end(kKeywords), word) != std::end(kKeywords);
}

std::vector<std::string> StoryCluster::keywords() {
  return {std::begin(kKeywords), std::end(kKeywords)};
}

Result<void> StoryCluster::take(const StoryLine& line) {
  const std::string& keyword = line.words[0];
  if (keyword == "nodes") return take_nodes(line);
  if (keyword == "partition") return take_named(line, "partitions");
  if (keyword == "switch") return take_named(line, "switches");
  if (keyword == "qos") return take_named(line, "qos");
  if (keyword == "account") return take_account(line);
  if (keyword == "user") return take_user(line);
  if (keyword == "license") return take_license(line);
  if (keyword == "reservation") return take_reservation(line);
  for (std::size_t i = 1; i < line.words.size(); ++i) TRY_VOID(set(line.words[i], line.place));
  return {};
}

Result<void> StoryCluster::take_nodes(const StoryLine& line) {
  TRY_VOID(need_name(line, "write nodes n[1-2] cpus=4"));
  TRY(const auto pairs, pairs_of(line, 2));
  Value node = Value::map();
  node.place = line.place;
  put(node, "name", scalar_at(line.words[1], line.place));
  Value gpus = Value::list();
  gpus.place = line.place;
  for (const KeyValue& pair : pairs) {
    if (folded(pair.key) == "gpus" || folded(pair.key) == "gpu")
      for (std::string_view one : split(*pair.value, ','))
        gpus.items.push_back(gpu_entry(std::string(one), line.place));
    else
      put(node, pair.key, scalar_at(*pair.value, line.place));
  }
  if (!gpus.items.empty()) put(node, "gpus", std::move(gpus));
  Value* nodes = find(document_, "nodes");
  if (nodes == nullptr) {
    Value list = Value::list();
    list.place = line.place;
    put(document_, "nodes", std::move(list));
    nodes = find(document_, "nodes");
  }
  nodes->items.push_back(std::move(node));
  return {};
}

Result<void> StoryCluster::take_named(const StoryLine& line, const char* section) {
  TRY_VOID(need_name(line, "write it right behind the first word"));
  TRY(const auto pairs, pairs_of(line, 2));
  Value& all = map_at(document_, section, line.place);
  Value& own = map_at(all, line.words[1], line.place, Match::kName);
  for (const KeyValue& pair : pairs) put(own, pair.key, scalar_at(*pair.value, line.place));
  return {};
}

Result<void> StoryCluster::take_account(const StoryLine& line) {
  TRY_VOID(need_name(line, "write account physics users=ann,bob"));
  TRY(const auto pairs, pairs_of(line, 2));
  Value& accounts = map_at(document_, "accounts", line.place);
  Value* into = &accounts;
  for (const KeyValue& pair : pairs) {
    if (pair.key != "parent" || *pair.value == "root") continue;
    Value* parent = find_account(accounts, *pair.value);
    if (parent == nullptr) {
      std::vector<std::string> known;
      list_accounts(accounts, known);
      return story_error(line.place, "parent=" + *pair.value,
                         fmt::format("no account {} stands above this line", quoted(*pair.value)),
                         allowed_words(*pair.value, known));
    }
    into = &map_at(*parent, "accounts", line.place);
  }
  Value* known = find_account(accounts, line.words[1]);
  Value& own = known != nullptr ? *known : map_at(*into, line.words[1], line.place, Match::kName);
  for (const KeyValue& pair : pairs) {
    if (pair.key == "parent") continue;
    if (pair.key == "users") {
      Value& users = users_of(own, line.place);
      for (std::string_view name : split(*pair.value, ','))
        map_at(users, std::string(name), line.place, Match::kName);
      continue;
    }
    if (folded(pair.key) == "qos") names_qos_of_accounts_ = true;
    put(own, pair.key, scalar_at(*pair.value, line.place));
  }
  return {};
}

Result<void> StoryCluster::take_user(const StoryLine& line) {
  static constexpr std::string_view kOfTheUser[] = {"defaultaccount", "adminlevel",  "admin",
                                                    "coordinatorof",  "coordinates", "coordinator",
                                                    "groups"};
  TRY_VOID(need_name(line, "write user ann account=physics MaxJobs=2"));
  TRY(const auto pairs, pairs_of(line, 2));
  const std::string& name = line.words[1];
  std::string in = "default";
  bool names_account = false;
  for (const KeyValue& pair : pairs)
    if (pair.key == "account" || pair.key == "accounts") {
      in = *pair.value;
      names_account = true;
    }
  bool has_association = names_account;
  for (const KeyValue& pair : pairs) {
    const std::string key = folded(pair.key);
    const bool of_user =
        std::find(std::begin(kOfTheUser), std::end(kOfTheUser), key) != std::end(kOfTheUser);
    if (of_user) {
      Value& users = map_at(document_, "users", line.place);
      put(map_at(users, name, line.place, Match::kName), pair.key,
          scalar_at(*pair.value, line.place));
    } else {
      has_association = true;
    }
  }
  if (!has_association && !pairs.empty()) return {};
  Value& accounts = map_at(document_, "accounts", line.place);
  for (std::string_view account_name : split(in, ',')) {
    Value* account = find_account(accounts, account_name);
    if (account == nullptr && names_account) {
      std::vector<std::string> known;
      list_accounts(accounts, known);
      return story_error(line.place, fmt::format("account={}", account_name),
                         fmt::format("no account {} stands above this line", quoted(account_name)),
                         allowed_words(account_name, known));
    }
    if (account == nullptr)
      account = &map_at(accounts, std::string(account_name), line.place, Match::kName);
    Value& own = map_at(users_of(*account, line.place), name, line.place, Match::kName);
    for (const KeyValue& pair : pairs) {
      const std::string key = folded(pair.key);
      if (pair.key == "account" || pair.key == "accounts") continue;
      if (std::find(std::begin(kOfTheUser), std::end(kOfTheUser), key) != std::end(kOfTheUser))
        continue;
      if (key == "qos") names_qos_of_accounts_ = true;
      put(own, pair.key, scalar_at(*pair.value, line.place));
    }
  }
  return {};
}

Result<void> StoryCluster::take_license(const StoryLine& line) {
  TRY(const auto pairs, pairs_of(line, 1));
  Value& licenses = map_at(document_, "licenses", line.place);
  for (const KeyValue& pair : pairs) put(licenses, pair.key, scalar_at(*pair.value, line.place));
  return {};
}

// Times are the story's, and its policy comes into force at 0:00.
Result<void> StoryCluster::take_reservation(const StoryLine& line) {
  TRY_VOID(take_named(line, "reservations"));
  Value& own = *find_name(map_at(document_, "reservations", line.place), line.words[1]);
  Value* start = find(own, "start");
  if (start == nullptr || start->text.starts_with("now")) return {};
  auto time = parse_story_time(start->text);
  if (!time) return story_error(line.place, "start=" + start->text, time.error().what);
  start->text = "now+" + start->text;
  return {};
}

Result<void> StoryCluster::take_document(Value document, const Place& place) {
  if (!document.is_map())
    return story_error(place, "policy",
                       fmt::format("is {}, keys belong there", document.described()));
  if (!document_.entries.empty())
    return story_error(place, "policy", "stands behind header lines",
                       "put the policy first; header lines add to it");
  document_ = std::move(document);
  from_file_ = true;
  return {};
}

Result<void> StoryCluster::set(std::string_view word, const Place& place) {
  const KeyValue pair = split_key_value(word);
  if (!pair.value)
    return story_error(place, word, "is not KEY=VALUE",
                       "keys are those of policy.yaml: priority.weight_age=1000");
  Value* at = &document_;
  const std::vector<std::string_view> steps = split(pair.key, '.');
  // No key of a policy lies deeper than the user of an account.
  if (steps.size() > 8) return story_error(place, word, "there is no key so deep");
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    const std::string step(steps[i]);
    if (i > 0 && steps[i - 1] == "users") {
      at = &map_at(*at, step, place, Match::kName);
    } else if (step == "users" && i > 0) {
      at = &users_of(*at, place);
    } else if (i == 1 && steps[0] == "accounts") {
      // An account is known by its name, wherever it stands in the tree.
      Value* account = find_account(*at, step);
      at = account != nullptr ? account : &map_at(*at, step, place, Match::kName);
    } else {
      at = &map_at(*at, step, place, i == 0 ? Match::kKey : Match::kName);
    }
    if (!at->is_map())
      return story_error(place, word, fmt::format("{} has no keys below it", quoted(step)));
  }
  put(*at, std::string(steps.back()), scalar_at(*pair.value, place));
  return {};
}

Value StoryCluster::with_defaults(const std::set<std::string>& people) const {
  Value all = document_;
  const Place place = all.place;
  if (Value* nodes = find(all, "nodes"))
    for (Value& node : nodes->items)
      if (!find(node, "memory") && !find(node, "mem") && !find(node, "RealMemory"))
        put(node, "memory", scalar_at(kNodeMemory, node.place));
  Value& jobs = map_at(all, "jobs", place);
  const bool speaks_of_memory = std::any_of(
      jobs.entries.begin(), jobs.entries.end(),
      [](const Entry& entry) { return folded(entry.key).find("mem") != std::string::npos; });
  if (!speaks_of_memory) put(jobs, "def_mem_per_cpu", scalar_at(kMemoryPerCpu, place));
  Value& scheduler = map_at(all, "scheduler", place);
  if (!find(scheduler, "backfill_resolution") && !find(scheduler, "bf_resolution"))
    put(scheduler, "backfill_resolution", scalar_at("1s", place));
  if (!find(all, "enforce")) put(all, "enforce", scalar_at("associations,limits,qos", place));
  if (!find(all, "accounts")) {
    Value& account = map_at(map_at(all, "accounts", place), "default", place, Match::kName);
    Value& users = users_of(account, place);
    for (const std::string& name : people)
      if (name != "root") map_at(users, name, place, Match::kName);
  }
  // A story that does not say which QoS a user may use lets every user use all.
  if (!names_qos_of_accounts_) {
    std::string names = "normal";
    if (const Value* qos = find(all, "qos"))
      for (const Entry& entry : qos->entries)
        if (entry.key != "normal") names += "," + entry.key;
    Value& root = map_at(map_at(all, "accounts", place), "root", place, Match::kName);
    if (!find(root, "qos")) put(root, "qos", scalar_at(names, place));
  }
  return all;
}

Result<std::shared_ptr<const Policy>> StoryCluster::policy(const std::set<std::string>& people,
                                                           const Place& place) const {
  PolicyText read = read_policy_document(from_file_ ? document_ : with_defaults(people));
  if (!read.errors.empty()) {
    Error error = read.errors.front();
    if (error.where.empty()) error.where = place.text();
    return tl::unexpected(std::move(error));
  }
  if (read.policy.nodes.empty())
    return story_error(place, "", "the story has no nodes",
                       "write nodes n[1-2] cpus=4, or policy FILE.yaml");
  return std::make_shared<const Policy>(std::move(read.policy));
}

}  // namespace sluice
