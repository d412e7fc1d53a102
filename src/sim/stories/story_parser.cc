// Lines to stories: a common header, then for each story its own header and its steps.
#include "sim/stories/story_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "policyfile/files/routing_file.h"
#include "sim/stories/story_cluster.h"
#include "sim/stories/story_request.h"
#include "sim/stories/story_scope.h"
#include "text/duration.h"
#include "text/scan.h"
#include "text/spelling.h"

namespace sluice {
namespace {

struct Item {
  StoryLine line;
  std::string block;  // YAML below "policy:", on its own lines of the file.
};

struct Section {
  std::string title;
  Place place;
  std::vector<Item> items;
};

struct VerbWord {
  std::string_view word;
  std::optional<StoryVerb> verb;
};
constexpr VerbWord kUserVerbs[] = {
    {"submits", {}},
    {"routes", {}},
    {"rebalances", {}},
    {"updates", {}},
    {"cancels", StoryVerb::kCancel},
    {"holds", StoryVerb::kHold},
    {"releases", StoryVerb::kRelease},
    {"requeues", StoryVerb::kRequeue},
    {"suspends", StoryVerb::kSuspend},
    {"resumes", StoryVerb::kResume},
    {"creates", {}},
    {"deletes", {}},
};

const VerbWord* user_verb(std::string_view word) {
  const auto* found = std::find_if(std::begin(kUserVerbs), std::end(kUserVerbs),
                                   [&](const VerbWord& verb) { return verb.word == word; });
  return found == std::end(kUserVerbs) ? nullptr : found;
}

bool is_step(const StoryLine& line) {
  return !line.words.empty() && (is_digit(line.words[0][0]) || line.words[0][0] == '+');
}

// Users that a reservation names need not do anything in the story.
void add_reserved_for(const StoryLine& line, std::set<std::string>& people) {
  const bool header = !line.words.empty() && line.words[0] == "reservation";
  const bool step = is_step(line) && line.words.size() > 3 && line.words[3] == "reservation";
  if (!header && !step) return;
  for (const std::string& word : line.words) {
    const KeyValue pair = split_key_value(word);
    if (pair.key != "users" || !pair.value) continue;
    for (std::string_view name : split(*pair.value, ',')) {
      if (name.starts_with('-')) name.remove_prefix(1);
      if (!name.empty()) people.emplace(name);
    }
  }
}

bool is_continuation(const StoryLine& line) { return line.words.empty() && line.has_arrow; }

class FileReader {
 public:
  FileReader(std::string_view text, std::string_view file_name, const ReadFile& read_file)
      : text_(text), file_(std::make_shared<const std::string>(file_name)), read_file_(read_file) {}

  Result<std::vector<Story>> read() {
    TRY_VOID(cut());
    std::vector<Story> out;
    if (sections_.size() == 1) {
      TRY(Story story, read_story({}, sections_[0]));
      out.push_back(std::move(story));
      return out;
    }
    for (const Item& item : sections_[0].items)
      if (is_step(item.line))
        return story_error(item.line.place, item.line.words[0],
                           "a step stands before the first 'story:' line",
                           "what stands there is the header of all stories of the file");
    for (std::size_t i = 1; i < sections_.size(); ++i) {
      TRY(Story story, read_story(sections_[0].items, sections_[i]));
      out.push_back(std::move(story));
    }
    return out;
  }

 private:
  // Sections, lines, blocks. The first comment of the file is the title of its first section.
  Result<void> cut() {
    sections_.push_back({"", Place{file_, 1}, {}});
    const std::vector<std::string_view> lines = split(text_, '\n');
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string_view text = lines[i];
      if (text.ends_with('\r')) text.remove_suffix(1);
      const Place place{file_, static_cast<int>(i) + 1};
      const std::string_view plain = without_blanks_around(text);
      if (plain.starts_with('#') && sections_.size() == 1 && sections_[0].title.empty())
        sections_[0].title = without_blanks_around(plain.substr(1));
      if (plain.empty() || plain.starts_with('#')) continue;
      if (std::count(plain.begin(), plain.end(), '"') % 2 != 0)
        return story_error(place, "\"", "a quote is not closed", "add the closing \"");
      if (plain.starts_with("story:")) {
        const std::string_view title = without_blanks_around(plain.substr(6));
        if (title.empty())
          return story_error(place, "story:", "has no title", "write story: what is true here");
        sections_.push_back({std::string(title), place, {}});
        continue;
      }
      Item item{read_story_line(text, place), {}};
      if (item.line.words.size() == 1 &&
          (item.line.words[0] == "policy:" || item.line.words[0] == "routing:")) {
        // Empty lines in front keep the numbers of YAML's lines those of the file.
        item.block.assign(i + 1, '\n');
        while (i + 1 < lines.size() && !without_blanks_around(lines[i + 1]).empty())
          item.block += fmt::format("{}\n", lines[++i]);
      }
      sections_.back().items.push_back(std::move(item));
    }
    return {};
  }

  Result<Story> read_story(const std::vector<Item>& common, const Section& section) {
    Story story;
    story.file = *file_;
    story.line = section.place.line;
    story.title = section.title.empty() ? *file_ : section.title;
    StoryCluster cluster;
    std::vector<Item> items = common;
    items.insert(items.end(), section.items.begin(), section.items.end());
    std::set<std::string> people;
    for (const Item& item : items) {
      if (is_step(item.line) && item.line.words.size() > 2 && user_verb(item.line.words[2]))
        people.insert(item.line.words[1]);
      add_reserved_for(item.line, people);
    }
    std::size_t next = 0;
    for (; next < items.size() && !is_step(items[next].line); ++next)
      TRY_VOID(read_header(items[next], cluster, story));
    if (next == items.size())
      return story_error(section.place, "", "the story has no steps",
                         "a step begins with a time: 0:00 ann submits A => A starts");
    StoryScope scope;
    TRY(scope.policy, cluster.policy(people, section.place));
    story.policy = scope.policy;
    for (; next < items.size(); ++next) {
      const StoryLine& line = items[next].line;
      if (is_continuation(line)) {
        TRY(auto more, read_expectations(scope, line.place, line.after_arrow));
        auto& all = story.steps.back().expectations;
        std::move(more.begin(), more.end(), std::back_inserter(all));
        continue;
      }
      if (!is_step(line))
        return story_error(line.place, line.words.empty() ? line.text : line.words[0],
                           "a step begins with a time, and header lines stand before the steps",
                           "write 0:00 ann submits A");
      TRY(StoryStep step, read_step(line, scope, cluster, people));
      story.steps.push_back(std::move(step));
    }
    return story;
  }

  Result<void> read_header(const Item& item, StoryCluster& cluster, Story& story) {
    const StoryLine& line = item.line;
    if (line.words.empty())
      return story_error(line.place, line.text, "an expectation without a step above it",
                         "write 0:00 ann submits A => A starts");
    const std::string& keyword = line.words[0];
    if (line.has_arrow)
      return story_error(line.place, keyword, "an expectation needs a time in front",
                         "write 0:00 … => …");
    if (keyword == "policy:") {
      TRY(Value document, load_document(item.block, *file_, read_file_));
      return cluster.take_document(std::move(document), line.place);
    }
    if (keyword == "routing:") return read_routing_file(item.block, *file_, story.routing);
    if (keyword == "policy") {
      if (line.words.size() != 2)
        return story_error(line.place, keyword, "names one file", "write policy site.yaml");
      TRY(Value document, load(line.words[1], line.place));
      return cluster.take_document(std::move(document), line.place);
    }
    if (keyword == "tags:") {
      for (std::size_t i = 1; i < line.words.size(); ++i)
        for (std::string_view tag : split(line.words[i], ','))
          if (!tag.empty()) story.tags.emplace_back(tag);
      return {};
    }
    if (keyword == "tolerance:") {
      auto time = parse_story_time(line.words.size() == 2 ? line.words[1] : "");
      if (!time) return story_error(line.place, keyword, time.error().what, "write tolerance: 10s");
      story.tolerance = *time;
      return {};
    }
    if (StoryCluster::is_keyword(keyword)) return cluster.take(line);
    std::vector<std::string> allowed = StoryCluster::keywords();
    for (const char* more : {"policy", "policy:", "routing:", "tags:", "tolerance:", "story:"})
      allowed.emplace_back(more);
    return story_error(line.place, keyword, "is not a header line, and a step begins with a time",
                       allowed_words(keyword, allowed));
  }

  Result<Value> load(const std::string& path, const Place& place) {
    const std::size_t slash = file_->rfind('/');
    const std::string full = path.starts_with('/') || slash == std::string::npos
                                 ? path
                                 : file_->substr(0, slash + 1) + path;
    if (!read_file_) return story_error(place, path, "cannot be read here");
    auto text = read_file_(full);
    if (!text) return story_error(place, path, text.error().what, text.error().hint);
    return load_document(*text, full, read_file_);
  }

  Result<Instant> read_time(const StoryLine& line, const StoryScope& scope) {
    std::string_view word = line.words[0];
    const bool relative = word.starts_with('+');
    if (relative) word.remove_prefix(1);
    Instant at;
    if (const auto number = whole_number(word); relative && number && *number < 1'000'000'000) {
      at = scope.now + seconds(*number);
    } else {
      auto time = parse_story_time(word);
      if (!time)
        return story_error(line.place, line.words[0], time.error().what, time.error().hint);
      at = relative ? scope.now + *time : instant_at(*time);
    }
    if (at < scope.now)
      return story_error(
          line.place, line.words[0],
          fmt::format("the line before is at {}", format_story_time(scope.now.time_since_epoch())),
          "time runs forwards");
    return at;
  }

  Result<StoryStep> read_step(const StoryLine& line, StoryScope& scope, StoryCluster& cluster,
                              const std::set<std::string>& people) {
    StoryStep step;
    step.line = line.place.line;
    TRY(step.at, read_time(line, scope));
    scope.now = step.at;
    step.text = line.action;
    TRY(step.action, read_action(line, scope, cluster, people));
    if (line.has_arrow) {
      TRY(step.expectations, read_expectations(scope, line.place, line.after_arrow));
    }
    return step;
  }

  Result<StoryAction> read_action(const StoryLine& line, StoryScope& scope, StoryCluster& cluster,
                                  const std::set<std::string>& people) {
    const std::vector<std::string>& words = line.words;
    const auto word = [&](std::size_t i) {
      return i < words.size() ? std::string_view(words[i]) : std::string_view();
    };
    if (words.size() == 1) return StoryTimePasses{};
    if (const VerbWord* verb = user_verb(word(2))) return user_action(line, *verb, scope);
    if (word(1) == "time" && word(2) == "passes" && words.size() == 3) return StoryTimePasses{};
    if (word(1) == "usage" && word(2) == "is" && word(3) == "reset" && words.size() == 4)
      return StoryUsageReset{};
    if (word(1) == "node" || word(1) == "nodes") return node_action(line, scope);
    if (word(1) == "policy") return policy_action(line, scope, cluster, people);
    if (word(2) == "ends" || word(2) == "fails" || word(2) == "runs") return run_end(line, scope);
    std::vector<std::string> allowed;
    for (const VerbWord& verb : kUserVerbs) allowed.emplace_back(verb.word);
    for (const char* more : {"ends", "fails", "runs out of memory",
                             "node … goes down|drains|comes "
                             "back",
                             "policy sets …", "time passes", "usage is reset"})
      allowed.emplace_back(more);
    return story_error(line.place, words.size() > 2 ? word(2) : word(1), "is not an action",
                       allowed_words(word(2), allowed));
  }

  Result<StoryAction> user_action(const StoryLine& line, const VerbWord& verb, StoryScope& scope) {
    const std::vector<std::string>& words = line.words;
    if (verb.word == "rebalances") {
      if (words.size() > 3) return story_error(line.place, words[3], "does not belong here");
      return StoryRebalance{words[1]};
    }
    if (words.size() > 4 && words[3] == "reservation" && words[4].find('=') == std::string::npos)
      return reservation_action(line, verb, scope);
    if (verb.word == "creates" || verb.word == "deletes")
      return story_error(line.place, verb.word, "names no reservation",
                         fmt::format("write root {} reservation R", verb.word));
    if (words.size() < 4)
      return story_error(line.place, verb.word, "names no job",
                         fmt::format("write {} A", verb.word));
    const std::span<const std::string> rest = std::span(words).subspan(4);
    if (verb.word == "submits") {
      TRY(StorySubmit submit, submission(line, rest, scope));
      return submit;
    }
    if (verb.word == "routes") return routing(line, rest, scope);
    if (verb.word == "updates") {
      StoryUpdate update;
      update.who = words[1];
      TRY(update.job, known_job(scope, line.place, words[3]));
      if (rest.empty())
        return story_error(line.place, words[3], "nothing is changed", "write updates A qos=high");
      TRY_VOID(read_change(rest, line.place, scope.now, update));
      if (update.dependencies) TRY_VOID(check_dependencies(*update.dependencies, line, scope));
      return update;
    }
    if (!rest.empty()) return story_error(line.place, rest[0], "does not belong here");
    StoryCommand command;
    command.who = words[1];
    command.verb = *verb.verb;
    TRY(command.job, known_job(scope, line.place, words[3]));
    return command;
  }

  static Result<StoryAction> reservation_action(const StoryLine& line, const VerbWord& verb,
                                                const StoryScope& scope) {
    StoryReservation out;
    out.who = line.words[1];
    out.request.name = line.words[4];
    if (verb.word == "creates")
      out.verb = StoryReservation::Verb::kCreate;
    else if (verb.word == "updates")
      out.verb = StoryReservation::Verb::kUpdate;
    else if (verb.word == "deletes")
      out.verb = StoryReservation::Verb::kDelete;
    else
      return story_error(line.place, verb.word, "is not done to a reservation",
                         "allowed: creates, updates, deletes");
    const std::span<const std::string> rest = std::span(line.words).subspan(5);
    if (out.verb == StoryReservation::Verb::kDelete && !rest.empty())
      return story_error(line.place, rest[0], "does not belong here");
    TRY_VOID(read_reservation(rest, line.place, scope.now, out));
    return out;
  }

  Result<void> check_dependencies(const std::vector<StoryDependency>& dependencies,
                                  const StoryLine& line, const StoryScope& scope) {
    for (const StoryDependency& dependency : dependencies)
      if (dependency.type != DependencyType::kSingleton)
        TRY_VOID(known_job(scope, line.place, dependency.job.text));
    return {};
  }

  Result<StoryAction> routing(const StoryLine& line, std::span<const std::string> rest,
                              StoryScope& scope) {
    StoryRoute out;
    std::vector<std::string> others;
    for (const std::string& word : rest) {
      const KeyValue pair = split_key_value(word);
      if (pair.key == "device") {
        out.device = pair.value.value_or("");
        static constexpr std::string_view kDevices[] = {"gpu", "cpu", "any"};
        if (std::find(std::begin(kDevices), std::end(kDevices), out.device) == std::end(kDevices))
          return story_error(line.place, word, "is not a device", allowed_of(out.device, kDevices));
      } else if (pair.key == "accounts") {
        const std::string named = pair.value.value_or("");
        for (const std::string_view name : split(named, ','))
          if (!name.empty()) out.accounts.emplace_back(name);
      } else {
        others.push_back(word);
      }
    }
    TRY(out.submit, submission(line, others, scope));
    return out;
  }

  Result<StorySubmit> submission(const StoryLine& line, std::span<const std::string> rest,
                                 StoryScope& scope) {
    StorySubmit submit;
    submit.who = line.words[1];
    auto job = parse_story_job(line.words[3]);
    if (!job) return story_error(line.place, line.words[3], job.error().what, job.error().hint);
    if (job->tasks)
      return story_error(line.place, line.words[3], "an array is submitted as a whole",
                         "write submits A array=0-9");
    submit.name = job->name;
    if (is_reserved_name(submit.name))
      return story_error(line.place, submit.name, "has a meaning of its own in stories",
                         "give the job another name");
    if (scope.jobs.contains(submit.name))
      return story_error(line.place, submit.name, "there is a job of this name already",
                         "give the new one another name");
    submit.request.user = submit.who;
    TRY_VOID(read_request(rest, line.place, scope.now, submit));
    if (submit.request.name.empty()) submit.request.name = submit.name;
    TRY_VOID(check_dependencies(submit.dependencies, line, scope));
    std::optional<IndexSet> tasks;
    if (submit.request.array) tasks = submit.request.array->indices;
    scope.jobs.emplace(submit.name, std::move(tasks));
    return submit;
  }

  Result<StoryAction> node_action(const StoryLine& line, const StoryScope& scope) {
    StoryNodeChange change;
    const std::vector<std::string>& words = line.words;
    std::string what;
    for (std::size_t i = 3; i < words.size(); ++i) what += (what.empty() ? "" : " ") + words[i];
    static constexpr std::string_view kWords[] = {"goes down", "drains", "comes back"};
    if (what == "goes down" || what == "go down")
      change.state = NodeState::kDown;
    else if (what == "drains" || what == "drain")
      change.state = NodeState::kDraining;
    else if (what == "comes back" || what == "come back")
      change.state = NodeState::kUp;
    else
      return story_error(line.place, what.empty() ? words[1] : what, "no node does that",
                         allowed_of(what, kWords));
    TRY(change.nodes, known_nodes(scope, line.place, words[2]));
    return change;
  }

  Result<StoryAction> policy_action(const StoryLine& line, StoryScope& scope, StoryCluster& cluster,
                                    const std::set<std::string>& people) {
    const std::vector<std::string>& words = line.words;
    if (words.size() >= 4 && words[2] == "sets") {
      for (std::size_t i = 3; i < words.size(); ++i) TRY_VOID(cluster.set(words[i], line.place));
    } else if (words.size() == 3 && words[2] != "sets") {
      TRY(Value document, load(words[2], line.place));
      cluster = StoryCluster();
      TRY_VOID(cluster.take_document(std::move(document), line.place));
    } else {
      return story_error(line.place, "policy", "says not what changes",
                         "write policy sets qos.high.GrpTRES=cpu=4, or policy other.yaml");
    }
    TRY(scope.policy, cluster.policy(people, line.place));
    return StoryPolicyChange{scope.policy};
  }

  Result<StoryAction> run_end(const StoryLine& line, const StoryScope& scope) {
    StoryEnd end;
    const std::vector<std::string>& words = line.words;
    TRY(end.job, known_job(scope, line.place, words[1]));
    const std::string_view verb = words[2];
    if (verb == "ends" && words.size() == 3) {
      end.outcome.state = JobState::kCompleted;
    } else if (verb == "fails" && words.size() <= 4) {
      const KeyValue pair = split_key_value(words.size() == 4 ? words[3] : "exit=1");
      const auto code = whole_number(pair.value.value_or(""));
      if (pair.key != "exit" || !code || *code < 1 || *code > 255)
        return story_error(line.place, words[3], "is not an exit code", "write A fails exit=1");
      end.outcome =
          Outcome{.state = JobState::kFailed, .exit_code = static_cast<std::int32_t>(*code)};
    } else if (words.size() == 6 && words[3] == "out" && words[4] == "of" && words[5] == "memory") {
      end.outcome = Outcome{.state = JobState::kOutOfMemory, .signal = 9};
    } else {
      return story_error(line.place, verb, "no job does that",
                         "allowed: A ends, A fails exit=1, A runs out of memory");
    }
    return end;
  }

  std::string_view text_;
  std::shared_ptr<const std::string> file_;
  const ReadFile& read_file_;
  std::vector<Section> sections_;
};

}  // namespace

Result<std::vector<Story>> parse_stories(std::string_view text, std::string_view file_name,
                                         const ReadFile& read_file) {
  return FileReader(text, file_name, read_file).read();
}

}  // namespace sluice
