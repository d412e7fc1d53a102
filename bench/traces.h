// Real traces where they lie beside the checkout, generated ones elsewhere.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/workloads/generated.h"
#include "sim/workloads/swf.h"

namespace sluice::bench {

struct Trace {
  std::string name;
  std::string text;    // SWF.
  std::string golden;  // The schedule another simulator gives; empty where there is none.
};

// $SLUICE_TRACES, or shared/traces beside the checkout or one folder further up.
inline std::filesystem::path trace_folder() {
  if (const char* given = std::getenv("SLUICE_TRACES")) return given;
  for (const char* place : {"../shared/traces", "../../shared/traces"})
    if (std::filesystem::is_directory(place)) return place;
  return {};
}

inline Trace generated_trace(const std::string& settings) {
  return {"generated " + settings, write_swf(generate(parse_generator(settings).value())), {}};
}

inline std::vector<Trace> real_traces() {
  std::vector<Trace> traces;
  const std::filesystem::path folder = trace_folder();
  for (const char* name : {"KTH-SP2", "SDSC-SP2"}) {
    auto text = read_maybe_gzipped((folder / (std::string(name) + ".swf.gz")).string());
    auto golden =
        read_maybe_gzipped((folder / (std::string(name) + ".easy-golden.swf.gz")).string());
    if (folder.empty() || !text) continue;
    traces.push_back({name, std::move(*text), golden ? std::move(*golden) : std::string()});
  }
  if (traces.empty()) {
    traces.push_back(generated_trace("jobs=30000,users=200,cpus=100,load=0.7,seed=1"));
    traces.push_back(generated_trace("jobs=50000,users=400,cpus=128,load=0.8,seed=2"));
  }
  return traces;
}

}  // namespace sluice::bench
