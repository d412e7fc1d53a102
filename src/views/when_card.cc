#include "views/when_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/printable.h"
#include "views/finish_card.h"

namespace sluice {
namespace {

// "3d 4h", "2h 13m", "45s"
std::string span(Duration time) {
  const std::int64_t all = std::max<std::int64_t>(0, to_seconds(time + Duration(500)));
  struct Unit {
    std::int64_t length;
    char letter;
  };
  constexpr std::array<Unit, 4> kUnits = {{{86'400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}}};
  for (std::size_t i = 0; i + 1 < kUnits.size(); ++i) {
    if (all < kUnits[i].length) continue;
    const std::int64_t rest = all % kUnits[i].length / kUnits[i + 1].length;
    return rest == 0 ? fmt::format("{}{}", all / kUnits[i].length, kUnits[i].letter)
                     : fmt::format("{}{} {}{}", all / kUnits[i].length, kUnits[i].letter, rest,
                                   kUnits[i + 1].letter);
  }
  return fmt::format("{}s", all);
}

std::string title(const WhenCard& card) {
  if (card.id.empty()) return "This job, submitted now,";
  std::string out = card.id;
  if (!card.name.empty()) out += " " + printable(card.name);
  if (!card.user.empty()) out += " of " + printable(card.user);
  return out;
}

std::string sources(const WhenCard& card) {
  if (card.learnt == 0)
    return "No run times are known yet: every job is taken to run to its time limit, so it may "
           "well start sooner.";
  return fmt::format(
      "From {} simulated {} of the cluster as it is, with run times of {} earlier {}; jobs that "
      "others submit later are not counted.",
      card.runs, card.runs == 1 ? "run" : "runs", card.learnt, card.learnt == 1 ? "run" : "runs");
}

}  // namespace

std::string finish_text(const FinishCard& card, const std::vector<std::string>& names) {
  if (!card.done) return "No way to share the tasks out ends in sight.\n";
  const auto after = [&](Instant time) { return span(time - card.asked); };
  std::string out =
      fmt::format("By simulated finish: the last task ends about {} from now", after(*card.done));
  if (!card.done_by_slots)
    out += "; by the slots that are free now not all could be submitted.\n";
  else if (*card.done_by_slots - *card.done < seconds(1))
    out += ", the same as by the slots that are free now.\n";
  else
    out += fmt::format(", {} sooner than by the slots that are free now ({}).\n",
                       span(*card.done_by_slots - *card.done), after(*card.done_by_slots));
  std::string alone;
  for (std::size_t i = 0; i < std::min(names.size(), card.alone.size()); ++i)
    if (card.alone[i].done)
      alone +=
          fmt::format("{}{} {}", alone.empty() ? "" : ", ", names[i], after(*card.alone[i].done));
  if (names.size() > 1 && !alone.empty()) out += fmt::format("In one pool alone: {}.\n", alone);
  out += card.learnt > 0
             ? fmt::format(
                   "Run times are as in {} earlier runs; jobs that others submit later are "
                   "not counted.\n",
                   card.learnt)
             : "No earlier runs are known: every job is taken to run to its time limit.\n";
  return out;
}

std::string when_text(const WhenCard& card, ClockText clock) {
  const auto at = [&](Instant time) { return clock(time, card.asked); };
  const auto away = [&](Instant time) { return span(time - card.asked); };
  if (!card.refused.empty())
    return fmt::format("{} would be refused: {}\n", title(card), printable(card.refused));
  if (card.started) return fmt::format("{} runs since {}.\n", title(card), at(*card.started));
  std::string out;
  if (!card.likely) {
    if (card.never.empty())
      out = fmt::format("{} is not in the queue: {}.\n", title(card), card.state);
    else
      out = fmt::format(
          "{} {}: {}.\n", title(card),
          card.by_limits ? "starts at a time that is not known" : "does not start by itself",
          printable(card.never));
  } else if (*card.likely <= card.asked) {
    out = fmt::format("{} starts at once.\n", title(card));
  } else {
    const bool many = card.tasks > 1;
    out = fmt::format("{} starts {} {} (in {})", title(card),
                      many            ? "its first task about"
                      : card.runs > 1 ? "about"
                                      : "by",
                      at(*card.likely), away(*card.likely));
    if (card.early && card.late && to_seconds(*card.early) != to_seconds(*card.late))
      out += fmt::format(", most likely between {} and {}", at(*card.early), at(*card.late));
    out += ".\n";
  }
  if (card.likely) {
    if (card.last_task)
      out += fmt::format("  The last of its {} tasks starts about {}.\n", card.tasks,
                         at(*card.last_task));
    if (card.ends) out += fmt::format("  It ends about {}.\n", at(*card.ends));
    if (card.by_limits && card.runs > 1 && *card.by_limits != *card.likely)
      out += fmt::format("  {} if every job runs to its time limit.\n",
                         *card.by_limits > card.asked ? "At " + at(*card.by_limits) : "At once");
    if (card.planned && *card.likely > card.asked)
      out += fmt::format("  The scheduler's own plan (squeue --start): {}.\n", at(*card.planned));
    if (*card.likely > card.asked) out += "  " + sources(card) + "\n";
  }
  for (const std::string& note : card.notes) out += "  " + printable(note) + "\n";
  if (!card.sooner.empty()) out += "\nIt would start sooner if you\n";
  std::size_t width = 0;
  for (const SoonerLine& line : card.sooner) width = std::max(width, line.what.size());
  for (const SoonerLine& line : card.sooner)
    out += fmt::format("  {:<{}}  {:<22} {}\n", printable(line.what), width,
                       line.starts <= card.asked
                           ? std::string("at once")
                           : fmt::format("{} ({} sooner)", at(line.starts), span(line.gains)),
                       printable(line.command));
  return out;
}

}  // namespace sluice
