// scontrol show, create, update and delete reservation.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/reservation_settings.h"
#include "shims/records.h"
#include "shims/scontrol_show.h"
#include "shims/words.h"
#include "text/duration.h"
#include "text/scan.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

// "reservation=night", "reservationname=night", and a plain "reservation" in front of the others.
std::optional<std::string> name_in(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return std::nullopt;
  const std::string key = to_lower(std::string_view(word).substr(0, equals));
  if (!key.starts_with("res") || !starts_ignoring_case("reservationname", key)) return std::nullopt;
  return word.substr(equals + 1);
}

std::string reservation_text(const ReservationLine& it, const ScontrolFlags& flags) {
  const auto null = [](const std::string& text) { return or_null(text); };
  // Those that name their nodes, and have no partition, say so.
  std::string marks = it.flags;
  if (it.partition.empty()) marks += marks.empty() ? "SPEC_NODES" : ",SPEC_NODES";
  const std::string lines[] = {
      fmt::format("ReservationName={} StartTime={} EndTime={} Duration={}", shown(it.name),
                  time_text(it.start, "Unknown"), time_text(it.end, "Unknown"),
                  format_duration(it.end - it.start)),
      fmt::format("Nodes={} NodeCnt={} CoreCnt={} Features=(null) PartitionName={} Flags={}",
                  null(it.nodes), it.node_count, it.cpus, null(it.partition), marks),
      fmt::format("TRES=cpu={}", it.cpus),
      fmt::format("Users={} Groups=(null) Accounts={} Licenses=(null) State={} "
                  "BurstBuffer=(null) Watts=n/a",
                  null(it.users), null(it.accounts), it.state),
      "MaxStartDelay=(null)"};
  std::string out;
  for (const std::string& line : lines)
    out += (out.empty() ? "" : flags.one_line ? " " : "\n   ") + line;
  return out + (flags.one_line ? "" : "\n");
}

// What the daemon refuses is said behind `before`.
int tell(ShimCall& call, const Result<std::string>& answer, const std::string& before) {
  if (!answer) return call.complain(before + answer.error().what), 1;
  const auto reply = from_json<ActionReply>(*answer);
  if (!reply) return call.fail(reply.error());
  for (const ActionResult& result : reply->results)
    if (!result.error.empty()) return call.complain(before + result.error), 1;
  return 0;
}

struct Order {
  std::string name;
  std::vector<std::string> settings;
};

Result<Order> order_of(const std::vector<std::string>& words) {
  Order out;
  std::vector<std::string> settings;
  for (const std::string& word : words) {
    if (const auto name = name_in(word))
      out.name = *name;
    else
      settings.push_back(word);
  }
  TRY(out.settings, reservation_settings(settings));
  return out;
}

}  // namespace

int show_reservations(ShimCall& call, const ScontrolFlags& flags, const std::string& wanted) {
  const auto lines = call.engine->fetch<Lines<ReservationLine>>("/v1/reservations");
  if (!lines) return call.fail(lines.error());
  bool any = false;
  for (const ReservationLine& line : lines->lines) {
    if (!wanted.empty() && line.name != wanted) continue;
    any = true;
    call.say(reservation_text(line, flags));
  }
  if (any) return 0;
  if (wanted.empty()) return call.say("No reservations in the system"), 0;
  return call.complain(fmt::format("Reservation {} not found", wanted)), 1;
}

int list_reservations(ShimCall& call, bool header) {
  const auto lines = call.engine->fetch<Lines<ReservationLine>>("/v1/reservations");
  if (!lines) return call.fail(lines.error());
  if (lines->lines.empty()) return call.say("No reservations in the system"), 0;
  std::size_t width = 9;
  for (const ReservationLine& line : lines->lines) width = std::max(width, line.name.size());
  const auto row = [&](const std::string& name, const std::string& state, const std::string& start,
                       const std::string& end, const std::string& length,
                       const std::string& nodes) {
    call.say(fmt::format("{:<{}}  {:>8}  {:>19}  {:>19}  {:>11}  {}", name, width, state, start,
                         end, length, nodes));
  };
  if (header) row("RESV_NAME", "STATE", "START_TIME", "END_TIME", "DURATION", "NODELIST");
  for (const ReservationLine& line : lines->lines)
    row(shown(line.name), line.state, time_text(line.start, "Unknown"),
        time_text(line.end, "Unknown"), format_duration(line.end - line.start), line.nodes);
  return 0;
}

bool names_reservation(const std::vector<std::string>& words) {
  return !words.empty() &&
         (name_in(words[0]) || is_word(words[0], "reservation") || is_word(words[0], "res"));
}

int create_reservation(ShimCall& call, std::vector<std::string> words) {
  if (words[0].find('=') == std::string::npos) words.erase(words.begin());
  auto order = order_of(words);
  if (!order) return call.complain("Error creating the reservation: " + order.error().what), 1;
  std::string name = order->name;
  if (name.empty())
    return call.complain("Error creating the reservation: give it a name: reservation=NAME"), 1;
  const int code =
      tell(call,
           call.engine->send("POST", "/v1/reservations",
                             to_json(ReservationOrder{name, std::move(order->settings)})),
           "Error creating the reservation: ");
  if (code == 0) call.say("Reservation created: " + name);
  return code;
}

int update_reservation(ShimCall& call, const std::vector<std::string>& words) {
  auto order = order_of(words);
  if (!order) return call.complain("slurm_update error: " + order.error().what), 1;
  const int code =
      tell(call,
           call.engine->send("PATCH", "/v1/reservations/" + url_escaped(order->name),
                             to_json(ReservationOrder{order->name, std::move(order->settings)})),
           "slurm_update error: ");
  if (code == 0) call.say("Reservation updated.");
  return code;
}

int delete_reservation(ShimCall& call, const std::vector<std::string>& words) {
  std::string name = words.size() > 1 ? words[1] : "";
  if (const auto given = name_in(words[0])) name = *given;
  return tell(call, call.engine->send("DELETE", "/v1/reservations/" + url_escaped(name), ""),
              fmt::format("delete_reservation {}: ", words[0]));
}

}  // namespace sluice
