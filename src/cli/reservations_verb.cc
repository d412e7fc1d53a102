// sluice reservations: nodes that are kept for some users for some time.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/connection.h"
#include "cli/elsewhere.h"
#include "cli/engine_choice.h"
#include "cli/listing.h"
#include "cli/reservation_settings.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "wire/api_fields.h"
#include "wire/http.h"

namespace sluice {
namespace {

struct Options {
  ListOptions list;
  std::string create;
  std::string update;
  std::string remove;
  std::vector<std::string> settings;
  std::string on;
};

Result<void> print_table(const std::vector<ReservationLine>& lines, const ListOptions& options) {
  TRY(ListTable table, ListTable::open({{"NAME", Align::kLeft, false},
                                        {"STATE", Align::kLeft, false},
                                        {"START", Align::kLeft, false},
                                        {"END", Align::kLeft, false},
                                        {"NODES", Align::kLeft, false},
                                        {"USERS", Align::kLeft, true},
                                        {"ACCOUNTS", Align::kLeft, true, Narrow::kGoesSecond},
                                        {"FLAGS", Align::kLeft, true, Narrow::kGoesFirst}},
                                       options));
  for (const ReservationLine& line : lines)
    table.add({line.name, line.state, cell_text(line.start), cell_text(line.end), line.nodes,
               line.users, line.accounts, line.flags},
              line);
  table.print();
  return {};
}

Result<ExitCode> change(const Options& options) {
  TRY(Connection daemon, Connection::open());
  TRY(std::vector<std::string> settings, reservation_settings(options.settings));
  ActionReply reply;
  const char* done = "created";
  if (!options.create.empty()) {
    TRY(reply, daemon.post<ActionReply>("POST", "/v1/reservations",
                                        ReservationOrder{options.create, std::move(settings)}));
  } else if (!options.update.empty()) {
    done = "changed";
    TRY(reply,
        daemon.post<ActionReply>("PATCH", "/v1/reservations/" + percent_encoded(options.update),
                                 ReservationOrder{options.update, std::move(settings)}));
  } else {
    done = "deleted";
    if (!settings.empty()) return bad_input("--delete takes no KEY=VALUE");
    TRY(const std::string answer,
        daemon.send("DELETE", "/v1/reservations/" + percent_encoded(options.remove), ""));
    TRY(reply, from_json<ActionReply>(answer));
  }
  for (const ActionResult& result : reply.results) {
    if (!result.error.empty())
      return tl::unexpected<Error>(
          Error{result.denied ? ErrorKind::kNotAllowed : ErrorKind::kFailed,
                result.id + ": " + result.error,
                {},
                {}});
    if (!options.list.json) fmt::print("{}: {}\n", result.id, done);
  }
  if (options.list.json) fmt::print("{}\n", to_json(reply));
  return ExitCode::kDone;
}

Result<ExitCode> show_of_slurm(const Options& options) {
  if (options.list.parsable)
    return bad_input("-P is for this machine's reservations", "on Slurm: --json, or scontrol");
  TRY(std::vector<ReservationLine> lines, elsewhere().reservations_of_slurm());
  if (options.list.json)
    fmt::print("{}\n", to_json(Lines<ReservationLine>{"sluice.reservations/1", std::move(lines)}));
  else
    TRY_VOID(print_table(lines, options.list));
  return ExitCode::kDone;
}

Result<ExitCode> run(const Options& options) {
  const int verbs = static_cast<int>(!options.create.empty()) +
                    static_cast<int>(!options.update.empty()) +
                    static_cast<int>(!options.remove.empty());
  if (verbs > 1) return bad_input("--create, --update and --delete are done one at a time");
  TRY(const std::string engine, chosen_engine(options.on));
  if (verbs == 1) {
    if (engine == "slurm")
      return bad_input("reservations of a Slurm are made by scontrol",
                       "scontrol create reservation=NAME …");
    return change(options);
  }
  if (!options.settings.empty())
    return bad_input(
        "KEY=VALUE belongs to --create or --update",
        "sluice reservations --create night start=22:00 duration=8h nodes=ALL users=ann");
  if (engine == "slurm") return show_of_slurm(options);
  TRY(Connection daemon, Connection::open());
  TRY(const bool done,
      print_listing<ReservationLine>(daemon, Target("/v1/reservations"), options.list));
  if (done) return ExitCode::kDone;
  TRY(const auto lines, daemon.fetch<Lines<ReservationLine>>("/v1/reservations"));
  if (lines.lines.empty()) {
    fmt::print("There are no reservations.\n");
    return ExitCode::kDone;
  }
  TRY_VOID(print_table(lines.lines, options.list));
  return ExitCode::kDone;
}

}  // namespace

void add_reservations(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("reservations",
                                      "See the nodes that are kept for some users, and keep some");
  auto options = std::make_shared<Options>();
  verb->add_option("--create", options->create, "Make one; for operators")->type_name("NAME");
  verb->add_option("--update", options->update, "Change one; for operators")->type_name("NAME");
  verb->add_option("--delete", options->remove, "Remove one that no job uses; for operators")
      ->type_name("NAME");
  verb->add_option("KEY=VALUE", options->settings,
                   "As scontrol takes them: start, end, duration, nodes, nodecnt, partition, "
                   "features, users, accounts, flags");
  add_list_options(*verb, options->list);
  add_engine_option(*verb, options->on);
  verb->footer(
      "Examples:\n  sluice reservations\n"
      "  sluice reservations --create night start=22:00 duration=8h nodes=n[1-2] users=ann\n"
      "  sluice reservations --create service start=now+2h duration=1h nodes=ALL users=root "
      "flags=MAINT,IGNORE_JOBS\n"
      "  sluice reservations --delete night");
  verb->callback([options, &exit_code] {
    const auto ended = run(*options);
    exit_code = ended ? *ended : report(ended.error());
  });
}

}  // namespace sluice
