// What a loop is made of, for the two files that know Boost.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>

#include "wire/loop.h"

namespace sluice {

struct Loop::Parts {
  struct Watched {
    explicit Watched(boost::asio::io_context& context, int fd) : descriptor(context, fd) {}
    ~Watched() { let_go(); }
    // Now, not when its last holder is done: the number may be another descriptor's by then.
    // Not ours to close.
    void let_go() {
      if (descriptor.is_open()) descriptor.release();
    }
    boost::asio::posix::stream_descriptor descriptor;
    std::function<void()> ready;
  };
  boost::asio::io_context context{1};
  boost::asio::steady_timer timer{context};
  boost::asio::signal_set signals{context};
  std::function<void()> turn;
  std::map<int, std::shared_ptr<Watched>> watched;
  bool stopped = false;
};

}  // namespace sluice
