// The whole cluster: five questions every half minute at most, and three that are asked seldom.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "slurm/description_texts.h"
#include "slurm/held_jobs.h"
#include "slurm/live_limits.h"
#include "slurm/records.h"
#include "slurm/slurm_cluster.h"
#include "slurm/version.h"
#include "system/users.h"

namespace sluice {
namespace {

std::string value_of(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& word : environment)
    if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=')
      return word.substr(name.size() + 1);
  return {};
}

// As the lists of this machine have them; on most sites slurmctld reads the same.
std::vector<std::string> groups_of(const std::string& user) {
  std::vector<std::string> out;
  const auto found = system_users().user_named(user);
  if (!found || !*found) return out;
  const auto numbers = system_users().groups_of(**found);
  if (!numbers) return out;
  for (const std::uint32_t number : *numbers)
    if (const auto group = system_users().group_of(number); group && *group)
      out.push_back((*group)->name);
  return out;
}

}  // namespace

Result<Description> SlurmCluster::describe() { return describe_for(name_of_this_user()); }

Result<Description> SlurmCluster::describe_for(const std::string& user) {
  const CallerSettings& settings = caller_.settings();
  DescriptionTexts texts;
  Instant oldest = caller_.now();
  std::string behind;
  const auto need = [&](std::string_view name, const std::vector<std::string>& argv,
                        Duration fresh_for) -> Result<std::string> {
    TRY(Answered answer, caller_.ask(name, argv, fresh_for));
    if (!answer.problem.empty()) behind = answer.problem;
    if (fresh_for == settings.fresh_for || !answer.problem.empty())
      oldest = std::min(oldest, answer.as_of);
    return std::move(answer.text);
  };
  // From the database. What it said before will do; without it the rest is still worth much.
  const auto want = [&](std::string_view name, const std::vector<std::string>& argv,
                        std::optional<std::string>& text) -> std::optional<Instant> {
    auto answer = caller_.ask(name, argv, settings.seldom);
    if (!answer) return std::nullopt;
    text = std::move(answer->text);
    if (answer->problem.empty()) return std::nullopt;
    return answer->as_of;
  };
  TRY(texts.config, need("config", {"scontrol", "show", "config"}, settings.seldom));
  TRY(texts.queue, need("queue", queue_of_all_command(), settings.fresh_for));
  TRY(texts.assoc_mgr,
      need("assoc_mgr", {"scontrol", "--oneliner", "show", "assoc_mgr", "flags=qos,assoc"},
           settings.fresh_for));
  TRY(texts.nodes,
      need("nodes", {"scontrol", "--oneliner", "--details", "show", "node"}, settings.fresh_for));
  // Those that are hidden from the user too: a job may name them.
  TRY(texts.partitions,
      need("all-partitions", {"scontrol", "--oneliner", "--all", "show", "partition"},
           settings.seldom));
  TRY(texts.reservations,
      need("reservations", {"scontrol", "--oneliner", "show", "reservation"}, settings.fresh_for));
  if (const std::string_view licenses = config_value(texts.config, "Licenses");
      !licenses.empty() && licenses != "(null)") {
    TRY(texts.licenses,
        need("licenses", {"scontrol", "--oneliner", "show", "license"}, settings.fresh_for));
  }
  const auto old_qos = want(
      "qos", qos_table_command(read_slurm_version(config_value(texts.config, "SLURM_VERSION"))),
      texts.qos_table);
  const auto old_assoc =
      want(fmt::format("assoc-{}", user), assoc_table_command(user), texts.assoc_table);
  // A name service may take its time: it is asked only where a partition asks for groups.
  for (const Record& record : records_of(texts.partitions, "PartitionName="))
    if (const std::string_view groups = record.given("AllowGroups");
        texts.groups.empty() && !groups.empty() && groups != "ALL")
      texts.groups = groups_of(user);
  Description out = read_description(texts, user);
  if (const auto old = old_qos ? old_qos : old_assoc)
    out.unseen.push_back(
        fmt::format("changes of QoS and associations in the last {} min (slurmdbd does not answer)",
                    std::max<std::int64_t>(1, to_seconds(caller_.now() - *old) / 60)));
  out.as_of = oldest;
  out.behind = behind;
  return out;
}

CallerSettings slurm_settings(const std::vector<std::string>& environment) {
  CallerSettings out;
  out.environment = scrubbed_environment(environment);
  std::string cache = value_of(environment, "XDG_CACHE_HOME");
  if (cache.empty()) {
    const std::string home = value_of(environment, "HOME");
    if (home.empty()) return out;
    cache = home + "/.cache";
  }
  // One person may speak to several clusters.
  const std::string conf = value_of(environment, "SLURM_CONF");
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : conf) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  out.cache_folder = fmt::format("{}/sluice/slurm-{:08x}", cache, hash & 0xffffffffU);
  return out;
}

}  // namespace sluice
