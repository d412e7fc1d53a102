// Reservations: listed, made, changed and removed.
#include "daemon/api.h"
#include "daemon/api_parts.h"
#include "text/reservation_words.h"
#include "views/json_request.h"
#include "views/reservation_view.h"
#include "wire/api_fields.h"

namespace sluice {

// The routes that are served here: each has its row in wire/routes.cc.
struct Api::ReservationRoutes {
  static void reservations(Api& api, const CallRef& call);
  static void reservation_create(Api& api, const CallRef& call);
  static void reservation_update(Api& api, const CallRef& call);
  static void reservation_delete(Api& api, const CallRef& call);
};

std::span<const Api::Route> Api::reservation_routes() {
  static constexpr Route kRoutes[] = {
      {"reservations", &ReservationRoutes::reservations},
      {"reservation_create", &ReservationRoutes::reservation_create},
      {"reservation_update", &ReservationRoutes::reservation_update},
      {"reservation_delete", &ReservationRoutes::reservation_delete},
  };
  return kRoutes;
}

void Api::ReservationRoutes::reservations(Api& api, const CallRef& call) {
  answer_rows(*call, "sluice.reservations/1",
              reservation_lines(api.driver_.engine().state(), api.driver_.now()));
}

void Api::give_reservation(const CallRef& call, const std::string& name, Input input) {
  driver_.give(std::move(input), [call, name](const Reply& reply) {
    ActionReply done{{ActionResult{name, {}, false}}};
    if (const auto* refused = std::get_if<Refused>(&reply)) {
      done.results.front().error = refused->refusal.message;
      done.results.front().denied = refused->because == RefusedFor::kRights;
    }
    answer(*call, done);
  });
}

bool Api::may_reserve(const CallRef& call, const std::string& name) {
  if (viewer_of(*call).sees_all()) return true;
  // The engine says no; what a few bytes of a list of nodes stand for is not worked out before.
  give_reservation(call, name, CreateReservation{{}, call->actor});
  return false;
}

void Api::ReservationRoutes::reservation_create(Api& api, const CallRef& call) {
  const auto order = from_request<ReservationOrder>(call->request.body);
  if (!order) return refuse(*call, order.error());
  if (!api.may_reserve(call, order->name)) return;
  CreateReservation create{{}, call->actor};
  create.request.name = order->name;
  for (const std::string& word : order->settings) {
    const auto setting = split_reservation_setting(word);
    if (!setting) return refuse(*call, setting.error());
    const auto read =
        read_reservation_word(setting->key, setting->value, parse_reservation_time, create.request);
    if (!read) return refuse(*call, read.error());
  }
  if (create.request.start) *create.request.start -= call->wall_ahead;
  if (create.request.end) *create.request.end -= call->wall_ahead;
  api.give_reservation(call, order->name, std::move(create));
}

void Api::ReservationRoutes::reservation_update(Api& api, const CallRef& call) {
  const auto order = from_request<ReservationOrder>(call->request.body);
  if (!order) return refuse(*call, order.error());
  if (!api.may_reserve(call, call->part)) return;
  UpdateReservation update{call->part, {}, call->actor};
  const Instant wall = api.driver_.now() + call->wall_ahead;
  const ReadMoment moment = [wall](std::string_view text) -> Result<ReservationMoment> {
    TRY(ReservationMoment time, parse_reservation_time(text));
    if (time.after) time.at = wall + *time.after;
    return time;
  };
  for (const std::string& word : order->settings) {
    const auto setting = split_reservation_setting(word);
    if (!setting) return refuse(*call, setting.error());
    const auto read = read_reservation_change(setting->key, setting->value, moment, update.change);
    if (!read) return refuse(*call, read.error());
  }
  if (update.change.start) *update.change.start -= call->wall_ahead;
  if (update.change.end) *update.change.end -= call->wall_ahead;
  api.give_reservation(call, call->part, std::move(update));
}

void Api::ReservationRoutes::reservation_delete(Api& api, const CallRef& call) {
  api.give_reservation(call, call->part, DeleteReservation{call->part, call->actor});
}

}  // namespace sluice
