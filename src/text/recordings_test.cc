// Everything tests/recordings/notations holds: what real Slurm did, done again.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "text/array_spec.h"
#include "text/batch_script.h"
#include "text/begin_time.h"
#include "text/dependency.h"
#include "text/duration.h"
#include "text/gpus.h"
#include "text/hostlist.h"
#include "text/memory.h"
#include "text/node_count.h"
#include "text/sbatch_option_table.h"
#include "text/sbatch_options.h"
#include "text/scan.h"
#include "text/signal.h"

namespace sluice {
namespace {

struct Row {
  std::string input;
  std::string output;
};

std::vector<Row> recorded(std::string_view name) {
  const std::string path = fmt::format("tests/recordings/notations/{}.txt", name);
  std::string up;
  while (!std::filesystem::exists(up + path) && up.size() < 30) up += "../";
  std::ifstream file(up + path);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) continue;
    rows.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  EXPECT_FALSE(rows.empty()) << path << " is missing: run the tests in the repository";
  return rows;
}

// Compares every row but those where we decided otherwise; each of these must still differ.
template <class Read>
void compare(std::string_view name, Read read,
             const std::map<std::string, std::string>& ours = {}) {
  for (const Row& row : recorded(name)) {
    const auto decided = ours.find(row.input);
    if (decided == ours.end()) {
      EXPECT_EQ(read(row.input), row.output) << name << ": " << row.input;
    } else {
      EXPECT_EQ(read(row.input), decided->second) << name << ": " << row.input;
      EXPECT_NE(decided->second, row.output) << "no longer a difference: " << row.input;
    }
  }
}

template <class T, class Show>
std::string shown(const Result<T>& value, Show show) {
  return value ? std::string(show(*value)) : "refused";
}

std::int64_t number(const std::string& text) { return signed_number(text).value(); }

TEST(Recorded, Durations) {
  compare("durations", [](const std::string& text) {
    return shown(parse_duration(text), [](const TimeLimit& limit) {
      return limit.unlimited() ? "UNLIMITED" : fmt::format("{}", to_seconds(*limit.duration));
    });
  });
  compare("durations-printed",
          [](const std::string& text) { return format_duration(seconds(number(text))); });
}

TEST(Recorded, Memory) {
  compare("memory", [](const std::string& text) {
    return shown(parse_memory_mb(text), [](std::int64_t mb) { return fmt::format("{}", mb); });
  });
  compare("memory-printed",
          [](const std::string& text) {
            return fmt::format("{}\t{}", format_memory_mb(number(text)),
                               format_memory_mb(number(text), MemoryStyle::kRounded));
          },
          {{"1573376", "1536.50G\t1.50T"}});  // Slurm prints 1.50T and calls it exact.
}

TEST(Recorded, Hostlists) {
  compare("hostnames",
          [](const std::string& text) {
            return shown(expand_hostlist(text), [](const std::vector<std::string>& hosts) {
              return fmt::format("{}", fmt::join(hosts, " "));
            });
          },
          // Slurm takes unclosed brackets for a host called "a]".
          {{"a[", "refused"}, {"a[1", "refused"}, {"a]", "refused"}, {"a[1-]", "refused"}});
  compare("hostlists", [](const std::string& text) {
    return shown(expand_hostlist(text), [](const auto& hosts) { return compress_hostlist(hosts); });
  });
}

TEST(Recorded, BeginTimes) {
  Instant now;
  compare("begin-times",
          [&](const std::string& text) {
            if (text == "(now)") {
              now = instant_at(seconds(number(recorded("begin-times").front().output)));
              return fmt::format("{}", to_seconds(now));
            }
            return shown(parse_begin_time(text, now),
                         [](Instant time) { return fmt::format("{}", to_seconds(time)); });
          },
          // There is no February 30, and an hour with PM is plain enough.
          {{"2030-02-30", "refused"},
           {"4PM", fmt::format("{}", [] {
              const auto now_row = number(recorded("begin-times").front().output);
              return now_row - now_row % 86400 + (now_row % 86400 < 57600 ? 57600 : 144000);
            }())}});
}

TEST(Recorded, SignalsAndNodeCounts) {
  compare("signals", [](const std::string& text) {
    return shown(parse_signal_option(text), format_signal_option);
  });
  compare("node-counts",
          [](const std::string& text) { return shown(parse_node_count(text), format_node_count); });
}

TEST(Recorded, Arrays) {
  compare("arrays", [](const std::string& text) {
    return shown(parse_array_spec(text), [](const auto& spec) { return format_array_tasks(spec); });
  });
}

TEST(Recorded, Dependencies) {
  compare("dependencies",
          [](const std::string& text) {
            return shown(parse_dependencies(text), [](const Dependencies& dependencies) {
              const std::vector<DependencyStatus> statuses(dependencies.terms.size(),
                                                           DependencyStatus::kUnfulfilled);
              return format_dependency_states(dependencies, statuses);
            });
          },
          // Slurm lets the delay of one job run on to the next.
          {{"after:1+5:2", "after:1+5(unfulfilled),after:2(unfulfilled)"}});
}

TEST(Recorded, Gres) {
  compare("gres", [](const std::string& text) {
    return shown(parse_gres(text),
                 [](const auto& requests) { return format_tres_per(requests, GpusPer::kNode); });
  });
}

TEST(Recorded, Directives) {
  compare("directives", [](const std::string& escaped) {
    std::string script;
    for (std::size_t i = 0; i < escaped.size(); ++i) {
      const bool newline = escaped.compare(i, 2, "\\n") == 0;
      script += newline ? '\n' : escaped[i];
      if (newline) ++i;
    }
    const auto directives = read_directives(script, "s.sh");
    if (!directives) return directives.error().what;
    std::string out;
    for (const std::string& argument : directives->arguments) out += "<" + argument + ">";
    return out;
  });
}

TEST(Recorded, Refusals) {
  compare("refusals", [](const std::string& text) -> std::string {
    std::vector<std::string> arguments{"--wrap=x"};
    for (std::string_view argument : split(text, '|')) arguments.emplace_back(argument);
    const auto line = read_sbatch_arguments(arguments);
    if (!line) return line.error().what;
    const auto made = make_sbatch_request(*line, "", SbatchContext{{}, instant_at(seconds(1)), {}});
    return made ? "accepted" : made.error().what;
  });
}

TEST(Recorded, EveryOptionOfSbatchIsInTheTable) {
  std::size_t options = 0;
  for (const Row& row : recorded("sbatch-options")) {
    const bool is_long = row.input.starts_with("--");
    const SbatchOptionRow* found = nullptr;
    for (const SbatchOptionRow& known : sbatch_options())
      if (is_long ? known.shape.name == row.input.substr(2) : known.shape.letter == row.input[1])
        found = &known;
    ASSERT_NE(found, nullptr) << row.input;
    options += is_long ? 1U : 0U;
    const OptionArgument argument = found->shape.argument;
    EXPECT_EQ(argument == OptionArgument::kRequired, row.output == "required") << row.input;
    if (is_long) {
      EXPECT_EQ(argument == OptionArgument::kNone, row.output == "none") << row.input;
    }
  }
  EXPECT_EQ(options, sbatch_options().size());
}

}  // namespace
}  // namespace sluice
