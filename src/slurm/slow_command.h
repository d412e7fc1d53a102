// What a person is told while a command of Slurm does not answer.
#pragma once

#include <string>

#include "base/time.h"

namespace sluice {

// Called where a command has not ended after some seconds, and again now and then.
using SlowCommand = void (*)(const std::string& program, Duration so_far);
void on_slow_command(SlowCommand say);

// Called with the name of every program that is started.
using StartedCommand = void (*)(const std::string& program);
void on_started_command(StartedCommand note);

}  // namespace sluice
