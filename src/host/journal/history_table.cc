// Writes and finds history rows. Every value is bound to its statement.
#include "host/journal/history_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "text/array_spec.h"

namespace sluice {
namespace {

// Names of jobs may all differ; the rest is few.
constexpr std::size_t kMostWordsRemembered = 4096;
// Rows that are looked at together: some milliseconds where all of them are wanted.
constexpr std::int64_t kRowsOfOnePart = 500;
// Attempts of rows that several tasks share: beyond any real one.
constexpr std::int64_t kSharedRow = std::int64_t{1} << 31;

std::int64_t to_number(Instant at) { return at.time_since_epoch().count(); }
Instant to_instant(std::int64_t number) { return Instant(Duration(number)); }

// The two ways a condition is made: its text, and what is bound to its question marks.
struct Conditions {
  std::string text;
  std::vector<std::int64_t> numbers;
  std::vector<std::pair<std::size_t, std::string>> words;  // Position among the values.

  void add(const std::string& condition) {
    text += (text.empty() ? " WHERE " : " AND ") + condition;
  }
  void number(std::int64_t value) { numbers.push_back(value); }
  void word(const std::string& value) {
    words.emplace_back(numbers.size(), value);
    numbers.push_back(0);
  }
};

std::string question_marks(std::size_t count) {
  std::string marks;
  for (std::size_t i = 0; i < count; ++i) marks += i == 0 ? "?" : ",?";
  return marks;
}

Conditions conditions_of(const HistoryQuery& query) {
  Conditions where;
  if (query.attempt && query.jobs.size() == 1) {
    where.add("job = ? AND attempt = ?");
    where.number(query.jobs.front().value());
    where.number(*query.attempt);
  } else if (!query.jobs.empty()) {
    const std::string marks = question_marks(query.jobs.size());
    where.add(fmt::format("(job IN ({}) OR (array <> 0 AND array IN ({})))", marks, marks));
    for (int twice = 0; twice < 2; ++twice) {
      for (const JobId job : query.jobs) where.number(job.value());
    }
  }
  if (query.task) {
    // Tasks that were cancelled together share a row: see find().
    where.add("array <> 0 AND (task = ? OR tasks <> '')");
    where.number(*query.task);
  }
  if (!query.user.empty()) {
    where.add("user = (SELECT id FROM word WHERE text = ?)");
    where.word(query.user);
  }
  if (!query.account.empty()) {
    where.add("account = (SELECT id FROM word WHERE text = ?)");
    where.word(query.account);
  }
  if (query.ended_since) {
    where.add("ended >= ?");
    where.number(to_number(*query.ended_since));
  }
  if (query.ended_before) {
    where.add("ended < ?");
    where.number(to_number(*query.ended_before));
  }
  if (!query.states.empty()) {
    where.add(fmt::format("state IN ({})", question_marks(query.states.size())));
    for (const JobState state : query.states) where.number(static_cast<std::int64_t>(state));
  }
  return where;
}

void add_place(Conditions& where, const char* comparison, const HistoryPlace& place) {
  where.add(fmt::format("(ended, job, attempt) {} (?, ?, ?)", comparison));
  where.number(place.ended);
  where.number(place.job);
  where.number(place.attempt);
}

void bind(SqliteStatement& statement, const Conditions& where) {
  int parameter = 1;
  std::size_t next_word = 0;
  for (std::size_t i = 0; i < where.numbers.size(); ++i) {
    if (next_word < where.words.size() && where.words[next_word].first == i) {
      statement.bind(parameter++, where.words[next_word++].second);
    } else {
      statement.bind(parameter++, where.numbers[i]);
    }
  }
}

HistoryRow row_of(const SqliteStatement& found) {
  HistoryRow row;
  int column = 0;
  const auto number = [&] { return found.number(column++); };
  const auto text = [&] { return std::string(found.bytes(column++)); };
  row.job = JobId(static_cast<std::uint32_t>(number()));
  row.attempt = static_cast<std::uint32_t>(number());
  row.array = JobId(static_cast<std::uint32_t>(number()));
  row.task = static_cast<std::uint32_t>(number());
  row.name = text();
  row.user = text();
  row.account = text();
  row.qos = text();
  row.partition = text();
  row.nodes = text();
  row.requested = text();
  row.allocated = text();
  row.submitted = to_instant(number());
  row.eligible = to_instant(number());
  const std::int64_t started = number();
  if (row.attempt > 0 && row.attempt < kSharedRow) row.started = to_instant(started);
  row.ended = to_instant(number());
  row.limit = Duration(number());
  row.requeued = number() != 0;
  row.outcome.state = static_cast<JobState>(number());
  row.outcome.exit_code = static_cast<std::int32_t>(number());
  row.outcome.signal = static_cast<std::int32_t>(number());
  row.outcome.max_rss_kb = number();
  row.outcome.cpu_time = Duration(number());
  row.output = text();
  row.folder = text();
  row.stdout_pattern = text();
  row.stderr_pattern = text();
  row.tasks = text();
  row.details = text();
  row.steps = text();
  if (!row.tasks.empty()) row.attempt = 0;
  return row;
}

}  // namespace

const char* HistoryTable::schema_since_1() {
  return "ALTER TABLE history ADD COLUMN folder INTEGER NOT NULL DEFAULT 0;"
         "ALTER TABLE history ADD COLUMN out INTEGER NOT NULL DEFAULT 0;"
         "ALTER TABLE history ADD COLUMN err INTEGER NOT NULL DEFAULT 0;"
         "ALTER TABLE history ADD COLUMN tasks TEXT NOT NULL DEFAULT '';";
}

const char* HistoryTable::schema_since_3() {
  return "ALTER TABLE history ADD COLUMN details INTEGER NOT NULL DEFAULT 0;"
         "ALTER TABLE history ADD COLUMN steps TEXT NOT NULL DEFAULT '';";
}

const char* HistoryTable::schema() {
  return "CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
         "CREATE TABLE history(job INTEGER NOT NULL, attempt INTEGER NOT NULL,"
         " array INTEGER NOT NULL, task INTEGER NOT NULL, name INTEGER NOT NULL,"
         " user INTEGER NOT NULL, account INTEGER NOT NULL, qos INTEGER NOT NULL,"
         " partition INTEGER NOT NULL, nodes INTEGER NOT NULL, requested INTEGER NOT NULL,"
         " allocated INTEGER NOT NULL, submitted INTEGER NOT NULL, eligible INTEGER NOT NULL,"
         " started INTEGER NOT NULL, ended INTEGER NOT NULL, lim INTEGER NOT NULL,"
         " requeued INTEGER NOT NULL, state INTEGER NOT NULL, exit INTEGER NOT NULL,"
         " signal INTEGER NOT NULL, max_rss INTEGER NOT NULL, cpu INTEGER NOT NULL,"
         " output TEXT NOT NULL, PRIMARY KEY(job, attempt)) WITHOUT ROWID;"
         "CREATE INDEX history_by_array ON history(array, task) WHERE array <> 0;"
         "CREATE INDEX history_by_end ON history(ended);";
}

const char* HistoryTable::schema_since_4() {
  // What is known of older rows: about what most rows have.
  return "ALTER TABLE history ADD COLUMN size INTEGER NOT NULL DEFAULT 512;";
}

std::uint64_t HistoryTable::size_of(const HistoryRow& row) {
  // Its numbers, and its places in three indexes.
  std::uint64_t size = 160;
  for (const std::string* text :
       {&row.name, &row.user, &row.account, &row.qos, &row.partition, &row.nodes, &row.requested,
        &row.allocated, &row.folder, &row.stdout_pattern, &row.stderr_pattern, &row.details,
        &row.tasks, &row.steps, &row.output})
    size += text->size();
  return size;
}

Result<HistoryTable> HistoryTable::of(SqliteDatabase& database) {
  HistoryTable table(database);
  TRY(table.insert_,
      database.prepare("INSERT OR REPLACE INTO history VALUES"
                       "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"));
  TRY(table.find_word_, database.prepare("SELECT id FROM word WHERE text = ?"));
  TRY(table.add_word_, database.prepare("INSERT INTO word(text) VALUES(?)"));
  return table;
}

Result<std::int64_t> HistoryTable::word(std::string_view text) {
  if (const auto known = words_.find(text); known != words_.end()) return known->second;
  if (words_.size() >= kMostWordsRemembered) words_.clear();
  find_word_.bind(1, text);
  std::int64_t id = 0;
  const int found = find_word_.step();
  if (found == SQLITE_ROW) id = find_word_.number(0);
  find_word_.reset();
  if (found == SQLITE_DONE) {
    const int added = add_word_.bind(1, text).step();
    if (added != SQLITE_DONE) {
      auto error = database_->error("write to");
      add_word_.reset();
      return error;
    }
    add_word_.reset();
    id = sqlite3_last_insert_rowid(database_->handle());
  } else if (found != SQLITE_ROW) {
    return database_->error("read");
  }
  words_.emplace(text, id);
  return id;
}

Result<void> HistoryTable::add(const HistoryRow& row) {
  std::array<std::int64_t, 12> words{};
  std::size_t next = 0;
  for (const std::string* text :
       {&row.name, &row.user, &row.account, &row.qos, &row.partition, &row.nodes, &row.requested,
        &row.allocated, &row.folder, &row.stdout_pattern, &row.stderr_pattern, &row.details}) {
    TRY(words[next++], word(*text));
  }
  int column = 1;
  const auto put = [&](std::int64_t value) { insert_.bind(column++, value); };
  put(row.job.value());
  // A task is cancelled in this way once, so its index makes the row's key its own.
  put(row.tasks.empty() ? row.attempt : kSharedRow + row.task);
  put(row.array.value());
  put(row.task);
  for (std::size_t i = 0; i < 8; ++i) put(words[i]);
  put(to_number(row.submitted));
  put(to_number(row.eligible));
  put(row.started ? to_number(*row.started) : 0);
  put(to_number(row.ended));
  put(row.limit.count());
  put(row.requeued ? 1 : 0);
  put(static_cast<std::int64_t>(row.outcome.state));
  put(row.outcome.exit_code);
  put(row.outcome.signal);
  put(row.outcome.max_rss_kb);
  put(row.outcome.cpu_time.count());
  insert_.bind(column++, row.output);
  for (std::size_t i = 8; i < 11; ++i) put(words[i]);
  insert_.bind(column++, row.tasks);
  put(words[11]);
  insert_.bind(column++, row.steps);
  put(static_cast<std::int64_t>(size_of(row)));
  const bool done = insert_.step() == SQLITE_DONE;
  if (!done) {
    auto error = database_->error("write to");
    insert_.reset();
    return error;
  }
  insert_.reset();
  return {};
}

Result<std::vector<HistoryRow>> HistoryTable::find(const HistoryQuery& query) {
  return find(query, nullptr);
}

Result<std::vector<HistoryRow>> HistoryTable::find(const HistoryQuery& query, const Range* range) {
  Conditions where = conditions_of(query);
  if (range != nullptr && range->before) add_place(where, "<", *range->before);
  if (range != nullptr && range->from) add_place(where, ">=", *range->from);
  TRY(SqliteStatement found,
      database_->prepare(
          "SELECT job, attempt, array, task, (SELECT text FROM word WHERE id = name),"
          " (SELECT text FROM word WHERE id = user), (SELECT text FROM word WHERE id = account),"
          " (SELECT text FROM word WHERE id = qos), (SELECT text FROM word WHERE id = partition),"
          " (SELECT text FROM word WHERE id = nodes), (SELECT text FROM word WHERE id = requested),"
          " (SELECT text FROM word WHERE id = allocated), submitted, eligible, started, ended, lim,"
          " requeued, state, exit, signal, max_rss, cpu, output,"
          " (SELECT text FROM word WHERE id = folder), (SELECT text FROM word WHERE id = out),"
          " (SELECT text FROM word WHERE id = err), tasks,"
          " (SELECT text FROM word WHERE id = details), steps FROM history" +
          // Of a range only its own rows are looked at, whatever else is asked for.
          std::string(range != nullptr ? " INDEXED BY history_by_end" : "") + where.text +
          (query.any_order ? "" : " ORDER BY ended DESC, job DESC, attempt DESC") + " LIMIT ?"));
  bind(found, where);
  found.bind(static_cast<int>(where.numbers.size()) + 1,
             query.most > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(query.most));
  std::vector<HistoryRow> rows;
  int step = SQLITE_DONE;
  while ((step = found.step()) == SQLITE_ROW) {
    HistoryRow row = row_of(found);
    if (query.task && !row.tasks.empty()) {
      const auto shared = parse_array_spec(row.tasks);
      if (!shared || !shared->indices.contains(*query.task)) continue;
    }
    rows.push_back(std::move(row));
  }
  if (step != SQLITE_DONE) return database_->error("read");
  return rows;
}

// Whether what the jobs' numbers find, by their index, is little enough to be sorted at once.
Result<bool> HistoryTable::are_few(const HistoryQuery& query) {
  HistoryQuery by_job;
  by_job.jobs = query.jobs;
  by_job.attempt = query.attempt;
  const Conditions where = conditions_of(by_job);
  TRY(SqliteStatement count,
      database_->prepare("SELECT count(*) FROM (SELECT 1 FROM history" + where.text + " LIMIT ?)"));
  bind(count, where);
  count.bind(static_cast<int>(where.numbers.size()) + 1, kRowsOfOnePart + 1);
  if (count.step() != SQLITE_ROW) return database_->error("read");
  return count.number(0) <= kRowsOfOnePart;
}

Result<HistoryPart> HistoryTable::find_part(const HistoryQuery& query,
                                            std::optional<HistoryPlace> before) {
  HistoryPart part;
  if (!before && !query.jobs.empty()) {
    TRY(const bool few, are_few(query));
    if (few) {
      TRY(part.rows, find(query));
      return part;
    }
  }
  // The last row of this part.
  HistoryQuery times;
  times.ended_since = query.ended_since;
  times.ended_before = query.ended_before;
  Conditions where = conditions_of(times);
  if (before) add_place(where, "<", *before);
  TRY(SqliteStatement last,
      database_->prepare("SELECT ended, job, attempt FROM history INDEXED BY history_by_end" +
                         where.text +
                         " ORDER BY ended DESC, job DESC, attempt DESC"
                         " LIMIT 1 OFFSET ?"));
  bind(last, where);
  last.bind(static_cast<int>(where.numbers.size()) + 1, kRowsOfOnePart - 1);
  const int step = last.step();
  if (step == SQLITE_ROW)
    part.next = HistoryPlace{last.number(0), last.number(1), last.number(2)};
  else if (step != SQLITE_DONE)
    return database_->error("read");
  const Range range{before, part.next};
  TRY(part.rows, find(query, &range));
  return part;
}

Result<void> HistoryTable::for_each_output(const std::function<void(const UsersOutput&)>& visit) {
  TRY(SqliteStatement found,
      database_->prepare("SELECT output, (SELECT text FROM word WHERE id = user) FROM history"
                         " WHERE output <> ''"));
  int step = SQLITE_DONE;
  while ((step = found.step()) == SQLITE_ROW)
    visit({std::string(found.bytes(1)), std::string(found.bytes(0))});
  if (step != SQLITE_DONE) return database_->error("read");
  return {};
}

Result<HistoryForgotten> HistoryTable::forget_before(Instant before) {
  constexpr std::int64_t kMostAtOnce = 10'000;
  HistoryForgotten gone;
  std::map<std::string, std::uint64_t> of_users;
  // A total order: what is removed is what was read, also where many ended at once.
  TRY(SqliteStatement old,
      database_->prepare("SELECT output, (SELECT text FROM word WHERE id = user), size"
                         " FROM history WHERE ended < ?"
                         " ORDER BY ended, job, attempt LIMIT ?"));
  old.bind(1, to_number(before)).bind(2, kMostAtOnce);
  int step = SQLITE_DONE;
  while ((step = old.step()) == SQLITE_ROW) {
    ++gone.rows;
    of_users[std::string(old.bytes(1))] += static_cast<std::uint64_t>(old.number(2));
    if (std::string token(old.bytes(0)); !token.empty())
      gone.outputs.push_back({std::string(old.bytes(1)), std::move(token)});
  }
  if (step != SQLITE_DONE) return database_->error("read");
  if (gone.rows == 0) return gone;
  for (const auto& [user, bytes] : of_users) gone.of_users.push_back({user, bytes});
  gone.more = gone.rows == static_cast<std::size_t>(kMostAtOnce);
  TRY(SqliteStatement remove,
      database_->prepare("DELETE FROM history WHERE (job, attempt) IN (SELECT job, attempt FROM"
                         " history WHERE ended < ? ORDER BY ended, job, attempt LIMIT ?)"));
  if (remove.bind(1, to_number(before)).bind(2, kMostAtOnce).step() != SQLITE_DONE)
    return database_->error("write to");
  TRY(gone.first_segment, first_segment());
  return gone;
}

Result<std::vector<UsersHistory>> HistoryTable::of_users() {
  std::map<std::int64_t, std::uint64_t> bytes;
  TRY(SqliteStatement all, database_->prepare("SELECT user, size FROM history"));
  int step = SQLITE_DONE;
  while ((step = all.step()) == SQLITE_ROW)
    bytes[all.number(0)] += static_cast<std::uint64_t>(all.number(1));
  if (step != SQLITE_DONE) return database_->error("read");
  std::vector<UsersHistory> out;
  TRY(SqliteStatement name, database_->prepare("SELECT text FROM word WHERE id = ?"));
  for (const auto& [user, size] : bytes) {
    if (name.bind(1, user).step() != SQLITE_ROW) return database_->error("read");
    out.push_back({std::string(name.bytes(0)), size});
    name.reset();
  }
  return out;
}

Result<UsersForgotten> HistoryTable::forget_of(const std::string& user,
                                               std::optional<HistoryPlace> place,
                                               std::size_t most) {
  UsersForgotten gone;
  const HistoryPlace from = place.value_or(HistoryPlace{INT64_MIN, 0, 0});
  // Only so many are looked at, however few of them are this user's.
  TRY(SqliteStatement last,
      database_->prepare("SELECT ended, job, attempt FROM history INDEXED BY history_by_end"
                         " WHERE (ended, job, attempt) > (?, ?, ?)"
                         " ORDER BY ended, job, attempt LIMIT 1 OFFSET ?"));
  last.bind(1, from.ended).bind(2, from.job).bind(3, from.attempt);
  int step = last.bind(4, static_cast<std::int64_t>(most) - 1).step();
  if (step == SQLITE_ROW)
    gone.next = HistoryPlace{last.number(0), last.number(1), last.number(2)};
  else if (step != SQLITE_DONE)
    return database_->error("read");
  const HistoryPlace to = gone.next.value_or(HistoryPlace{INT64_MAX, INT64_MAX, INT64_MAX});
  const std::string which =
      " FROM history INDEXED BY history_by_end WHERE user = (SELECT id FROM word WHERE text = ?)"
      " AND (ended, job, attempt) > (?, ?, ?) AND (ended, job, attempt) <= (?, ?, ?)";
  const auto bind = [&](SqliteStatement& statement) {
    statement.bind(1, user).bind(2, from.ended).bind(3, from.job).bind(4, from.attempt);
    statement.bind(5, to.ended).bind(6, to.job).bind(7, to.attempt);
  };
  TRY(SqliteStatement old, database_->prepare("SELECT output, size" + which));
  bind(old);
  while ((step = old.step()) == SQLITE_ROW) {
    ++gone.rows;
    gone.bytes += static_cast<std::uint64_t>(old.number(1));
    if (std::string token(old.bytes(0)); !token.empty()) gone.outputs.push_back(std::move(token));
  }
  if (step != SQLITE_DONE) return database_->error("read");
  if (gone.rows == 0) return gone;
  TRY(SqliteStatement remove, database_->prepare("DELETE" + which));
  bind(remove);
  if (remove.step() != SQLITE_DONE) return database_->error("write to");
  return gone;
}

Result<std::uint64_t> HistoryTable::first_segment() {
  // A token of a segment begins with its number.
  TRY(SqliteStatement first, database_->prepare("SELECT min(CAST(output AS INTEGER)) FROM history"
                                                " WHERE output GLOB '[0-9]*'"));
  if (first.step() != SQLITE_ROW) return database_->error("read");
  const std::int64_t segment = first.number(0);
  return segment > 0 ? static_cast<std::uint64_t>(segment)
                     : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace sluice
