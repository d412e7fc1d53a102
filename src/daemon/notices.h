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
  Notices(Loop& loop, Driver& driver) : loop_(loop), driver_(driver) {}

  void began(const Job& job, const JobSpec& spec);
  void requeued(const Job& job, const JobSpec& spec);
  void ended(const Ended& ended);

 private:
  struct Delivery {
    std::string user;
    std::string json;
  };
  void queue(const JobSpec& spec, std::string json);
  void start_next();
  bool start(const Delivery& delivery);

  Loop& loop_;
  Driver& driver_;
  std::deque<Delivery> waiting_;
  std::map<std::string, std::size_t> waiting_of_;  // By user.
  std::map<std::string, std::size_t> running_of_;
  std::size_t running_ = 0;
};

}  // namespace sluice
