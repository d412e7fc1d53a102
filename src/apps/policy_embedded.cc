#include "apps/policy_embedded.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "apps/files.h"
#include "apps/policy_plan.h"
#include "apps/policy_records.h"
#include "apps/routed_cluster.h"
#include "cli/command.h"
#include "cli/connection.h"
#include "cli/job_request.h"
#include "policyfile/differences.h"
#include "policyfile/has_includes.h"
#include "policyfile/policy_reader.h"
#include "policyfile/policy_writer.h"
#include "policyfile/yaml.h"
#include "text/printable.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;
constexpr const char* kPlanSchema = "sluice.policy.plan/1";
constexpr const char* kBackSchema = "sluice.policy.back/1";

std::string text_at(const Value& map, std::string_view key) {
  for (const Entry& entry : map.entries)
    if (entry.key == key) return entry.value.text;
  return {};
}

// What the daemon is told: the file as it is; put together, where it includes others.
Result<PolicyRequest> request_of(const std::string& file) {
  TRY(const std::string text, read_file(file));
  TRY(const Value alone, parse_yaml(text, file));
  PolicyRequest out;
  out.name = file;
  out.text = text;
  if (has_includes(alone)) {
    TRY(const Value whole, load_document(text, file, read_included));
    out.text =
        fmt::format("# Put together from {} and what it includes.\n{}", file, print_yaml(whole));
  }
  return out;
}

Result<PolicyPlanReply> ask_plan(Connection& daemon, const PolicyRequest& request) {
  TRY(PolicyPlanReply reply, (daemon.post<PolicyPlanReply>("POST", "/v1/policy/plan", request)));
  for (const FindingLine& finding : reply.findings)
    if (finding.severity == "error")
      return tl::unexpected(Error{ErrorKind::kBadInput, finding.what, finding.where, finding.fix});
  return reply;
}

// A daemon that goes by the machine's own policy is anybody's; one with a file has a name.
Result<void> check_name(const PolicyRequest& request, const PolicySource& source,
                        const std::string& confirmed) {
  if (source.origin == "survey" || !request.text) return {};
  TRY(const Policy wanted, read_policy(*request.text, request.name));
  return check_cluster_name(wanted, source.cluster, confirmed);
}

std::string reply_text(const PolicyPlanReply& plan) {
  if (plan.differences.empty())
    return fmt::format("No differences: the daemon of {} goes by this already.\n", plan.cluster);
  std::string out;
  for (const PolicyDifference& each : plan.differences)
    out += fmt::format("{} {}\n", each.kind == "add" ? '+' : (each.kind == "remove" ? '-' : '~'),
                       each.sentence);
  out += fmt::format("\n{} difference{} for the daemon of {}.\n", plan.differences.size(),
                     plan.differences.size() == 1 ? "" : "s", plan.cluster);
  if (!plan.refusal.empty()) {
    out += fmt::format("It would be refused: {}.\n", plan.refusal);
  } else if (!plan.unknown.empty()) {
    out += fmt::format("Whom it would hit is not known: {}.\n", plan.unknown);
  } else if (plan.jobs.empty()) {
    out += "No job that waits or runs is hit.\n";
  } else {
    out += "Jobs that wait or run now:\n";
    for (const PolicyEffect& job : plan.jobs)
      out += fmt::format("  {:<11}{}: {}\n", job.effect, job.job, job.why);
  }
  return out;
}

Value reply_value(const PolicyPlanReply& plan) {
  Value out = Value::map();
  out.add("schema", Value::quoted_text(kPlanSchema));
  out.add("engine", Value::quoted_text("embedded"));
  out.add("cluster", Value::quoted_text(plan.cluster));
  out.add("differences", Value::scalar(plan.differences.empty() ? "false" : "true"));
  Value changes = Value::list();
  for (const PolicyDifference& each : plan.differences) {
    Value one = Value::map();
    one.add("kind", Value::quoted_text(each.kind));
    one.add("subject", Value::quoted_text(each.subject));
    one.add("says", Value::quoted_text(each.sentence));
    changes.items.push_back(std::move(one));
  }
  out.add("changes", std::move(changes));
  Value jobs = Value::list();
  for (const PolicyEffect& job : plan.jobs) {
    Value one = Value::map();
    one.add("job", Value::quoted_text(job.job));
    one.add("effect", Value::quoted_text(job.effect));
    one.add("why", Value::quoted_text(job.why));
    jobs.items.push_back(std::move(one));
  }
  out.add("jobs", std::move(jobs));
  out.add("refusal", Value::quoted_text(plan.refusal));
  return out;
}

Result<void> write_to(const std::string& path, const std::string& text) {
  const fs::path file(path);
  return write_files(file.has_parent_path() ? file.parent_path().string() : ".",
                     {{file.filename().string(), text}});
}

// What undo puts back. The file's own words where it says what is in force; it may have been
// edited since.
Result<PolicyRequest> way_back(Connection& daemon, const PolicySource& source) {
  PolicyRequest out;
  out.name = source.file;
  if (source.origin == "survey") return out;
  out.text = source.text;
  // The daemon takes no text that includes files: such a one goes back as it was in force.
  const auto alone = parse_yaml(source.text, source.file);
  if (source.in_force && alone && !has_includes(*alone)) return out;
  TRY(const std::string now, daemon.get("/v1/policy"));
  TRY(const Policy policy, read_policy(now, "the policy in force"));
  out.text = "# As it was in force; the file had been changed since, or included others.\n" +
             write_policy(policy);
  return out;
}

std::string record_text(const PolicyRequest& back) {
  Value out = Value::map();
  out.add("schema", Value::quoted_text(kBackSchema));
  out.add("origin", Value::quoted_text(back.text ? "file" : "survey"));
  out.add("text", Value::quoted_text(back.text.value_or("")));
  return print_json(out);
}

Result<PolicyRequest> read_record(const std::string& path) {
  TRY(const std::string text, read_file(path));
  TRY(const Value value, parse_yaml(text, path));
  if (text_at(value, "schema") != kBackSchema)
    return bad_input(fmt::format("'{}' is not a way back", path));
  PolicyRequest out;
  out.name = path;
  if (text_at(value, "origin") == "file") out.text = text_at(value, "text");
  return out;
}

Result<PolicyRequest> read_saved(const std::string& path) {
  TRY(const std::string text, read_file(path));
  TRY(const Value value, parse_yaml(text, path));
  if (text_at(value, "schema") != kPlanSchema || text_at(value, "engine") != "embedded")
    return bad_input(fmt::format("'{}' is not a saved plan for the daemon", path),
                     "make one with: sluice policy plan FILE --on embedded --out PLAN");
  PolicyRequest out;
  out.name = text_at(value, "file");
  out.text = text_at(value, "text");
  out.expect = text_at(value, "mark");
  return out;
}

Result<Policy> in_force(Connection& daemon) {
  TRY(const std::string text, daemon.get("/v1/policy"));
  return read_policy(text, "the policy in force");
}

// Whether the daemon said no, and nothing has changed.
bool is_refusal(const Error& error) {
  return error.kind != ErrorKind::kUnreachable && error.kind != ErrorKind::kUnknown;
}

// Read back and compared.
Result<void> compare(Connection& daemon, const PolicyRequest& request) {
  TRY(const PolicyPlanReply left, ask_plan(daemon, request));
  if (left.differences.empty()) return {};
  return failed(
      fmt::format("the daemon took it, and still differs: {}", left.differences.front().sentence),
      "somebody else may be changing it: sluice policy plan --on embedded shows what");
}

Result<bool> may_go_on(const PolicyPlanReply& plan, const char* question, bool yes) {
  if (!plan.refusal.empty())
    return failed(fmt::format("the old policy stays in force: {}", plan.refusal),
                  "let those jobs end first");
  TRY(const bool go, asked(question, yes));
  if (!go) fmt::print("Nothing was changed.\n");
  return go;
}

// Only root and whoever runs the daemon may; better said before anybody is asked.
Result<void> may_change(const PolicySource& source, Connection& daemon) {
  TRY(const DaemonCard card, daemon.fetch<DaemonCard>("/v1/daemon"));
  struct stat owner {};
  if (::geteuid() == 0) return {};
  if (::stat(fmt::format("/proc/{}", card.pid).c_str(), &owner) != 0) return {};
  if (owner.st_uid == ::geteuid()) return {};
  return tl::unexpected(
      Error{ErrorKind::kNotAllowed,
            fmt::format("the daemon of {} is not yours: nothing was changed", source.cluster),
            {},
            "ask whoever runs it, or root"});
}

}  // namespace

void add_on_option(Command& verb, std::string& on) {
  verb.add_option("--on", on,
                  "slurm, or embedded: the daemon of this machine (else SLUICE_ON, else Slurm "
                  "where its commands are)")
      ->type_name("ENGINE")
      ->one_of({"slurm", "embedded"});
}

Result<bool> is_for_daemon(const std::string& on) {
  // Who administers a Slurm means that one.
  TRY(const std::string engine, chosen_engine(on, find_command("sacctmgr") ? "slurm" : "embedded"));
  return engine == "embedded";
}

Result<bool> asked(const char* question, bool yes) {
  if (yes) return true;
  if (::isatty(STDIN_FILENO) == 0)
    return bad_input("there is no terminal to ask on", "add --yes to go on without asking");
  fmt::print("{} [y/N] ", question);
  std::fflush(stdout);
  const std::string answer = line_of_input();
  return answer == "y" || answer == "Y" || answer == "yes";
}

Result<ExitCode> plan_embedded(const EmbeddedPolicy& asked) {
  TRY(Connection daemon, Connection::open());
  TRY(const PolicyRequest request, request_of(asked.file));
  TRY(const PolicySource source, daemon.fetch<PolicySource>("/v1/policy/source"));
  TRY(const PolicyPlanReply plan, ask_plan(daemon, request));
  TRY_VOID(check_name(request, source, asked.cluster));
  if (!asked.out.empty()) {
    Value saved = reply_value(plan);
    saved.add("file", Value::quoted_text(asked.file));
    saved.add("mark", Value::quoted_text(plan.mark));
    saved.add("text", Value::quoted_text(*request.text));
    TRY_VOID(write_to(asked.out, print_json(saved)));
  }
  fmt::print("{}", asked.json ? print_json(reply_value(plan)) : printable_lines(reply_text(plan)));
  if (!asked.out.empty() && !asked.json)
    fmt::print("To do exactly this, type: sluice policy apply --on embedded --plan {}\n",
               asked.out);
  return asked.exit_code && !plan.differences.empty() ? ExitCode::kWorkFailed : ExitCode::kDone;
}

Result<ExitCode> apply_embedded(const EmbeddedPolicy& asked) {
  TRY(Connection daemon, Connection::open());
  PolicyRequest request;
  if (asked.plan.empty()) {
    TRY(request, request_of(asked.file));
  } else {
    TRY(request, read_saved(asked.plan));
  }
  TRY(const PolicySource source, daemon.fetch<PolicySource>("/v1/policy/source"));
  TRY(const PolicyPlanReply plan, ask_plan(daemon, request));
  if (asked.plan.empty()) TRY_VOID(check_name(request, source, asked.cluster));
  fmt::print("{}", reply_text(plan));
  const bool same_file = source.is_there && asked.plan.empty() && asked.file != "-" &&
                         fs::equivalent(asked.file, source.file);
  // The daemon may go by the file's policy and keep another text: comments, or no file at all.
  const bool is_written = same_file || (source.is_there && source.text == *request.text);
  if (plan.differences.empty() && is_written) {
    TRY_VOID(may_change(source, daemon));
    TRY(PolicyRecords records, PolicyRecords::open_embedded());
    records.take_up();
    TRY(const Policy now, in_force(daemon));
    TRY_VOID(records.finish(now));
    return ExitCode::kDone;
  }
  TRY_VOID(may_change(source, daemon));
  if (plan.differences.empty())
    fmt::print("Only the file {} would be written anew.\n", source.file);
  TRY(const bool go, may_go_on(plan, "Apply this?", asked.yes));
  if (!go) return ExitCode::kWorkFailed;
  TRY(PolicyRecords records, PolicyRecords::open_embedded());
  TRY(const PolicyRequest back, way_back(daemon, source));
  TRY_VOID(records.begin(record_text(back)));
  // Its own file is taken where it is, with its includes.
  const auto sent = same_file ? daemon.send("POST", "/v1/daemon/reload", {})
                              : daemon.send("PUT", "/v1/policy", to_json(request));
  if (!sent) {
    if (is_refusal(sent.error())) records.abandon();
    return tl::unexpected(sent.error());
  }
  TRY_VOID(compare(daemon, request));
  TRY(const Policy now, in_force(daemon));
  TRY_VOID(records.finish(now));
  fmt::print(
      "Applied and read back; it is in {}. To go back, type: sluice policy undo --on "
      "embedded\n",
      source.file);
  return ExitCode::kDone;
}

Result<ExitCode> undo_embedded(const EmbeddedPolicy& asked) {
  TRY(Connection daemon, Connection::open());
  TRY(const PolicySource source, daemon.fetch<PolicySource>("/v1/policy/source"));
  TRY_VOID(may_change(source, daemon));
  TRY(PolicyRecords records, PolicyRecords::open_embedded());
  TRY(const auto path, records.last());
  if (!path)
    return bad_input("nothing was applied to this daemon from here",
                     fmt::format("records are kept in {}", records.folder()));
  TRY(const PolicyRequest back, read_record(*path));
  TRY(const PolicyPlanReply plan, ask_plan(daemon, back));
  fmt::print("{}", reply_text(plan));
  TRY(const bool go, may_go_on(plan, "Go back like this?", asked.yes));
  if (!go) return ExitCode::kWorkFailed;
  if (source.is_there && source.text != back.text.value_or("")) {
    const std::string name = fs::path(*path).stem().stem().string();
    TRY(const std::string kept, records.keep("undone-" + name + ".yaml", source.text));
    fmt::print("What {} says now is kept in {}\n", source.file, kept);
  }
  TRY_VOID(daemon.send("PUT", "/v1/policy", to_json(back)));
  TRY_VOID(compare(daemon, back));
  TRY_VOID(records.mark_undone(*path));
  TRY(const Policy now, in_force(daemon));
  PolicyRecords after = records;
  TRY_VOID(after.finish(now));
  fmt::print("The daemon goes by what it did before the last apply.\n");
  return ExitCode::kDone;
}

Result<ExitCode> drift_embedded(const EmbeddedPolicy& asked) {
  TRY(Connection daemon, Connection::open(StartDaemon::kNever));
  TRY(const PolicySource source, daemon.fetch<PolicySource>("/v1/policy/source"));
  TRY(const Policy now, in_force(daemon));
  std::string since = asked.file;
  std::vector<std::string> changes;
  if (asked.file.empty()) {
    TRY(const PolicyRecords records, PolicyRecords::open_embedded());
    TRY(const auto then, records.applied());
    if (!then)
      return bad_input("nothing was applied to this daemon from here",
                       "name a file to compare with: sluice policy drift --on embedded FILE");
    since = "the apply of " + records.applied_at();
    for (const Difference& each : policy_differences(*then, now, Tense::kHistory))
      changes.push_back(each.sentence());
  } else {
    // The daemon completes the file with its machine; what it would change back is what changed.
    TRY(const PolicyRequest request, request_of(asked.file));
    TRY(const PolicyPlanReply plan, ask_plan(daemon, request));
    for (const PolicyDifference& each : plan.differences)
      changes.push_back("not as in the file: " + each.sentence);
  }
  const bool unread = source.is_there && !source.in_force;
  if (asked.json) {
    Value value = Value::map();
    value.add("schema", Value::quoted_text("sluice.policy.drift/1"));
    value.add("engine", Value::quoted_text("embedded"));
    value.add("cluster", Value::quoted_text(source.cluster));
    value.add("since", Value::quoted_text(since));
    Value list = Value::list();
    for (const std::string& change : changes) list.items.push_back(Value::quoted_text(change));
    value.add("changes", std::move(list));
    value.add("file_not_in_force", Value::scalar(unread ? "true" : "false"));
    fmt::print("{}", print_json(value));
  } else {
    for (const std::string& change : changes) fmt::print("{}\n", change);
    if (changes.empty())
      fmt::print("Nothing changed on the daemon of {} since {}.\n", source.cluster, since);
    else
      fmt::print("{} change{} on the daemon of {} since {}.\n", changes.size(),
                 changes.size() == 1 ? "" : "s", source.cluster, since);
    if (unread)
      fmt::print("{} says otherwise and is not in force yet: sluice policy plan {} --on embedded\n",
                 source.file, source.file);
  }
  return asked.exit_code && (!changes.empty() || unread) ? ExitCode::kWorkFailed : ExitCode::kDone;
}

Result<std::string> policy_of_daemon(const EmbeddedPolicy& asked) {
  TRY(Connection daemon, Connection::open());
  TRY(const Policy now, in_force(daemon));
  if (asked.json) return write_policy_json(now);
  return fmt::format(
             "# The daemon of {} as it was when this was written by sluice policy import.\n",
             now.cluster) +
         write_policy(now);
}

}  // namespace sluice
