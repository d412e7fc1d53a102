// Sentences are read word by word; each form is a row of words.
#include "sim/intents/intent.h"

#include <fmt/format.h>

#include <vector>

#include "text/duration.h"
#include "text/scan.h"

namespace sluice {
namespace {

constexpr const char* kForms =
    "write one of: user gpus in QOS <= 4; account cpus in QOS <= 64; 2 users get 4 gpus each in "
    "QOS; share of ACCOUNT >= 50% under contention; NAME starts within 5m when NAME fills the "
    "cluster; nobody waits longer than 3d";

using Words = std::vector<std::string>;

// "?" in the form stands for any word, which is taken.
bool reads(const Words& words, std::string_view form, Words& taken) {
  const auto parts = split(form, ' ');
  if (parts.size() != words.size()) return false;
  taken.clear();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == "?")
      taken.push_back(words[i]);
    else if (!same_ignoring_case(parts[i], words[i]))
      return false;
  }
  return true;
}

class Reader {
 public:
  Reader(std::string_view sentence, const Policy& policy) : policy_(policy) {
    intent_.text = std::string(without_blanks_around(sentence));
    for (const std::string_view word : split(intent_.text, ' '))
      if (!word.empty()) words_.emplace_back(word);
  }

  Result<Intent> read() {
    Words taken;
    if (reads(words_, "user ? in ? <= ?", taken) || reads(words_, "account ? in ? <= ?", taken)) {
      intent_.kind = IntentKind::kCap;
      intent_.account = same_ignoring_case(words_.front(), "account");
      TRY_VOID(resource(taken[0]));
      TRY_VOID(qos(taken[1]));
      TRY(intent_.amount, number(taken[2]));
    } else if (reads(words_, "? users get ? ? each in ?", taken)) {
      intent_.kind = IntentKind::kGets;
      TRY(intent_.users, number(taken[0]));
      TRY(intent_.amount, number(taken[1]));
      TRY_VOID(resource(taken[2]));
      TRY_VOID(qos(taken[3]));
    } else if (reads(words_, "share of ? >= ? under contention", taken)) {
      intent_.kind = IntentKind::kShare;
      if (!policy_.find_account(taken[0]))
        return bad_input(fmt::format("there is no account '{}'", taken[0]));
      intent_.who = taken[0];
      if (!taken[1].ends_with('%'))
        return bad_input(fmt::format("'{}' is not a share", taken[1]), "write 50%");
      TRY(intent_.percent, number(taken[1].substr(0, taken[1].size() - 1)));
      if (intent_.percent > 100) return bad_input("no share is larger than 100%");
    } else if (reads(words_, "? starts within ? when ? fills the cluster", taken)) {
      intent_.kind = IntentKind::kStarts;
      TRY(intent_.who, holder(taken[0]));
      TRY_VOID(duration(taken[1]));
      TRY(intent_.filler, holder(taken[2]));
    } else if (reads(words_, "nobody waits longer than ?", taken)) {
      intent_.kind = IntentKind::kWaitsMost;
      TRY_VOID(duration(taken[0]));
    } else {
      return bad_input(fmt::format("'{}' is not a sentence that can be checked", intent_.text),
                       kForms);
    }
    return intent_;
  }

 private:
  Result<void> resource(const std::string& word) {
    for (const char* known : {"gpus", "cpus", "nodes"})
      if (same_ignoring_case(word, known)) {
        intent_.resource = known;
        return {};
      }
    return bad_input(fmt::format("'{}' is not counted", word), "allowed: gpus, cpus, nodes");
  }

  Result<void> qos(const std::string& name) {
    if (!policy_.find_qos(name)) return bad_input(fmt::format("there is no QoS '{}'", name));
    intent_.qos = name;
    return {};
  }

  Result<std::string> holder(const std::string& name) const {
    if (policy_.find_qos(name) || policy_.find_account(name)) return name;
    return bad_input(fmt::format("there is no account and no QoS '{}'", name));
  }

  Result<void> duration(const std::string& text) {
    TRY(const TimeLimit limit, parse_friendly_duration(text));
    if (limit.unlimited()) return bad_input("a time belongs here", "write 5m, 2h or 3d");
    intent_.within = *limit.duration;
    return {};
  }

  static Result<std::int64_t> number(const std::string& text) {
    const auto value = whole_number(text);
    if (!value || *value < 1) return bad_input(fmt::format("'{}' is not a number", text));
    return *value;
  }

  const Policy& policy_;
  Intent intent_;
  Words words_;
};

}  // namespace

Result<Intent> parse_intent(std::string_view sentence, const Policy& policy) {
  return Reader(sentence, policy).read();
}

}  // namespace sluice
