// Routing: from a request to its handler, and errors as JSON.
#include "daemon/api.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/check.h"
#include "base/error_codes.h"
#include "daemon/api_parts.h"
#include "text/job_states.h"
#include "text/scan.h"

namespace sluice {
namespace {

constexpr std::size_t kListsAtOnce = 4;
// Users whose requests about many jobs are worked off at once, one of each.
constexpr std::size_t kActsAtOnce = 8;
// Only whose turn it is has one. As fast as the daemon itself would make it.
constexpr ProcessCopies::Bounds kListCopies{kListsAtOnce, kListsAtOnce, 1, std::size_t{1} << 30, 0};

// Whether the path is the route's, and what stands in its braces.
bool matches(std::string_view route, std::string_view path, std::string& part) {
  while (true) {
    const std::size_t a = route.find('/');
    const std::size_t b = path.find('/');
    const std::string_view wanted = route.substr(0, a);
    const std::string_view given = path.substr(0, b);
    if (wanted.starts_with('{')) {
      if (given.empty()) return false;
      part = std::string(given);
    } else if (wanted != given) {
      return false;
    }
    if (a == std::string_view::npos || b == std::string_view::npos)
      return a == std::string_view::npos && b == std::string_view::npos;
    route = route.substr(a + 1);
    path = path.substr(b + 1);
  }
}

}  // namespace

Api::Api(Loop& loop, Driver& driver, std::string output_folder, DaemonPort daemon)
    : loop_(loop),
      driver_(driver),
      output_folder_(std::move(output_folder)),
      daemon_(std::move(daemon)),
      quotas_(driver.engine()),
      long_answers_(loop, kListsAtOnce),
      long_acts_(loop, kActsAtOnce),
      list_copies_(loop, kListCopies),
      ahead_copies_(loop) {
  // The table of routes is what the document says: nothing in it may be missing here.
  for (const ApiRoute& route : routes()) CHECK(handler_of(route.operation) != nullptr);
  driver_.on_rows([this](const Ended& ended, HistoryRow& row) { note_details(ended, row); });
  driver_.on_events([this](std::span<const Event> events) { tell(events); });
}

Api::Handler Api::handler_of(std::string_view operation) {
  for (const std::span<const Route> routes : {view_routes(), job_routes(), reservation_routes(),
                                              slurm_routes(), stream_routes(), when_routes()})
    for (const Route& route : routes)
      if (route.operation == operation) return route.handler;
  return nullptr;
}

void Api::handle(HttpRequest request, std::shared_ptr<HttpReply> reply) {
  auto call = std::make_shared<Call>();
  call->request = std::move(request);
  call->reply = std::move(reply);
  call->wall_ahead = driver_.wall_ahead();
  const auto user = driver_.identities().name_of(call->request.peer.uid, driver_.now());
  if (!user)
    return refuse(*call, Error{ErrorKind::kNoCapacity,
                               user.error().what,
                               {},
                               "try again when the machine's name service answers"});
  call->actor.user = *user;
  call->actor.is_operator = call->request.peer.uid == 0 ||
                            call->request.peer.uid == static_cast<std::uint32_t>(geteuid());
  if (!may_enter(*call)) return;
  const ApiRoute* path_only = nullptr;
  for (const ApiRoute& route : routes()) {
    if (!matches(route.path, call->request.path, call->part)) continue;
    path_only = &route;
    if (route.method == call->request.method) return handler_of(route.operation)(*this, call);
  }
  if (path_only != nullptr)
    return refuse(*call, 405,
                  {fmt::format("{} is not for {}", call->request.path, call->request.method),
                   {},
                   fmt::format("use {}", path_only->method),
                   2,
                   {}});
  refuse(*call, 404,
         {fmt::format("there is no {}", quoted(call->request.path)),
          {},
          "the routes are in /v1/openapi.json",
          2,
          {}});
}

bool Api::may_enter(const Call& call) {
  const State& state = driver_.engine().state();
  if (call.actor.is_operator || !state.has_policy()) return true;
  const std::vector<std::string>& groups = state.policy().jobs.allow_groups;
  if (groups.empty() || driver_.identities().is_in_any(call.actor.user, groups, driver_.now()))
    return true;
  refuse(call, 403,
         {"you are in none of the groups that may use this daemon (jobs.allow_groups)",
          {},
          "ask the administrator of this machine",
          77,
          {}});
  return false;
}

void Api::refuse(const Call& call, int status, ApiError error) {
  call.reply->send(status, "application/json", to_json(ErrorReply{std::move(error)}) + "\n");
}

void Api::refuse(const Call& call, const Error& error) {
  // Errors quote what was asked: so much is enough to find it.
  const auto shown = [](std::string text) {
    constexpr std::size_t kLongest = 2000;
    if (text.size() > kLongest) {
      text.resize(kLongest);
      text += "…";
    }
    return text;
  };
  const ErrorCodes& codes = codes_of(error.kind);
  refuse(call, codes.http_status,
         {shown(error.what), shown(error.where), shown(error.hint), codes.exit_code, {}});
}

bool Api::check_operator(const Call& call) {
  if (call.actor.is_operator) return true;
  refuse(call, 403, {kDeniedText, {}, "ask the user who runs this daemon, or root", 77, {}});
  return false;
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> out;
  for (const std::string_view word : split(list, ','))
    if (!word.empty()) out.emplace_back(word);
  return out;
}

Result<std::vector<NamedJob>> jobs_named(const std::string& list) {
  // Four million tasks are half a megabyte of bits; twice as many are named by nobody.
  constexpr std::size_t kMostTasks = 8'000'000;
  constexpr std::size_t kMostWords = 1000;
  std::vector<std::string> words(1);
  int depth = 0;
  for (const char c : list) {
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c == ',' && depth == 0)
      words.emplace_back();
    else
      words.back() += c;
  }
  std::erase_if(words, [](const std::string& word) { return word.empty(); });
  if (words.size() > kMostWords)
    return bad_input(
        fmt::format("{} jobs are named; at most {} at once", words.size(), kMostWords));
  std::vector<NamedJob> out;
  std::size_t tasks = 0;
  for (std::string& word : words) {
    TRY(JobReference reference, parse_job_reference(word));
    if (reference.tasks) tasks += reference.tasks->size();
    if (tasks > kMostTasks)
      return bad_input(fmt::format("more than {} tasks are named", kMostTasks),
                       "name the whole array by its number");
    out.push_back({std::move(reference), std::move(word)});
  }
  return out;
}

Result<QueueFilter> filter_of(const HttpRequest& request) {
  QueueFilter filter;
  const std::string arrays = request.parameter("arrays");
  if (arrays == "records")
    filter.arrays = ArrayLines::kRecords;
  else if (arrays == "tasks")
    filter.arrays = ArrayLines::kTasks;
  else if (!arrays.empty() && arrays != "one")
    return bad_input(fmt::format("arrays is {}", quoted(arrays)), "one, records or tasks");
  TRY(const std::vector<NamedJob> jobs, jobs_named(request.parameter("job")));
  for (const NamedJob& each : jobs) filter.jobs.push_back(each.reference.job);
  if (const std::string most = request.parameter("limit"); !most.empty()) {
    const auto number = whole_number(most);
    if (!number || *number < 0) return bad_input("limit is " + quoted(most), "a whole number");
    filter.most = static_cast<std::size_t>(*number);
  }
  filter.comment_word = request.parameter("comment");
  const std::pair<const char*, std::vector<std::string>*> lists[] = {
      {"user", &filter.users},
      {"account", &filter.accounts},
      {"partition", &filter.partitions},
      {"qos", &filter.qos},
      {"name", &filter.names}};
  for (const auto& [name, list] : lists) {
    *list = words_of(request.parameter(name));
    // Every job is compared with each of them.
    constexpr std::size_t kMost = 256;
    if (list->size() > kMost)
      return bad_input(
          fmt::format("{} has {} words; at most {} at once", name, list->size(), kMost));
  }
  if (const std::string states = request.parameter("state"); !states.empty()) {
    TRY(const JobStateList list, parse_job_states(states));
    filter.states = list.states;
    filter.ended_too = list.all;
  }
  return filter;
}

}  // namespace sluice
