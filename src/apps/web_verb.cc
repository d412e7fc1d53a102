#include "apps/web_verb.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "apps/own_sources.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/own_user.h"
#include "host/files/durable_file.h"
#include "host/files/files.h"
#include "host/files/folders.h"
#include "pools/routed_cluster.h"
#include "views/json.h"
#include "web/front.h"

namespace sluice {
namespace {

struct Options {
  std::string engine;
  std::string socket;
  std::optional<std::uint16_t> tcp;
  std::vector<std::string> hosts;
  bool write = false;
  bool json = false;
  std::string policy;
};

// A new token in its file, which no other user may read, not even while it is written.
Result<std::string> written_token(const std::string& path) {
  std::string token = random_secret();
  ::unlink(path.c_str());
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  const std::string line = token + "\n";
  const bool written =
      file >= 0 && ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const int problem = errno;
  if (file >= 0) ::close(file);
  if (written) return token;
  return tl::unexpected<Error>(Error{ErrorKind::kFailed, std::strerror(problem), path, {}});
}

// The token of an earlier run, so that Prometheus need not be told again; else a new one.
Result<std::string> kept_token(const std::string& path) {
  std::string token(random_secret().size(), '\0');
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  struct stat status {};
  const bool own = file >= 0 && ::fstat(file, &status) == 0 && status.st_uid == ::geteuid() &&
                   (status.st_mode & 077) == 0;
  const bool whole =
      own && ::read(file, token.data(), token.size()) == static_cast<ssize_t>(token.size());
  if (file >= 0) ::close(file);
  if (whole) return token;
  return written_token(path);
}

// One page a socket: the lock is held as long as this process lives.
Result<void> lock_socket(const std::string& socket) {
  const std::string path = socket + ".lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0)
    return tl::unexpected<Error>(Error{ErrorKind::kFailed, std::strerror(errno), path, {}});
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return {};
  ::close(file);
  return tl::unexpected<Error>(Error{ErrorKind::kFailed, "another sluice web serves this socket",
                                     socket, "use it, end it, or name another: --socket PATH"});
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "HOST";
}

// Where it is, for a program that started it.
void say_for_programs(const std::vector<std::pair<std::string_view, std::string>>& facts) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  for (const auto& [name, value] : facts) {
    writer.key(name);
    writer.text(value);
  }
  writer.end_object();
  fmt::print("{}\n", out);
}

void say_where(const std::string& socket) {
  fmt::print(
      "The page is on the unix socket {}\n"
      "From your own machine type:\n"
      "  ssh -N -L 8080:{} {}@{}\n"
      "and open http://localhost:8080/   (Ctrl-C here ends it)\n",
      socket, socket, own_user(), host_name());
}

// The user's own file, or the one that the daemon read, which may be everybody's; "" where neither
// can be read.
std::string policy_in_use(const WebSources& sources, const std::string& own) {
  if (::access(own.c_str(), R_OK) == 0) return own;
  auto daemon = sources.daemon();
  if (!daemon) return {};
  const auto answer = daemon->request("GET", "/v1/daemon");
  if (!answer) return {};
  const auto card = parse_json(answer->body);
  const JsonValue* origin = card ? card->find("policy_origin") : nullptr;
  if (origin == nullptr || ::access(origin->text.c_str(), R_OK) != 0) return {};
  return origin->text;
}

Result<void> serve(const Options& options) {
  TRY(const std::string engine, chosen_engine(options.engine));
  TRY(const Folders folders, daemon_folders(FolderSetting::of_this_process()));
  TRY_VOID(make_folders(folders));
  WebSettings settings;
  TRY(settings.sources,
      own_sources(engine == "slurm" ? ShownCluster::kSlurm : ShownCluster::kEmbedded));
  settings.user = own_user();
  settings.version = std::string(kVersion);
  settings.policy_file = options.policy;
  if (options.policy.empty() && engine != "slurm")
    settings.policy_file = policy_in_use(settings.sources, folders.policy_file);
  const std::string series_file = fmt::format("{}/web-series-{}.json", folders.state, engine);
  settings.series_before = read_long_file(series_file).value_or(std::string());
  // A chart that begins anew is all that is lost where it cannot be written.
  settings.keep_series = [series_file](const std::string& series) {
    (void)write_durably(series_file, series);
  };
  settings.access.own_uid = ::geteuid();
  settings.access.may_write = options.write;
  settings.access.hosts.insert(settings.access.hosts.end(), options.hosts.begin(),
                               options.hosts.end());
  HttpServerSettings server;
  server.keep_headers = true;
  server.longest_body = 64 << 10;
  server.socket = options.socket.empty() ? folders.run + "/web.sock" : options.socket;
  server.loopback_port = options.tcp;
  // A name of its own is for a proxy, which may be another user's process.
  settings.access.for_proxies = options.tcp && !options.hosts.empty();
  // The socket's users are told by an answer, once they have asked.
  server.own_user_only = options.tcp && options.hosts.empty();
  if (!options.tcp) TRY_VOID(lock_socket(server.socket));

  Loop loop;
  std::unique_ptr<WebFront> front;
  TRY(const auto http, HttpServer::listen(loop, server, [&](HttpRequest request, auto reply) {
        front->answer(std::move(request), std::move(reply));
      }));
  std::string token_file;
  if (!options.tcp && options.json) {
    say_for_programs({{"schema", "sluice.web/1"}, {"socket", server.socket}});
  } else if (!options.tcp) {
    say_where(server.socket);
  } else {
    const std::string file = fmt::format("{}/web-{}.token", folders.run, http->port());
    token_file = file;
    TRY(const std::string token, written_token(file));
    settings.access.needs_cookie = true;
    settings.access.cookie_name = fmt::format("sluice_{}", http->port());
    settings.access.cookie = random_secret();
    const std::string metrics_file = folders.run + "/web-metrics.token";
    TRY(settings.access.metrics_token, kept_token(metrics_file));
    settings.token = token;
    // A token that cannot be written down lets no browser in.
    settings.next_token = [file] { return written_token(file).value_or(std::string()); };
    if (options.json)
      say_for_programs(
          {{"schema", "sluice.web/1"},
           {"url", fmt::format("http://127.0.0.1:{}/login?token={}", http->port(), token)},
           {"token_file", file},
           {"metrics_token_file", metrics_file}});
    else
      fmt::print(
          "The page is on 127.0.0.1:{}. Open it once with the token, which then is used up:\n"
          "  http://127.0.0.1:{}/login?token={}\n"
          "The token for another browser is in {}\n"
          "Prometheus reads /metrics with the bearer token in {}   (Ctrl-C here ends it)\n",
          http->port(), http->port(), token, file, metrics_file);
  }
  std::fflush(stdout);
  front = std::make_unique<WebFront>(loop, std::move(settings));
  front->start();
  loop.on_signals({SIGINT, SIGTERM, SIGHUP}, [&](int) { loop.stop(); });
  std::signal(SIGPIPE, SIG_IGN);
  loop.run();
  front->end();
  // The token is not accepted any more.
  if (!token_file.empty()) ::unlink(token_file.c_str());
  return {};
}

}  // namespace

void add_web(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("web", "Serve the page: queue, pools, chains in a browser");
  auto options = std::make_shared<Options>();
  verb->add_option("--socket", options->socket, "Use this unix socket instead of the usual one")
      ->type_name("PATH");
  auto port = std::make_shared<int>(0);
  verb->add_option("--tcp", *port, "On 127.0.0.1 instead, with a token; 0: any free port")
      ->expected(0, 1)
      ->default_str("0")
      ->between(0, 65535)
      ->type_name("PORT");
  verb->add_option("--host", options->hosts,
                   "One more name that browsers may call this machine by (localhost always)")
      ->type_name("NAME");
  verb->add_flag("--write", options->write, "Let the page cancel, hold, release and requeue jobs");
  verb->add_option("--policy", options->policy,
                   "The policy file whose plan is shown; else the daemon's own")
      ->type_name("FILE");
  verb->add_flag("--json", options->json, "Where the page is, as JSON");
  add_engine_option(*verb, options->engine);
  verb->footer(
      "The page shows what you may see, and runs until it is interrupted. It is served on a unix\n"
      "socket that only you can open; ssh -L brings it to your own machine.\n\n"
      "Examples:\n  sluice web\n  sluice web --write\n  sluice web --tcp 8080\n"
      "  sluice web --on slurm");
  verb->callback([options, port, verb, &exit_code] {
    if (verb->count("--tcp") > 0) options->tcp = static_cast<std::uint16_t>(*port);
    const auto done = serve(*options);
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
