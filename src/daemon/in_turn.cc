#include "daemon/in_turn.h"

#include <algorithm>
#include <utility>

namespace sluice {

void InTurn::run(const std::string& user, Work work) {
  if (busy_.size() < at_once_ && !busy_.contains(user)) return start(user, work);
  std::deque<Work>& own = waiting_[user];
  if (own.empty()) order_.push_back(user);
  own.push_back(std::move(work));
}

void InTurn::start(const std::string& user, const Work& work) {
  busy_.insert(user);
  work([this, user] {
    busy_.erase(user);
    // Never from within what has just ended.
    loop_.post([this] { start_next(); });
  });
}

void InTurn::start_next() {
  while (busy_.size() < at_once_) {
    const auto next = std::find_if(order_.begin(), order_.end(), [this](const std::string& user) {
      return !busy_.contains(user);
    });
    if (next == order_.end()) return;
    const std::string user = std::move(*next);
    order_.erase(next);
    std::deque<Work>& own = waiting_.at(user);
    const Work work = std::move(own.front());
    own.pop_front();
    if (own.empty())
      waiting_.erase(user);
    else
      order_.push_back(user);
    start(user, work);
  }
}

}  // namespace sluice
