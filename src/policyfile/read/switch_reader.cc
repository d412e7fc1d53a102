// switches:, the network between the nodes.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "policyfile/read/field_reader.h"
#include "policyfile/read/section_readers.h"
#include "policyfile/read/sections.h"
#include "text/hostlist.h"
#include "text/spelling.h"

namespace sluice {

void describe_switch(FieldVisitor& visit, SwitchWords& words) {
  visit.text({"nodes", "a hostlist of the nodes on it"}, words.nodes);
  visit.text({"switches", "a hostlist of the switches below it"}, words.switches);
}

namespace {

class SwitchReader {
 public:
  SwitchReader(Policy& policy, Reading& reading) : policy_(policy), reading_(reading) {}

  void read(const Value& section) {
    std::map<std::string, std::uint32_t, std::less<>> nodes;
    for (std::uint32_t i = 0; i < policy_.nodes.size(); ++i)
      nodes.emplace(policy_.nodes[i].name, i);
    std::map<std::string, std::uint32_t, std::less<>> switches;
    for (const Entry& entry : section.entries) {
      switches.emplace(entry.key, static_cast<std::uint32_t>(switches.size()));
      policy_.switches.push_back({entry.key, {}, {}});
    }
    above_.assign(switches.size(), {});
    for (std::uint32_t i = 0; i < section.entries.size(); ++i) {
      const Entry& entry = section.entries[i];
      const std::string path = "switches." + entry.key;
      reading_.places.put(path, entry.place);
      if (!is_plain_name(entry.key))
        reading_.error(entry.place, "switches", fmt::format("'{}' is not a name", entry.key),
                       "use letters, digits and _ . - + @");
      SwitchWords words;
      FieldReader fields(entry.value, path, reading_);
      describe_switch(fields, words);
      fields.finish();
      if (words.nodes.empty() == words.switches.empty())
        reading_.error(entry.place, path, "a switch has nodes on it or switches below it",
                       "write nodes: n[1-4] or switches: leaf[1-2]");
      for (const std::uint32_t node : find(entry, path + ".nodes", words.nodes, nodes, "node"))
        join_node(entry, path, i, node);
      for (const std::uint32_t below :
           find(entry, path + ".switches", words.switches, switches, "switch"))
        join_switch(entry, path, i, below);
    }
  }

 private:
  std::vector<std::uint32_t> find(const Entry& entry, const std::string& path,
                                  const std::string& list,
                                  const std::map<std::string, std::uint32_t, std::less<>>& known,
                                  std::string_view what) {
    std::vector<std::uint32_t> out;
    if (list.empty()) return out;
    const auto names = expand_hostlist(list);
    if (!names) {
      reading_.error(entry.place, path, names.error().what, names.error().hint);
      return out;
    }
    for (const std::string& name : *names) {
      if (const auto found = known.find(name); found != known.end()) {
        out.push_back(found->second);
        continue;
      }
      std::vector<std::string> all;
      for (const auto& [each, number] : known) all.push_back(each);
      reading_.error(entry.place, path, fmt::format("there is no {} '{}'", what, name),
                     allowed_words(name, all));
    }
    return out;
  }

  void join_node(const Entry& entry, const std::string& path, std::uint32_t at,
                 std::uint32_t node) {
    const auto [it, is_new] = on_.emplace(node, at);
    if (!is_new)
      reading_.error(entry.place, path,
                     fmt::format("{} is on {} already", policy_.nodes[node].name,
                                 policy_.switches[it->second].name),
                     "a node is on one switch");
    else
      policy_.switches[at].nodes.emplace_back(node);
  }

  void join_switch(const Entry& entry, const std::string& path, std::uint32_t at,
                   std::uint32_t below) {
    bool circle = at == below;
    for (auto up = above_[at]; up && !circle; up = above_[*up]) circle = *up == below;
    const std::string& name = policy_.switches[below].name;
    if (circle)
      reading_.error(entry.place, path, fmt::format("{} is above {}, too", name, entry.key),
                     "switches form a tree");
    else if (above_[below])
      reading_.error(
          entry.place, path,
          fmt::format("{} is below {} already", name, policy_.switches[*above_[below]].name),
          "switches form a tree");
    else
      above_[below] = at;
    if (!circle && above_[below] == at) policy_.switches[at].switches.push_back(below);
  }

  Policy& policy_;
  Reading& reading_;
  std::map<std::uint32_t, std::uint32_t> on_;        // Node to switch.
  std::vector<std::optional<std::uint32_t>> above_;  // By switch.
};

}  // namespace

void read_switches(const Value& value, Policy& policy, Reading& reading) {
  reading.places.put("switches", value.place);
  FieldReader section(value, "switches", reading);
  if (!value.is_map()) return;
  SwitchReader(policy, reading).read(value);
}

}  // namespace sluice
