// Mails and hooks about jobs: a short-lived process of the job's owner delivers each (`sluice
// notify deliver`). They are sent once at most: a daemon that is killed forgets those on their way.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "daemon/driver.h"
#include "daemon/identities.h"
#include "wire/loop.h"

namespace sluice {

class Notices {
 public:
  Notices(Loop& loop, Driver& driver, std::string program)
      : loop_(loop), driver_(driver), program_(std::move(program)) {}

  void began(const Job& job, const JobSpec& spec);
  void requeued(const Job& job, const JobSpec& spec);
  void ended(const Ended& ended);

 private:
  struct Delivery {
    std::string user;
    std::string json;
  };
  struct Running {
    std::string user;
    int said = -1;
    std::uint64_t number = 0;  // Pids come again.
  };
  void queue(const JobSpec& spec, std::string json);
  void start_next();
  bool start(const Delivery& delivery);
  void said(pid_t pid);
  void look_again(pid_t pid, std::uint64_t number);
  void give_up(pid_t pid, std::uint64_t number);

  Loop& loop_;
  Driver& driver_;
  std::string program_;
  std::deque<Delivery> waiting_;
  std::map<std::string, std::size_t> waiting_of_;  // By user.
  std::map<std::string, std::size_t> running_of_;
  std::map<pid_t, Running> running_;
  std::uint64_t next_number_ = 0;
};

}  // namespace sluice
