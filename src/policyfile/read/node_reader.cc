// nodes: and partitions:, the machines and the queues in front of them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "policyfile/read/field_reader.h"
#include "policyfile/read/section_readers.h"
#include "policyfile/read/sections.h"
#include "text/hostlist.h"
#include "text/spelling.h"

namespace sluice {
namespace {

// A site larger than this has a typing error in a range: a[1-1000000].
constexpr std::size_t kMaxNodes = 100'000;

class GpuReader {
 public:
  GpuReader(FieldReader& fields, Reading& reading) : fields_(fields), reading_(reading) {}

  // 8, a100:8, {a100: 4, v100: 4}, or [a100, {type: v100, device: /dev/nvidia1}].
  std::vector<Gpu> read() {
    const Value* value = fields_.raw(key_);
    if (value == nullptr) return {};
    if (value->is_scalar()) {
      read_scalar(*value);
    } else if (value->is_map()) {
      for (const Entry& entry : value->entries) {
        if (!entry.value.is_scalar()) {
          fields_.error(entry.value, key_, "says how many of each type", "write {a100: 8}");
          continue;
        }
        add(number(entry.value), {type(entry.key, entry.value), {}});
      }
    } else if (value->is_list()) {
      for (const Value& item : value->items) read_item(item);
    } else {
      fields_.error(*value, key_, "has no value", "write 8, {a100: 8} or [a100, a100]");
    }
    if (gpus_.size() > kMaxGpusPerNode) {
      fields_.error(*value, key_, fmt::format("more than {} GPUs on a node", kMaxGpusPerNode));
      gpus_.resize(kMaxGpusPerNode);
    }
    return std::move(gpus_);
  }

 private:
  // As --gres=gpu:a100:8 names them.
  void read_scalar(const Value& value) {
    const std::size_t colon = value.text.rfind(':');
    if (colon == std::string::npos || colon == 0) return add(number(value), {});
    Value count = value;
    count.text.erase(0, colon + 1);
    add(number(count), {type(value.text.substr(0, colon), value), {}});
  }
  void read_item(const Value& item) {
    if (item.is_scalar()) {
      gpus_.push_back({type(item.text, item), {}});
      return;
    }
    FieldReader gpu(item, fields_.field(key_), reading_);
    Gpu one;
    std::int64_t count = 1;
    gpu.text({"type", "as --gres=gpu:TYPE names it"}, one.type);
    gpu.text({"device", "the device file"}, one.device);
    gpu.whole({"count", "how many of these"}, count, Range{1, kMaxGpusPerNode});
    gpu.finish();
    if (!one.type.empty()) one.type = type(one.type, item);
    add(static_cast<std::size_t>(count), one);
  }

  std::size_t number(const Value& value) {
    std::size_t n = 0;
    const char* end = value.text.data() + value.text.size();
    auto [stop, problem] = std::from_chars(value.text.data(), end, n);
    if (problem == std::errc{} && stop == end && n <= kMaxGpusPerNode) return n;
    fields_.error(
        value, key_, fmt::format("'{}' is not a number of GPUs", value.text),
        fmt::format("allowed: 0 to {}, a100:8, {{a100: 8}}, or a list of types", kMaxGpusPerNode));
    return 0;
  }

  std::string type(const std::string& name, const Value& at) {
    if (!is_plain_name(name)) {
      fields_.error(at, key_, fmt::format("'{}' is not a type of GPU", name),
                    "use letters, digits and _ . - + @");
      return {};
    }
    if (auto added = reading_.tres.add("gres/gpu:" + name); !added)
      fields_.error(at, key_, added.error().what, added.error().hint);
    return name;
  }

  void add(std::size_t count, const Gpu& gpu) { gpus_.insert(gpus_.end(), count, gpu); }

  const Key key_ = {"gpus", "8, a100:8, {a100: 8}, or a list of types", {"gpu"}};
  FieldReader& fields_;
  Reading& reading_;
  std::vector<Gpu> gpus_;
};

void read_oversubscribe(FieldReader& fields, Partition& partition) {
  const Key key = {
      "oversubscribe", "whether CPUs are shared: no, yes:N, force:N, exclusive", {"shared"}};
  const Value* value = fields.scalar(key);
  if (value == nullptr) return;
  const std::string text = folded(value->text);
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string word = text.substr(0, colon);
  bool known = true;
  if (word == "no" || word == "false")
    partition.oversubscribe = OverSubscribe::kNo;
  else if (word == "yes" || word == "true")
    partition.oversubscribe = OverSubscribe::kYes;
  else if (word == "force")
    partition.oversubscribe = OverSubscribe::kForce;
  else if (word == "exclusive")
    partition.oversubscribe = OverSubscribe::kExclusive;
  else
    known = false;
  if (known && colon < text.size()) {
    std::int32_t jobs = 0;
    const char* end = text.data() + text.size();
    auto [stop, problem] = std::from_chars(text.data() + colon + 1, end, jobs);
    const bool takes_number = partition.oversubscribe == OverSubscribe::kYes ||
                              partition.oversubscribe == OverSubscribe::kForce;
    known = takes_number && problem == std::errc{} && stop == end && jobs >= 1 && jobs <= 32'767;
    if (known) partition.oversubscribe_jobs = jobs;
  }
  if (!known)
    fields.error(*value, key, fmt::format("'{}' is not one of its values", value->text),
                 "allowed: no, yes, yes:N, force, force:N, exclusive");
}

void read_partition_nodes(FieldReader& fields, const Policy& policy,
                          const std::map<std::string, NodeId, std::less<>>& nodes,
                          Partition& partition) {
  const Key key = {"nodes", "a hostlist, or all"};
  const Value* value = fields.raw(key);
  std::set<NodeId> chosen;
  const bool all = value == nullptr || (value->is_scalar() && folded(value->text) == "all");
  if (all) {
    for (std::size_t i = 0; i < policy.nodes.size(); ++i)
      chosen.insert(NodeId(static_cast<NodeId::rep>(i)));
  } else {
    std::vector<Value> lists;
    if (value->is_list())
      lists = fields.listed(key);
    else if (const Value* one = fields.scalar(key))
      lists.push_back(*one);
    for (const Value& list : lists) {
      auto names = expand_hostlist(list.text);
      if (!names) {
        fields.error(list, key, names.error().what, names.error().hint);
        continue;
      }
      for (const std::string& name : *names) {
        if (auto found = nodes.find(name); found != nodes.end()) {
          chosen.insert(found->second);
          continue;
        }
        std::vector<std::string> known;
        for (const Node& node : policy.nodes) known.push_back(node.name);
        fields.error(list, key, fmt::format("there is no node '{}'", name),
                     allowed_words(name, known));
        break;
      }
    }
  }
  partition.nodes.assign(chosen.begin(), chosen.end());
}

}  // namespace

void read_nodes(const Value& value, Policy& policy, Reading& reading) {
  reading.places.put("nodes", value.place);
  if (!value.is_list()) {
    reading.error(value.place, "nodes",
                  fmt::format("is {}, a list belongs here", value.described()),
                  "write - name: n[1-4] and below it cpus: and memory:");
    return;
  }
  std::set<std::string> known;
  for (const Value& item : value.items) {
    const Key name_key = {"name", "a hostlist: g[1-2]"};
    FieldReader fields(item, "nodes", reading);
    if (!item.is_map()) continue;
    const Value* name = fields.scalar(name_key);
    Node node;
    describe_node(fields, node);
    node.gpus = GpuReader(fields, reading).read();
    fields.finish();
    if (name == nullptr) {
      if (!fields.has(name_key))
        reading.error(item.place, "nodes", "a node without a name", "add name: n1");
      continue;
    }
    const std::int64_t threads = std::int64_t{node.sockets} * node.threads_per_core;
    if (node.cpus < 1 || threads < 1 || node.cpus % threads != 0)
      reading.error(item.place, "nodes." + name->text,
                    fmt::format("{} CPUs cannot sit on {} sockets with {} threads a core",
                                node.cpus, node.sockets, node.threads_per_core),
                    "cpus is a multiple of sockets × threads_per_core");
    auto names = expand_hostlist(name->text);
    if (!names) {
      fields.error(*name, name_key, names.error().what, names.error().hint);
      continue;
    }
    if (policy.nodes.size() + names->size() > kMaxNodes) {
      fields.error(*name, name_key,
                   fmt::format("'{}' makes more than {} nodes", name->text, kMaxNodes));
      continue;
    }
    for (const std::string& one : *names) {
      node.name = one;
      if (!is_plain_name(one) || folded(one) == "all")
        fields.error(*name, name_key, fmt::format("'{}' is not a name of a node", one),
                     "use letters, digits and _ . - + @");
      else if (!known.insert(one).second)
        fields.error(*name, name_key, fmt::format("there are two nodes '{}'", one));
      else
        policy.nodes.push_back(node);
      reading.places.put("nodes." + one, item.place);
    }
  }
}

void read_partitions(const Value* value, Policy& policy, Reading& reading) {
  if (value == nullptr) {
    Partition all;
    all.name = "main";
    all.is_default = true;
    for (std::size_t i = 0; i < policy.nodes.size(); ++i)
      all.nodes.emplace_back(static_cast<NodeId::rep>(i));
    policy.partitions.push_back(std::move(all));
    return;
  }
  FieldReader section(*value, "partitions", reading);
  std::map<std::string, NodeId, std::less<>> nodes;
  for (std::size_t i = 0; i < policy.nodes.size(); ++i)
    nodes.emplace(policy.nodes[i].name, static_cast<NodeId::rep>(i));
  const Entry* first_default = nullptr;
  for (const Entry& entry : value->entries) {
    const std::string path = "partitions." + entry.key;
    reading.places.put(path, entry.place);
    if (!is_plain_name(entry.key)) {
      reading.error(entry.place, "partitions", fmt::format("'{}' is not a name", entry.key),
                    "use letters, digits and _ . - + @");
      continue;
    }
    FieldReader fields(entry.value, path, reading);
    Partition partition;
    partition.name = entry.key;
    read_partition_nodes(fields, policy, nodes, partition);
    describe_partition(fields, partition);
    read_oversubscribe(fields, partition);
    // The only partition is the default one unless it says no.
    if (value->entries.size() == 1 && !fields.has({"default", ""})) partition.is_default = true;
    fields.finish();
    if (partition.is_default && first_default != nullptr)
      reading.error(entry.place, path + ".default",
                    fmt::format("'{}' (line {}) is the default partition already",
                                first_default->key, first_default->place.line),
                    "keep default: yes in one of the two");
    if (partition.is_default && first_default == nullptr) first_default = &entry;
    policy.partitions.push_back(std::move(partition));
  }
}

}  // namespace sluice
