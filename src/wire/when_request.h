// The question of `sluice when`, and its JSON.
#pragma once

#include <string>
#include <vector>

#include "model/job.h"
#include "views/finish_card.h"
#include "wire/api_fields.h"

namespace sluice {

// When a job will start: one that waits, or one that would be submitted now.
struct WhenRequest {
  std::string job;                     // "12", "12_3"; or
  std::vector<JobSpec> request;        // one request; or
  std::vector<FinishQuestion> finish;  // one question about pools: the answer is in `finish`.
};

template <class Fields>
void json_fields(Fields& f, Like<FinishPool> auto& it) {
  f("request", it.request);
  f("run", it.run);
  f("most", it.most);
}

template <class Fields>
void json_fields(Fields& f, Like<FinishQuestion> auto& it) {
  f("pools", it.pools);
  f("tasks", it.tasks);
  f("array", it.array);
  f("throttle", it.throttle);
  f("by_slots", it.by_slots);
}

template <class Fields>
void json_fields(Fields& f, Like<WhenRequest> auto& it) {
  f("job", it.job);
  f("request", it.request);
  f("finish", it.finish);
}

}  // namespace sluice
