// What most options do: a member of the request takes the value. Rows that are alike share these.
#pragma once

#include <fmt/format.h>

#include <limits>

#include "text/gpus.h"
#include "text/hostlist.h"
#include "text/memory.h"
#include "text/sbatch_settings.h"
#include "text/scan.h"

namespace sluice::sbatch_effects {

// "Invalid --time specification" and, below it, the message of the notation's own reader.
inline tl::unexpected<Error> invalid(const OptionSetting& s, const Error& why) {
  return bad_input(fmt::format("Invalid --{} specification", s.name()), why.text());
}
inline tl::unexpected<Error> invalid(const OptionSetting& s, std::string_view allowed) {
  return bad_input(fmt::format("Invalid --{} specification", s.name()),
                   fmt::format("{} is not one of {}", quoted(s.text), allowed));
}
// Slurm's controller, not sbatch, refuses these; the words are those sbatch then prints.
inline tl::unexpected<Error> refused_by_controller(std::string_view words, const Error& why) {
  return bad_input(fmt::format("Batch job submission failed: {}", words), why.text());
}

template <class T, class Slot>
Result<void> store(Result<T> value, Slot& slot, const OptionSetting& s) {
  if (!value) return invalid(s, value.error());
  slot = *std::move(value);
  return {};
}

// The part of the settings that has the member.
inline JobSpec& part_of(const OptionSetting& s, const JobSpec*) { return s.spec(); }
inline Launch& part_of(const OptionSetting& s, const Launch*) { return s.spec().launch; }
inline SbatchRequest& part_of(const OptionSetting& s, const SbatchRequest*) { return s.request(); }
inline SbatchSettings& part_of(const OptionSetting& s, const SbatchSettings*) { return s.settings; }
template <class Part, class Value>
Value& slot_of(const OptionSetting& s, Value Part::*member) {
  return part_of(s, static_cast<const Part*>(nullptr)).*member;
}

// How a member of the job is written. Other members are no part of a job.
template <class Value>
void show(const Value& value, OptionWords& words) {
  if constexpr (std::is_same_v<Value, bool>) {
    if (value) words.flag();
  } else if constexpr (std::is_same_v<Value, std::string>) {
    words.value(value);
  } else {
    if (value) words.value(std::to_string(*value));
  }
}
template <class Value>
constexpr bool is_of_job(Value JobSpec::*) {
  return true;
}
template <class Part, class Value>
constexpr bool is_of_job(Value Part::*) {
  return false;
}
template <auto member>
constexpr SbatchEffect with_show(Result<void> (*set)(const OptionSetting&)) {
  if constexpr (is_of_job(member))
    return {set, [](const JobSpec& spec, OptionWords& words) { show(spec.*member, words); }};
  else
    return {set};
}

template <auto member>
inline constexpr SbatchEffect text = with_show<member>([](const OptionSetting& s) -> Result<void> {
  slot_of(s, member) = s.text;
  return {};
});

template <auto member>
inline constexpr SbatchEffect flag = with_show<member>([](const OptionSetting& s) -> Result<void> {
  slot_of(s, member) = true;
  return {};
});

template <auto member>
Result<void> set_count(const OptionSetting& s) {
  const auto number = whole_number(s.text);
  if (!number || *number < 1 || *number > std::numeric_limits<std::int32_t>::max())
    return bad_input(fmt::format("Invalid numeric value \"{}\" for --{}.", s.text, s.name()),
                     "write a whole number from 1 on");
  slot_of(s, member) = static_cast<std::int32_t>(*number);
  return {};
}
template <auto member>
inline constexpr SbatchEffect count = with_show<member>(set_count<member>);

template <auto member>
Result<void> set_memory(const OptionSetting& s) {
  return store(parse_memory_mb(s.text), slot_of(s, member), s);
}

template <std::vector<std::string> JobSpec::*member>
Result<void> set_nodelist(const OptionSetting& s) {
  if (s.text.find('/') != std::string::npos)
    return bad_input(fmt::format("Invalid --{} specification", s.name()),
                     fmt::format("{} is a file: name the nodes, --{}=$(paste -sd, {})",
                                 quoted(s.text), s.name(), s.text));
  auto hosts = expand_hostlist(s.text);
  if (!hosts) return refused_by_controller("Invalid node name specified", hosts.error());
  s.spec().*member = *std::move(hosts);
  return {};
}
template <std::vector<std::string> JobSpec::*member>
inline constexpr SbatchEffect nodelist = {
    set_nodelist<member>,
    [](const JobSpec& spec, OptionWords& words) { words.value(compress_hostlist(spec.*member)); }};

inline Result<void> put_gpus(std::vector<GpuRequest>& slot, Result<std::vector<GpuRequest>> value) {
  if (value) {
    slot = *std::move(value);
    return {};
  }
  // sbatch says this one itself; where types are mixed it says so instead.
  if (value.error().what.starts_with("Invalid GRES")) return tl::unexpected<Error>(value.error());
  return bad_input("Invalid generic resource (gres) specification", value.error().text());
}
template <std::vector<GpuRequest> SbatchSettings::*member, GpusPer per>
Result<void> set_gpus(const OptionSetting& s) {
  // --gpus= takes back what the script asked for.
  if (per == GpusPer::kJob && s.text.empty()) return put_gpus(s.settings.*member, {});
  return put_gpus(s.settings.*member, parse_gpus(s.text, per));
}
template <std::vector<GpuRequest> SbatchSettings::*member, GpusPer per>
inline constexpr SbatchEffect gpus = {
    set_gpus<member, per>,
    [](const JobSpec& spec, OptionWords& words) { words.value(format_gpus(spec.gpus, per)); }};

}  // namespace sluice::sbatch_effects
