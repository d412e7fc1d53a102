#include "pools/notify.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "cli/local_time.h"
#include "host/files/files.h"
#include "pools/routing_context.h"
#include "slurm/command.h"
#include "views/notice.h"

namespace sluice {
namespace {

constexpr Duration kLongest = seconds(30);
// What failed lately is enough.
constexpr std::uintmax_t kMostLog = std::uintmax_t{1} << 20;

std::vector<std::string> event_words() {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < kNoticeEvents; ++i)
    out.emplace_back(notice_word(static_cast<NoticeEvent>(i)));
  return out;
}

Result<void> run(const std::vector<std::string>& words, const std::string& input,
                 std::string_view what) {
  const auto ran = run_command(words, process_environment(), kLongest, input);
  if (!ran) return failed(fmt::format("{}: {}", what, ran.error().text()));
  if (ran->exit_code == 0) return {};
  const std::string said = ran->error.substr(0, ran->error.find('\n'));
  return failed(
      fmt::format("{}: exit code {}{}{}", what, ran->exit_code, said.empty() ? "" : ": ", said));
}

// In curl's settings on standard input: an address with a secret in it is on no command line.
std::string quoted_for_curl(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

Result<void> post(const std::string& address, const std::string& json) {
  const std::string settings = fmt::format(
      "url = {}\ndata-binary = {}\nheader = \"Content-Type: application/json\"\n"
      "proto = \"=http,https\"\nmax-time = 20\nfail\nsilent\nshow-error\noutput = \"/dev/null\"\n",
      quoted_for_curl(address), quoted_for_curl(json));
  return run({"curl", "--disable", "--config", "-"}, settings, "webhook");
}

Result<void> mail(const std::string& to, const ReadNotice& notice) {
  std::string program = environment_value("SLUICE_SENDMAIL");
  for (const char* usual : {"/usr/sbin/sendmail", "/usr/lib/sendmail", "/usr/bin/sendmail"})
    if (program.empty() && ::access(usual, X_OK) == 0) program = usual;
  if (program.empty()) return failed(fmt::format("mail to {}: this machine has no sendmail", to));
  return run({program, "-t", "-i"}, mail_text(to, notice.subject, notice.text),
             fmt::format("mail to {}", to));
}

void write_down(const std::string& what) {
  const std::string path = state_folder() + "/notify.log";
  std::error_code ignored;
  std::filesystem::create_directories(state_folder(), ignored);
  const bool long_enough = std::filesystem::file_size(path, ignored) > kMostLog && !ignored;
  const int file = ::open(
      path.c_str(),
      O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (long_enough ? O_TRUNC : O_APPEND), 0600);
  if (file < 0) return;
  const std::string line = fmt::format("{} {}\n", full_local_time(now_here()), what);
  [[maybe_unused]] const ssize_t written = ::write(file, line.data(), line.size());
  ::close(file);
}

}  // namespace

std::string notify_file() { return config_folder() + "/notify.yaml"; }

Result<std::vector<Hook>> load_hooks() {
  std::error_code ignored;
  if (!std::filesystem::exists(notify_file(), ignored)) return std::vector<Hook>{};
  TRY(const std::string text, read_file(notify_file()));
  return read_notify_file(text, notify_file(), event_words());
}

Result<void> tell_hook(const Hook& hook, const std::string& json) {
  TRY(const ReadNotice notice, read_notice(json));
  switch (hook.kind) {
    case HookKind::kCommand:
      return run({"/bin/sh", "-c", hook.target}, json + "\n",
                 fmt::format("command {}", hook.target));
    case HookKind::kWebhook:
      return post(hook.target, json);
    case HookKind::kMail:
      return mail(hook.target, notice);
  }
  return {};
}

std::vector<std::string> deliver_notice(const std::string& json) {
  std::vector<std::string> problems;
  const auto note = [&](const Result<void>& done) {
    if (done) return;
    problems.push_back(done.error().text());
    write_down(done.error().text());
  };
  const auto notice = read_notice(json);
  if (!notice) {
    note(tl::unexpected<Error>(notice.error()));
    return problems;
  }
  if (notice->mail_to) note(mail(*notice->mail_to, *notice));
  if (!notice->hooks) return problems;
  const auto hooks = load_hooks();
  if (!hooks) {
    note(tl::unexpected<Error>(hooks.error()));
    return problems;
  }
  for (const Hook& hook : *hooks)
    if (hook.is_for(notice->event)) note(tell_hook(hook, json));
  return problems;
}

}  // namespace sluice
