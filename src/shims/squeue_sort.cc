#include "shims/squeue_sort.h"

#include <fmt/format.h>

#include <algorithm>

#include "shims/words.h"
#include "text/scan.h"

namespace sluice {
namespace {

template <class T>
int order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

// By the text or number that the letter stands for.
int compare(char letter, const RecordLine& a, const RecordLine& b, const SqueueContext& context) {
  const auto number_of = [](const RecordLine& it) {
    return (it.array ? *it.array : it.job).value();
  };
  switch (letter) {
    case 'i':
    case 'F':
      if (const int by_job = order(number_of(a), number_of(b)); by_job != 0) return by_job;
      return order(a.task.value_or(0xffffffff), b.task.value_or(0xffffffff));
    case 'A':
      return order(a.job, b.job);
    case 't':
    case 'T':
      return order(letter == 't' ? short_name(a.state) : slurm_name(a.state),
                   letter == 't' ? short_name(b.state) : slurm_name(b.state));
    case 'p':
    case 'Q':
      return order(a.priority, b.priority);
    case 'M':
      return order(a.elapsed, b.elapsed);
    case 'l':
      return order(a.limit.value_or(Duration::max()), b.limit.value_or(Duration::max()));
    case 'L':
      return order(a.limit.value_or(Duration::max()) - a.elapsed,
                   b.limit.value_or(Duration::max()) - b.elapsed);
    case 'N':
      if (a.nodes.empty() || b.nodes.empty()) return order(a.nodes.empty(), b.nodes.empty());
      return order(a.nodes, b.nodes);
    case 'S': {
      const auto time = [](const RecordLine& it) { return it.started.value_or(Instant::max()); };
      return order(time(a), time(b));
    }
    case 'e': {
      const auto time = [](const RecordLine& it) { return it.ends.value_or(Instant::max()); };
      return order(time(a), time(b));
    }
    case 'V':
      return order(a.submitted, b.submitted);
    case 'C':
      return order(a.cpus, b.cpus);
    case 'D':
      return order(a.node_count, b.node_count);
    case 'm':
      return order(a.memory_mb, b.memory_mb);
    case 'U':
      return order(whole_number(uid_text(a.user)).value_or(0),
                   whole_number(uid_text(b.user)).value_or(0));
    default:
      break;
  }
  const SqueueField* field = squeue_field(letter);
  return field == nullptr ? 0 : order(field->text(a, context), field->text(b, context));
}

}  // namespace

bool sort_records(ShimCall& call, std::string_view sort, const SqueueContext& context,
                  std::vector<const RecordLine*>& records) {
  // The last key first: what is alike for a key keeps the order of those behind it.
  struct Key {
    char letter;
    bool reversed;
  };
  std::vector<Key> keys;
  bool reversed = false;
  for (const char c : sort) {
    if (c == ',' || c == '#') continue;
    if (c == '-' || c == '+') {
      reversed = c == '-';
      continue;
    }
    if (std::string_view("bBcCdDefgGhHiIJjlLmMnNOpPQStTuUvVz").find(c) == std::string_view::npos) {
      call.error(fmt::format("Invalid sort specification: {}", c));
      return false;
    }
    keys.push_back({c, reversed});
    reversed = false;
  }
  // What no key tells apart: those that start last come first. squeue's own comparison never finds
  // two jobs without a time, or without nodes, alike, and so turns their order round.
  const auto turn_round = [&](const auto& lacks) {
    const auto first = std::find_if(records.begin(), records.end(), lacks);
    const auto end = std::find_if_not(first, records.end(), lacks);
    std::reverse(first, end);
  };
  const auto has_no_time = [](const RecordLine* it) { return !it->started; };
  const auto has_no_nodes = [](const RecordLine* it) { return it->nodes.empty(); };
  std::stable_sort(records.begin(), records.end(), [](const RecordLine* a, const RecordLine* b) {
    return a->started.value_or(Instant::min()) > b->started.value_or(Instant::min());
  });
  turn_round(has_no_time);
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    std::stable_sort(records.begin(), records.end(), [&](const RecordLine* a, const RecordLine* b) {
      const int by = compare(key->letter, *a, *b, context);
      return key->reversed ? by > 0 : by < 0;
    });
    if (key->letter == 'S') turn_round(has_no_time);
    if (key->letter == 'N') turn_round(has_no_nodes);
  }
  return true;
}

}  // namespace sluice
