#include "wire/loop.h"

#include <poll.h>

#include <algorithm>
#include <boost/asio/post.hpp>

#include "wire/loop_parts.h"

namespace sluice {
namespace {

namespace asio = boost::asio;
using Watched = Loop::Parts::Watched;

// The kernel is asked once more: what was ready when the loop looked, a handler before this one may
// have read, and to a reader who finds nothing it looks like the end.
bool has_something(int descriptor) {
  pollfd look{descriptor, POLLIN, 0};
  return ::poll(&look, 1, 0) != 0;
}

// The kernel's clock counts nanoseconds: what is centuries away would come out as past.
std::chrono::milliseconds until_due(Duration from_now) {
  constexpr Duration kLongest = std::chrono::hours(24 * 365 * 100);
  return std::clamp(from_now, Duration(0), kLongest);
}

void wait_to_read(const std::shared_ptr<Watched>& watched) {
  watched->descriptor.async_wait(
      asio::posix::stream_descriptor::wait_read,
      [weak = std::weak_ptr(watched)](const boost::system::error_code& error) {
        const auto self = weak.lock();
        if (error || !self) return;
        if (has_something(self->descriptor.native_handle())) self->ready();
        // It may have been unwatched meanwhile.
        if (self->descriptor.is_open()) wait_to_read(self);
      });
}

void wait_for_signals(Loop::Parts& parts, const std::function<void(int)>& caught) {
  parts.signals.async_wait([&parts, caught](const boost::system::error_code& error, int signal) {
    if (error) return;
    caught(signal);
    wait_for_signals(parts, caught);
  });
}

}  // namespace

Loop::Loop() : parts_(std::make_unique<Parts>()) {}
Loop::~Loop() = default;

void Loop::watch(int descriptor, std::function<void()> ready) {
  auto watched = std::make_shared<Watched>(parts_->context, descriptor);
  watched->ready = std::move(ready);
  parts_->watched[descriptor] = watched;
  wait_to_read(watched);
}

void Loop::when_writable(int descriptor, std::function<void()> ready) {
  const auto found = parts_->watched.find(descriptor);
  if (found == parts_->watched.end()) return;
  found->second->descriptor.async_wait(asio::posix::stream_descriptor::wait_write,
                                       [ready](const boost::system::error_code& error) {
                                         if (!error) ready();
                                       });
}

void Loop::unwatch(int descriptor) {
  const auto found = parts_->watched.find(descriptor);
  if (found == parts_->watched.end()) return;
  found->second->let_go();
  parts_->watched.erase(found);
}

void Loop::set_timer(std::optional<Duration> from_now, std::function<void()> ring) {
  if (!from_now) {
    parts_->timer.cancel();
    return;
  }
  parts_->timer.expires_after(until_due(*from_now));
  parts_->timer.async_wait([ring = std::move(ring)](const boost::system::error_code& error) {
    if (!error) ring();
  });
}

void Loop::after(Duration from_now, std::function<void()> ring) {
  auto timer = std::make_shared<asio::steady_timer>(parts_->context);
  timer->expires_after(until_due(from_now));
  timer->async_wait([timer, ring = std::move(ring)](const boost::system::error_code& error) {
    if (!error) ring();
  });
}

void Loop::on_signals(std::initializer_list<int> signals, std::function<void(int)> caught) {
  for (const int signal : signals) parts_->signals.add(signal);
  wait_for_signals(*parts_, caught);
}

void Loop::post(std::function<void()> work) { asio::post(parts_->context, std::move(work)); }

void Loop::after_each_batch(std::function<void()> turn) { parts_->turn = std::move(turn); }

void Loop::run() {
  // A client that never stops sending is always ready: the others' requests, committed with the
  // turn, must not wait until it rests.
  constexpr int kMostInABatch = 1000;
  while (!parts_->stopped) {
    if (parts_->context.run_one() == 0) break;
    for (int done = 1; done < kMostInABatch && parts_->context.poll_one() > 0; ++done) {
    }
    if (parts_->turn) parts_->turn();
  }
}

void Loop::run_ready() {
  while (parts_->context.poll() > 0)
    if (parts_->turn) parts_->turn();
}

void Loop::stop() { parts_->stopped = true; }

}  // namespace sluice
