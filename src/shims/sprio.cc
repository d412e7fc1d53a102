// sprio: what the priorities of waiting jobs are made of.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "shims/clusters.h"
#include "shims/columns.h"
#include "shims/help.h"
#include "shims/records.h"
#include "shims/shim.h"
#include "shims/words.h"
#include "text/job_reference.h"
#include "text/scan.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

using enum OptionArgument;

constexpr OptionShape kOptions[] = {
    {"format", 'o', kRequired},   {"federation", '\0', kNone},   {"help", '\0', kNone},
    {"jobs", 'j', kOptional},     {"local", '\0', kNone},        {"long", 'l', kNone},
    {"cluster", '\0', kRequired}, {"clusters", 'M', kRequired},  {"noheader", 'h', kNone},
    {"norm", 'n', kNone},         {"partition", 'p', kRequired}, {"sort", 'S', kRequired},
    {"sibling", '\0', kNone},     {"usage", '\0', kNone},        {"user", 'u', kOptional},
    {"users", '\0', kOptional},   {"verbose", 'v', kNone},       {"version", 'V', kNone},
    {"weights", 'w', kNone},
};

using W = PrioritySettings;

std::string number(std::int64_t value) { return std::to_string(value); }
std::string share(std::int64_t part, std::int64_t weight) {
  return fmt::format("{:.7f}",
                     weight == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(weight));
}

std::string weights_text(const Policy& policy) {
  std::string out;
  for (const TresWeight& weight : policy.priority.weight_tres) {
    std::string name = policy.tres.name(weight.tres);
    if (name == "cpu") name = "CPU";
    if (name == "mem") name = "Mem";
    if (name.starts_with("gres/")) name.replace(0, 4, "GRES");
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", name, weight.millionths / 1'000'000);
  }
  return out;
}

// "cpu=0.50,mem=0.03": each part over its weight.
std::string tres_shares(const PriorityLine& line, const Policy& policy) {
  std::string out;
  for (const std::string_view word : split(line.tres_parts, ',')) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    const auto index = policy.tres.find(word.substr(0, equals));
    double weight = 0;
    for (const TresWeight& it : policy.priority.weight_tres)
      if (index && it.tres == *index) weight = static_cast<double>(it.millionths) / 1'000'000.0;
    const double part = static_cast<double>(signed_number(word.substr(equals + 1)).value_or(0));
    out += fmt::format("{}{}={:.2f}", out.empty() ? "" : ",", word.substr(0, equals),
                       weight == 0 ? 0.0 : part / weight);
  }
  return out;
}

struct Field {
  char letter = '\0';
  std::string_view title;
  std::string (*text)(const PriorityLine&, const Policy&) = nullptr;
  std::string (*weight)(const Policy&) = nullptr;
};

std::string blank(const Policy&) { return {}; }

// clang-format off
constexpr auto kFields = std::to_array<Field>({
    {'i', "JOBID", [](const PriorityLine& l, const Policy&) { return l.id; }, [](const Policy&) { return std::string("Weights"); }},
    {'r', "PARTITION", [](const PriorityLine& l, const Policy&) { return l.partition; }, blank},
    {'u', "USER", [](const PriorityLine& l, const Policy&) { return l.user; }, blank},
    {'o', "ACCOUNT", nullptr, blank},
    {'c', "CLUSTER", [](const PriorityLine&, const Policy&) { return std::string("(null)"); }, blank},
    {'Y', "PRIORITY", [](const PriorityLine& l, const Policy&) { return number(l.priority); }, blank},
    {'y', "PRIORITY", [](const PriorityLine& l, const Policy&) { return fmt::format("{:.14f}", static_cast<double>(l.priority) / 4294967295.0); }, blank},
    {'S', "SITE", [](const PriorityLine&, const Policy&) { return std::string("0"); }, [](const Policy&) { return std::string("1"); }},
    {'A', "AGE", [](const PriorityLine& l, const Policy&) { return number(l.age); }, [](const Policy& p) { return number(p.priority.weight_age); }},
    {'a', "AGE", [](const PriorityLine& l, const Policy& p) { return share(l.age, p.priority.weight_age); }, blank},
    {'B', "ASSOC", [](const PriorityLine& l, const Policy&) { return number(l.assoc); }, [](const Policy& p) { return number(p.priority.weight_assoc); }},
    {'b', "ASSOC", [](const PriorityLine& l, const Policy& p) { return share(l.assoc, p.priority.weight_assoc); }, blank},
    {'F', "FAIRSHARE", [](const PriorityLine& l, const Policy&) { return number(l.fairshare); }, [](const Policy& p) { return number(p.priority.weight_fairshare); }},
    {'f', "FAIRSHARE", [](const PriorityLine& l, const Policy& p) { return share(l.fairshare, p.priority.weight_fairshare); }, blank},
    {'J', "JOBSIZE", [](const PriorityLine& l, const Policy&) { return number(l.job_size); }, [](const Policy& p) { return number(p.priority.weight_job_size); }},
    {'j', "JOBSIZE", [](const PriorityLine& l, const Policy& p) { return share(l.job_size, p.priority.weight_job_size); }, blank},
    {'P', "PARTITION", [](const PriorityLine& l, const Policy&) { return number(l.partition_part); }, [](const Policy& p) { return number(p.priority.weight_partition); }},
    {'p', "PARTITION", [](const PriorityLine& l, const Policy& p) { return share(l.partition_part, p.priority.weight_partition); }, blank},
    {'Q', "QOS", [](const PriorityLine& l, const Policy&) { return number(l.qos_part); }, [](const Policy& p) { return number(p.priority.weight_qos); }},
    {'q', "QOS", [](const PriorityLine& l, const Policy& p) { return share(l.qos_part, p.priority.weight_qos); }, blank},
    {'N', "NICE", [](const PriorityLine& l, const Policy&) { return number(l.nice); }, blank},
    {'T', "TRES", [](const PriorityLine& l, const Policy&) { return l.tres_parts; }, weights_text},
    {'t', "TRES", tres_shares, blank},
});
// clang-format on

const Field* field_of(char letter) {
  for (const Field& field : kFields)
    if (field.letter == letter && field.text != nullptr) return &field;
  return nullptr;
}

std::string default_format(const W& weights, bool long_report, bool norm, bool users) {
  std::string out = "%.15i %9r ";
  if (long_report || users) out += "%.8u ";
  if (norm) {
    out += "%10y ";
    if (weights.weight_age != 0 || long_report) out += "%10a ";
    if (weights.weight_assoc != 0 || long_report) out += "%10b ";
    if (weights.weight_fairshare != 0 || long_report) out += "%10f ";
    if (weights.weight_job_size != 0 || long_report) out += "%10j ";
    if (weights.weight_partition != 0 || long_report) out += "%10p ";
    if (weights.weight_qos != 0 || long_report) out += "%10q ";
    if (!weights.weight_tres.empty() || long_report) return out + "%20t";
    return out.substr(0, out.size() - 1);
  }
  out += "%.10Y %.10S";
  if (weights.weight_age != 0 || long_report) out += " %.10A";
  if (weights.weight_assoc != 0 || long_report) out += " %.10B";
  if (weights.weight_fairshare != 0 || long_report) out += " %.10F";
  if (weights.weight_job_size != 0 || long_report) out += " %.10J";
  if (weights.weight_partition != 0 || long_report) out += " %.10P";
  if (weights.weight_qos != 0 || long_report) out += " %.10Q";
  if (long_report) out += " %.11N";
  if (!weights.weight_tres.empty() || long_report) out += " %.20T";
  return out;
}

// Jobs that may not start yet have no place in the queue.
bool is_in_queue(const PriorityLine& line) {
  return line.priority > 0 && line.reason != "BeginTime" &&
         !line.reason.starts_with("Dependency") && !line.reason.starts_with("JobHeld") &&
         line.reason != "JobArrayTaskLimit";
}

// By the fields that the letters stand for; the last key first, and what is alike stays.
bool sort_lines(ShimCall& call, const std::string& keys, std::vector<PriorityLine>& lines,
                const Policy& policy) {
  const auto job_of = [](const PriorityLine& it) {
    return whole_number(it.id.substr(0, it.id.find('_'))).value_or(0);
  };
  struct Key {
    char letter;
    bool reversed;
  };
  std::vector<Key> order;
  bool reversed = false;
  for (const char c : keys) {
    if (c == ',' || c == '#') continue;
    if (c == '-' || c == '+') {
      reversed = c == '-';
      continue;
    }
    if (field_of(c) == nullptr) {
      call.error(fmt::format("Invalid sort specification: {}", c));
      return false;
    }
    order.push_back({c, reversed});
    reversed = false;
  }
  for (auto key = order.rbegin(); key != order.rend(); ++key)
    std::stable_sort(lines.begin(), lines.end(), [&](const PriorityLine& a, const PriorityLine& b) {
      const PriorityLine& one = key->reversed ? b : a;
      const PriorityLine& other = key->reversed ? a : b;
      if (key->letter == 'i') return job_of(one) < job_of(other);
      const std::string left = field_of(key->letter)->text(one, policy);
      const std::string right = field_of(key->letter)->text(other, policy);
      const auto left_number = whole_number(left);
      const auto right_number = whole_number(right);
      return left_number && right_number ? *left_number < *right_number : left < right;
    });
  return true;
}

}  // namespace

int run_sprio(ShimCall& call) {
  const auto given = read_shim_options(call, kOptions);
  if (!given) return 1;
  bool header = true;
  bool norm = false;
  bool long_report = false;
  bool weights = false;
  bool by_user = false;
  std::string users;
  std::string jobs;
  std::string partitions;
  std::string sort = "i";
  bool jobs_given = false;
  std::optional<std::string> format;
  std::optional<std::string> clusters;
  for (const GivenOption& option : given->options) {
    const std::string_view name = kOptions[option.row].name;
    const std::string value = option.value.value_or("");
    if (name == "help") return call.say(shim_help("sprio")), 0;
    if (name == "usage") return call.say(shim_usage("sprio")), 0;
    if (name == "version") return call.say(kShimVersion), 0;
    if (name == "format") format = value;
    if (name == "jobs") {
      jobs_given = true;
      jobs = value;
    }
    if (name == "long") long_report = true;
    if (name == "noheader") header = false;
    if (name == "norm") norm = true;
    if (name == "partition") partitions = value;
    if (name == "sort") sort = value;
    if (name == "user" || name == "users") {
      by_user = true;
      users = known_users(call, value);
    }
    if (name == "weights") weights = true;
    if (name == "cluster" || name == "clusters") clusters = value;
  }
  if (!pick_cluster_typed(call, clusters)) return 1;
  std::vector<std::string> operands = given->operands;
  if (jobs_given && jobs.empty() && !operands.empty()) {
    jobs = operands.front();
    operands.erase(operands.begin());
  }
  if (by_user && users.empty() && !operands.empty()) {
    users = known_users(call, operands.front());
    operands.erase(operands.begin());
  }
  if (!operands.empty()) return call.error("Unrecognized option: " + operands.front()), 1;
  for (const std::string_view word : split(jobs, ','))
    if (const auto number = whole_number(word);
        !word.empty() && (!number || *number <= 0 || *number > 0xffffffff))
      return call.error(fmt::format("Invalid job id: {}", word)), 1;
  if (format && long_report)
    return call.complain(
               "sprio: fatal: Options -o(--format) and -l(--long) are mutually exclusive. Please "
               "remove one and retry."),
           1;
  const auto policy = call.engine->policy();
  if (!policy) return call.fail(policy.error());
  if (policy->priority.type != PriorityType::kMultifactor) {
    call.say(
        "You are not running a supported priority plugin\n(priority/basic).\nOnly "
        "'priority/multifactor' is supported.");
    return 1;
  }
  auto lines = call.engine->fetch<Lines<PriorityLine>>("/v1/priority");
  if (!lines) return call.fail(lines.error());
  std::erase_if(lines->lines, [&](const PriorityLine& it) {
    if (!is_in_queue(it)) return true;
    if (!users.empty() && !in_list(users, it.user)) return true;
    if (!partitions.empty()) {
      const auto words = split(partitions, ',');
      const auto own = split(it.partition, ',');
      if (std::none_of(own.begin(), own.end(), [&](std::string_view each) {
            return std::find(words.begin(), words.end(), each) != words.end();
          }))
        return true;
    }
    if (jobs.empty()) return jobs_given;
    const std::string job = it.id.substr(0, it.id.find('_'));
    return !in_list(jobs, it.id) && !in_list(jobs, job);
  });
  const LetterTokens tokens =
      read_letters(format ? *format : default_format(policy->priority, long_report, norm, by_user));
  for (const LetterToken& token : tokens.tokens)
    if (field_of(token.letter) == nullptr)
      call.error(fmt::format("Invalid job format specification: {}", token.letter));
  if (lines->lines.empty() && !weights && jobs_given)
    return call.say("Unable to find jobs matching user/id(s) specified"), 0;
  if (!sort_lines(call, sort, lines->lines, *policy)) return 1;
  const auto print = [&](const auto& text) {
    std::string out = tokens.prefix;
    for (const LetterToken& token : tokens.tokens) {
      const Field* field = field_of(token.letter);
      if (field == nullptr) continue;
      append_cell(out, text(*field), token.width, token.right);
      out += token.suffix;
    }
    call.say(out);
  };
  if (header) print([](const Field& field) { return std::string(field.title); });
  if (weights) {
    print([&](const Field& field) { return field.weight(*policy); });
    return 0;
  }
  for (const PriorityLine& line : lines->lines)
    print([&](const Field& field) { return field.text(line, *policy); });
  return 0;
}

}  // namespace sluice
