// A forecast as people read it.
#pragma once

#include <functional>
#include <string>

#include "model/policy.h"
#include "sim/forks/start_forecast.h"
#include "views/when_card.h"

namespace sluice {

// The command that makes a change, for whichever engine it is.
using CommandFor = std::function<std::string(const JobChange&)>;
// A job as its cluster names it.
using JobName = std::function<std::string(JobId)>;

// Fills in what the forecast says; which job it is, the caller knows.
void put_forecast(const StartForecast& forecast, const Policy& policy, const LearntRunTimes& learnt,
                  const CommandFor& command, const JobName& job_name, WhenCard& card);

// "--time=01:00:00": the option of `sluice submit` and `sluice update`.
std::string option_for(const JobChange& change);

}  // namespace sluice
