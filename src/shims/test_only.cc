#include "shims/test_only.h"

#include <fmt/format.h>

#include "shims/submission_words.h"
#include "shims/words.h"
#include "views/when_fields.h"
#include "wire/when_request.h"

namespace sluice {

int test_only(ShimCall& call, const SbatchRequest& request) {
  SubmitRequest wanted;
  wanted.jobs.push_back(request.spec);
  wanted.test_only = true;
  const auto reply = call.engine->submit(wanted);
  if (!reply) return call.fail(reply.error());
  if (!reply->results.empty() && !reply->results.front().refusal.empty())
    return complain_of_refusal(call, "allocation failure", reply->results.front(), request.spec), 1;
  // What slurmctld looks at: the first task, as if nothing but the nodes could keep it waiting.
  JobSpec spec = request.spec;
  spec.hold = false;
  spec.dependencies = {};
  spec.array.reset();
  WhenRequest question;
  question.request.push_back(spec);
  const auto answer = call.engine->send("POST", "/v1/when", to_json(question));
  if (!answer) return call.fail(answer.error());
  const auto card = from_json<WhenCard>(*answer);
  if (!card) return call.fail(card.error());
  if (!card->by_limits || !card->place) {
    call.complain("allocation failure: " + (card->refused.empty()
                                                ? "Requested node configuration is not available"
                                                : card->refused));
    return 1;
  }
  const StartPlace& place = *card->place;
  call.complain(fmt::format(
      "{}: Job {} to start at {} using {} processors on nodes {} in partition {}", call.name,
      place.job, time_text(card->by_limits, "Unknown"), place.cpus, place.nodes, place.partition));
  return 0;
}

}  // namespace sluice
