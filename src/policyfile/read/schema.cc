// Visits the descriptions of the sections and writes down what it sees.
#include "policyfile/read/schema.h"

#include <fmt/format.h>

#include "policyfile/plan/slurm_only.h"
#include "policyfile/read/sections.h"
#include "policyfile/read/value.h"

namespace sluice {
namespace {

Value text_value(std::string_view text) { return Value::quoted_text(std::string(text)); }

Value reference(std::string_view name) {
  Value out = Value::map();
  out.add("$ref", text_value(fmt::format("#/definitions/{}", name)));
  return out;
}

Value typed(std::string_view type) {
  Value out = Value::map();
  out.add("type", text_value(type));
  return out;
}

Value words_of(const std::vector<std::string_view>& words) {
  Value list = Value::list();
  for (std::string_view word : words) list.items.push_back(text_value(word));
  return list;
}

Value any_of(std::vector<Value> alternatives) {
  Value out = Value::map();
  out.add("anyOf", Value::list(std::move(alternatives)));
  return out;
}

Value one_of_words(const std::vector<std::string_view>& words) {
  Value out = Value::map();
  out.add("enum", words_of(words));
  return out;
}

Value list_of(Value item) {
  Value out = typed("array");
  out.add("items", std::move(item));
  return out;
}

struct Row {
  Key key;
  std::string takes;  // For people.
  Value schema;       // For editors.
};

class SchemaVisitor : public FieldVisitor {
 public:
  std::vector<Row> rows;
  void put(const Key& key, std::string takes, Value schema) {
    rows.push_back({key, std::move(takes), std::move(schema)});
  }

  using FieldVisitor::count;
  using FieldVisitor::whole;
  void text(const Key& key, std::string&) override { put(key, "text", reference("text")); }
  void name(const Key& key, std::string&, Refers) override { put(key, "name", reference("text")); }
  void names(const Key& key, std::vector<std::string>&, Refers) override {
    put(key, "list of names", reference("names"));
  }
  void flag(const Key& key, bool&) override { put(key, "yes or no", reference("flag")); }
  void whole(const Key& key, std::int64_t&, Range range) override {
    Value schema = typed("integer");
    schema.add("minimum", Value::scalar(std::to_string(range.least)));
    put(key, "whole number", std::move(schema));
  }
  void count(const Key& key, std::optional<std::int64_t>&, Range) override {
    put(key, "whole number or unlimited", reference("count"));
  }
  void factor(const Key& key, std::int64_t&) override { put(key, "number", reference("number")); }
  void optional_factor(const Key& key, std::optional<std::int64_t>&) override {
    put(key, "number", reference("number"));
  }
  void span(const Key& key, Duration&) override { put(key, "duration", reference("duration")); }
  void limit(const Key& key, std::optional<Duration>&) override {
    put(key, "duration or unlimited", reference("duration"));
  }
  void memory(const Key& key, std::int64_t&) override { put(key, "memory", reference("memory")); }
  void memory_limit(const Key& key, std::optional<std::int64_t>&) override {
    put(key, "memory or unlimited", reference("memory"));
  }
  void tres(const Key& key, TresLimits&) override { put(key, "resources", reference("tres")); }
  void weights(const Key& key, TresWeights&) override { put(key, "weights", reference("tres")); }
  void qos(const Key& key, std::optional<QosId>&) override {
    put(key, "name of a QoS", reference("text"));
  }
  void qos_list(const Key& key, std::vector<QosId>&) override {
    put(key, "list of QoS", reference("names"));
  }
  void word(const Key& key, std::size_t&, const Words& words) override {
    put(key, fmt::format("{}", fmt::join(words, ", ")), one_of_words(words));
  }
  void optional_word(const Key& key, std::optional<std::size_t>&, const Words& words) override {
    Words all = words;
    all.emplace_back("cluster");
    put(key, fmt::format("{}", fmt::join(all, ", ")), one_of_words(all));
  }
  void flags(const Key& key, std::vector<std::pair<std::string_view, bool*>> words) override {
    Words all;
    for (auto& [word, flag] : words) all.push_back(word);
    put(key, fmt::format("list of {}", fmt::join(all, ", ")),
        any_of({list_of(one_of_words(all)), reference("text")}));
  }
};

template <class T>
SchemaVisitor visited(void (*describe)(FieldVisitor&, T&)) {
  SchemaVisitor visitor;
  T value{};
  describe(visitor, value);
  return visitor;
}

Value table_of(Value item) {
  Value out = typed("object");
  out.add("additionalProperties", std::move(item));
  return out;
}

// An entry that may be left empty: "normal:" alone.
Value or_nothing(Value schema) { return any_of({typed("null"), std::move(schema)}); }

struct Section {
  std::string title;
  std::string intro;
  SchemaVisitor fields;
};

Section node_section() {
  Section section{"nodes", "A list; each entry describes the nodes of one hostlist.", {}};
  section.fields.put({"name", "which nodes, as `g[1-2]`"}, "hostlist", reference("text"));
  for (Row& row : visited(describe_node).rows) section.fields.rows.push_back(std::move(row));
  Value gpu = typed("object");
  section.fields.put({"gpus", "how many, and of which type", {"gpu"}},
                     "8, a100:8, {a100: 8} or [a100, {type: v100, device: /dev/nvidia1, count: 2}]",
                     any_of({typed("integer"), reference("text"), table_of(typed("integer")),
                             list_of(any_of({reference("text"), typed("object")}))}));
  return section;
}

Section partition_section() {
  Section section{
      "partitions", "A map from the name. Left out: one partition `main` with all nodes.", {}};
  section.fields.put({"nodes", "which nodes; left out: all"}, "hostlist, list or all",
                     reference("names"));
  for (Row& row : visited(describe_partition).rows) section.fields.rows.push_back(std::move(row));
  section.fields.put({"oversubscribe", "whether jobs share CPUs", {"shared"}},
                     "no, yes, yes:N, force, force:N, exclusive", reference("flag_or_text"));
  return section;
}

Section reservation_section() {
  return {"reservations", "A map from the name: nodes kept for some users for some time.",
          visited(describe_reservation)};
}

Section association_section(std::string title, std::string intro) {
  Section section{std::move(title), std::move(intro), {}};
  section.fields.put({"shares", "its part of the account above it", {"FairShare", "RawShares"}},
                     "whole number or parent",
                     any_of({typed("integer"), one_of_words({"parent"})}));
  for (Row& row : visited(describe_association).rows) section.fields.rows.push_back(std::move(row));
  return section;
}

void put_slurm_only(Section& section, SlurmOnlyOf of) {
  for (const Key& key : slurm_only_keys(of))
    section.fields.put(key, key.name == "Organization" ? "text" : "number",
                       key.name == "Organization" ? reference("text") : typed("number"));
}

Section account_section() {
  Section section = association_section(
      "accounts",
      "A map from the name; accounts nest. `root` is above all. Left out: one account `default`, "
      "which all users may use, and nothing is enforced.");
  put_slurm_only(section, SlurmOnlyOf::kAccount);
  section.fields.put({"users", "the users in it"},
                     "[alice, bob], or {alice: {shares: 2}}, or [{name: alice, partition: gpu}]",
                     any_of({reference("text"), table_of(or_nothing(reference("user_options"))),
                             list_of(any_of({reference("text"), reference("listed_user")}))}));
  section.fields.put({"accounts", "the accounts below it"}, "map of accounts",
                     table_of(or_nothing(reference("account"))));
  return section;
}

Section user_option_section() {
  Section section = association_section("users of an account",
                                        "What a user may do in one account (an association).");
  section.fields.put({"partition", "the association holds in this partition only"},
                     "name of a partition", reference("text"));
  put_slurm_only(section, SlurmOnlyOf::kUser);
  return section;
}

Section switch_section() {
  return {"switches",
          "A map from the name: the network between the nodes (TopologyPlugin=topology/tree). A "
          "switch has nodes on it, or other switches below it.",
          visited(describe_switch)};
}

std::vector<Section> setting_sections() {
  return {{"users", "A map from the name, for what is not an association.", visited(describe_user)},
          {"priority", "Which waiting job comes first. Weights make it multifactor.",
           visited(describe_priority)},
          {"preemption", "Which jobs may preempt which.", visited(describe_preemption)},
          {"scheduler", "How the queue is worked through.", visited(describe_scheduler)},
          {"jobs", "What holds for every job.", visited(describe_jobs)}};
}

Section qos_section() {
  Section section{"qos", "A map from the name. `normal` exists, named or not.",
                  visited(describe_qos)};
  put_slurm_only(section, SlurmOnlyOf::kQos);
  return section;
}

Value object_of(const SchemaVisitor& fields) {
  Value properties = Value::map();
  for (const Row& row : fields.rows) {
    Value schema = Value::map();
    schema.add("description", text_value(row.key.help));
    // Draft 7 ignores what stands beside $ref.
    Value all_of = Value::list({row.schema});
    if (row.schema.entries.front().key == "$ref")
      schema.add("allOf", std::move(all_of));
    else
      for (const Entry& entry : row.schema.entries) schema.add(entry.key, entry.value);
    properties.add(std::string(row.key.name), schema);
    for (std::string_view alias : row.key.aliases) {
      bool known = false;
      for (const Entry& entry : properties.entries) known = known || entry.key == alias;
      if (!known) properties.add(std::string(alias), schema);
    }
  }
  Value out = typed("object");
  out.add("properties", std::move(properties));
  out.add("additionalProperties", Value::scalar("false"));
  return out;
}

Value definitions() {
  Value out = Value::map();
  const Value text = any_of({typed("string"), typed("integer")});
  out.add("text", text);
  out.add("flag", one_of_words({"yes", "no", "true", "false", "on", "off"}));
  out.entries.back().value.entries.front().value.items.push_back(Value::scalar("true"));
  out.entries.back().value.entries.front().value.items.push_back(Value::scalar("false"));
  out.add("flag_or_text", any_of({typed("boolean"), typed("string")}));
  out.add("number", any_of({typed("number"), typed("string")}));
  out.add("names", any_of({reference("text"), list_of(reference("text"))}));
  out.add("count", any_of({typed("integer"), one_of_words({"unlimited", "infinite"})}));
  out.add("duration", text);
  out.add("memory", text);
  out.add("tres",
          any_of({typed("string"), table_of(reference("number")), list_of(typed("string"))}));
  const Section user = user_option_section();
  out.add("user_options", object_of(user.fields));
  SchemaVisitor listed = user.fields;
  listed.put({"name", "the user"}, "name", reference("text"));
  out.add("listed_user", object_of(listed));
  out.add("account", object_of(account_section().fields));
  return out;
}

}  // namespace

std::string policy_schema() {
  Value properties = Value::map();
  auto add = [&](std::string_view key, std::string_view help, Value schema) {
    Value described = Value::map();
    described.add("description", text_value(help));
    for (Entry& entry : schema.entries) described.add(entry.key, std::move(entry.value));
    properties.add(std::string(key), std::move(described));
  };
  add("include", "other files, read first and merged",
      any_of({typed("string"), list_of(typed("string"))}));
  add("cluster", "the cluster's name", any_of({reference("text")}));
  const Section nodes = node_section();
  add(nodes.title, nodes.intro, list_of(object_of(nodes.fields)));
  const Section partitions = partition_section();
  add(partitions.title, partitions.intro, table_of(or_nothing(object_of(partitions.fields))));
  const Section switches = switch_section();
  add(switches.title, switches.intro, table_of(object_of(switches.fields)));
  const Section qos = qos_section();
  add(qos.title, qos.intro, table_of(or_nothing(object_of(qos.fields))));
  add("accounts", account_section().intro, table_of(or_nothing(reference("account"))));
  add("licenses", "how many of each there are", table_of(typed("integer")));
  const Section reservations = reservation_section();
  add(reservations.title, reservations.intro, table_of(object_of(reservations.fields)));
  for (const Section& section : setting_sections()) {
    Value object = object_of(section.fields);
    add(section.title, section.intro,
        section.title == "users" ? table_of(or_nothing(std::move(object))) : std::move(object));
  }
  const Row enforce = visited(describe_enforce).rows.front();
  add(enforce.key.name, enforce.key.help, enforce.schema);

  add("intents", "what must hold, in sentences; policy check --intents tries to break them",
      any_of({typed("string"), list_of(typed("string"))}));

  Value out = Value::map();
  out.add("$schema", text_value("http://json-schema.org/draft-07/schema#"));
  out.add("title", text_value("sluice policy file"));
  out.add("type", text_value("object"));
  out.add("properties", std::move(properties));
  out.add("additionalProperties", Value::scalar("false"));
  out.add("definitions", definitions());
  return print_json(out);
}

namespace {

std::vector<Section> all_sections() {
  std::vector<Section> out = {node_section(),    partition_section(),   qos_section(),
                              account_section(), user_option_section(), reservation_section(),
                              switch_section()};
  for (Section& section : setting_sections()) out.push_back(std::move(section));
  return out;
}

}  // namespace

std::string policy_keys_json() {
  Value keys = Value::list();
  for (const Section& section : all_sections())
    for (const Row& row : section.fields.rows) {
      Value aliases = Value::list();
      for (const std::string_view alias : row.key.aliases)
        aliases.items.push_back(text_value(alias));
      Value key = Value::map();
      key.add("section", text_value(section.title));
      key.add("key", text_value(row.key.name));
      key.add("aliases", std::move(aliases));
      key.add("takes", text_value(row.takes));
      key.add("help", text_value(row.key.help));
      keys.items.push_back(std::move(key));
    }
  Value out = Value::map();
  out.add("schema", text_value("sluice.keys/1"));
  out.add("keys", std::move(keys));
  return print_json(out);
}

std::string policy_keys() {
  std::string out;
  for (const Section& section : all_sections()) {
    out += fmt::format("### {}\n\n{}\n\n| key | takes | meaning |\n|---|---|---|\n", section.title,
                       section.intro);
    for (const Row& row : section.fields.rows) {
      std::string names = fmt::format("`{}`", row.key.name);
      for (std::string_view alias : row.key.aliases) names += fmt::format(", `{}`", alias);
      out += fmt::format("| {} | {} | {} |\n", names, row.takes, row.key.help);
    }
    out += "\n";
  }
  return out;
}

}  // namespace sluice
