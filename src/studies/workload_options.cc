// Files are told apart by how they begin.
#include "studies/workload_options.h"

#include <fmt/format.h>

#include <filesystem>

#include "engine/codec.h"
#include "host/files/files.h"
#include "policyfile/read/policy_reader.h"
#include "sim/reports/report_words.h"
#include "sim/workloads/bad_lines.h"
#include "sim/workloads/estimates.h"
#include "sim/workloads/exercise.h"
#include "sim/workloads/generated.h"
#include "sim/workloads/log_workload.h"
#include "sim/workloads/swf.h"
#include "sim/workloads/user_mapping.h"
#include "slurm/accounting_dump.h"
#include "studies/daemon_journal.h"

namespace sluice {
namespace {

// "KTH-SP2" of "traces/KTH-SP2.swf.gz": the journal names it, and must not depend on the folder.
std::string name_of_file(const std::string& path) {
  if (path == "-") return "trace";
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz") name = name.stem();
  for (const char* ending : {".swf", ".csv", ".txt", ".journal", ".db"})
    if (name.extension() == ending) return name.stem().string();
  return name.string();
}

Result<Workload> read_dump(const std::string& text, const std::string& path, BadLines bad_lines) {
  SkippedLines left_out;
  BadLineCount bad(bad_lines, left_out);
  TRY(const std::vector<LoggedRecord> log,
      parse_accounting_dump(text, path, [&](std::uint32_t line, std::string what) {
        return bad.add(
            path, line, std::move(what),
            "expected a value for each field that the header names, as sacct -P writes it");
      }));
  Workload workload = workload_of_log(log, path);
  workload.left_out.bad_lines = left_out.bad_lines;
  workload.left_out.first_bad = left_out.first_bad;
  return workload;
}

constexpr std::string_view kKinds =
    "expected a trace in the Standard Workload Format (lines of 18 numbers), what `sacct -aPX -o "
    "ALL` prints, with its first line, or a journal: of `sluice sim --journal`, or a daemon's "
    "journal.db";

// Lines of a trace are numbers or comments.
bool may_be_trace(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ||
         std::string_view("0123456789+-;").find(text[first]) != std::string_view::npos;
}

// Of a log in which no job ran: what its lines are.
std::string why_empty(const SkippedLines& left_out) {
  std::string out = "holds no job that ran";
  bool listed = false;
  const auto add = [&](std::size_t lines, std::string_view what) {
    if (lines > 0) out += fmt::format("{} {} {}", listed ? "," : ":", plural(lines, "line"), what);
    listed = listed || lines > 0;
  };
  add(left_out.without_size, "without a size, a run time or a time of submission");
  add(left_out.never_started, "of jobs that never started");
  add(left_out.not_ended, "of jobs that had not ended");
  add(left_out.bad_lines, "that cannot be read");
  return out;
}

// CPU time is counted in milliseconds, and some jobs run several times.
Result<void> check_size(const Workload& workload, const std::string& path) {
  constexpr double kMostCpuSeconds = 2e15;
  double sum = 0;
  for (const WorkItem& item : workload.items) {
    const WorkRequest& request = workload.request_of(item);
    sum += static_cast<double>(to_seconds(item.run)) * request.cpus;
    if (sum > kMostCpuSeconds)
      return tl::unexpected<Error>(Error{
          ErrorKind::kBadInput, "its jobs take more CPU time than any cluster could give them",
          fmt::format("{}:{}", path, item.log_line),
          fmt::format("together they may take {:.0f} CPU years; see that the columns are in "
                      "their order",
                      kMostCpuSeconds / 86'400 / 365)});
  }
  return {};
}

Result<Workload> read_log(const std::string& path, BadLines bad_lines) {
  TRY(std::string text, read_maybe_gzipped(path));
  // What editors on Windows put first.
  if (constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf"; text.starts_with(kByteOrderMark))
    text.erase(0, kByteOrderMark.size());
  const auto read = [&]() -> Result<Workload> {
    if (text.starts_with(kJournalMagic)) return workload_of_journal(text, path);
    if (is_daemon_journal(text)) {
      TRY(const std::vector<LoggedRecord> log, read_daemon_journal(path, text));
      return workload_of_log(log, path);
    }
    if (is_accounting_dump(text)) return read_dump(text, path, bad_lines);
    if (is_accounting_table(text))
      return tl::unexpected<Error>(
          Error{ErrorKind::kBadInput, "is a table for people, whose columns sacct cuts", path,
                "write it with -P: sacct -aPXD -S now-30days -o "
                "JobID,User,Account,QOS,Partition,Submit,Start,ElapsedRaw,TimelimitRaw,ReqTRES,"
                "AllocTRES,State"});
    if (!may_be_trace(text)) {
      const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
      const bool fields = std::count(line.begin(), line.end(), '|') > 2;
      return tl::unexpected<Error>(
          Error{ErrorKind::kBadInput,
                fields ? "its first line does not name the fields, JobID among them"
                       : "is no workload that can be read",
                path, std::string(kKinds)});
    }
    return parse_swf(text, path, bad_lines);
  };
  TRY(Workload workload, read());
  if (workload.items.empty())
    return tl::unexpected<Error>(
        Error{ErrorKind::kBadInput, why_empty(workload.left_out), path, std::string(kKinds)});
  TRY_VOID(check_size(workload, path));
  workload.name = name_of_file(path);
  return workload;
}

// Settings, unless a file of that name exists.
bool is_settings(const std::string& text) {
  std::error_code ignored;
  return text != "-" && text.find('=') != std::string::npos &&
         !std::filesystem::exists(text, ignored);
}

std::string people_text(const UserMapping& mapping, std::size_t users) {
  if (mapping.takers == 0) return "The policy names no users; all keep their names.";
  if (mapping.dealt == 0)
    return users == 1 ? "The only user is a user of the policy."
                      : fmt::format("All {} users are users of the policy.", users);
  return fmt::format(
      "Of {}, {} {} of the policy by name or rule; the jobs of {} are dealt out over the policy's "
      "{} in turn.",
      plural(users, "user"), mapping.matched, mapping.matched == 1 ? "is a user" : "are users",
      mapping.dealt, mapping.takers);
}

// "120 jobs name QoS long or night, which the policy does not have: …", one for each kind.
std::string not_there_text(const std::vector<NameNotThere>& all) {
  using Kind = NameNotThere::Kind;
  struct Words {
    Kind kind;
    std::string_view noun, why, instead;
  };
  static constexpr Words kWords[] = {
      {Kind::kAccount, "account", "where the policy does not have their user",
       "they are charged to the user's default account"},
      {Kind::kQos, "QoS", "which the policy does not have", "they go under the default QoS"},
      {Kind::kPartition, "partition", "which the policy does not have",
       "they go to the default partition"}};
  constexpr std::size_t kShown = 4;
  std::string out;
  for (const Words& words : kWords) {
    std::size_t jobs = 0;
    std::size_t names = 0;
    std::string listed;
    for (const NameNotThere& each : all) {
      if (each.kind != words.kind) continue;
      jobs += each.jobs;
      if (++names <= kShown) listed += (listed.empty() ? "" : ", ") + each.name;
    }
    if (jobs == 0) continue;
    if (names > kShown) listed += fmt::format(" and {} more", names - kShown);
    out += fmt::format(" {} {} {} {}, {}: {}.", plural(jobs, "job"), jobs == 1 ? "names" : "name",
                       words.noun, listed, words.why, words.instead);
  }
  if (!out.empty()) out += " Rules can say otherwise: --map FILE.";
  return out;
}

std::string no_limits_text(std::size_t jobs) {
  if (jobs == 0) return {};
  return fmt::format(
      "{} of the log {} no time limit: the run time is taken for it, which no user knows so well "
      "(--estimates modelled).",
      plural(jobs, "job"), jobs == 1 ? "has" : "have");
}

std::string made_up_people(const Workload& workload, const GeneratorSettings& settings,
                           const Policy& policy) {
  const bool own = !workload.users.empty() && policy.find_user(workload.users.front());
  std::string out = fmt::format(
      "{}{} submit over {}", plural(workload.users.size(), own ? "user" : "made-up user"),
      own ? " of the policy" : "",
      span_text(static_cast<double>(to_seconds(workload.items.back().submit))));
  if (settings.load_permille > 0)
    out += fmt::format(", load {:.2f} on the busiest partition",
                       static_cast<double>(settings.load_permille) / 1000);
  else
    out += ", load 0.7 on the busiest partition (change it: load=0.9)";
  if (settings.users > static_cast<std::int64_t>(workload.users.size()))
    out += fmt::format("; {} people share their names", settings.users);
  return out + ".";
}

Result<LoadedWorkload> make_up(const std::string& text,
                               const std::shared_ptr<const Policy>& policy) {
  TRY(const GeneratorSettings settings, parse_generator(text));
  LoadedWorkload out;
  if (policy == nullptr) {
    out.workload = generate(settings);
    return out;
  }
  TRY(out.workload, generate_for(settings, policy));
  out.people = made_up_people(out.workload, settings, *policy);
  return out;
}

Result<LoadedWorkload> from_log(const WorkloadOptions& options, const std::string& path,
                                const std::shared_ptr<const Policy>& policy) {
  LoadedWorkload out;
  const BadLines bad = options.bad_lines == "skip" ? BadLines::kSkip : BadLines::kStop;
  TRY(out.workload, read_log(path, bad));
  if (options.estimates == "given") out.people = no_limits_text(out.workload.without_limit);
  if (policy == nullptr) {
    // A machine of one node has no QoS, partition or memory of its own.
    for (WorkRequest& request : out.workload.requests) {
      request.qos = request.partition = 0;
      request.gpus = request.nodes = 0;
      request.memory_mb = 0;
    }
    return out;
  }
  MappingRules rules;
  if (!options.rules.empty()) {
    TRY(const std::string text, read_file(options.rules));
    TRY(rules, read_mapping_rules(text, options.rules, *policy));
  }
  const std::size_t users = out.workload.users.size();
  const UserMapping mapping = map_users(*policy, out.workload, rules);
  if (!out.people.empty()) out.people = " " + out.people;
  out.people = people_text(mapping, users) + not_there_text(mapping.not_there) + out.people;
  if (out.workload.items.empty())
    return bad_input("the mapping rules leave out every job", "see the rules: " + options.rules);
  return out;
}

}  // namespace

void add_workload_options(Command& verb, const std::shared_ptr<WorkloadOptions>& options) {
  CommandOption* any =
      verb.add_option(
              "-w,--workload", options->workload,
              "What to run: an SWF trace, what sacct -P printed, a journal (of a simulation "
              "or a daemon's journal.db), each gzipped or not, - for standard input; or "
              "settings as --generate takes them")
          ->type_name("FILE");
  CommandOption* swf =
      verb.add_option("--swf", options->swf, "The same for a trace in the Standard Workload Format")
          ->type_name("TRACE")
          ->excludes(any);
  verb.add_option("--generate", options->generated,
                  "A made-up workload, scaled to the policy: "
                  "jobs=10000,load=0.7,seed=1[,model=habits|lublin,gpus=0.5,fail=0,neighbours=0,"
                  "cycle=day|none,"
                  "users=N,accounts=N,cpus=N]")
      ->type_name("SETTINGS")
      ->excludes(any)
      ->excludes(swf);
  verb.add_option("--map", options->rules,
                  "Rules (YAML) from a log's users, groups and queues to the policy's names")
      ->type_name("FILE");
  verb.add_option("--estimates", options->estimates,
                  "Time limits: as given in the log, exact, or modelled on what users ask for")
      ->one_of({"given", "exact", "modelled"})
      ->capture_default_str();
  verb.add_option("--bad-lines", options->bad_lines,
                  "A line that cannot be read: stop, or skip it and show how many there were")
      ->one_of({"stop", "skip"})
      ->capture_default_str();
  verb.add_option("--limit", options->limit, "Only the first N jobs")->type_name("N");
}

Result<LoadedWorkload> load_workload(const WorkloadOptions& options,
                                     const std::shared_ptr<const Policy>& policy) {
  if (!options.any())
    return bad_input("no workload given",
                     "type: sluice sim --workload FILE, or --generate jobs=10000");
  if (!options.rules.empty() && policy == nullptr)
    return bad_input("--map needs a policy whose names the rules set", "add: --policy FILE");
  const bool settings = !options.generated.empty() || is_settings(options.workload);
  if (settings && !options.rules.empty())
    return bad_input("--map is for logs; a made-up workload has the policy's names already",
                     "leave out --map");
  const std::string& source = !options.generated.empty() ? options.generated
                              : !options.swf.empty()     ? options.swf
                                                         : options.workload;
  TRY(LoadedWorkload out, settings ? make_up(source, policy) : from_log(options, source, policy));
  if (options.limit > 0 && out.workload.items.size() > options.limit)
    out.workload.items.resize(options.limit);
  if (options.estimates != "given")
    set_estimates(out.workload,
                  options.estimates == "exact" ? Estimates::kExact : Estimates::kModelled, 1);
  if (policy != nullptr) out.unexercised = unexercised(*policy, out.workload);
  return out;
}

Result<std::shared_ptr<const Policy>> load_policy(const std::string& path) {
  TRY(const std::string text, read_file(path));
  TRY(Policy policy, read_policy(text, path, read_file));
  return std::make_shared<const Policy>(std::move(policy));
}

}  // namespace sluice
