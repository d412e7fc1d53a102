#include "chains/sending.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace sluice {
namespace {

// A program called sbatch that waits for a slurmctld that does not answer.
class WaitingSbatch {
 public:
  explicit WaitingSbatch(const std::string& key) {
    std::array<int, 2> ready{};
    if (::pipe(ready.data()) != 0) std::abort();
    std::string place = "/tmp/sending-XXXXXX";
    folder_ = ::mkdtemp(place.data());
    const std::string program = folder_ + "/sbatch";
    std::ofstream(program) << "echo >&3; read forever <&4\n";
    const std::string comment = "--comment=" + key;
    if (::pipe(forever_.data()) != 0) std::abort();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ready[1], 3);
      ::dup2(forever_[0], 4);
      ::execl("/bin/sh", "sh", program.c_str(), comment.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(ready[1]);
    char word = 0;
    if (::read(ready[0], &word, 1) != 1) std::abort();
    ::close(ready[0]);
  }
  WaitingSbatch(const WaitingSbatch&) = delete;
  WaitingSbatch& operator=(const WaitingSbatch&) = delete;
  ~WaitingSbatch() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::close(forever_[0]);
    ::close(forever_[1]);
    std::filesystem::remove_all(folder_);
  }

 private:
  std::string folder_;
  std::array<int, 2> forever_{};
  pid_t pid_ = 0;
};

TEST(Sending, AnSbatchThatOutlivesItsCallerIsSeen) {
  const std::string key = "sluice:sending-test-" + std::to_string(::getpid());
  EXPECT_FALSE(is_being_sent(key));
  {
    const WaitingSbatch sbatch(key);
    EXPECT_TRUE(is_being_sent(key));
    EXPECT_FALSE(is_being_sent(key + "-another"));
  }
  EXPECT_FALSE(is_being_sent(key));
}

}  // namespace
}  // namespace sluice
