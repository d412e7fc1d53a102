// The question of `sluice when`, and its JSON.
#pragma once

#include <string>
#include <vector>

#include "model/job.h"
#include "wire/api_fields.h"

namespace sluice {

// When a job will start: one that waits, or one that would be submitted now.
struct WhenRequest {
  std::string job;               // "12", "12_3"; or
  std::vector<JobSpec> request;  // one request.
};

template <class Fields>
void json_fields(Fields& f, Like<WhenRequest> auto& it) {
  f("job", it.job);
  f("request", it.request);
}

}  // namespace sluice
