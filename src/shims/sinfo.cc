// sinfo: nodes of partitions, those that are alike on one line.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/local_time.h"
#include "shims/clusters.h"
#include "shims/columns.h"
#include "shims/help.h"
#include "shims/repeated.h"
#include "shims/scontrol_show.h"
#include "shims/shim.h"
#include "shims/sinfo_fields.h"
#include "shims/words.h"
#include "text/hostlist.h"
#include "text/scan.h"

namespace sluice {
namespace {

using enum OptionArgument;

// clang-format off
constexpr OptionShape kOptions[] = {
    {"all", 'a', kNone}, {"dead", 'd', kNone}, {"exact", 'e', kNone}, {"federation", '\0', kNone}, {"Format", 'O', kRequired},
    {"format", 'o', kRequired}, {"help", '\0', kNone}, {"hide", '\0', kNone}, {"iterate", 'i', kRequired}, {"json", '\0', kNone},
    {"list-reasons", 'R', kNone}, {"local", '\0', kNone}, {"long", 'l', kNone}, {"cluster", '\0', kRequired}, {"clusters", 'M', kRequired},
    {"noconvert", '\0', kNone}, {"Node", 'N', kNone}, {"nodes", 'n', kRequired}, {"noheader", 'h', kNone}, {"partition", 'p', kRequired},
    {"reservation", 'T', kNone}, {"responding", 'r', kNone}, {"sort", 'S', kRequired}, {"states", 't', kRequired}, {"summarize", 's', kNone},
    {"usage", '\0', kNone}, {"verbose", 'v', kNone}, {"version", 'V', kNone}, {"yaml", '\0', kNone},
};
constexpr std::array<std::string_view, 32> kStates = {
    "unknown", "down", "idle", "allocated", "alloc", "mixed", "mix", "future", "futr", "drain", "drained", "draining", "drng",
    "no_respond", "reserved", "resv", "perfctrs", "npc", "cloud", "completing", "comp", "powering_down", "powered_down", "power_down",
    "powering_up", "fail", "maint", "reboot", "reboot^", "planned", "plnd", "error"};
// clang-format on

struct Wanted {
  ShownColumns columns;
  bool header = true;
  std::string cluster;  // Where -M said which.
  bool by_node = false;
  bool exact = false;
  bool long_report = false;
  bool summarize = false;
  bool reasons = false;
  bool reservations = false;
  bool dead = false;
  bool json = false;
  bool fits_names = false;  // Our own columns are as wide as the names in them.
  std::string partitions;
  std::string nodes;
  std::string states;
  std::string sort;
  int every = 0;
};

void read_format(ShimCall& call, Wanted& wanted, std::string_view format) {
  const LetterTokens read = read_letters(format);
  wanted.columns.prefix = read.prefix;
  for (const LetterToken& token : read.tokens) {
    const SinfoField* field = sinfo_field(token.letter);
    if (field == nullptr) {
      call.complain(fmt::format("Invalid node format specification: {}",
                                token.letter == '\0' ? ' ' : token.letter));
      std::string& text = wanted.columns.columns.empty() ? wanted.columns.prefix
                                                         : wanted.columns.columns.back().suffix;
      text += token.text;
      continue;
    }
    wanted.columns.columns.push_back({static_cast<std::size_t>(field - sinfo_fields().data()),
                                      token.width, token.right, token.suffix});
  }
}

void add_all(Wanted& wanted) {
  const auto add = [&](bool big) {
    for (std::size_t i = 0; i < sinfo_fields().size(); ++i) {
      const char letter = sinfo_fields()[i].letter;
      if (letter != '\0' && (letter >= 'A' && letter <= 'Z') == big)
        wanted.columns.columns.push_back({i, 0, false, big ? " |" : "|"});
    }
  };
  add(false);
  add(true);
  if (!wanted.columns.columns.empty()) wanted.columns.columns.back().suffix.clear();
}

void read_long_format(ShimCall& call, Wanted& wanted, std::string_view format) {
  for (const NameToken& token : read_names(format)) {
    if (same_ignoring_case(token.name, "all")) {
      add_all(wanted);
      continue;
    }
    const SinfoField* field = sinfo_field(token.name);
    if (field == nullptr) {
      call.error("Invalid job format specification: " + token.name);
      std::string& text = wanted.columns.columns.empty() ? wanted.columns.prefix
                                                         : wanted.columns.columns.back().suffix;
      text += token.suffix;
      continue;
    }
    wanted.columns.columns.push_back({static_cast<std::size_t>(field - sinfo_fields().data()),
                                      token.width, token.right, token.suffix});
  }
}

std::string default_format(const Wanted& wanted) {
  if (wanted.summarize) return "%9P %.5a %.10l %.16F %N";
  if (wanted.reasons) return wanted.long_report ? "%20E %12U %19H %6t %N" : "%20E %9u %19H %N";
  if (wanted.by_node && wanted.long_report)
    return "%N %.6D %.9P %.11T %4c %.8z %.6m %.8d %.6w %.8f %20E";
  if (wanted.by_node) return "%N %.6D %.9P %6t";
  if (wanted.long_report) return "%9P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %N";
  return "%9P %.5a %.10l %.6D %.6t %N";
}

int read_command_line(ShimCall& call, Wanted& wanted) {
  const auto given = read_shim_options(call, kOptions);
  if (!given) return 1;
  wanted.partitions = variable("SINFO_PARTITION").value_or("");
  std::optional<std::string> format;
  std::optional<std::string> long_format;
  std::optional<std::string> clusters;
  wanted.partitions = variable("SINFO_PARTITION").value_or("");
  wanted.sort = variable("SINFO_SORT").value_or("");
  for (const GivenOption& option : given->options) {
    const std::string_view name = kOptions[option.row].name;
    const std::string value = option.value.value_or("");
    if (name == "help") return call.say(shim_help("sinfo")), 0;
    if (name == "usage") return call.say(shim_usage("sinfo")), 0;
    if (name == "version") return call.say(kShimVersion), 0;
    if (name == "dead") wanted.dead = true;
    if (name == "exact") wanted.exact = true;
    if (name == "Format") long_format = value;
    if (name == "format") format = value;
    if (name == "iterate") {
      const auto every = whole_number(value);
      if (!every || *every <= 0)
        return call.complain("Error: invalid entry for --iterate=" + value), 1;
      wanted.every = static_cast<int>(std::min<std::int64_t>(*every, 1'000'000));
    }
    if (name == "list-reasons") wanted.reasons = true;
    if (name == "long") wanted.long_report = true;
    if (name == "Node") wanted.by_node = true;
    if (name == "nodes") wanted.nodes = value;
    if (name == "noheader") wanted.header = false;
    if (name == "partition") wanted.partitions = value;
    if (name == "reservation") wanted.reservations = true;
    if (name == "states") wanted.states = value;
    if (name == "sort") wanted.sort = value;
    if (name == "summarize") wanted.summarize = true;
    if (name == "json") wanted.json = true;
    if (name == "cluster" || name == "clusters") clusters = value;
    if (name == "yaml" && !take_unused(call, name)) return 1;
  }
  const auto cluster = pick_cluster_typed(call, clusters);
  if (!cluster) return 1;
  wanted.cluster = *cluster;
  for (const std::string_view word : split(wanted.states, ',')) {
    if (word.empty() || same_ignoring_case(word, "all")) continue;
    if (std::none_of(kStates.begin(), kStates.end(),
                     [&](std::string_view known) { return same_ignoring_case(known, word); })) {
      call.error(fmt::format("Bad state string: \"{}\"", word));
      call.error(
          "valid states: unknown,down,idle,allocated,?,mixed,future,drain,drained,draining,"
          "no_respond,reserved,perfctrs,cloud,completing,powering_down,powered_down,power_down,"
          "powering_up,fail,maint,reboot,reboot^,unknown");
      return 1;
    }
  }
  if (wanted.long_report && (format || long_format))
    return call.complain(
               "sinfo: fatal: Options -o(--format) and -l(--long) are mutually exclusive. Please "
               "remove one and retry."),
           1;
  if (!format && !long_format && !wanted.long_report && !wanted.summarize && !wanted.reasons &&
      !wanted.by_node)
    format = variable("SINFO_FORMAT");
  if (long_format)
    read_long_format(call, wanted, *long_format);
  else
    read_format(call, wanted, format ? *format : default_format(wanted));
  wanted.fits_names = !long_format && !format && !wanted.summarize && !wanted.reasons;
  return -1;
}

bool has_state(const Wanted& wanted, std::string_view state) {
  if (wanted.reasons) return state == "down" || state == "drained" || state == "draining";
  if (wanted.states.empty() || in_list(wanted.states, "all")) return true;
  for (const std::string_view word : split(wanted.states, ',')) {
    if (same_ignoring_case(word, state) || same_ignoring_case(word, compact_state(state)))
      return true;
    if (same_ignoring_case(word, "drain") && state == "draining") return true;
    if (same_ignoring_case(word, "drng") && state == "draining") return true;
  }
  return false;
}

// Of a partition, not of its nodes: nodes of partitions that say something else are told apart.
bool is_of_partition(const SinfoField& field) {
  constexpr std::string_view kNames[] = {"available",   "groups",         "oversubscribe",
                                         "share",       "time",           "prioritytier",
                                         "root",        "size",           "preemptmode",
                                         "allocnodes",  "maxcpuspernode", "priorityjobfactor",
                                         "defaulttime", "partition",      "partitionname"};
  return std::find(std::begin(kNames), std::end(kNames), field.name) != std::end(kNames);
}

// What tells nodes apart that may not share a line.
std::string mark_of(const Wanted& wanted, const NodeGroup& one) {
  std::string mark;
  for (const ShownColumn& column : wanted.columns.columns) {
    const SinfoField& field = sinfo_fields()[column.field];
    if (field.splits || is_of_partition(field) || (wanted.exact && field.name != "nodelist"))
      mark += field.text(one) + "\x1f";
  }
  return mark;
}

// Nodes that share a line, and the partition that they stand in.
struct MarkedGroup {
  std::string mark;
  std::size_t partition = 0;
  NodeGroup group;
};

std::vector<NodeGroup> groups_of(const Wanted& wanted, const Site& site,
                                 const std::vector<std::string>& only) {
  const auto shows = [&](std::size_t i) {
    const NodeLine& line = site.nodes[i];
    if (wanted.dead && line.state != "down") return false;
    if (!has_state(wanted, line.state)) return false;
    return only.empty() || std::find(only.begin(), only.end(), line.name) != only.end();
  };
  // Names are compared as they are, unlike squeue's.
  const auto is_wanted = [names = split(wanted.partitions, ','),
                          all = wanted.partitions.empty()](const Partition& partition) {
    return all || std::find(names.begin(), names.end(), partition.name) != names.end();
  };
  // Partitions that are not shown share lines, and a node counts once.
  const auto& columns = wanted.columns.columns;
  const bool by_partition =
      wanted.by_node || std::any_of(columns.begin(), columns.end(), [](const ShownColumn& it) {
        return sinfo_fields()[it.field].name.starts_with("partition");
      });
  std::vector<MarkedGroup> found;
  for (std::size_t p = 0; p < site.policy.partitions.size(); ++p) {
    const Partition& partition = site.policy.partitions[p];
    if (!is_wanted(partition)) continue;
    for (const NodeId id : partition.nodes) {
      if (!shows(id.index())) continue;
      NodeGroup one{&site, &partition, {id.index()}};
      std::string mark = wanted.by_node ? site.policy.nodes[id.index()].name : mark_of(wanted, one);
      const auto same = std::find_if(found.begin(), found.end(), [&](const MarkedGroup& each) {
        return each.mark == mark && (!by_partition || each.partition == p);
      });
      if (same == found.end()) {
        found.push_back({std::move(mark), p, std::move(one)});
        continue;
      }
      auto& nodes = same->group.nodes;
      if (std::find(nodes.begin(), nodes.end(), id.index()) == nodes.end())
        nodes.push_back(id.index());
    }
  }
  // A partition of which no node is shown has a line all the same.
  for (std::size_t p = 0;
       by_partition && !wanted.by_node && !wanted.reasons && p < site.policy.partitions.size();
       ++p) {
    const auto in_p = [&](const MarkedGroup& each) { return each.partition == p; };
    if (is_wanted(site.policy.partitions[p]) && std::none_of(found.begin(), found.end(), in_p))
      found.push_back({{}, p, {&site, &site.policy.partitions[p], {}}});
  }
  std::stable_sort(found.begin(), found.end(), [&](const MarkedGroup& a, const MarkedGroup& b) {
    if (by_partition && a.partition != b.partition) return a.partition < b.partition;
    if (a.group.nodes.empty() || b.group.nodes.empty()) return false;
    return state_number(site.nodes[a.group.nodes.front()].state) >
           state_number(site.nodes[b.group.nodes.front()].state);
  });
  std::vector<NodeGroup> out;
  for (MarkedGroup& each : found) out.push_back(std::move(each.group));
  if (wanted.by_node)
    std::stable_sort(out.begin(), out.end(), [](const NodeGroup& a, const NodeGroup& b) {
      return a.nodes.front() < b.nodes.front();
    });
  return out;
}

// What is said of no node at all.
std::string text_of_nothing(std::string_view field) {
  constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
      {"features_act", "(null)"},
      {"features", "(null)"},
      {"gres", "(null)"},
      {"gresused", "(null)"},
      {"comment", "(null)"},
      {"extra", "(null)"},
      {"nodehost", ""},
      {"nodeaddr", ""},
      {"nodelist", ""},
      {"statecompact", "n/a"},
      {"statelong", "n/a"},
      {"statecomplete", "n/a"},
      {"user", "root"},
      {"userlong", "root(0)"},
      {"version", "N/A"},
      {"cluster", "N/A"},
      {"timestamp", "Unknown"},
      {"reason", "none"},
      {"socketcorethread", "0:0:0"},
      {"nodeai", "0/0"},
      {"cpusstate", "0/0/0/0"},
      {"nodeaiot", "0/0/0/0"},
      {"nodesaiot", "0/0/0/0"},
      {"cpusload", "0.00"},
  };
  for (const auto& [name, text] : kTexts)
    if (name == field) return std::string(text);
  return "0";
}

std::string text_of(const SinfoField& field, const NodeGroup& group) {
  return group.nodes.empty() && !is_of_partition(field) ? text_of_nothing(field.name)
                                                        : field.text(group);
}

// By the fields that the letters stand for, numbers as numbers; '#' keeps the order of partitions.
void sort_groups(std::string_view keys, std::vector<NodeGroup>& groups) {
  for (std::size_t at = keys.size(); at-- > 0;) {
    const SinfoField* field = sinfo_field(keys[at]);
    const char before = at > 0 ? keys[at - 1] : ' ';
    if (field == nullptr || before == '#') continue;
    std::stable_sort(groups.begin(), groups.end(), [&](const NodeGroup& a, const NodeGroup& b) {
      const std::string left = text_of(*field, before == '-' ? b : a);
      const std::string right = text_of(*field, before == '-' ? a : b);
      const auto one = whole_number(left);
      const auto other = whole_number(right);
      return one && other ? *one < *other : left < right;
    });
  }
}

void print_line(std::string& out, const Wanted& wanted, const NodeGroup* group, int name_width) {
  out += wanted.columns.prefix;
  for (const ShownColumn& column : wanted.columns.columns) {
    const SinfoField& field = sinfo_fields()[column.field];
    // A list of nodes in front is as wide as the longest of them.
    const int width = column.width == 0 && field.name == "nodelist" ? name_width : column.width;
    std::string text = group == nullptr ? std::string(field.title) : text_of(field, *group);
    // The mark of the default partition stays where its name is cut.
    const auto size = static_cast<std::size_t>(std::max(width, 0));
    if (group != nullptr && field.name == "partition" && text.ends_with('*') && size > 0 &&
        text.size() > size)
      text = text.substr(0, size - 1) + '*';
    const bool whole =
        field.name == "nodelist" || field.name == "nodehost" || field.name == "nodeaddr";
    append_cell(out, text, width, column.right, whole ? CellCut::kLeftOnly : CellCut::kAlways);
    out += column.suffix;
  }
  out += '\n';
}

int print_once(ShimCall& call, const Wanted& wanted) {
  if (wanted.reservations) return list_reservations(call, wanted.header);
  const auto site = fetch_site(*call.engine);
  if (!site) return call.fail(site.error());
  std::vector<std::string> only;
  if (!wanted.nodes.empty()) {
    auto hosts = expand_hostlist(wanted.nodes);
    if (!hosts) return call.error(fmt::format("'{}' invalid entry for --nodes", wanted.nodes)), 1;
    only = std::move(*hosts);
  }
  if (wanted.long_report) call.say(date_text(now_here()));
  if (!wanted.cluster.empty() && wanted.header) call.say("CLUSTER: " + wanted.cluster);
  std::vector<NodeGroup> groups = groups_of(wanted, *site, only);
  sort_groups(wanted.sort, groups);
  int name_width = 0;
  if (wanted.by_node && wanted.fits_names) {
    name_width = 9;
    for (const NodeGroup& group : groups)
      name_width = std::max(name_width, static_cast<int>(text_of(*sinfo_field('N'), group).size()));
  }
  if (wanted.header) print_line(call.out, wanted, nullptr, name_width);
  for (const NodeGroup& group : groups) print_line(call.out, wanted, &group, name_width);
  return 0;
}

}  // namespace

int run_sinfo(ShimCall& call) {
  Wanted wanted;
  if (const int code = read_command_line(call, wanted); code >= 0) return code;
  if (wanted.json) return print_nodes_json(call);
  return print_every(call, wanted.every, [&] { return print_once(call, wanted); });
}

}  // namespace sluice
