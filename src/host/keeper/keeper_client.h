// The daemon's end of the keeper's socket. Never blocks: sends are buffered, reports are taken.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "host/files/folders.h"
#include "host/keeper/keeper_protocol.h"

namespace sluice {

class KeeperClient {
 public:
  // Connects to the keeper that listens there, and waits for its hello (a moment). What it said
  // right after the hello waits in receive(): call that once before watching the descriptor.
  static Result<KeeperClient> connect(const std::string& socket);
  // The same; where no keeper listens, one is started first: `program` is run with the arguments
  // "keeper" and keeper_arguments(), as a process of its own that outlives this one.
  static Result<KeeperClient> connect_or_start(const Folders& folders, const std::string& program);

  KeeperClient(KeeperClient&& other) noexcept;
  KeeperClient& operator=(KeeperClient&& other) noexcept;
  KeeperClient(const KeeperClient&) = delete;
  ~KeeperClient();

  const KeeperHello& hello() const { return hello_; }
  // To watch on the caller's loop: for reading always, for writing while wants_to_write().
  int descriptor() const { return socket_; }
  bool wants_to_write() const { return !out_.empty(); }

  // Adds to what is to be sent. Nothing leaves before flush(), so that a turn's orders are one
  // write.
  void send(const KeeperOrder& order) { append_frame(out_, order); }
  // Writes as much as the socket takes now. An error: the keeper is gone.
  Result<void> flush();
  // Writes all of it, and waits this long at most until the socket takes it.
  Result<void> flush_within(Duration longest);
  // All reports that have arrived. An error: the keeper is gone, or does not speak our language.
  Result<std::vector<KeeperReport>> receive();
  // Waits until there is a report, or this long. For programs without a loop.
  Result<std::vector<KeeperReport>> wait(Duration longest);

 private:
  explicit KeeperClient(int socket) : socket_(socket) {}
  int socket_ = -1;
  KeeperHello hello_;
  std::string out_;
  FrameReader in_;
  std::vector<KeeperReport> early_;  // Came with the hello.
};

}  // namespace sluice
