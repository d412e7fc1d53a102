#include "shims/repeated.h"

#include <chrono>
#include <thread>

#include "cli/local_time.h"
#include "shims/shim.h"
#include "shims/words.h"

namespace sluice {

int print_every(ShimCall& call, int every, const std::function<int()>& print) {
  if (every == 0) return print();
  while (true) {
    call.say(date_text(now_here()));
    if (const int code = print(); code != 0) return code;
    call.say("");
    call.flush();
    std::this_thread::sleep_for(std::chrono::seconds(every));
  }
}

}  // namespace sluice
