// An sbatch that waits for slurmctld goes on for minutes after the process that started it was
// killed. Its command line carries the key.
#include "chains/sending.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "text/scan.h"

namespace sluice {

bool is_being_sent(const std::string& key) {
  namespace fs = std::filesystem;
  const uid_t user = ::geteuid();
  std::error_code problem;
  for (auto at = fs::directory_iterator("/proc", problem);
       !problem && at != fs::directory_iterator(); at.increment(problem)) {
    const std::string name = at->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    struct stat facts {};
    if (::stat(at->path().c_str(), &facts) != 0 || facts.st_uid != user) continue;
    std::ifstream file(at->path() / "cmdline", std::ios::binary);
    const std::string line((std::istreambuf_iterator<char>(file)), {});
    if (line.find(key) == std::string::npos) continue;
    // The program itself, or one that a script of the site's wraps.
    const auto words = split(line, '\0');
    if (std::any_of(words.begin(), words.end(), [](std::string_view word) {
          return word == "sbatch" || word.ends_with("/sbatch");
        }))
      return true;
  }
  return false;
}

}  // namespace sluice
