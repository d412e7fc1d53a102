// Long answers in turn: one of a user at a time, and so many in all.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "wire/loop.h"

namespace sluice {

class InTurn {
 public:
  // Calls `ended`, once, when the answer was given.
  using Work = std::function<void(std::function<void()> ended)>;

  InTurn(Loop& loop, std::size_t at_once) : loop_(loop), at_once_(at_once) {}

  // Now, or when it is its turn. How many wait is bounded by the connections of a user.
  void run(const std::string& user, Work work);

 private:
  void start(const std::string& user, const Work& work);
  void start_next();

  Loop& loop_;
  std::size_t at_once_;
  std::set<std::string> busy_;  // Users who have one.
  std::map<std::string, std::deque<Work>> waiting_;
  // Users who wait, the one who was served longest ago first: many requests of some do not keep the
  // others waiting.
  std::deque<std::string> order_;
};

}  // namespace sluice
