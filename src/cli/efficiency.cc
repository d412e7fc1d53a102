#include "cli/efficiency.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/target.h"
#include "text/duration.h"
#include "text/memory.h"
#include "text/printable.h"
#include "text/printed_tres.h"
#include "text/rough_duration.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

// What a run may need more next time than it did this time.
constexpr std::int64_t kSparePercent = 30;
// Below this a run tells nothing of its CPUs or its time.
constexpr Duration kTooShort = seconds(1);

std::int64_t rounded_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

// One that was ended from outside might have needed more.
bool tells_what_it_needs(JobState state) {
  return state == JobState::kCompleted || state == JobState::kFailed ||
         state == JobState::kOutOfMemory || state == JobState::kTimeout;
}

std::int64_t with_spare(std::int64_t value) { return value + value * kSparePercent / 100; }

}  // namespace

std::optional<std::int64_t> Efficiency::cpu_percent() const {
  if (cpus <= 0 || elapsed < kTooShort) return std::nullopt;
  return cpu_time.count() * 100 / (elapsed.count() * cpus);
}

std::optional<std::int64_t> Efficiency::memory_percent() const {
  if (memory_mb <= 0 || peak_mb <= 0) return std::nullopt;
  return peak_mb * 100 / memory_mb;
}

std::optional<std::int64_t> Efficiency::time_percent() const {
  if (!limit || limit->count() <= 0) return std::nullopt;
  return longest.count() * 100 / limit->count();
}

std::optional<std::int64_t> Efficiency::gpu_percent() const {
  if (gpu_measured <= Duration(0)) return std::nullopt;
  // To the nearest: the parts were cut off before they were added.
  return (gpu_busy.count() * 100 + gpu_measured.count() / 2) / gpu_measured.count();
}

std::string Efficiency::advice() const {
  std::string out;
  const auto add = [&](const std::string& option) { out += (out.empty() ? "" : " ") + option; };
  if (telling == 0) return {};  // All were ended from outside.
  if (const auto percent = cpu_percent(); percent && runs > 0) {
    const std::int64_t busy = (cpu_time.count() + elapsed.count() - 1) / elapsed.count();
    const std::int64_t wanted = std::clamp<std::int64_t>(busy, 1, std::max<std::int64_t>(cpus, 1));
    add(fmt::format("-c {}", wanted));
  }
  if (out_of_memory > 0) {
    add(fmt::format("--mem={}M", memory_mb * 2));
  } else if (peak_mb > 0) {
    constexpr std::int64_t kStep = 50;
    const std::int64_t wanted = rounded_up(std::max(with_spare(peak_mb), kStep), kStep);
    // It was enough, so more is never advised.
    add(fmt::format("--mem={}M", memory_mb > 0 ? std::min(wanted, memory_mb) : wanted));
  }
  if (out_of_time > 0 && limit) {
    add(fmt::format("-t {}", format_duration(*limit * 2)));
  } else if (telling > 0) {
    constexpr std::int64_t kMinute = 60;
    std::int64_t minutes =
        std::max<std::int64_t>(1, rounded_up(with_spare(to_seconds(needed)), kMinute) / kMinute);
    if (limit) minutes = std::min(minutes, rounded_up(to_seconds(*limit), kMinute) / kMinute);
    add(fmt::format("-t {}", minutes < 60 ? std::to_string(minutes)
                                          : format_duration(seconds(minutes * kMinute))));
  }
  return out;
}

std::vector<Efficiency> efficiencies_of(const std::vector<HistoryLine>& runs) {
  std::vector<Efficiency> out;
  std::map<std::uint32_t, std::size_t> places;
  for (const HistoryLine& run : runs) {
    if (!run.started) continue;
    const std::uint32_t job = run.array ? run.array->value() : run.job.value();
    const auto [place, is_new] = places.try_emplace(job, out.size());
    if (is_new) out.emplace_back();
    Efficiency& it = out[place->second];
    it.id = std::to_string(job);
    it.name = run.name;
    ++it.runs;
    const PrintedTres had =
        read_printed_tres(run.allocated.empty() ? run.requested : run.allocated);
    it.cpus = std::max(it.cpus, had.cpus.value_or(0));
    it.memory_mb = std::max(it.memory_mb, had.memory_mb.value_or(0));
    it.gpus = std::max(it.gpus, had.gpus.value_or(0));
    if (run.limit) it.limit = std::max(it.limit.value_or(Duration(0)), *run.limit);
    if (tells_what_it_needs(run.state)) {
      ++it.telling;
      it.needed = std::max(it.needed, run.elapsed);
    }
    it.longest = std::max(it.longest, run.elapsed);
    it.elapsed += run.elapsed;
    it.cpu_time += run.cpu_time;
    it.peak_mb = std::max(it.peak_mb, (run.max_rss_kb + 1023) / 1024);
    if (run.gpu_percent) {
      it.gpu_measured += run.elapsed;
      it.gpu_busy += run.elapsed * *run.gpu_percent / 100;
      it.gpu_memory_mb = std::max(it.gpu_memory_mb, run.gpu_memory_mb.value_or(0));
    }
    it.out_of_memory += run.state == JobState::kOutOfMemory ? 1 : 0;
    it.out_of_time += run.state == JobState::kTimeout ? 1 : 0;
  }
  return out;
}

Result<std::string> efficiency_text(Connection& daemon, const std::string& jobs) {
  Target target("/v1/history");
  target.with("job", jobs);
  TRY(const auto lines, daemon.fetch<Lines<HistoryLine>>(target.text()));
  std::string out;
  for (const Efficiency& it : efficiencies_of(lines.lines)) {
    const auto share = [](const std::optional<std::int64_t>& percent) {
      return percent ? fmt::format("{}%", *percent) : std::string("not known");
    };
    out += fmt::format("job {}  {}{}\n", it.id, printable(it.name),
                       it.runs > 1 ? fmt::format(", {} runs", it.runs) : "");
    out += fmt::format("  CPU     {:>10}  of {} CPU{}, {} computed in {}\n",
                       share(it.cpu_percent()), it.cpus, it.cpus == 1 ? "" : "s",
                       format_rough_duration(it.cpu_time), format_rough_duration(it.elapsed));
    out += fmt::format(
        "  memory  {:>10}  {} at most, of {}\n", share(it.memory_percent()),
        format_memory_mb(it.peak_mb, MemoryStyle::kRounded),
        it.memory_mb > 0 ? format_memory_mb(it.memory_mb, MemoryStyle::kRounded) : "no limit");
    out += fmt::format("  time    {:>10}  {} at most, of {}\n", share(it.time_percent()),
                       format_short_duration(it.longest),
                       it.limit ? format_short_duration(*it.limit) : "no limit");
    if (it.gpus > 0) {
      const std::string of = fmt::format("of {} GPU{}", it.gpus, it.gpus == 1 ? "" : "s");
      out += it.gpu_percent()
                 ? fmt::format("  GPU     {:>10}  {}, {} of {} memory in use at most\n",
                               share(it.gpu_percent()), of,
                               format_memory_mb(it.gpu_memory_mb, MemoryStyle::kRounded),
                               it.gpus == 1 ? "its" : "their")
                 : fmt::format("  GPU     {:>10}  {}: not measured\n", "not known", of);
    }
    if (const std::string advice = it.advice(); !advice.empty())
      out += fmt::format("  next time ask for: {}\n", advice);
  }
  return out;
}

}  // namespace sluice
