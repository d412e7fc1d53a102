// What may be expected, one reader for each form.
#include <fmt/format.h>

#include <algorithm>

#include "sim/stories/story_request.h"
#include "sim/stories/story_scope.h"
#include "text/array_spec.h"
#include "text/hostlist.h"
#include "text/memory.h"
#include "text/scan.h"
#include "text/spelling.h"
#include "text/tres.h"

namespace sluice {
namespace {

constexpr std::string_view kReserved[] = {"order",     "nothing", "usage",
                                          "fairshare", "refused", "expected"};
constexpr const char* kForms =
    "allowed: A starts [on NODES], A runs, A waits [REASON] [expected TIME] [on NODES], "
    "A is refused [REASON] [\"text\"], A ends [STATE], A ended [STATE], A resumes, "
    "A is suspended|requeued|preempted|pending, 3 of A run|wait|ended, A has priority N|above B|"
    "below B, A holds gpus 0-3 of NODE, A holds 4 cpus, order A B, "
    "usage of qos|account|user NAME cpu=4, fairshare of USER > USER, NODE has 2 cpus free, "
    "nothing waits|runs, A[0-3] go to POOL, POOL takes none [\"text\"]";

class Reader {
 public:
  Reader(const StoryScope& scope, const Place& place, std::string_view text)
      : scope_(scope), place_(place), text_(text), words_(story_words(text)) {}

  Result<Expectation> read() {
    Expectation out;
    out.line = place_.line;
    out.text = text_;
    const std::string& first = words_[0];
    if (first == "order") return finish(out, order());
    if (first == "nothing") return finish(out, nothing());
    if (first == "usage") return finish(out, usage());
    if (first == "fairshare") return finish(out, fairshare());
    if (first == "refused" || (first == "is" && word(1) == "refused"))
      return finish(out, refusal(first == "is" ? 2 : 1));
    if (whole_number(first) && word(1) == "of") return finish(out, count());
    if ((word(1) == "goes" || word(1) == "go") && word(2) == "to") return finish(out, going());
    if (word(1) == "takes" && word(2) == "none") return finish(out, taking_none());
    if (word(1) == "has" && word(2) == "priority") return finish(out, priority());
    if (word(1) == "has") return finish(out, free_of_node());
    if (word(1) == "holds" || word(1) == "hold") return finish(out, holding());
    if (word(1) == "is" && word(2) == "refused") {
      TRY_VOID(known_job(scope_, place_, first));
      return finish(out, refusal(3));
    }
    return finish(out, state());
  }

 private:
  std::string_view word(std::size_t i) const {
    return i < words_.size() ? std::string_view(words_[i]) : std::string_view();
  }

  tl::unexpected<Error> fail(std::string_view token, std::string what, std::string hint) const {
    return story_error(place_, token, std::move(what), std::move(hint));
  }

  template <class T>
  Result<Expectation> finish(Expectation& out, Result<T> what) {
    if (!what) return tl::unexpected(std::move(what.error()));
    out.what = std::move(*what);
    return std::move(out);
  }

  Result<ExpectState> state() {
    static constexpr std::string_view kVerbs[] = {"starts",  "runs", "waits", "ends", "ended",
                                                  "resumes", "is",   "has",   "holds"};
    ExpectState out;
    if (words_.size() < 2) return fail(text_, "is not an expectation", kForms);
    const std::string_view verb = word(1);
    std::size_t next = 2;
    if (verb == "starts" || verb == "start") {
      out.state = StoryState::kStarts;
    } else if (verb == "runs" || verb == "run") {
      out.state = StoryState::kRuns;
    } else if (verb == "waits" || verb == "wait") {
      out.state = StoryState::kWaits;
    } else if (verb == "ends" || verb == "end") {
      out.state = StoryState::kEnds;
    } else if (verb == "ended") {
      out.state = StoryState::kEnded;
    } else if (verb == "resumes" || verb == "resume") {
      out.state = StoryState::kResumes;
    } else if (verb == "is" || verb == "are") {
      static constexpr std::string_view kIs[] = {"suspended", "requeued", "preempted",
                                                 "pending",   "running",  "refused"};
      const std::string_view what = word(2);
      if (what == "suspended")
        out.state = StoryState::kSuspended;
      else if (what == "requeued")
        out.state = StoryState::kRequeued;
      else if (what == "preempted")
        out.state = StoryState::kPreempted;
      else if (what == "pending")
        out.state = StoryState::kWaits;
      else if (what == "running")
        out.state = StoryState::kRuns;
      else
        return fail(what, fmt::format("a job is not {}", quoted(what)), allowed_of(what, kIs));
      next = 3;
    } else {
      return fail(verb, fmt::format("nothing can be expected with {}", quoted(verb)),
                  allowed_of(verb, kVerbs) + "\n  " + kForms);
    }
    TRY(out.job, known_job(scope_, place_, words_[0]));
    TRY_VOID(details(next, out));
    return out;
  }

  // REASON or STATE, expected TIME, on NODES, in any order.
  Result<void> details(std::size_t next, ExpectState& out) {
    while (next < words_.size()) {
      const std::string_view token = word(next);
      if (token == "on" && next + 1 < words_.size()) {
        TRY(out.nodes, known_nodes(scope_, place_, word(next + 1)));
        next += 2;
      } else if (token == "expected" && next + 1 < words_.size() &&
                 out.state == StoryState::kWaits) {
        auto time = parse_story_time(word(next + 1));
        if (!time) return fail(word(next + 1), time.error().what, time.error().hint);
        out.expected = instant_at(*time);
        next += 2;
      } else if (out.state == StoryState::kWaits && out.reason.empty()) {
        if (!rule_of_word(token))
          return fail(token, fmt::format("{} is not a reason Slurm gives", quoted(token)),
                      reason_hint(token));
        out.reason = token;
        ++next;
      } else if ((out.state == StoryState::kEnds || out.state == StoryState::kEnded) &&
                 !out.outcome) {
        const auto outcome = job_state_named(token);
        if (!outcome || !has_ended(*outcome))
          return fail(token, fmt::format("no job ends as {}", quoted(token)),
                      allowed_words(token, ended_states()));
        out.outcome = outcome;
        ++next;
      } else {
        return fail(token, "does not belong here", kForms);
      }
    }
    return {};
  }

  static std::vector<std::string> ended_states() {
    std::vector<std::string> out;
    for (int i = static_cast<int>(JobState::kCompleted); i <= static_cast<int>(JobState::kBootFail);
         ++i)
      out.emplace_back(slurm_name(static_cast<JobState>(i)));
    return out;
  }

  static std::string reason_hint(std::string_view token) {
    static const std::vector<std::string> common = {"Resources",
                                                    "Priority",
                                                    "BeginTime",
                                                    "Dependency",
                                                    "JobHeldUser",
                                                    "JobHeldAdmin",
                                                    "JobArrayTaskLimit",
                                                    "Licenses",
                                                    "DependencyNeverSatisfied",
                                                    "ReqNodeNotAvail",
                                                    "PartitionDown",
                                                    "PartitionTimeLimit",
                                                    "PartitionNodeLimit",
                                                    "QOSGrpCpuLimit",
                                                    "QOSGrpMemLimit",
                                                    "QOSGrpGRES",
                                                    "QOSGrpNodeLimit",
                                                    "QOSGrpJobsLimit",
                                                    "QOSMaxCpuPerUserLimit",
                                                    "QOSMaxGRESPerUser",
                                                    "QOSMaxJobsPerUserLimit",
                                                    "QOSMaxWallDurationPerJobLimit",
                                                    "AssocGrpCpuLimit",
                                                    "AssocGrpMemLimit",
                                                    "AssocGrpGRES",
                                                    "AssocMaxJobsLimit",
                                                    "AssocMaxWallDurationPerJobLimit"};
    if (auto meant = nearest_word(token, common)) return fmt::format("did you mean {}?", *meant);
    return "a reason is squeue's word: Resources, Priority, QOSGrpCpuLimit, AssocGrpGRES, …";
  }

  Result<ExpectRefusal> refusal(std::size_t next) {
    ExpectRefusal out;
    for (; next < words_.size(); ++next) {
      const std::string_view token = word(next);
      if (token.size() >= 2 && token.starts_with('"') && token.ends_with('"')) {
        out.message = token.substr(1, token.size() - 2);
      } else if (out.reason.empty() && rule_of_word(token)) {
        out.reason = token;
      } else {
        return fail(token, fmt::format("{} is not a reason Slurm gives", quoted(token)),
                    reason_hint(token) + " A message stands in quotes.");
      }
    }
    return out;
  }

  Result<ExpectPool> going() {
    ExpectPool out;
    TRY(out.job, known_job(scope_, place_, words_[0]));
    if (words_.size() != 4) return fail(words_[0], "names no pool", "write A goes to maigan/gpu");
    out.pool = words_[3];
    return out;
  }

  Result<ExpectPool> taking_none() {
    ExpectPool out;
    out.pool = words_[0];
    if (words_.size() == 3) return out;
    const std::string_view token = word(3);
    if (words_.size() != 4 || token.size() < 2 || !token.starts_with('"') || !token.ends_with('"'))
      return fail(token, "is not a reason in quotes", "write clive/gpu takes none \"full\"");
    out.why = token.substr(1, token.size() - 2);
    return out;
  }

  Result<ExpectCount> count() {
    ExpectCount out;
    out.count = *whole_number(words_[0]);
    TRY(out.job, known_job(scope_, place_, word(2)));
    static constexpr std::string_view kVerbs[] = {"run", "wait", "ended"};
    const std::string_view verb = word(3);
    if (verb == "run" || verb == "runs")
      out.state = StoryState::kRuns;
    else if (verb == "wait" || verb == "waits")
      out.state = StoryState::kWaits;
    else if (verb == "ended")
      out.state = StoryState::kEnded;
    else
      return fail(verb, "tasks are counted that run, wait or ended", allowed_of(verb, kVerbs));
    if (words_.size() > 4) return fail(word(4), "does not belong here", "write 3 of A run");
    return out;
  }

  Result<ExpectPriority> priority() {
    ExpectPriority out;
    TRY(out.job, known_job(scope_, place_, words_[0]));
    const std::string_view what = word(3);
    if (const auto number = whole_number(what); number && words_.size() == 4) {
      out.exactly = *number;
    } else if (what == "above" && words_.size() == 5) {
      TRY(out.above, known_job(scope_, place_, word(4)));
    } else if (what == "below" && words_.size() == 5) {
      TRY(out.below, known_job(scope_, place_, word(4)));
    } else {
      return fail(what, "is not a priority", "write A has priority 1234, above B, or below B");
    }
    return out;
  }

  Result<ExpectOrder> order() {
    ExpectOrder out;
    for (std::size_t i = 1; i < words_.size(); ++i) {
      TRY(StoryJob job, known_job(scope_, place_, word(i)));
      out.jobs.push_back(std::move(job));
    }
    if (out.jobs.size() < 2) return fail(text_, "an order needs two jobs", "write order A B C");
    return out;
  }

  Result<ExpectNothing> nothing() {
    static constexpr std::string_view kVerbs[] = {"waits", "runs"};
    if (words_.size() != 2 || (word(1) != "waits" && word(1) != "runs"))
      return fail(word(1), "nothing waits, or nothing runs", allowed_of(word(1), kVerbs));
    return ExpectNothing{word(1) == "waits" ? StoryState::kWaits : StoryState::kRuns};
  }

  static std::string thing(std::string_view word) {
    if (word == "cpu" || word == "cpus") return "cpus";
    if (word == "gpu" || word == "gpus") return "gpus";
    if (word == "memory" || word == "mem") return "memory";
    return {};
  }

  // "4 cpus", "2G memory"
  Result<std::pair<std::string, std::int64_t>> amount(std::size_t at) {
    const std::string what = thing(word(at + 1));
    static constexpr std::string_view kThings[] = {"cpus", "gpus", "memory"};
    if (what.empty())
      return fail(word(at + 1), "is nothing a node has", allowed_of(word(at + 1), kThings));
    if (what == "memory") {
      auto mb = parse_memory_mb(word(at));
      if (!mb) return fail(word(at), mb.error().what, mb.error().hint);
      return std::pair(what, *mb);
    }
    const auto number = whole_number(word(at));
    if (!number) return fail(word(at), "is not a number", "write 2 cpus");
    return std::pair(what, *number);
  }

  Result<ExpectFree> free_of_node() {
    ExpectFree out;
    TRY(const auto nodes, known_nodes(scope_, place_, words_[0]));
    if (nodes.size() != 1 || words_.size() != 5 || word(4) != "free")
      return fail(text_, "is not an expectation", "write n1 has 2 cpus free, or A has priority 10");
    out.node = nodes[0];
    TRY(const auto pair, amount(2));
    out.what = pair.first;
    out.amount = pair.second;
    return out;
  }

  Result<ExpectHolding> holding() {
    constexpr const char* kHint =
        "write A holds gpus 0-3 of n1, A holds 4 cpus, A holds 2G memory of n1";
    ExpectHolding out;
    TRY(out.job, known_job(scope_, place_, words_[0]));
    if (words_.size() != 4 && (words_.size() != 6 || (word(4) != "of" && word(4) != "on")))
      return fail(text_, "is not an expectation", kHint);
    if (words_.size() == 6) {
      TRY(const auto nodes, known_nodes(scope_, place_, word(5)));
      out.node = nodes.front();
    }
    if (thing(word(2)) == "gpus" && !whole_number(word(2))) {
      auto spec = parse_array_spec(word(3));
      if (!spec || out.node.empty())
        return fail(word(3), "says not which GPUs of which node", kHint);
      out.gpus = spec->indices;
      out.what = "gpus";
      return out;
    }
    TRY(const auto pair, amount(2));
    out.what = pair.first;
    out.amount = pair.second;
    return out;
  }

  Result<ExpectUsage> usage() {
    constexpr const char* kHint = "write usage of qos high cpu=4 jobs=1";
    ExpectUsage out;
    const std::string_view kind = word(2);
    if (word(1) != "of" || words_.size() < 5) return fail(text_, "is not an expectation", kHint);
    static constexpr std::string_view kKinds[] = {"qos", "account", "user"};
    out.name = word(3);
    std::vector<std::string> known;
    if (kind == "qos") {
      out.holder = ExpectUsage::Holder::kQos;
      for (const Qos& qos : scope_.policy->qos) known.push_back(qos.name);
    } else if (kind == "account" || kind == "user") {
      out.holder = kind == "user" ? ExpectUsage::Holder::kUser : ExpectUsage::Holder::kAccount;
      for (const Association& assoc : scope_.policy->associations)
        if (assoc.user.empty() == (kind == "account"))
          known.push_back(kind == "user" ? assoc.user : assoc.account);
    } else {
      return fail(kind, "uses nothing", allowed_of(kind, kKinds));
    }
    if (std::find(known.begin(), known.end(), out.name) == known.end())
      return fail(out.name, fmt::format("there is no {} {}", kind, quoted(out.name)),
                  allowed_words(out.name, known));
    for (std::size_t i = 4; i < words_.size(); ++i) {
      const KeyValue pair = split_key_value(word(i));
      if (pair.key == "jobs") {
        out.jobs = whole_number(pair.value.value_or(""));
        if (!out.jobs) return fail(word(i), "is not a number", kHint);
        continue;
      }
      auto edits = parse_tres_edits(word(i), scope_.policy->tres);
      if (!edits) return fail(word(i), edits.error().what, edits.error().hint);
      for (const TresEdit& edit : *edits) out.tres.emplace_back(edit.tres, edit.amount.value_or(0));
    }
    return out;
  }

  Result<ExpectFairshare> fairshare() {
    constexpr const char* kHint = "write fairshare of ann > bob, or fairshare of ann = 0.5";
    ExpectFairshare out;
    if (words_.size() != 5 || word(1) != "of" || word(3).size() != 1 ||
        std::string_view("<>=").find(word(3)[0]) == std::string_view::npos)
      return fail(text_, "is not an expectation", kHint);
    TRY(out.user, known_user(word(2)));
    out.relation = word(3)[0];
    const std::string_view right = word(4);
    if (is_digit(right[0])) {
      TRY(out.value, decimal(right));
    } else {
      TRY(out.other, known_user(right));
    }
    return out;
  }

  Result<double> decimal(std::string_view text) const {
    double whole = 0;
    double unit = 1;
    bool after_point = false;
    for (const char c : text) {
      if (c == '.' && !after_point) {
        after_point = true;
      } else if (is_digit(c)) {
        whole = whole * 10 + (c - '0');
        if (after_point) unit *= 10;
      } else {
        return fail(text, "is not a number", "write 0.5");
      }
    }
    return whole / unit;
  }

  Result<std::string> known_user(std::string_view name) const {
    std::vector<std::string> known;
    for (const User& user : scope_.policy->users) known.push_back(user.name);
    if (std::find(known.begin(), known.end(), name) == known.end())
      return fail(name, fmt::format("there is no user {}", quoted(name)),
                  allowed_words(name, known));
    return std::string(name);
  }

  const StoryScope& scope_;
  const Place& place_;
  std::string text_;
  std::vector<std::string> words_;
};

}  // namespace

bool is_reserved_name(std::string_view word) {
  return std::find(std::begin(kReserved), std::end(kReserved), word) != std::end(kReserved);
}

Result<StoryJob> known_job(const StoryScope& scope, const Place& place, std::string_view word) {
  auto job = parse_story_job(word);
  if (!job) return story_error(place, word, job.error().what, job.error().hint);
  const auto known = scope.jobs.find(job->name);
  if (known == scope.jobs.end()) {
    std::vector<std::string> names;
    for (const auto& [name, tasks] : scope.jobs) names.push_back(name);
    return story_error(
        place, word, fmt::format("no user has submitted {} yet", quoted(job->name)),
        names.empty() ? "write 0:00 ann submits A" : allowed_words(job->name, names));
  }
  if (job->tasks) {
    if (!known->second)
      return story_error(place, word, fmt::format("{} is not an array", quoted(job->name)),
                         fmt::format("write {}, or submit it with array=0-9", job->name));
    for (const std::uint32_t task : job->tasks->to_vector())
      if (!known->second->contains(task))
        return story_error(place, word, fmt::format("{} has no task {}", job->name, task),
                           fmt::format("its tasks are {}", compress_indices(*known->second)));
  }
  return job;
}

Result<std::vector<std::string>> known_nodes(const StoryScope& scope, const Place& place,
                                             std::string_view word) {
  auto names = expand_hostlist(word);
  if (!names) return story_error(place, word, names.error().what, names.error().hint);
  for (const std::string& name : *names)
    if (!scope.policy->find_node(name)) {
      std::vector<std::string> known;
      for (const Node& node : scope.policy->nodes) known.push_back(node.name);
      return story_error(place, word, fmt::format("there is no node {}", quoted(name)),
                         allowed_words(name, known));
    }
  if (names->empty()) return story_error(place, word, "names no node");
  return names;
}

Result<std::vector<Expectation>> read_expectations(const StoryScope& scope, const Place& place,
                                                   std::string_view text) {
  std::vector<std::string> parts;
  for (std::string& part : story_parts(text)) {
    // "A waits Resources, expected 10:00" is one expectation.
    if (part.starts_with("expected ") && !parts.empty())
      parts.back() += ", " + part;
    else
      parts.push_back(std::move(part));
  }
  if (parts.empty())
    return story_error(place, "=>", "nothing stands behind it", "write => A starts");
  std::vector<Expectation> out;
  for (const std::string& part : parts) {
    std::string plain = part;
    if (const std::size_t comma = plain.find(", expected "); comma != std::string::npos)
      plain.erase(comma, 1);
    TRY(Expectation one, Reader(scope, place, plain).read());
    one.text = part;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace sluice
