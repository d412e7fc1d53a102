// Requests to scontrol's words.
#include "slurm/reservation_commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "slurm/records.h"
#include "text/begin_time.h"
#include "text/duration.h"
#include "text/hostlist.h"
#include "text/reservation_words.h"

namespace sluice {

std::vector<std::string> create_arguments(const ReservationRequest& request, Duration origin) {
  std::vector<std::string> out = {"scontrol", "create", "reservation=" + request.name};
  const auto set = [&](std::string_view key, std::string_view value) {
    out.push_back(fmt::format("{}={}", key, value));
  };
  if (request.start)
    set("starttime", format_time(*request.start + origin));
  else
    set("starttime",
        fmt::format("now+{}seconds", to_seconds(request.start_in.value_or(Duration(0)))));
  if (request.end) set("endtime", format_time(*request.end + origin));
  if (request.duration) set("duration", format_duration(*request.duration));
  if (request.all_nodes) set("nodes", "ALL");
  if (!request.nodes.empty()) set("nodes", compress_hostlist(request.nodes));
  if (request.node_count > 0) set("nodecnt", std::to_string(request.node_count));
  if (!request.partition.empty()) set("partition", request.partition);
  if (!request.features.empty())
    set("features", fmt::format("{}", fmt::join(request.features, "&")));
  if (!request.users.empty()) set("users", fmt::format("{}", fmt::join(request.users, ",")));
  if (!request.accounts.empty())
    set("accounts", fmt::format("{}", fmt::join(request.accounts, ",")));
  if (const auto flags = flag_words(request.flags, request.repeat); !flags.empty())
    set("flags", fmt::format("{}", fmt::join(flags, ",")));
  return out;
}

std::vector<std::string> update_arguments(const std::string& name, const ReservationChange& change,
                                          Duration origin) {
  std::vector<std::string> out = {"scontrol", "update", "reservation=" + name};
  const auto set = [&](std::string_view key, std::string_view value) {
    out.push_back(fmt::format("{}={}", key, value));
  };
  if (change.start) set("starttime", format_time(*change.start + origin));
  if (change.end) set("endtime", format_time(*change.end + origin));
  if (change.duration) set("duration", format_duration(*change.duration));
  if (change.nodes) set("nodes", compress_hostlist(*change.nodes));
  if (change.users) set("users", fmt::format("{}", fmt::join(*change.users, ",")));
  if (change.accounts) set("accounts", fmt::format("{}", fmt::join(*change.accounts, ",")));
  return out;
}

std::vector<std::string> reservation_names(const std::string& printed) {
  std::vector<std::string> out;
  for (const Record& record : records_of(printed, "ReservationName="))
    out.emplace_back(record.get("ReservationName"));
  return out;
}

std::string said_of_reservation(const std::string& standard_error) {
  std::string out = standard_error.substr(0, standard_error.find('\n'));
  if (const std::size_t colon = out.rfind(": "); colon != std::string::npos)
    out.erase(0, colon + 2);
  return out;
}

}  // namespace sluice
