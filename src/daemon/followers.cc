#include "daemon/followers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/look_answer.h"
#include "daemon/say.h"
#include "text/scan.h"

namespace sluice {
namespace {

// A note for each: "follower.USER<tab>FOLDER".
constexpr std::string_view kNote = "follower.";
// Daemons before this one wrote all into one.
constexpr std::string_view kOldNote = "followers";
constexpr Duration kSoon = seconds(30);
// A process that fails comes again after this, twice as late each time.
constexpr Duration kAfterFailure = seconds(15);
constexpr std::uint32_t kMostDoublings = 6;
// Looks take at most a thirtieth of the time, and there are two a second at most.
constexpr std::int64_t kRest = 30;
constexpr Duration kShortestRest = Duration(std::chrono::milliseconds(500));
// Each user has processes of their own: one that hangs stops nobody else's chains.
constexpr std::size_t kMostAtOnce = 32;
constexpr std::size_t kMostOfOneUser = 4;
// A look at a chain of thousands of tasks takes seconds.
constexpr Duration kLongestLook = minutes(5);
// Chains of one user that are followed at once.
constexpr std::ptrdiff_t kMostChains = 1000;

// A folder that could not be written into the note, or found again, is not followed.
bool can_follow(const std::string& folder) {
  return folder.starts_with('/') && folder.find_first_of("\n\t") == std::string::npos;
}

}  // namespace

Followers::Followers(Loop& loop, SqliteJournal& journal, Identities& identities, Errands& errands,
                     Clock now)
    : loop_(loop),
      journal_(journal),
      identities_(identities),
      errands_(errands),
      now_(std::move(now)) {}

Result<void> Followers::recall(const State& state) {
  const auto know = [this](std::string_view line) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) return;
    followers_[{std::string(line.substr(0, tab)), std::string(line.substr(tab + 1))}];
  };
  TRY(const std::optional<std::string> old_note, journal_.note(kOldNote));
  if (old_note) {
    for (const std::string_view line : split(*old_note, '\n')) know(line);
    unwritten_.push_back({std::string(kOldNote), {}});
  }
  TRY(const std::vector<Note> notes, journal_.notes(kNote));
  for (const Note& note : notes) know(std::string_view(note.name).substr(kNote.size()));
  // Submitted in the last moment of the daemon before this one.
  if (state.has_policy())
    state.for_each_job([&](const Job& job) {
      if (has_ended(job.state)) return;
      const JobSpec& spec = *state.shape_of_job(job).request;
      if (can_follow(spec.launch.follower)) followers_[{spec.user, spec.launch.follower}];
    });
  for (const auto& [name, follower] : followers_) {
    note_down(name, Noted::kFollows);
    tell_at(name, now_());
  }
  write_down();
  return {};
}

void Followers::submitted(const JobSpec& spec) {
  if (!can_follow(spec.launch.follower)) return;
  const Name name{spec.user, spec.launch.follower};
  const bool is_new = followers_.find(name) == followers_.end();
  if (is_new && chains_of(spec.user) >= kMostChains) return;
  remember(name);
  // Tasks may be stuck from the beginning: then nothing ends that would tell.
  if (is_new) tell_at(name, now_() + kSoon);
}

void Followers::ended(const JobSpec& spec, bool last) {
  if (!can_follow(spec.launch.follower)) return;
  const Name name{spec.user, spec.launch.follower};
  if (followers_.find(name) == followers_.end() && chains_of(spec.user) >= kMostChains) return;
  Follower& follower = remember(name);
  if (follower.told) {
    follower.again = true;
    follower.last |= last;
    return;
  }
  tell_at(name, last ? now_() : follower.rests_until);
}

std::ptrdiff_t Followers::chains_of(const std::string& user) const {
  return std::distance(followers_.lower_bound({user, ""}),
                       followers_.lower_bound({user + '\0', ""}));
}

Followers::Follower& Followers::remember(const Name& name) {
  const auto [at, is_new] = followers_.try_emplace(name);
  if (is_new) {
    // Where one has ended others will soon.
    at->second.rests_until = now_() + kShortestRest;
    note_down(name, Noted::kFollows);
  }
  return at->second;
}

void Followers::forget(const Name& name) {
  followers_.erase(name);
  note_down(name, Noted::kNot);
}

// With all that come in the same moment: a request may name a thousand chains. Until it is written,
// jobs that have not ended tell the next daemon.
void Followers::note_down(const Name& name, Noted noted) {
  if (unwritten_.empty()) loop_.post([this] { write_down(); });
  unwritten_.push_back({fmt::format("{}{}\t{}", kNote, name.first, name.second),
                        noted == Noted::kFollows ? "1" : ""});
}

void Followers::write_down() {
  const std::vector<Note> notes = std::exchange(unwritten_, {});
  if (notes.empty()) return;
  if (const auto done = journal_.commit({}, {}, notes); !done)
    say("the list of chains that follow jobs could not be written: " + done.error().text());
}

void Followers::tell_at(const Name& name, Instant when) {
  Follower& follower = followers_.at(name);
  when = std::max(when, now_());
  if (follower.queued && follower.due <= when) return;
  follower.queued = true;
  follower.due = when;
  loop_.after(when - now_(), [this, name, when] {
    const auto found = followers_.find(name);
    // Told already, or to be told at another time.
    if (found != followers_.end() && found->second.queued && found->second.due == when) tell(name);
  });
}

void Followers::tell(const Name& name) {
  Follower& follower = followers_.at(name);
  const auto own_looks = looking_.find(name.first);
  if (all_looking_ >= kMostAtOnce ||
      (own_looks != looking_.end() && own_looks->second >= kMostOfOneUser)) {
    if (!std::exchange(follower.waits, true)) waiting_.push_back(name);
    return;
  }
  follower.queued = false;
  follower.again = false;
  follower.last = false;
  const auto identity = identities_.named(name.first, now_());
  if (!identity) {
    say_of_run(fmt::format("chain {}: {}", name.second, identity.error().text()));
    // A name service that does not answer now will.
    if (identity.error().kind == ErrorKind::kUnreachable) return tell_at(name, now_() + kSoon);
    return forget(name);
  }
  ++looking_[name.first];
  ++all_looking_;
  follower.told = true;
  follower.began = now_();
  errands_.start({*identity,
                  {"chain", "advance", "--follow", name.second},
                  {},
                  kLongestLook,
                  WhenStopped::kIsDoneAgain},
                 [this, name](std::optional<int> code) { look_ended(name, code); });
}

void Followers::tell_next() {
  // Each that waits is looked at once; one that still finds no room waits again.
  for (std::size_t i = waiting_.size(); i > 0 && all_looking_ < kMostAtOnce; --i) {
    const Name name = std::move(waiting_.front());
    waiting_.pop_front();
    const auto found = followers_.find(name);
    if (found == followers_.end()) continue;
    found->second.waits = false;
    if (found->second.queued && !found->second.told) tell(name);
  }
}

void Followers::look_ended(const Name& name, std::optional<int> code) {
  Follower& follower = followers_.at(name);
  follower.told = false;
  if (--looking_[name.first] == 0) looking_.erase(name.first);
  --all_looking_;
  // Soon, and not from within what is told here.
  loop_.post([this] { tell_next(); });
  const Instant now = now_();
  follower.rests_until = now + std::max(kShortestRest, (now - follower.began) * kRest);
  const auto answer = code ? look_answer_of(*code) : std::nullopt;
  if (answer == LookAnswer::kNothingMore && !follower.again) return forget(name);
  follower.failures = answer ? 0 : std::min(follower.failures + 1, kMostDoublings);
  if (follower.failures > 0)
    return tell_at(name, now + kAfterFailure * (1 << (follower.failures - 1)));
  // What ended meanwhile comes first: the process may not have seen it.
  if (follower.again) return tell_at(name, follower.last ? now : follower.rests_until);
  if (answer == LookAnswer::kSoon) tell_at(name, now + kSoon);
}

}  // namespace sluice
