// Any body of the requests beside submissions: refused or read, and a reservation that is made of
// it leaves the engine's books right.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/check.h"
#include "engine/engine.h"
#include "engine/engine_for_tests.h"
#include "text/reservation_words.h"
#include "views/json_request.h"
#include "views/record_line.h"
#include "wire/api_fields.h"
#include "wire/when_request.h"

namespace {

using namespace sluice;

template <class T>
void read(std::string_view text) {
  if (const auto request = from_request<T>(text)) CHECK(from_request<T>(to_json(*request)));
}

// As the daemon does it, for an operator.
void reserve(const ReservationOrder& order) {
  Lab lab;
  CreateReservation create{{}, kRoot};
  UpdateReservation update{"r", {}, kRoot};
  create.request.name = order.name;
  for (const std::string_view word : order.settings) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = word.substr(equals + 1);
    static_cast<void>(read_reservation_word(key, value, parse_reservation_time, create.request));
    static_cast<void>(read_reservation_change(key, value, parse_reservation_time, update.change));
  }
  lab.give(create);
  create.request.name = "r";
  lab.give(create);
  lab.give(update);
  lab.submit(cpus(1));
  lab.wait(minutes(30 * 60));
  CHECK(lab.state().broken_invariant().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read<WhenRequest>(text);
  read<StepRequest>(text);
  read<SignalRequest>(text);
  read<RequeueRequest>(text);
  read<StopRequest>(text);
  read<NodeRequest>(text);
  read<PolicyRequest>(text);
  if (const auto order = from_request<ReservationOrder>(text)) reserve(*order);
  return 0;
}
