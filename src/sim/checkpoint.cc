#include "sim/checkpoint.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <optional>

#include "engine/codec.h"
#include "model/event.h"
#include "sim/digest.h"
#include "text/scan.h"

namespace sluice {
namespace {

constexpr std::string_view kFirstLine = "sluice checkpoint 1";

std::int64_t number_of(Instant time) { return time.time_since_epoch().count(); }
std::string word_of(const std::optional<Instant>& time) {
  return time ? fmt::to_string(number_of(*time)) : "-";
}

// Words of a line, one after the other; whatever cannot be read is noted.
class LineWords {
 public:
  explicit LineWords(std::string_view line) : rest_(line) {}
  std::string_view word() {
    const std::size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view out = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return out;
  }
  std::int64_t number() {
    const std::string_view text = word();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) good_ = false;
    return value;
  }
  std::size_t count() {
    const std::int64_t value = number();
    if (value < 0) good_ = false;
    return static_cast<std::size_t>(std::max<std::int64_t>(value, 0));
  }
  Instant time() { return Instant(Duration(number())); }
  std::optional<Instant> maybe_time() {
    if (!rest_.starts_with('-') || (rest_.size() > 1 && rest_[1] != ' ')) return time();
    (void)word();
    return std::nullopt;
  }
  std::string_view rest() const { return rest_; }
  bool empty() const { return rest_.empty(); }
  bool good() const { return good_; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

bool read_line(std::string_view line, SimulationCheckpoint& out) {
  LineWords words(line);
  const std::string_view key = words.word();
  if (key == "workload") {
    std::uint64_t digest = 0;
    const std::string_view text = words.word();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), digest, 16);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    out.workload = digest;
    out.items = words.count();
  } else if (key == "submitted") {
    out.submitted = words.count();
  } else if (key == "refused") {
    while (!words.empty()) out.refused.push_back(static_cast<std::uint32_t>(words.count()));
  } else if (key == "refusal") {
    const std::size_t count = words.count();
    out.refusals[std::string(words.rest())] = count;
  } else if (key == "first_refusal") {
    out.first_refused = words.count();
    out.first_refusal = std::string(words.rest());
  } else if (key == "engine") {
    EnginePulse& pulse = out.engine;
    pulse.last_backfill = words.maybe_time();
    pulse.backfill_due = words.number() != 0;
    pulse.next_slice = words.maybe_time();
    pulse.exempt_until = words.maybe_time();
    pulse.look_again = words.maybe_time();
    pulse.changed = words.number() != 0;
    const std::size_t since = words.count();
    if (since > static_cast<std::size_t>(SincePass::kAnything)) return false;
    pulse.since_pass = static_cast<SincePass>(since);
    pulse.idle_until = words.time();
    pulse.reservations_at = words.time();
    pulse.usage_grew = words.number() != 0;
  } else if (key == "time") {
    out.time.now = words.time();
    out.time.begun = words.maybe_time();
    out.time.wake_at = words.time();
  } else if (key == "counts") {
    out.turn_count = words.count();
    out.backfilled = words.count();
  } else {
    return false;
  }
  return words.good();
}

}  // namespace

std::uint64_t digest_of(const Workload& workload) {
  Digest digest;
  const auto add = [&](const std::string& text) {
    digest.add(text);
    digest.add(std::string_view("\0", 1));
  };
  for (const auto* names :
       {&workload.users, &workload.accounts, &workload.qos, &workload.partitions})
    for (const std::string& name : *names) add(name);
  for (const WorkItem& item : workload.items) {
    const WorkRequest& r = workload.request_of(item);
    add(fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}", number_of(item.submit),
                    item.run.count(), static_cast<int>(item.ends), r.cpus, r.gpus, r.nodes, r.user,
                    r.account, r.qos, r.partition, r.memory_mb, static_cast<int>(r.memory_per),
                    r.limit.count()));
  }
  return digest.value();
}

std::string simulation_checkpoint_text(const SimulationCheckpoint& c) {
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{}\nworkload {:x} {}\nsubmitted {}\n", kFirstLine, c.workload, c.items,
                 c.submitted);
  if (!c.refused.empty()) {
    fmt::format_to(to, "refused");
    for (const std::uint32_t item : c.refused) fmt::format_to(to, " {}", item);
    fmt::format_to(to, "\n");
  }
  const auto one_line = [](std::string text) {
    for (char& each : text)
      if (each == '\n') each = ' ';
    return text;
  };
  for (const auto& [words, count] : c.refusals)
    fmt::format_to(to, "refusal {} {}\n", count, one_line(words));
  if (!c.first_refusal.empty())
    fmt::format_to(to, "first_refusal {} {}\n", c.first_refused, one_line(c.first_refusal));
  const EnginePulse& e = c.engine;
  fmt::format_to(to, "engine {} {} {} {} {} {} {} {} {} {}\n", word_of(e.last_backfill),
                 e.backfill_due ? 1 : 0, word_of(e.next_slice), word_of(e.exempt_until),
                 word_of(e.look_again), e.changed ? 1 : 0, static_cast<int>(e.since_pass),
                 number_of(e.idle_until), number_of(e.reservations_at), e.usage_grew ? 1 : 0);
  fmt::format_to(to, "time {} {} {}\ncounts {} {}\n\n", number_of(c.time.now),
                 word_of(c.time.begun), number_of(c.time.wake_at), c.turn_count, c.backfilled);
  std::string text = fmt::to_string(out);
  text += c.turns;
  return text;
}

Result<SimulationCheckpoint> simulation_checkpoint_in(std::string_view bytes,
                                                      const std::string& name) {
  const auto bad = [&](std::string what) {
    return tl::unexpected<Error>(Error{ErrorKind::kBadInput, std::move(what), name,
                                       "expected what `sluice sim --checkpoint FILE` wrote"});
  };
  SimulationCheckpoint out;
  std::size_t number = 0;
  while (true) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return bad("is not a checkpoint, or is cut off");
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    if (++number == 1) {
      if (line != kFirstLine) return bad("is not a checkpoint of this program");
      continue;
    }
    if (line.empty()) break;
    if (!read_line(line, out)) return bad(fmt::format("line {} cannot be read", number));
  }
  if (out.submitted > out.items) return bad("has more submissions than its workload");
  for (std::size_t i = 0; i < out.refused.size(); ++i)
    if (out.refused[i] >= out.submitted || (i > 0 && out.refused[i] <= out.refused[i - 1]))
      return bad("refused jobs are out of order");
  out.turns = std::string(bytes);
  return out;
}

Result<std::shared_ptr<const Policy>> policy_of(const SimulationCheckpoint& checkpoint) {
  TRY(JournalReader reader, JournalReader::of_journal(checkpoint.turns));
  std::vector<Event> events;
  TRY(const bool any, reader.next(events));
  if (any)
    for (const Event& event : events)
      if (const auto* adopted = std::get_if<PolicyAdopted>(&event.body)) return adopted->policy;
  return bad_input("the checkpoint does not begin with a policy");
}

}  // namespace sluice
