// The open file of a ledger, its statements, and the chain that it stands for. Each fact has the
// rows that it touches.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/ledger.h"
#include "ledger/stored.h"
#include "storage/sqlite.h"
#include "text/array_spec.h"

namespace sluice {

inline constexpr std::int64_t kLedgerFormat = 5;

tl::unexpected<Error> damaged_ledger(const SqliteDatabase& database, std::string_view what);

struct Ledger::Parts {
  SqliteDatabase database;
  SqliteStatement put_task;
  SqliteStatement put_batch;
  SqliteStatement put_handler;
  SqliteStatement put_run;
  SqliteStatement put_state;
  SqliteStatement put_sizing;
  SqliteStatement put_terms;
  std::string folder;
  Chain chain;
  bool broken = false;

  Result<void> prepare() {
    TRY(put_task, database.prepare("INSERT OR REPLACE INTO task VALUES (?,?,?,?,?,?,?,?,?,?,?)"));
    TRY(put_batch, database.prepare("INSERT OR REPLACE INTO batch VALUES "
                                    "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"));
    TRY(put_handler, database.prepare("INSERT OR REPLACE INTO handler VALUES (?,?,?,?,?,?,?)"));
    // Not OR REPLACE: a run that is recorded twice must not pass.
    TRY(put_run, database.prepare("INSERT INTO run VALUES (?,?,?,?,?,?,?,?,?,?,?)"));
    TRY(put_state, database.prepare("UPDATE chain SET state = ?"));
    TRY(put_sizing, database.prepare("UPDATE chain SET sizing = ?"));
    TRY(put_terms, database.prepare("UPDATE chain SET terms = ?"));
    return {};
  }

  // All of it or nothing: a process that dies on the way leaves the older format.
  Result<void> bring_up_to_date(std::int64_t format) {
    std::string changes = "BEGIN IMMEDIATE; ";
    if (format < 2) changes += "ALTER TABLE chain ADD COLUMN sizing BLOB; ";
    if (format < 3) changes += "ALTER TABLE batch ADD COLUMN move BLOB; ";
    if (format < 4)
      changes +=
          "ALTER TABLE chain ADD COLUMN terms BLOB; "
          "ALTER TABLE batch ADD COLUMN placement BLOB; "
          "ALTER TABLE batch ADD COLUMN refusal TEXT; "
          "ALTER TABLE batch ADD COLUMN missed INTEGER DEFAULT -1; ";
    changes +=
        "ALTER TABLE task ADD COLUMN place_level INTEGER DEFAULT 0; "
        "ALTER TABLE task ADD COLUMN continued INTEGER DEFAULT 0; "
        "ALTER TABLE batch ADD COLUMN place_level INTEGER DEFAULT 0; ";
    return database.execute(
        fmt::format("{}PRAGMA user_version={}; COMMIT", changes, kLedgerFormat).c_str());
  }

  Result<void> done(SqliteStatement& statement) {
    const int code = statement.step();
    if (code != SQLITE_DONE) {
      auto problem = database.error("write");
      statement.reset();
      return problem;
    }
    statement.reset();
    return {};
  }

  Result<void> write(const Task& task) {
    put_task.bind(1, std::int64_t{task.index})
        .bind(2, static_cast<std::int64_t>(task.state))
        .bind(3, std::int64_t{task.batch})
        .bind(4, std::int64_t{task.round})
        .bind(5, std::int64_t{task.again})
        .bind(6, std::int64_t{task.rung.memory})
        .bind(7, std::int64_t{task.rung.time})
        .bind(8, static_cast<std::int64_t>(task.given_up))
        .bind(9, std::int64_t{task.running})
        .bind(10, std::int64_t{task.rung.place})
        .bind(11, std::int64_t{task.continued});
    return done(put_task);
  }

  Result<void> write(const Batch& batch) {
    const std::string request = ledger_columns::encoded(batch.request);
    const std::string tasks = compress_indices(batch.tasks);
    const std::string move =
        batch.move ? ledger_columns::encoded(ledger_columns::stored(*batch.move)) : "";
    const std::string placement = batch.placement ? ledger_columns::encoded(*batch.placement) : "";
    put_batch.bind(1, std::int64_t{batch.number})
        .bind(2, std::int64_t{batch.round})
        .bind(3, batch.key)
        .bind(4, std::int64_t{batch.rung.memory})
        .bind(5, std::int64_t{batch.rung.time})
        .bind_blob(6, request)
        .bind(7, tasks)
        .bind(8, std::int64_t{batch.offset})
        .bind(9, ledger_columns::stored(batch.throttle))
        .bind(10, static_cast<std::int64_t>(batch.state))
        .bind(11, ledger_columns::stored(batch.intended))
        .bind(12, std::int64_t{batch.attempts})
        .bind(13, batch.job ? std::int64_t{batch.job->job.value()} : -1)
        .bind(14, batch.job ? ledger_columns::stored(batch.job->submitted) : -1)
        .bind_blob(15, move)
        .bind_blob(16, placement)
        .bind(17, batch.refusal)
        .bind(18, ledger_columns::stored(batch.missed))
        .bind(19, std::int64_t{batch.rung.place});
    return done(put_batch);
  }

  Result<void> write(const Handler& handler) {
    const std::string batches = fmt::format("{}", fmt::join(handler.batches, ","));
    put_handler.bind(1, std::int64_t{handler.number})
        .bind(2, handler.key)
        .bind(3, batches)
        .bind(4, ledger_columns::stored(handler.intended))
        .bind(5, handler.job ? std::int64_t{handler.job->job.value()} : -1)
        .bind(6, handler.job ? ledger_columns::stored(handler.job->submitted) : -1)
        .bind(7, std::int64_t{handler.gone});
    return done(put_handler);
  }

  Result<void> write(const TaskRun& run) {
    put_run.bind(1, std::int64_t{run.index})
        .bind(2, std::int64_t{run.batch})
        .bind(3, std::int64_t{run.round})
        .bind(4, static_cast<std::int64_t>(run.state))
        .bind(5, std::int64_t{run.exit_code})
        .bind(6, std::int64_t{run.signal})
        .bind(7, ledger_columns::stored(run.max_rss_kb))
        .bind(8, ledger_columns::stored(run.start))
        .bind(9, ledger_columns::stored(run.end))
        .bind(10, run.node)
        .bind(11, std::int64_t{run.restarts});
    return done(put_run);
  }

  Result<void> write_tasks(const IndexSet& tasks) {
    for (const std::uint32_t index : tasks.to_vector()) TRY_VOID(write(chain.task(index)));
    return {};
  }
  Result<void> write_batch(std::uint32_t number) { return write(chain.batch(number)); }
  Result<void> write_handler(std::uint32_t number) { return write(chain.handlers[number - 1]); }

  // The rows that a fact touched.
  Result<void> rows(const BatchesIntended& event) {
    for (const Batch& batch : event.batches) {
      TRY_VOID(write_batch(batch.number));
      TRY_VOID(write_tasks(batch.tasks));
    }
    return {};
  }
  Result<void> rows(const BatchTriedAgain& event) { return write_batch(event.batch); }
  Result<void> rows(const BatchMissed& event) { return write_batch(event.batch); }
  Result<void> rows(const BatchAccepted& event) { return write_batch(event.batch); }
  Result<void> rows(const BatchReleased& event) { return write_batch(event.batch); }
  Result<void> rows(const BatchCleared& event) { return write_batch(event.batch); }
  Result<void> rows(const BatchWithdrawn& event) {
    TRY_VOID(write_batch(event.batch));
    return write_tasks(chain.batch(event.batch).tasks);
  }
  Result<void> rows(const TasksSettled& event) {
    IndexSet batches;
    for (const Settlement& one : event.settlements) {
      TRY_VOID(write(one.run));
      TRY_VOID(write(chain.task(one.run.index)));
      batches.insert(one.run.batch);
    }
    for (const std::uint32_t batch : batches.to_vector()) TRY_VOID(write_batch(batch));
    return {};
  }
  Result<void> rows(const TasksSeen& event) {
    for (const auto* indices : {&event.running, &event.pending})
      for (const std::uint32_t index : *indices) TRY_VOID(write(chain.task(index)));
    return {};
  }
  Result<void> rows(const TasksWithdrawn& event) { return write_tasks(event.tasks); }
  Result<void> rows(const TasksRenewed& event) {
    for (const Batch& batch : chain.batches) TRY_VOID(write(batch));
    TRY_VOID(write_tasks(event.tasks));
    return rows(ChainStateChanged{});
  }
  Result<void> rows(const HandlerIntended& event) { return write_handler(event.handler.number); }
  Result<void> rows(const HandlerAccepted& event) { return write_handler(event.handler); }
  Result<void> rows(const HandlerTurned& event) { return write_handler(event.handler); }
  Result<void> rows(const HandlerGone& event) { return write_handler(event.handler); }
  Result<void> rows(const ChainStateChanged&) {
    put_state.bind(1, static_cast<std::int64_t>(chain.state));
    return done(put_state);
  }

  Result<void> rows(const TermsChanged& event) {
    const std::string terms = ledger_columns::encoded(ledger_columns::stored(event.terms));
    put_terms.bind_blob(1, terms);
    return done(put_terms);
  }

  Result<void> rows(const ChainSized& event) {
    const std::string sizing = ledger_columns::encoded(event.sizing);
    put_sizing.bind_blob(1, sizing);
    return done(put_sizing);
  }
  Result<void> rows(const BatchesResized& event) {
    // What they left is of the same job.
    for (const Batch& part : event.parts) {
      for (const Batch& batch : chain.batches)
        if (batch.job == part.job) TRY_VOID(write(batch));
      TRY_VOID(write_tasks(part.tasks));
    }
    return {};
  }

  Result<void> rows(const MoveIntended& event) { return write_batch(event.batch.number); }
  Result<void> rows(const TasksTaken& event) { return moved(event.batch, event.tasks); }
  Result<void> rows(const MoveEnded& event) { return moved(event.batch, event.back); }
  Result<void> moved(std::uint32_t batch, const IndexSet& tasks) {
    TRY_VOID(write_batch(batch));
    TRY_VOID(write_batch(chain.batch(batch).move->from));
    return write_tasks(tasks);
  }

  Result<void> load();
  Result<void> load_chain();
  Result<void> load_batches();
  Result<void> load_handlers();
};

}  // namespace sluice
