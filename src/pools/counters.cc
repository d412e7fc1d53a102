#include "pools/counters.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <mutex>

#include "host/files/files.h"
#include "pools/routing_context.h"
#include "text/scan.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"submit", "route", "slurm", "retry"};
// Accounts and commands are few; a file that was spoilt does not grow for ever.
constexpr std::size_t kMostLines = 1000;

std::mutex guard;
Counts counted;

std::string counts_file() { return state_folder() + "/counts"; }

Counts read_counts(std::string_view text) {
  Counts out;
  for (const std::string_view line : split(text, '\n')) {
    const auto parts = split(line, '\t');
    std::int64_t value = 0;
    if (parts.size() != 3 || out.size() >= kMostLines ||
        std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), value).ec !=
            std::errc())
      continue;
    for (std::size_t i = 0; i < kNames.size(); ++i)
      if (parts[0] == kNames[i]) out[{static_cast<CountOf>(i), std::string(parts[1])}] += value;
  }
  return out;
}

}  // namespace

void count_up(CountOf what, std::string_view label, std::int64_t by) {
  if (label.find_first_of("\t\n") != std::string_view::npos) return;
  const std::lock_guard lock(guard);
  counted[{what, std::string(label)}] += by;
}

void count_command(const std::string& program) {
  const std::string_view name = std::string_view(program).substr(program.rfind('/') + 1);
  for (const std::string_view known : {"squeue", "sbatch", "scontrol", "sacct", "sacctmgr",
                                       "scancel", "sinfo", "sprio", "sshare", "sdiag", "sreport"})
    if (name == known) return count_up(CountOf::kSlurmCall, name);
}

void keep_counts() {
  const std::lock_guard lock(guard);
  if (counted.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(state_folder(), ignored);
  const int file = ::open(counts_file().c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return;
  // A process that is stopped while it holds the file makes others lose a count, not wait.
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) {
    std::string text;
    struct stat facts {};
    if (::fstat(file, &facts) == 0 && facts.st_size < (1 << 20)) {
      text.resize(static_cast<std::size_t>(facts.st_size));
      const ssize_t got = ::pread(file, text.data(), text.size(), 0);
      text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    }
    Counts all = read_counts(text);
    for (const auto& [name, count] : counted) all[name] += count;
    text.clear();
    for (const auto& [name, count] : all)
      text += fmt::format("{}\t{}\t{}\n", kNames[static_cast<std::size_t>(name.first)], name.second,
                          count);
    // Sums only grow, so the new text covers the old one.
    [[maybe_unused]] const ssize_t written = ::pwrite(file, text.data(), text.size(), 0);
    counted.clear();
  }
  ::close(file);
}

Counts kept_counts() {
  const auto text = read_file(counts_file());
  return text ? read_counts(*text) : Counts{};
}

}  // namespace sluice
