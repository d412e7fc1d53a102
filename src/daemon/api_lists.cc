// Long lists: nobody else waits while they are made.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "daemon/api_parts.h"

namespace sluice {
namespace {

// Lines that are written in about a millisecond: a copy of the process costs as much.
constexpr std::size_t kShortList = 500;

// What comes out of a copy: the body or the error, then a line with a letter and its kind or hint.
constexpr char kIsList = 'l';
constexpr char kIsError = 'e';

}  // namespace

Error too_long_a_list() {
  return Error{ErrorKind::kBadInput,
               fmt::format("the answer has more than {} MB", kLongestList >> 20),
               {},
               "ask for some of it: by user or job, by time, or with limit"};
}

std::size_t Api::lines_of(const QueueFilter& filter) const {
  const State& state = driver_.engine().state();
  std::size_t lines = state.job_count();
  if (filter.arrays == ArrayLines::kTasks) lines += state.pending_count();
  return filter.most > 0 ? std::min(filter.most, lines) : lines;
}

void Api::answer_list(const CallRef& call, std::size_t lines, MakeList make) {
  const auto send = [call](Result<ListText> list) {
    if (!list) return refuse(*call, list.error());
    call->reply->send(200, list->content_type, std::move(list->body));
  };
  if (lines <= kShortList) return send(make());
  long_answers_.run(call->actor.user, [this, call, lines, make = std::move(make),
                                       send](const std::function<void()>& ended) {
    if (!call->reply->is_open()) return ended();
    make_list(call, lines, make, [send, ended](Result<ListText> list) {
      send(std::move(list));
      ended();
    });
  });
}

void Api::make_list(const CallRef& call, std::size_t lines, const MakeList& make,
                    std::function<void(Result<ListText>)> done) {
  if (lines <= kShortList) return done(make());
  const auto work = [make] {
    auto list = make();
    return list ? std::move(list->body) + '\n' + kIsList + list->content_type
                : list.error().what + '\n' + kIsError + list.error().hint;
  };
  list_copies_.run(call->actor.user, work, [done = std::move(done)](Result<std::string> said) {
    if (!said) return done(tl::unexpected<Error>(said.error()));
    const std::size_t line = said->rfind('\n');
    if (line == std::string::npos || line + 1 == said->size())
      return done(failed("the list could not be made"));
    const bool is_list = (*said)[line + 1] == kIsList;
    ListText list{said->substr(line + 2), {}};
    said->resize(line);
    if (!is_list)
      return done(
          tl::unexpected(Error{ErrorKind::kBadInput, std::move(*said), {}, list.content_type}));
    list.body = std::move(*said);
    done(std::move(list));
  });
}

struct Api::HistoryWalk {
  CallRef call;
  HasTurn turn = HasTurn::kNo;
  HistoryQuery query;
  std::function<bool(const HistoryRow&)> visit;
  std::function<void(Result<void>)> done;
  std::optional<HistoryPlace> before;
};

void Api::walk_history(const CallRef& call, HasTurn turn, HistoryQuery query,
                       std::function<bool(const HistoryRow&)> visit,
                       std::function<void(Result<void>)> done) {
  walk_on(std::make_shared<HistoryWalk>(
      HistoryWalk{call, turn, std::move(query), std::move(visit), std::move(done), {}}));
}

void Api::walk_on(const std::shared_ptr<HistoryWalk>& walk) {
  if (!walk->call->reply->is_open()) return walk->done({});
  const auto began = std::chrono::steady_clock::now();
  const auto part = driver_.journal().history_part(walk->query, walk->before);
  if (!part) return walk->done(tl::unexpected<Error>(part.error()));
  for (const HistoryRow& row : part->rows)
    if (!walk->visit(row)) return walk->done({});
  if (!part->next) return walk->done({});
  walk->before = part->next;
  if (walk->turn == HasTurn::kNo) {
    walk->turn = HasTurn::kYes;
    return long_answers_.run(walk->call->actor.user, [this, walk](std::function<void()> ended) {
      walk->done = [done = walk->done, ended = std::move(ended)](const Result<void>& result) {
        done(result);
        ended();
      };
      walk_on(walk);
    });
  }
  // Others get as much of the daemon's time as this list does.
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began);
  loop_.after(Duration(took.count()), [this, walk] { walk_on(walk); });
}

}  // namespace sluice
