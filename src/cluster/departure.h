// Waiting tasks leave a job for another one: they are held, then cancelled. Between a look and a
// cancellation a task that is not held could start.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cluster/cluster.h"
#include "cluster/sighting.h"
#include "model/index_set.h"

namespace sluice {

class Departure {
 public:
  enum class Kind : std::uint8_t { kOneJob, kArray };
  // Of a job that is no array task 0 stands for the whole.
  Departure(Cluster& cluster, const RemoteJob& job, Kind kind)
      : cluster_(cluster), job_(job), kind_(kind) {}

  struct Held {
    std::string refused;  // Why the site does not hold them; then nothing was done.
    bool seen = true;     // False: the cluster does not say now how all of them stand. Ask again.
    IndexSet tasks;       // Of those asked for: they wait and cannot start.
  };
  // What runs goes on, and is not held where it is requeued.
  Result<Held> hold(const IndexSet& tasks);
  // Once more: a user may have released them since.
  Result<void> hold_again(const IndexSet& tasks);
  // Of the held ones those that were seen cancelled. A user may have released the others, which
  // stay. Nothing: the cluster does not say yet.
  Result<std::optional<IndexSet>> cancel(const IndexSet& held);

 private:
  struct Look {
    bool complete = true;  // The cluster knows of all of them.
    IndexSet held;
    IndexSet loose;    // Wait, and a user has released them.
    IndexSet running;  // Or have ended by themselves.
  };
  Result<Look> look(const IndexSet& tasks);
  Result<std::optional<std::string>> try_to_hold(const IndexSet& tasks);
  Result<void> let_go_on(const IndexSet& tasks);

  Cluster& cluster_;
  RemoteJob job_;
  Kind kind_;
};

}  // namespace sluice
