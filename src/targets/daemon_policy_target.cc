// The daemon of this machine as a policy target: it compares, tries out and takes policies itself.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "cli/connection.h"
#include "host/files/files.h"
#include "policyfile/plan/differences.h"
#include "policyfile/read/has_includes.h"
#include "policyfile/read/policy_reader.h"
#include "policyfile/read/yaml.h"
#include "policyfile/write/policy_writer.h"
#include "targets/plan_file.h"
#include "targets/policy_records.h"
#include "targets/policy_target.h"
#include "text/printable.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;
constexpr const char* kBackSchema = "sluice.policy.back/1";

std::string text_at(const Value& map, std::string_view key) {
  for (const Entry& entry : map.entries)
    if (entry.key == key) return entry.value.text;
  return {};
}

// What the daemon is sent: the file as it is; put together, where it includes others.
Result<PolicyRequest> request_of(const std::string& file) {
  TRY(const std::string text, read_policy_document(file));
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

// A daemon without a policy file takes one for any cluster.
Result<void> check_name(const PolicyRequest& request, const PolicySource& source,
                        const std::string& confirmed) {
  if (source.origin == "survey" || !request.text) return {};
  TRY(const Policy wanted, read_policy(*request.text, request.name));
  return check_cluster_name(wanted, source.cluster, confirmed);
}

std::string reply_text(const PolicyPlanReply& plan) {
  if (plan.differences.empty())
    return fmt::format("No differences: the daemon of {} follows this already.\n", plan.cluster);
  std::string out;
  for (const PolicyDifference& each : plan.differences)
    out += fmt::format("{} {}\n", each.kind == "add" ? '+' : (each.kind == "remove" ? '-' : '~'),
                       each.sentence);
  out += fmt::format("\n{} difference{} for the daemon of {}.\n", plan.differences.size(),
                     plan.differences.size() == 1 ? "" : "s", plan.cluster);
  if (!plan.refusal.empty()) {
    out += fmt::format("It would be refused: {}.\n", plan.refusal);
  } else if (!plan.unknown.empty()) {
    out += fmt::format("Which jobs it would affect is not known: {}.\n", plan.unknown);
  } else if (plan.jobs.empty()) {
    out += "No job that waits or runs is affected.\n";
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
Result<void> read_back(Connection& daemon, const PolicyRequest& request) {
  TRY(const PolicyPlanReply left, ask_plan(daemon, request));
  if (left.differences.empty()) return {};
  return failed(
      fmt::format("the daemon took it, and still differs: {}", left.differences.front().sentence),
      "another process may be changing it: sluice policy plan --on embedded shows what");
}

// Only root and the user who runs the daemon may; better said before the question.
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
            "ask the user who runs it, or root"});
}

class DaemonProposal : public Proposal {
 public:
  DaemonProposal(Connection daemon, PolicySource source, PolicyRequest request,
                 PolicyPlanReply reply)
      : daemon_(std::move(daemon)),
        source_(std::move(source)),
        request_(std::move(request)),
        reply_(std::move(reply)) {}

  std::string text() const override {
    std::string out = reply_text(reply_);
    if (!differs() && has_work())
      out += fmt::format("Only the file {} would be rewritten.\n", source_.file);
    return printable_lines(out);
  }
  Value value() const override { return reply_value(reply_); }
  std::string saved() const override {
    Value saved = reply_value(reply_);
    saved.add("file", Value::quoted_text(request_.name));
    saved.add("mark", Value::quoted_text(reply_.mark));
    saved.add("text", Value::quoted_text(request_.text.value_or("")));
    return print_json(saved);
  }
  bool differs() const override { return !reply_.differences.empty(); }
  // The daemon may follow the file's policy and keep another text: comments, or no file at all.
  bool has_work() const override {
    return differs() || !(own_file() || (source_.is_there && source_.text == request_.text));
  }

  Result<void> may_begin() override {
    TRY_VOID(may_change(source_, daemon_));
    if (reply_.refusal.empty()) return {};
    return failed(fmt::format("the old policy stays in force: {}", reply_.refusal),
                  "let those jobs end first");
  }

  Result<bool> carry_out(const Say& say) override {
    TRY_VOID(may_change(source_, daemon_));
    TRY(PolicyRecords records, PolicyRecords::open_embedded());
    if (!has_work()) {
      records.take_up();
      TRY(const Policy now, in_force(daemon_));
      TRY_VOID(records.finish(now));
      return true;
    }
    TRY(const PolicyRequest back, way_back(daemon_, source_));
    TRY_VOID(records.begin(record_text(back)));
    // Its own file is taken where it is, with its includes.
    const auto sent = own_file() ? daemon_.send("POST", "/v1/daemon/reload", {})
                                 : daemon_.send("PUT", "/v1/policy", to_json(request_));
    if (!sent) {
      if (is_refusal(sent.error())) records.abandon();
      return tl::unexpected(sent.error());
    }
    TRY_VOID(read_back(daemon_, request_));
    TRY(const Policy now, in_force(daemon_));
    TRY_VOID(records.finish(now));
    say(fmt::format(
        "Applied and read back; it is in {}. To go back, type: sluice policy undo --on embedded",
        source_.file));
    return true;
  }

 protected:
  Connection daemon_;
  PolicySource source_;
  PolicyRequest request_;
  PolicyPlanReply reply_;

 private:
  // A saved plan, and standard input, are not files that could be the daemon's own.
  bool own_file() const {
    std::error_code problem;
    return source_.is_there && request_.expect.empty() && request_.name != "-" &&
           fs::equivalent(request_.name, source_.file, problem);
  }
};

class DaemonWayBack final : public DaemonProposal {
 public:
  DaemonWayBack(DaemonProposal proposal, PolicyRecords records, std::string path)
      : DaemonProposal(std::move(proposal)), records_(std::move(records)), path_(std::move(path)) {}

  // The file is written anew in any case.
  bool has_work() const override { return true; }
  std::string text() const override { return printable_lines(reply_text(reply_)); }

  Result<bool> carry_out(const Say& say) override {
    if (source_.is_there && source_.text != request_.text.value_or("")) {
      const std::string name = fs::path(path_).stem().stem().string();
      TRY(const std::string kept, records_.keep("undone-" + name + ".yaml", source_.text));
      say(fmt::format("What {} says now is kept in {}", source_.file, kept));
    }
    TRY_VOID(daemon_.send("PUT", "/v1/policy", to_json(request_)));
    TRY_VOID(read_back(daemon_, request_));
    TRY_VOID(records_.mark_undone(path_));
    TRY(const Policy now, in_force(daemon_));
    TRY_VOID(records_.finish(now));
    say("The daemon follows the policy that it had before the last apply.");
    return true;
  }

 private:
  PolicyRecords records_;
  std::string path_;
};

Result<DaemonProposal> propose(PolicyRequest request, const PolicyWish* named) {
  TRY(Connection daemon, Connection::open());
  TRY(PolicySource source, daemon.fetch<PolicySource>("/v1/policy/source"));
  TRY(PolicyPlanReply reply, ask_plan(daemon, request));
  if (named != nullptr) TRY_VOID(check_name(request, source, named->confirmed));
  return DaemonProposal(std::move(daemon), std::move(source), std::move(request), std::move(reply));
}

Error nothing_applied(std::string hint) {
  return Error{
      ErrorKind::kBadInput, "nothing was applied to this daemon from here", {}, std::move(hint)};
}

class DaemonPolicyTarget final : public PolicyTarget {
 public:
  std::string engine() const override { return "embedded"; }
  Result<std::string> name() override { return std::string("the daemon of this machine"); }

  Result<PolicyInForce> read() override {
    TRY(Connection daemon, Connection::open());
    TRY(Policy now, in_force(daemon));
    return PolicyInForce{std::move(now), {}, {}};
  }

  Result<std::unique_ptr<Proposal>> plan(const PolicyWish& wish) override {
    const bool is_file = wish.saved.empty();
    TRY(PolicyRequest request, is_file ? request_of(wish.file) : read_saved(wish.saved));
    TRY(DaemonProposal made, propose(std::move(request), is_file ? &wish : nullptr));
    return std::make_unique<DaemonProposal>(std::move(made));
  }

  // Consent is Slurm's: the daemon refuses to remove what jobs use.
  Result<std::unique_ptr<Proposal>> plan_back(const Consent&) override {
    TRY(PolicyRecords records, PolicyRecords::open_embedded());
    TRY(const auto path, records.last());
    if (!path)
      return tl::unexpected(nothing_applied(fmt::format("records are in {}", records.folder())));
    TRY(PolicyRequest back, read_record(*path));
    TRY(DaemonProposal made, propose(std::move(back), nullptr));
    return std::make_unique<DaemonWayBack>(std::move(made), std::move(records), *path);
  }

  Result<PolicyDrift> drift(const std::string& file) override {
    TRY(Connection daemon, Connection::open(StartDaemon::kNever));
    TRY(const PolicySource source, daemon.fetch<PolicySource>("/v1/policy/source"));
    PolicyDrift out;
    out.cluster = source.cluster;
    if (source.is_there && !source.in_force) out.unread = source.file;
    if (file.empty()) {
      TRY(const PolicyRecords records, PolicyRecords::open_embedded());
      TRY(const auto then, records.applied());
      if (!then)
        return tl::unexpected(
            nothing_applied("name a file to compare with: sluice policy drift FILE --on embedded"));
      TRY(const Policy now, in_force(daemon));
      out.since = "the apply of " + records.applied_at();
      for (const Difference& each : policy_differences(*then, now, Tense::kHistory))
        out.changes.push_back(each.sentence());
      return out;
    }
    // The daemon completes the file with its machine; what it would change back is what changed.
    out.since = file;
    TRY(const PolicyRequest request, request_of(file));
    TRY(const PolicyPlanReply plan, ask_plan(daemon, request));
    for (const PolicyDifference& each : plan.differences)
      out.changes.push_back("not as in the file: " + each.sentence);
    return out;
  }
};

}  // namespace

std::unique_ptr<PolicyTarget> daemon_policy_target() {
  return std::make_unique<DaemonPolicyTarget>();
}

}  // namespace sluice
