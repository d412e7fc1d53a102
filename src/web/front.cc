#include "web/front.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <utility>

#include "views/json.h"
#include "web/about.h"
#include "web/assets.h"
#include "web/job_log.h"
#include "web/replies.h"

namespace sluice {
namespace {

constexpr std::size_t kThreads = 4;
// Five times a second is as often as a person sees a number change.
constexpr Duration kBetweenLooks(200);
constexpr unsigned kLooksBetweenSamples = 25;  // 5 s.
constexpr unsigned kLooksBetweenPools = 300;   // A minute.
constexpr unsigned kLooksBetweenSlurm = 25;    // 5 s.
constexpr unsigned kLooksBetweenSaves = 3000;  // Ten minutes.
constexpr unsigned kLooksBetweenSigns = 75;    // Proxies close what is silent.
constexpr Duration kDaemonFreshness(400);
constexpr Duration kCommandFreshness = seconds(2);
// Sites forbid asking more often.
constexpr Duration kSlurmFreshness = seconds(5);
// A plan tries jobs out.
constexpr Duration kPolicyFreshness = seconds(30);
constexpr std::size_t kMostLogText = std::size_t{1} << 20;

// A word that a command cannot take for an option, or for several words.
bool is_plain_name(std::string_view text) {
  return !text.empty() && text.size() <= 100 && text.front() != '-' && text.front() != '.' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  std::string_view("_-.,[]%+").find(c) != std::string_view::npos;
         });
}

// "/a/{}/b" and "/a/12/b": "12"; none where the path is another.
std::optional<std::string> part_of(std::string_view path, std::string_view before,
                                   std::string_view after) {
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) ||
      !path.ends_with(after))
    return std::nullopt;
  path.remove_prefix(before.size());
  path.remove_suffix(after.size());
  if (path.find('/') != std::string_view::npos) return std::nullopt;
  return std::string(path);
}

// The daemon's own routes that only look.
bool is_view(std::string_view path) {
  for (const std::string_view one :
       {"/v1/daemon", "/v1/queue", "/v1/nodes", "/v1/shares", "/v1/priority", "/v1/history",
        "/v1/policy", "/v1/policy/source", "/v1/cluster"})
    if (path == one) return true;
  const auto job = part_of(path, "/v1/jobs/", "");
  const auto why = part_of(path, "/v1/jobs/", "/why");
  return (job && is_plain_name(*job)) || (why && is_plain_name(*why));
}

}  // namespace

WebFront::WebFront(Loop& loop, WebSettings settings)
    : loop_(loop), settings_(std::move(settings)), workers_(loop, kThreads) {}

void WebFront::answer(HttpRequest request, std::shared_ptr<HttpReply> reply) {
  secure(*reply);
  const bool is_login = request.path == "/login" && settings_.access.needs_cookie;
  const WebRefusal refusal =
      refusal_of(request, settings_.access, is_login ? CookieNeeded::kNo : CookieNeeded::kYes);
  if (refusal.status != 0) return refuse(*reply, refusal.status, refusal.why, refusal.hint);
  if (request.method != "GET" && request.method != "POST")
    return refuse(*reply, 405, "only GET and POST");
  if (is_login) return log_in(request, reply);
  if (request.method == "POST") return change(request, reply);
  if (!send_file(request, reply)) route(request, reply);
}

void WebFront::log_in(const HttpRequest& request, const Reply& reply) {
  if (!is_same_secret(request.parameter("token"), settings_.token))
    return refuse(*reply, 401, "this token is wrong, or was used before",
                  "the next one is in the file that 'sluice web --tcp' named");
  settings_.token = settings_.next_token();
  reply->add_header("Set-Cookie",
                    fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict",
                                settings_.access.cookie_name, settings_.access.cookie));
  reply->add_header("Cache-Control", "no-store");
  // Not a redirect: a browser that came from another page would follow it without the cookie.
  reply->send(200, "text/html; charset=utf-8",
              "<!doctype html><html lang=\"en\"><title>sluice</title>"
              "<meta http-equiv=\"refresh\" content=\"0;url=/\"><a href=\"/\">sluice</a></html>");
}

bool WebFront::send_file(const HttpRequest& request, const Reply& reply) {
  const std::string_view path =
      request.path == "/" ? "/index.html" : std::string_view(request.path);
  for (const WebAsset& asset : web_assets()) {
    if (asset.path != path) continue;
    const std::string type(asset.content_type);
    if (path == "/index.html") {
      send(request, *reply, packed_answer(200, type, page_with(asset.bytes, about_json(settings_))),
           // It has the time in it.
           Keeping::kNever);
      return true;
    }
    send_shared(
        request, reply, "file " + std::string(asset.path), seconds(3600),
        [type, bytes = asset.bytes] { return packed_answer(200, type, std::string(bytes)); });
    return true;
  }
  return false;
}

void WebFront::route(const HttpRequest& request, const Reply& reply) {
  const bool slurm = !settings_.sources.has_daemon();
  const Duration freshness = slurm ? kSlurmFreshness : kCommandFreshness;
  if (request.path == "/api/about") {
    reply->add_header("Cache-Control", "no-cache");
    return reply->send(200, kWebJson, about_json(settings_));
  }
  if (request.path == "/api/events") return follow(reply);
  if (request.path == "/api/series")
    return send(request, *reply,
                packed_answer(200, std::string(kWebJson), series_.json(request.parameter("of"))));
  if (request.path == "/api/pools")
    return send_command(request, reply, "pools", freshness, {"pools", "--json"});
  if (request.path == "/api/policy/plan") return plan(request, reply);
  if (request.path == "/api/policy/drift")
    return send_shared(request, reply, "command drift", kPolicyFreshness,
                       [&sources = settings_.sources] {
                         return run_comparison(sources, {"policy", "drift", "--json"});
                       });
  if (request.path == "/metrics")
    return send_shared(request, reply, "metrics", freshness, [this] {
      auto ran = settings_.sources.command({"metrics"});
      if (!ran) return error_answer(502, ran.error());
      if (ran->exit_code != 0)
        return packed_answer(502, std::string(kWebJson), error_json(ran->error.substr(0, 2000)));
      return packed_answer(200, "text/plain; version=0.0.4; charset=utf-8", std::move(ran->output));
    });
  if (request.path == "/api/chains")
    return send_command(request, reply, "chains", freshness, {"list", "--json"});
  if (const auto chain = part_of(request.path, "/api/chains/", "/failures"))
    return chain_logs(*chain, request, reply);
  if (const auto job = part_of(request.path, "/api/jobs/", "/log"))
    return log(request, *job, reply);
  if (!request.path.starts_with("/api/v1/")) return refuse(*reply, 404, "there is no such page");
  if (slurm) return slurm_route(request, reply);
  daemon_route(request, reply);
}

// What differs between the policy file and what is in force; the daemon's own file where none is
// named.
void WebFront::plan(const HttpRequest& request, const Reply& reply) {
  if (settings_.policy_file.empty())
    return refuse(*reply, 200, "no policy file is known here",
                  "name one: sluice web --policy policy.yaml");
  send_shared(request, reply, "command plan", kPolicyFreshness, [this] {
    return run_comparison(settings_.sources, {"policy", "plan", settings_.policy_file, "--json"});
  });
}

void WebFront::slurm_route(const HttpRequest& request, const Reply& reply) {
  if (request.path == "/api/v1/queue") {
    // The tasks of arrays one by one, of all or of one.
    if (request.parameter("arrays") != "records")
      return send_command(request, reply, "queue", kSlurmFreshness, {"queue", "--json"});
    const std::string job = request.parameter("job");
    const std::string array = is_plain_name(job) ? job : std::string();
    return send_shared(request, reply, "tasks of " + array, kSlurmFreshness,
                       [&sources = settings_.sources, array] {
                         auto lines = sources.tasks(array);
                         if (!lines) return error_answer(502, lines.error());
                         return packed_answer(200, std::string(kWebJson), std::move(*lines));
                       });
  }
  if (request.path == "/api/v1/nodes")
    return send_command(request, reply, "nodes", kSlurmFreshness, {"nodes", "--json"});
  const auto why = part_of(request.path, "/api/v1/jobs/", "/why");
  if (why && is_plain_name(*why))
    return send_command(request, reply, "why " + *why, kSlurmFreshness, {"why", *why, "--json"});
  refuse(*reply, 404, "a Slurm cluster is not asked for this");
}

void WebFront::daemon_route(const HttpRequest& request, const Reply& reply) {
  const std::string path = request.path.substr(4);
  // What waits for a job's end would keep a thread.
  if (!is_view(path) || request.query.contains("wait"))
    return refuse(*reply, 404, "the page does not show this");
  const std::string target = target_of(path, request);
  send_shared(request, reply, target, kDaemonFreshness, [&sources = settings_.sources, target] {
    return ask_daemon(sources, "GET", target, {});
  });
}

void WebFront::change(const HttpRequest& request, const Reply& reply) {
  const bool slurm = !settings_.sources.has_daemon();
  for (const std::string_view verb : {"/cancel", "/hold", "/release", "/requeue"}) {
    const auto job = part_of(request.path, "/api/v1/jobs/", verb);
    if (!job || !is_plain_name(*job)) continue;
    if (slurm && verb != "/cancel")
      return refuse(*reply, 404, "jobs of a Slurm cluster are only cancelled here",
                    "for the rest there is scontrol");
    if (slurm) return cancel_on_slurm(*job, reply);
    const std::string target = "/v1/jobs/" + percent_encoded(*job) + std::string(verb);
    const bool taken = workers_.run([this, target, reply]() -> Workers::Then {
      auto answer = ask_daemon(settings_.sources, "POST", target, "{}");
      return [reply, answer = std::move(answer)] {
        reply->send(answer.status, answer.content_type, answer.body);
      };
    });
    if (!taken) refuse(*reply, 503, "too much is asked at once");
    return;
  }
  refuse(*reply, 404, "the page does not change this");
}

void WebFront::cancel_on_slurm(const std::string& job, const Reply& reply) {
  const bool taken = workers_.run([this, job, reply]() -> Workers::Then {
    const auto done = settings_.sources.cancel(job);
    std::string out;
    JsonWriter writer(out);
    writer.begin_object();
    writer.key("results");
    writer.begin_array();
    writer.begin_object();
    writer.key("id");
    writer.text(job);
    writer.key("error");
    writer.text(done ? "" : done.error().text());
    writer.end_object();
    writer.end_array();
    writer.end_object();
    return [reply, out = std::move(out)] { reply->send(200, kWebJson, out); };
  });
  if (!taken) refuse(*reply, 503, "too much is asked at once");
}

void WebFront::log(const HttpRequest& request, const std::string& job, const Reply& reply) {
  if (!is_plain_name(job)) return refuse(*reply, 404, "its output is not known here");
  const LogStream stream =
      request.parameter("stream") == "err" ? LogStream::kErrors : LogStream::kOutput;
  const std::string given = request.parameter("from");
  std::optional<std::uint64_t> from;
  std::uint64_t number = 0;
  if (std::from_chars(given.data(), given.data() + given.size(), number).ec == std::errc())
    from = number;
  const bool taken = workers_.run([this, job, stream, from, reply]() -> Workers::Then {
    auto piece = read_job_log(settings_.sources, job, stream, from);
    return [reply, piece = std::move(piece)] {
      if (!piece) return refuse(*reply, 404, piece.error().text(), piece.error().hint);
      if (!piece->note.empty()) reply->add_header("X-Log-Note", piece->note);
      if (!piece->path.empty()) reply->add_header("X-Log-Path", percent_encoded(piece->path));
      reply->add_header("X-Log-Start", std::to_string(piece->start));
      reply->add_header("Cache-Control", "no-store");
      reply->send(200, "text/plain; charset=utf-8", piece->bytes);
    };
  });
  if (!taken) refuse(*reply, 503, "too much is asked at once");
}

void WebFront::chain_logs(const std::string& chain, const HttpRequest& request,
                          const Reply& reply) {
  if (!is_plain_name(chain)) return refuse(*reply, 404, "there is no such chain");
  send_shared(request, reply, "failures " + chain, kSlurmFreshness, [this, chain] {
    auto ran = settings_.sources.command({"chain", "logs", chain, "--failed"});
    if (!ran) return error_answer(502, ran.error());
    std::string& text = ran->output;
    if (text.size() > kMostLogText) text.resize(kMostLogText);
    return packed_answer(200, "text/plain; charset=utf-8", std::move(text));
  });
}

void WebFront::follow(const Reply& reply) {
  reply->begin_stream("text/event-stream");
  reply->push(last_pulse_.empty() ? "event: hello\ndata: {}\n\n" : last_pulse_);
  viewers_.push_back(reply);
}

void WebFront::shared_answer(const std::string& key, Duration freshness,
                             std::function<WebAnswer()> ask, AnswerCache::Take take) {
  if (!cache_.wants(key, freshness, std::move(take))) return;
  const bool taken = workers_.run([this, key, ask = std::move(ask)]() -> Workers::Then {
    auto answer = std::make_shared<WebAnswer>(ask());
    return [this, key, answer] { cache_.give(key, std::move(*answer)); };
  });
  if (!taken)
    cache_.give(key,
                packed_answer(503, std::string(kWebJson), error_json("too much is asked at once")));
}

void WebFront::send_shared(const HttpRequest& request, const Reply& reply, const std::string& key,
                           Duration freshness, std::function<WebAnswer()> ask) {
  HttpRequest kept;
  kept.headers = request.headers;
  shared_answer(key, freshness, std::move(ask),
                [kept = std::move(kept), reply](const std::shared_ptr<const WebAnswer>& answer) {
                  send(kept, *reply, *answer);
                });
}

void WebFront::send_command(const HttpRequest& request, const Reply& reply, const std::string& key,
                            Duration freshness, std::vector<std::string> words) {
  send_shared(
      request, reply, "command " + key, freshness,
      [&sources = settings_.sources, words = std::move(words)] { return run_own(sources, words); });
}

void WebFront::start() {
  series_.restore(std::time(nullptr), settings_.series_before);
  settings_.series_before.clear();
  look();
}

void WebFront::end() const {
  if (settings_.keep_series) settings_.keep_series(series_.saved());
}

void WebFront::look() {
  loop_.after(kBetweenLooks, [this] { look(); });
  std::erase_if(viewers_, [](const Reply& viewer) { return !viewer->is_open(); });
  ++looks_;
  if (looks_ % kLooksBetweenSamples == 1) sample();
  if (looks_ % kLooksBetweenSaves == 0) end();
  if (viewers_.empty()) return;
  if (!settings_.sources.has_daemon()) {
    if (looks_ % kLooksBetweenSlurm == 0) pulse(packed_answer(200, std::string(kWebJson), "{}"));
    return;
  }
  shared_answer(
      "/v1/daemon", kBetweenLooks - Duration(50),
      [&sources = settings_.sources] { return ask_daemon(sources, "GET", "/v1/daemon", {}); },
      [this](const std::shared_ptr<const WebAnswer>& answer) { pulse(*answer); });
}

void WebFront::pulse(const WebAnswer& daemon) {
  // The JSON is one line.
  const std::string_view body =
      std::string_view(daemon.body).substr(0, daemon.body.find_last_not_of('\n') + 1);
  std::string text =
      fmt::format("event: {}\ndata: {}\n\n", daemon.status == 200 ? "pulse" : "lost", body);
  const bool is_news = text != last_pulse_ || !settings_.sources.has_daemon();
  if (!is_news && ++looks_since_pulse_ < kLooksBetweenSigns) return;
  looks_since_pulse_ = 0;
  last_pulse_ = text;
  for (const Reply& viewer : viewers_) viewer->push(is_news ? text : ":\n\n");
}

void WebFront::sample() {
  const auto now = [] { return static_cast<std::int64_t>(std::time(nullptr)); };
  const WebSources& sources = settings_.sources;
  if (sources.has_daemon()) {
    for (const std::string target : {"/v1/nodes", "/v1/shares"})
      shared_answer(
          target, kDaemonFreshness,
          [&sources, target] { return ask_daemon(sources, "GET", target, {}); },
          [this, now, target](const std::shared_ptr<const WebAnswer>& answer) {
            target == "/v1/nodes" ? series_.take_nodes(now(), answer->body)
                                  : series_.take_shares(now(), answer->body);
          });
  }
  // A Slurm is asked only while a page shows it.
  if (looks_ % kLooksBetweenPools != 1 || (!sources.has_daemon() && viewers_.empty())) return;
  shared_answer(
      "command pools", kSlurmFreshness,
      [&sources] {
        return run_own(sources, {"pools", "--json"});
      },
      [this, now](const std::shared_ptr<const WebAnswer>& answer) {
        series_.take_pools(now(), answer->body);
      });
  if (sources.has_daemon()) return;
  shared_answer(
      "command nodes", kSlurmFreshness,
      [&sources] {
        return run_own(sources, {"nodes", "--json"});
      },
      [this, now](const std::shared_ptr<const WebAnswer>& answer) {
        series_.take_nodes(now(), answer->body);
      });
}

}  // namespace sluice
