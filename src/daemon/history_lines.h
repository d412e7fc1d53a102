// What every line about a past run has in common, whether `history` or sacct asks.
#pragma once

#include "engine/engine.h"
#include "host/journal/history.h"

namespace sluice {

template <class Line>
void fill_from(const HistoryRow& row, Line& line) {
  line.job = row.job;
  if (row.array != JobId{}) {
    line.array = row.array;
    if (row.tasks.empty()) line.task = row.task;
  }
  line.attempt = row.attempt;
  line.name = row.name;
  line.user = row.user;
  line.account = row.account;
  line.partition = row.partition;
  line.qos = row.qos;
  line.state = row.outcome.state;
  line.requeued = row.requeued;
  line.exit_code = row.outcome.exit_code;
  line.exit_signal = row.outcome.signal;
  line.submitted = row.submitted;
  line.eligible = row.eligible;
  line.started = row.started;
  line.ended = row.ended;
  if (row.started) line.elapsed = row.ended - *row.started;
  if (row.limit < kForever) line.limit = row.limit;
  line.max_rss_kb = row.outcome.max_rss_kb;
  line.cpu_time = row.outcome.cpu_time;
  line.nodes = row.nodes;
  line.requested = row.requested;
  line.allocated = row.allocated;
}

}  // namespace sluice
