#include "ledger/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "storage/sqlite.h"
#include "text/array_spec.h"

namespace sluice {
namespace {

constexpr std::int64_t kApplication = 0x736c7263;  // "slrc"
constexpr std::int64_t kFormat = 1;
// Chains of one person may write at the same time, from several nodes.
constexpr int kPatienceMs = 20'000;

constexpr const char* kTables = R"(
  CREATE TABLE chain (id TEXT PRIMARY KEY, name TEXT, user TEXT, account TEXT, engine TEXT,
                      state TEXT, created INTEGER, tasks INTEGER, completed INTEGER,
                      given_up INTEGER, waiting INTEGER, running INTEGER);
  CREATE TABLE round (chain TEXT, batch INTEGER, round INTEGER, job INTEGER, account TEXT,
                      partitions TEXT, memory_mb INTEGER, time_s INTEGER, tasks INTEGER,
                      task_list TEXT, submitted INTEGER, refusal TEXT, PRIMARY KEY (chain, batch));
  CREATE TABLE task (chain TEXT, task INTEGER, state TEXT, rounds INTEGER, why TEXT,
                     PRIMARY KEY (chain, task));
  CREATE TABLE run (chain TEXT, task INTEGER, batch INTEGER, round INTEGER, state TEXT,
                    exit_code INTEGER, signal INTEGER, started INTEGER, ended INTEGER,
                    elapsed INTEGER, max_rss_mb INTEGER, node TEXT,
                    PRIMARY KEY (chain, task, batch));
)";

std::int64_t seconds_of(Instant at) { return to_seconds(at); }

// None of what may be absent can be this: NULLIF makes NULL of it.
constexpr std::int64_t kAbsent = INT64_MIN;

// "INSERT INTO run VALUES (NULLIF(?1, …), …)"
std::string insert_into(std::string_view table, int columns) {
  std::string out = fmt::format("INSERT INTO {} VALUES (", table);
  for (int i = 0; i < columns; ++i)
    out += fmt::format("{}NULLIF(?, {})", i > 0 ? ", " : "", "-9223372036854775807 - 1");
  return out + ")";
}

// Binds values one after the other and runs the statement.
class Row {
 public:
  Row(SqliteDatabase& database, SqliteStatement& statement)
      : database_(database), statement_(statement) {}
  Row& text(std::string_view value) {
    statement_.bind(++place_, value);
    return *this;
  }
  Row& number(std::int64_t value) {
    statement_.bind(++place_, value);
    return *this;
  }
  Row& number(const std::optional<std::int64_t>& value) { return number(value.value_or(kAbsent)); }
  Result<void> write() {
    const int done = statement_.step();
    statement_.reset();
    if (done != SQLITE_DONE) return database_.error("writing the record of a chain");
    return {};
  }

 private:
  SqliteDatabase& database_;
  SqliteStatement& statement_;
  int place_ = 0;
};

std::string_view state_word(const Chain& chain) {
  if (chain.state == ChainState::kEnded) return "ended";
  if (chain.state == ChainState::kCancelled) return "cancelled";
  return chain.terms.stopped ? "stopped" : "active";
}

std::string_view state_word(const Task& task) {
  switch (task.state) {
    case TaskState::kWaiting:
      return "waiting";
    case TaskState::kSubmitted:
      return task.running ? "running" : "submitted";
    case TaskState::kCompleted:
      return "completed";
    case TaskState::kGivenUp:
      return "given up";
  }
  return "";
}

template <class T>
std::optional<std::int64_t> seconds_or_none(const std::optional<T>& value) {
  return value ? std::optional(to_seconds(*value)) : std::nullopt;
}

class Writer {
 public:
  Writer(SqliteDatabase& database, const Chain& chain) : database_(database), chain_(chain) {}

  // Whether the file says the same already: a chain is looked at more often than it changes.
  Result<bool> is_written() {
    TRY(auto rows, database_.prepare(
                       "SELECT count(*) FROM chain WHERE id = ? AND state = ? AND completed = ? "
                       "AND given_up = ? AND waiting = ? AND running = ? AND "
                       "(SELECT count(*) FROM round WHERE chain = chain.id AND job NOT NULL) = ?"));
    const Audit sum = audit(chain_);
    rows.bind(1, chain_.id)
        .bind(2, state_word(chain_))
        .bind(3, static_cast<std::int64_t>(sum.completed))
        .bind(4, static_cast<std::int64_t>(sum.given_up))
        .bind(5, static_cast<std::int64_t>(sum.waiting))
        .bind(6, static_cast<std::int64_t>(sum.running))
        .bind(7, std::count_if(chain_.batches.begin(), chain_.batches.end(),
                               [](const Batch& batch) { return batch.job.has_value(); }));
    TRY(const bool found, database_.next(rows));
    return found && rows.number(0) > 0;
  }

  Result<void> write(std::span<const TaskRun> runs) {
    TRY(const bool same, is_written());
    if (same) return {};
    for (const char* table :
         {"chain WHERE id", "round WHERE chain", "task WHERE chain", "run WHERE chain"}) {
      TRY(auto remove, database_.prepare(fmt::format("DELETE FROM {} = ?", table)));
      TRY_VOID(Row(database_, remove).text(chain_.id).write());
    }
    TRY_VOID(write_chain());
    TRY_VOID(write_rounds());
    TRY_VOID(write_tasks());
    return write_runs(runs);
  }

 private:
  Result<void> write_chain() {
    const Audit sum = audit(chain_);
    TRY(auto insert, database_.prepare(insert_into("chain", 12)));
    return Row(database_, insert)
        .text(chain_.id)
        .text(chain_.spec.name)
        .text(chain_.spec.user)
        .text(chain_.spec.account)
        .text(chain_.terms.engine)
        .text(state_word(chain_))
        .number(seconds_of(chain_.created))
        .number(static_cast<std::int64_t>(sum.tasks))
        .number(static_cast<std::int64_t>(sum.completed))
        .number(static_cast<std::int64_t>(sum.given_up))
        .number(static_cast<std::int64_t>(sum.waiting))
        .number(static_cast<std::int64_t>(sum.running))
        .write();
  }

  Result<void> write_rounds() {
    TRY(auto insert, database_.prepare(insert_into("round", 12)));
    for (const Batch& batch : chain_.batches) {
      std::optional<std::int64_t> job;
      std::optional<std::int64_t> submitted;
      if (batch.job) {
        job = batch.job->job.value();
        submitted = seconds_of(batch.intended);
      }
      std::optional<std::int64_t> memory;
      if (batch.request.memory) memory = batch.request.memory->mb;
      const std::string partitions = fmt::format("{}", fmt::join(batch.request.partitions, ","));
      const std::string tasks = compress_indices(batch.tasks);
      TRY_VOID(Row(database_, insert)
                   .text(chain_.id)
                   .number(batch.number)
                   .number(batch.round)
                   .number(job)
                   .text(batch.placement ? batch.placement->shape.account : chain_.spec.account)
                   .text(partitions)
                   .number(memory)
                   .number(seconds_or_none(batch.request.time))
                   .number(static_cast<std::int64_t>(batch.tasks.size()))
                   .text(tasks)
                   .number(submitted)
                   .text(batch.refusal)
                   .write());
    }
    return {};
  }

  Result<void> write_tasks() {
    TRY(auto insert, database_.prepare(insert_into("task", 5)));
    for (const Task& task : chain_.tasks)
      TRY_VOID(Row(database_, insert)
                   .text(chain_.id)
                   .number(task.index)
                   .text(state_word(task))
                   .number(task.round)
                   .text(task.given_up == GivenUp::kNo ? "" : given_up_words(task.given_up))
                   .write());
    return {};
  }

  Result<void> write_runs(std::span<const TaskRun> runs) {
    TRY(auto insert, database_.prepare(insert_into("run", 12)));
    for (const TaskRun& run : runs) {
      std::optional<std::int64_t> elapsed;
      if (run.start && run.end) elapsed = to_seconds(*run.end - *run.start);
      std::optional<std::int64_t> memory;
      if (run.max_rss_kb) memory = (*run.max_rss_kb + 1023) / 1024;
      TRY_VOID(Row(database_, insert)
                   .text(chain_.id)
                   .number(run.index)
                   .number(run.batch)
                   .number(run.round)
                   .text(slurm_name(run.state))
                   .number(run.exit_code)
                   .number(run.signal)
                   .number(seconds_or_none(run.start))
                   .number(seconds_or_none(run.end))
                   .number(elapsed)
                   .number(memory)
                   .text(run.node)
                   .write());
    }
    return {};
  }

  SqliteDatabase& database_;
  const Chain& chain_;
};

Result<void> prepare(SqliteDatabase& database) {
  TRY(const std::int64_t application, database.ask("PRAGMA application_id"));
  TRY(const std::int64_t tables, database.ask("SELECT count(*) FROM sqlite_master"));
  if (application == 0 && tables == 0) {
    TRY_VOID(database.execute(kTables));
    return database.execute(
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, kFormat)
            .c_str());
  }
  TRY(const std::int64_t format, database.ask("PRAGMA user_version"));
  if (application != kApplication || format != kFormat)
    return bad_input(fmt::format("{} is another kind of database", database.path()),
                     "name a file that does not exist yet");
  return {};
}

}  // namespace

Result<void> write_record(const std::string& path, const Chain& chain,
                          std::span<const TaskRun> runs) {
  std::error_code ignored;  // Opening says what is wrong.
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  TRY(SqliteDatabase database, SqliteDatabase::open(path));
  sqlite3_busy_timeout(database.handle(), kPatienceMs);
  TRY_VOID(database.execute("BEGIN IMMEDIATE"));
  auto done = prepare(database);
  if (done) done = Writer(database, chain).write(runs);
  if (done) return database.execute("COMMIT");
  sqlite3_exec(database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  return done;
}

}  // namespace sluice
