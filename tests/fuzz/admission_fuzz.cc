// Any body of a submission or a change: refused, or taken by an engine whose books stay right, and
// what it starts has a plan to launch that fits into a frame of the keeper.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "engine/engine.h"
#include "engine/engine_for_tests.h"
#include "host/keeper/keeper_protocol.h"
#include "host/machine/assignment.h"
#include "model/job_bounds.h"
#include "wire/api_fields.h"

namespace {

using namespace sluice;

void launch(const Lab& lab, const LaunchJob& order) {
  const Job* job = lab.state().find_job(order.job);
  if (job == nullptr || job->run == 0) return;
  const Shape& shape = lab.state().shape_of_job(*job);
  const Run& run = lab.state().run_of(*job);
  RunFacts facts{{order.job, order.attempt},
                 *shape.request,
                 lab.state().policy(),
                 run.allocation,
                 run.partition,
                 shape.request->account,
                 "",
                 std::nullopt,
                 0,
                 false,
                 nullptr};
  if (job->array != JobId{})
    facts.array = array_facts(job->array, job->task, shape.request->array->indices);
  const Identity ann{"ann", "ann", 1000, 1000, {1000}, "/home/ann", "/bin/sh"};
  std::string frame;
  append_frame(frame, KeeperOrder(LaunchRun{assignment_of(facts, ann)}));
  FrameReader reader;
  reader.add(frame);
  const auto read = reader.next();
  CHECK(read.has_value() && read->has_value(), "the keeper takes what is launched");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Lab lab;
  if (auto request = from_json<SubmitRequest>(text, UnknownMembers::kRefuse)) {
    for (JobSpec& spec : request->jobs) {
      spec.user = "ann";
      const bool within = out_of_bounds(spec).empty();
      const Reply reply = lab.give(SubmitJob{spec, std::min(request->copies, 3U)});
      CHECK(within || std::holds_alternative<Refused>(reply), "what is out of bounds is refused");
      for (const Order& order : lab.turn().orders)
        if (const auto* start = std::get_if<LaunchJob>(&order)) launch(lab, *start);
    }
  }
  if (const auto change = from_json<JobChange>(text, UnknownMembers::kRefuse)) {
    JobSpec spec = cpus(1);
    spec.hold = true;
    const JobId job = lab.submit(spec);
    const Reply reply = lab.give(UpdateJob{{job, {}}, *change, kRoot});
    CHECK(out_of_bounds(*change).empty() || std::holds_alternative<Refused>(reply));
  }
  CHECK(lab.state().broken_invariant().empty());
  return 0;
}
