// sluice journal show, and sluice journal check.
#include "studies/verbs/journal_verb.h"

#include <fmt/format.h>

#include <memory>

#include "base/checks_throw.h"
#include "cli/command.h"
#include "engine/codec.h"
#include "engine/engine.h"
#include "host/files/files.h"
#include "sim/digest.h"
#include "text/quoting.h"

namespace sluice {
namespace {

struct Options {
  std::string file;
  bool json = false;
};

// Every event in order; `take` is given each with the policy in force.
template <class Take>
Result<void> for_each_event(const std::string& file, const std::string& bytes, Take take) {
  const auto here = [&](Error error) {
    error.where = error.where.empty() ? file : file + ": " + error.where;
    return tl::unexpected<Error>(std::move(error));
  };
  auto reader = JournalReader::of_journal(bytes);
  if (!reader) return here(reader.error());
  std::vector<Event> events;
  std::shared_ptr<const Policy> policy;
  while (true) {
    const auto more = reader->next(events);
    if (!more) return here(more.error());
    if (!*more) break;
    for (const Event& event : events) {
      if (const auto* adopted = std::get_if<PolicyAdopted>(&event.body)) policy = adopted->policy;
      TRY_VOID(take(event, policy.get()));
    }
  }
  if (reader->cut_off())
    fmt::print(stderr, "{}: was cut off while being written; whole up to byte {}\n", file,
               reader->offset());
  return {};
}

Result<void> show(const Options& options) {
  TRY(const std::string bytes, read_long_file(options.file));
  return for_each_event(
      options.file, bytes, [&](const Event& event, const Policy* policy) -> Result<void> {
        const std::string text = describe(event, policy);
        if (options.json) {
          // The time is a field of its own; the text repeats it for people.
          const std::size_t space = std::min(text.find(' ') + 1, text.size());
          fmt::print("{{\"at_ms\": {}, \"event\": {}}}\n", event.at.time_since_epoch().count(),
                     json_string(std::string_view(text).substr(space)));
        } else {
          fmt::print("{}\n", text);
        }
        return {};
      });
}

Result<void> check(const Options& options) {
  TRY(const std::string bytes, read_long_file(options.file));
  Engine engine(Engine::Explain::kNo);
  std::uint64_t events = 0;
  Instant last{};
  TRY_VOID(for_each_event(
      options.file, bytes, [&](const Event& event, const Policy* policy) -> Result<void> {
        if (!engine.state().has_policy() && !std::holds_alternative<PolicyAdopted>(event.body))
          return tl::unexpected<Error>(
              Error{ErrorKind::kBadInput, "does not begin with a policy", options.file, {}});
        ++events;
        try {
          const ChecksThrow guard;
          engine.replay(event);
        } catch (const std::logic_error& problem) {
          return tl::unexpected<Error>(
              Error{ErrorKind::kBadInput,
                    fmt::format("event {} cannot follow those before it: {} ({})", events,
                                describe(event, policy), problem.what()),
                    options.file,
                    fmt::format("sluice journal show {} | head -n {}", options.file, events)});
        }
        last = event.at;
        return {};
      }));
  const std::string broken = engine.state().broken_invariant();
  if (!broken.empty())
    return tl::unexpected<Error>(Error{
        ErrorKind::kFailed, "replays to a state that cannot be: " + broken, options.file, {}});
  Digest digest;
  digest.add(bytes);
  if (options.json)
    fmt::print(
        "{{\"schema\": \"sluice.journal-check/1\", \"events\": {}, \"bytes\": {}, \"digest\": "
        "\"{:016x}\", \"last_ms\": {}, \"jobs\": {}, \"pending\": {}}}\n",
        events, bytes.size(), digest.value(), last.time_since_epoch().count(),
        engine.state().job_count(), engine.state().pending_count());
  else
    fmt::print(
        "{}: sound. {} events, {} bytes, digest {:016x}; at the end {} jobs remembered, {} "
        "waiting.\n",
        options.file, events, bytes.size(), digest.value(), engine.state().job_count(),
        engine.state().pending_count());
  return {};
}

void add(Command& journal, ExitCode& exit_code, const char* name, const char* what,
         Result<void> (*run)(const Options&), const char* examples) {
  Command* verb = journal.add_subcommand(name, what);
  auto options = std::make_shared<Options>();
  verb->add_option("FILE", options->file, "The journal; - for standard input")->required();
  verb->add_flag("--json", options->json, "As JSON");
  verb->footer(examples);
  verb->callback([options, run, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace

void add_journal(Command& root, ExitCode& exit_code) {
  Command* journal = root.add_subcommand("journal", "Show or check a journal of events");
  journal->require_subcommand(1);
  add(*journal, exit_code, "show", "Print every event, a line each", &show,
      "Examples:\n  sluice journal show run.journal | head\n"
      "  sluice journal show run.journal --json | jq -r .event");
  add(*journal, exit_code, "check", "Replay it and prove the state it leads to", &check,
      "Examples:\n  sluice journal check run.journal\n  sluice journal check run.journal --json");
}

}  // namespace sluice
