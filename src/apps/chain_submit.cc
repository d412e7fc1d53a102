// sluice submit --chain: checks everything, remembers the chain, hands in its first round.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "apps/chain_context.h"
#include "apps/chain_rebalance.h"
#include "apps/chain_verb.h"
#include "apps/chain_wait.h"
#include "apps/files.h"
#include "apps/routed_cluster.h"
#include "apps/routed_job.h"
#include "apps/routing_context.h"
#include "cli/command.h"
#include "policyfile/account_commands.h"
#include "policyfile/ladder_file.h"
#include "routing/routed_spec.h"
#include "routing/router.h"
#include "slurm/submit_command.h"
#include "text/array_spec.h"
#include "text/memory.h"
#include "text/sbatch_option_table.h"

namespace sluice {
namespace {

struct Options {
  std::string ladder_file;
  std::string engine;
  std::optional<std::uint32_t> throttle;
  std::optional<std::uint32_t> max_level;
  std::optional<std::int64_t> start_memory_mb;
  bool whole_level = false;
  bool learn = false;
  bool handlers = true;
  bool wait = false;
  bool dry_run = false;
  bool json = false;
  bool help = false;
  std::vector<std::string> rest;  // For sbatch.
};

Result<std::uint32_t> count_of(const std::string& name, const std::string& text) {
  std::uint32_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || value == 0)
    return bad_input(fmt::format("{}: '{}' is no number above 0", name, text));
  return value;
}

// Ours may stand among sbatch's, up to the script.
Result<Options> read_options(std::span<const std::string> words) {
  Options out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--" || !word.starts_with('-') || word == "-") {
      out.rest.insert(out.rest.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto value = [&]() -> Result<std::string> {
      if (equals != std::string::npos) return word.substr(equals + 1);
      if (i + 1 >= words.size()) return bad_input(fmt::format("{} needs a value", name));
      return words[++i];
    };
    if (name == "--ladder" || name == "--config") {
      TRY(out.ladder_file, value());
    } else if (name == "--on") {
      TRY(out.engine, value());
    } else if (name == "--throttle") {
      TRY(const std::string text, value());
      TRY(out.throttle, count_of(name, text));
    } else if (name == "--max-level") {
      TRY(const std::string text, value());
      TRY(out.max_level, count_of(name, text));
    } else if (name == "--start-mem") {
      TRY(const std::string text, value());
      TRY(out.start_memory_mb, parse_memory_mb(text));
    } else if (name == "--chain") {
      // Says that a chain is wanted; all that come here do.
    } else if (name == "--whole-level") {
      out.whole_level = true;
    } else if (name == "--size-from-history") {
      out.learn = true;
    } else if (name == "--no-handlers") {
      out.handlers = false;
    } else if (name == "--wait") {
      out.wait = true;
    } else if (name == "--no-wait") {
      out.wait = false;
    } else if (name == "--dry-run") {
      out.dry_run = true;
    } else if (name == "--json") {
      out.json = true;
    } else if (name == "--device" || name == "--runtime" || name == "--keep-back" ||
               name == "--wait-for-capacity") {
      return bad_input(
          fmt::format("{} is for tasks that are no chain", name),
          "a chain takes --account a,b, begins where there is most room and moves what is stuck");
    } else if (name == "--help" || name == "-h") {
      out.help = true;
    } else {
      out.rest.push_back(word);
      if (takes_next(word) && i + 1 < words.size()) out.rest.push_back(words[++i]);
    }
  }
  return out;
}

// The one of several accounts that has the most room now; the others may take over later.
Result<void> choose_account(JobSpec& spec, const Description& seen) {
  const std::vector<std::string> accounts = listed_names({spec.account});
  if (accounts.size() < 2) return {};
  TRY(const RoutingSettings settings, load_routing_settings());
  RouteRequest request;
  request.accounts = accounts;
  const auto pools = find_pools(seen, settings, needs_of(spec, "", settings, seen));
  const Route best = route(pools, request);
  spec.account = best.shares.empty() ? accounts.front() : pools[best.shares.front().pool].account;
  allow_accounts(spec, accounts);
  return {};
}

Result<Chain> make(const Options& options, JobSpec spec, Cluster& cluster) {
  Ladder ladder;
  if (!options.ladder_file.empty()) {
    TRY(const std::string text, read_file(options.ladder_file));
    TRY(ladder, read_ladder_file(text, options.ladder_file));
  } else {
    ladder.growth = Growth{};
  }
  if (options.max_level) ladder.max_level = options.max_level;
  if (options.whole_level) ladder.climb = Climb::kWholeLevel;
  TRY_VOID(check_patterns(ladder));
  TRY(const Description description, cluster.describe());
  TRY_VOID(choose_account(spec, description));
  TRY(Ladder settled, settle_ladder(std::move(ladder), spec, ceilings_of(description, spec)));
  if (spec.array && options.throttle) spec.array->throttle = options.throttle;
  const Rung first =
      options.start_memory_mb ? rung_with_memory(settled, *options.start_memory_mb) : Rung{};
  if (!options.handlers) spec.launch.environment.push_back({"SLUICE_UNATTENDED", "1"});
  Chain chain = make_chain(new_chain_id(), now_here(), spec, std::move(settled), spec.array, first);
  if (options.learn) chain.sizing = Sizing{first, 0, {}, {}};
  chain.script_path = chain_folder(chain.id) + "/script";
  return chain;
}

ExitCode show_plan(const Chain& chain, Cluster& cluster) {
  const auto description = cluster.describe();
  if (!description) return report(description.error());
  fmt::print("{} tasks; the ladder:\n", chain.tasks.size());
  for (std::size_t i = 0; i < chain.ladder.levels.size(); ++i) {
    const Level& level = chain.ladder.levels[i];
    fmt::print("  level {}: {}\n", i + 1,
               describe(Request{level.partitions, level.memory, level.time}));
  }
  PackingLimits limits;
  limits.max_array_size = description->capabilities.max_array_size;
  limits.submit_room = submit_room(*description, chain.spec);
  const BatchesIntended intended = hand_in(chain, limits, now_here());
  std::size_t now = 0;
  fmt::print("\nWould run, and then release:\n");
  for (const Batch& batch : intended.batches) {
    const SubmitCommand command = submit_command({batch_job(chain, batch), batch.key, true}, {});
    fmt::print("  {}\n", shell_quoted(command.argv));
    now += batch.tasks.size();
  }
  if (now < chain.tasks.size())
    fmt::print("{} tasks are more than may be submitted now; they follow in waves.\n",
               chain.tasks.size() - now);
  return ExitCode::kDone;
}

Result<ExitCode> submit(const Options& options) {
  TRY(JobHere job, read_job_here(options.rest));
  for (const std::string& warning : job.warnings) fmt::print(stderr, "sluice: {}\n", warning);
  TRY(const std::string engine, chosen_engine(options.engine));
  const auto asked = cluster_named(engine, Look::kNow);
  TRY(const Chain chain, make(options, std::move(job.spec), *asked));
  if (options.dry_run) return show_plan(chain, *asked);
  TRY(auto open, OpenChain::create(chain, engine));
  const auto cluster = cluster_of(chain);
  open->attend(*cluster);
  const auto progress = open->step(*cluster);
  const Chain& kept = open->chain();
  const bool anything =
      std::any_of(kept.batches.begin(), kept.batches.end(), [](const Batch& batch) {
        return batch.job.has_value() || batch.state == BatchState::kIntended;
      });
  if (!progress && !anything) {
    // The cluster took nothing: the chain never was.
    std::error_code ignored;
    std::filesystem::remove_all(chain_folder(chain.id), ignored);
    return tl::unexpected<Error>(progress.error());
  }
  if (options.json) {
    TRY(const ChainView view, open->view());
    fmt::print("{}", chain_json({&view, 1}));
  } else {
    fmt::print("{}\n", chain.id);
  }
  std::fflush(stdout);
  if (!progress) {
    Error error = progress.error();
    error.hint =
        fmt::format("what was submitted is remembered; go on with: sluice resume {}", chain.id);
    return tl::unexpected<Error>(std::move(error));
  }
  for (const std::string& note : progress->notes) fmt::print(stderr, "sluice: {}\n", note);
  if (progress->uncertain)
    return tl::unexpected<Error>(
        Error{ErrorKind::kUnknown,
              "the cluster did not say whether it took everything; it is remembered and looked for",
              {},
              fmt::format("in half a minute type: sluice resume {}", chain.id)});
  if (!options.wait) return ExitCode::kDone;
  open.reset();
  return wait_for_chain(chain.id);
}

}  // namespace

std::optional<ExitCode> run_chain_submit(std::span<const std::string> arguments) {
  const auto options = read_options(arguments);
  if (!options) return report(options.error());
  if (options->help) return std::nullopt;
  const auto done = submit(*options);
  return done ? *done : report(done.error());
}

void add_chain_submit(Command& chain, ExitCode& exit_code) {
  Command* verb = chain.add_subcommand("submit", "Start a chain; prints its id");
  verb->prefix_command();
  verb->no_help_flag();
  verb->footer(
      "sluice submit [OPTIONS] SCRIPT [ARGUMENTS...] starts a chain where one of these is given:\n"
      "  --chain           memory and time double from what the job asks for, as far as its\n"
      "                    partitions go\n"
      "  --ladder FILE     the levels to climb instead (also --config)\n"
      "  --throttle N      so many tasks of the chain at once\n"
      "  --max-level N     end the ladder there\n"
      "  --start-mem M     begin at the level with that memory\n"
      "  --whole-level     climb memory and time together, whatever was short\n"
      "  --size-from-history   the first tasks that end tell what the others ask for\n"
      "  --no-handlers     submit no jobs that go on by themselves; type `sluice resume`\n"
      "  --no-wait         return at once, as without it\n"
      "  --account a,b     begin where there is most room; tasks that get stuck move to the "
      "others,\n"
      "                    as they do between all your accounts where none is named\n"
      "and may have\n"
      "  --on ENGINE       slurm, or embedded, as without it: this machine\n"
      "  --wait            show the progress and exit 1 where tasks were given up\n"
      "  --dry-run         the ladder and the exact sbatch lines; nothing is submitted\n"
      "  --json            the chain as JSON\n"
      "Everything else is sbatch's: --array, --mem, --time, --export, #SBATCH lines.\n"
      "Without --array the chain has one task. Tasks find SLUICE_CHAIN, SLUICE_ROUND and\n"
      "SLUICE_LEVEL in their environment.\n\n"
      "Exit codes: 2 a bad ladder, script or array (nothing is submitted), 69 Slurm does not\n"
      "answer, 76 an answer was lost (remembered and looked for), 77 Slurm refuses it.\n\n"
      "Examples:\n"
      "  sluice submit --array=0-9999 --ladder ladder.yaml --throttle 200 job.sh\n"
      "  sluice submit --chain --array=0-29 --export=FAIL_TASKS=10:11:12 "
      "examples/jobs/variable-job.sh\n"
      "  sluice submit --chain --dry-run --mem=1G --time=10 --array=0-99 job.sh 'two words'\n");
  verb->callback([verb, &exit_code] {
    const auto done = run_chain_submit(verb->remaining());
    if (!done) fmt::print("{}", verb->help());
    exit_code = done.value_or(ExitCode::kDone);
  });
}

}  // namespace sluice
