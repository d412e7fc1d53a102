// Reservations of a policy file, in scontrol's words.
#include <fmt/format.h>

#include <algorithm>

#include "policyfile/read/field_reader.h"
#include "policyfile/read/section_readers.h"
#include "policyfile/read/sections.h"
#include "text/duration.h"
#include "text/hostlist.h"
#include "text/reservation_words.h"

namespace sluice {

void describe_reservation(FieldVisitor& visit, ReservationWords& reservation) {
  visit.text({"start",
              "`now`, `now+2h` after this entry comes into force, or 2026-11-18T06:00Z",
              {"StartTime"}},
             reservation.start);
  visit.text({"end", "a time with its offset, as 2026-11-18T08:00+01:00", {"EndTime"}},
             reservation.end);
  visit.text({"duration", "in place of an end: 2h, 1-00:00:00, infinite"}, reservation.duration);
  visit.text({"nodes", "a hostlist, or `ALL`"}, reservation.nodes);
  visit.whole({"node_count", "or this many nodes that are free then", {"NodeCnt"}},
              reservation.node_count);
  visit.name({"partition", "whose nodes are taken; left out: the default", {"PartitionName"}},
             reservation.partition, Refers::kNothing);
  visit.names({"features", "of nodes that have all of these"}, reservation.features,
              Refers::kNothing);
  visit.names({"users", "whose jobs may use it; `-ann`: all but ann"}, reservation.users,
              Refers::kNothing);
  visit.names({"accounts", "whose jobs may use it, with those below; `-chem`: all but these"},
              reservation.accounts, Refers::kNothing);
  visit.names({"flags",
               "MAINT, IGNORE_JOBS, OVERLAP, FLEX, TIME_FLOAT, NO_HOLD_JOBS_AFTER_END, HOURLY, "
               "DAILY, WEEKLY"},
              reservation.flags, Refers::kNothing);
}

ReservationWords words_of(const ReservationRequest& request) {
  ReservationWords out;
  out.start = format_reservation_time(request.start, request.start_in);
  if (request.end) out.end = format_reservation_time(request.end, std::nullopt);
  if (request.duration) out.duration = format_friendly_duration(*request.duration);
  out.nodes = request.all_nodes ? "ALL" : compress_hostlist(request.nodes);
  out.node_count = request.node_count;
  out.partition = request.partition;
  out.features = request.features;
  out.users = request.users;
  out.accounts = request.accounts;
  out.flags = flag_words(request.flags, request.repeat);
  return out;
}

void read_reservations(const Value& value, Policy& policy, Reading& reading) {
  FieldReader section(value, "reservations", reading);
  for (const Entry& entry : value.entries) {
    const std::string path = "reservations." + entry.key;
    reading.places.put(path, entry.place);
    FieldReader fields(entry.value, path, reading);
    ReservationWords words;
    describe_reservation(fields, words);
    fields.finish();
    ReservationRequest request;
    request.name = entry.key;
    const auto take = [&](std::string_view key, const std::string& text) {
      if (text.empty()) return;
      const auto read = read_reservation_word(key, text, parse_reservation_time, request);
      if (!read)
        reading.error(entry.place, fmt::format("{}.{}", path, key), read.error().what,
                      read.error().hint);
    };
    take("start", words.start);
    take("end", words.end);
    take("duration", words.duration);
    take("nodes", words.nodes);
    take("flags", fmt::format("{}", fmt::join(words.flags, ",")));
    request.node_count = words.node_count;
    request.partition = words.partition;
    request.features = words.features;
    request.users = words.users;
    request.accounts = words.accounts;
    const auto problem = [&](std::string what, std::string hint) {
      reading.error(entry.place, path, std::move(what), std::move(hint));
    };
    if (!request.end && !request.duration)
      problem("has neither an end nor a duration", "write duration: 2h");
    if (!request.all_nodes && request.nodes.empty() && request.node_count == 0)
      problem("names no nodes", "write nodes: n[1-4], nodes: ALL or node_count: 2");
    if (request.users.empty() && request.accounts.empty())
      problem("names no user and no account that may use it",
              "write users: [ann], or accounts: [physics]");
    for (const std::string& name : request.nodes)
      if (!policy.find_node(name))
        problem(fmt::format("there is no node '{}'", name), "nodes are listed under nodes:");
    if (!request.partition.empty() && !policy.find_partition(request.partition))
      problem(fmt::format("there is no partition '{}'", request.partition), {});
    policy.reservations.push_back(std::move(request));
  }
}

}  // namespace sluice
