// Reads a chain from its ledger, and believes nothing that does not add up.
#include <fmt/format.h>

#include <utility>

#include "ledger/ledger_parts.h"

namespace sluice {

using namespace ledger_columns;

tl::unexpected<Error> damaged_ledger(const SqliteDatabase& database, std::string_view what) {
  return tl::unexpected<Error>(
      Error{ErrorKind::kFailed, fmt::format("the ledger is damaged: {}", what), database.path(),
            "nothing was changed; restore a copy of the file"});
}

Result<void> Ledger::Parts::load_chain() {
  TRY(SqliteStatement row, database.prepare("SELECT * FROM chain"));
  TRY(const bool found, database.next(row));
  if (!found) return damaged_ledger(database, "it names no chain");
  chain.id = row.bytes(0);
  chain.created = Instant(Duration(row.number(1)));
  chain.array = row.number(2) != 0;
  if (row.number(3) >= 0) chain.throttle = static_cast<std::uint32_t>(row.number(3));
  chain.state = static_cast<ChainState>(row.number(4));
  chain.script_path = row.bytes(5);
  StoredLadder kept;
  if (!decode(row.bytes(6), chain.spec) || !decode(row.bytes(7), kept) || kept.levels.empty())
    return damaged_ledger(database, "what was submitted cannot be read");
  chain.ladder = ladder_of(kept);
  if (const auto sizing = row.bytes(8); !sizing.empty())
    if (!decode(sizing, chain.sizing.emplace()))
      return damaged_ledger(database, "what was learnt about sizes cannot be read");
  if (const auto terms = row.bytes(9); !terms.empty()) {
    StoredTerms agreed;
    if (!decode(terms, agreed))
      return damaged_ledger(database, "the terms of the chain cannot be read");
    chain.terms = terms_of(std::move(agreed));
  } else {
    chain.terms = terms_of_older(folder, chain);
  }
  return {};
}

Result<void> Ledger::Parts::load_batches() {
  TRY(SqliteStatement row, database.prepare("SELECT * FROM batch ORDER BY number"));
  int code = row.step();
  for (; code == SQLITE_ROW; code = row.step()) {
    Batch& batch = chain.batches.emplace_back();
    batch.number = static_cast<std::uint32_t>(row.number(0));
    batch.round = static_cast<std::uint32_t>(row.number(1));
    batch.key = row.bytes(2);
    batch.rung = {static_cast<std::uint8_t>(row.number(3)),
                  static_cast<std::uint8_t>(row.number(4)),
                  static_cast<std::uint8_t>(row.number(18))};
    if (!decode(row.bytes(5), batch.request))
      return damaged_ledger(database, fmt::format("batch {} cannot be read", batch.number));
    batch.tasks = indices_of(row.bytes(6));
    batch.offset = static_cast<std::uint32_t>(row.number(7));
    if (row.number(8) >= 0) batch.throttle = static_cast<std::uint32_t>(row.number(8));
    batch.state = static_cast<BatchState>(row.number(9));
    batch.intended = Instant(Duration(row.number(10)));
    batch.attempts = static_cast<std::uint32_t>(row.number(11));
    if (row.number(12) >= 0)
      batch.job = RemoteJob{JobId(static_cast<std::uint32_t>(row.number(12))),
                            Instant(Duration(row.number(13)))};
    if (const auto move = row.bytes(14); !move.empty()) {
      StoredMove kept;
      if (!decode(move, kept) || kept.from == 0 || kept.from >= batch.number)
        return damaged_ledger(database,
                              fmt::format("where batch {} came from cannot be read", batch.number));
      batch.move = move_of(kept);
    }
    if (const auto placement = row.bytes(15); !placement.empty())
      if (!decode(placement, batch.placement.emplace()))
        return damaged_ledger(database,
                              fmt::format("the pool of batch {} cannot be read", batch.number));
    batch.refusal = row.bytes(16);
    batch.missed = instant(row.number(17));
    if (batch.number != chain.batches.size()) return damaged_ledger(database, "a batch is missing");
  }
  if (code != SQLITE_DONE) return database.error("read");
  return {};
}

Result<void> Ledger::Parts::load_handlers() {
  TRY(SqliteStatement row, database.prepare("SELECT * FROM handler ORDER BY number"));
  int code = row.step();
  for (; code == SQLITE_ROW; code = row.step()) {
    Handler& handler = chain.handlers.emplace_back();
    handler.number = static_cast<std::uint32_t>(row.number(0));
    handler.key = row.bytes(1);
    handler.batches = indices_of(row.bytes(2)).to_vector();
    handler.intended = Instant(Duration(row.number(3)));
    if (row.number(4) >= 0)
      handler.job = RemoteJob{JobId(static_cast<std::uint32_t>(row.number(4))),
                              Instant(Duration(row.number(5)))};
    handler.gone = row.number(6) != 0;
    if (handler.number != chain.handlers.size())
      return damaged_ledger(database, "a handler is missing");
  }
  if (code != SQLITE_DONE) return database.error("read");
  return {};
}

Result<void> Ledger::Parts::load() {
  TRY_VOID(load_chain());
  TRY_VOID(load_batches());
  TRY_VOID(load_handlers());
  TRY(const std::int64_t count, database.ask("SELECT count(*) FROM task"));
  chain.tasks.reserve(static_cast<std::size_t>(count));
  TRY(SqliteStatement row, database.prepare("SELECT * FROM task ORDER BY number"));
  int code = row.step();
  for (; code == SQLITE_ROW; code = row.step()) {
    Task& task = chain.tasks.emplace_back();
    task.index = static_cast<std::uint32_t>(row.number(0));
    task.state = static_cast<TaskState>(row.number(1));
    task.batch = static_cast<std::uint32_t>(row.number(2));
    task.round = static_cast<std::uint16_t>(row.number(3));
    task.again = static_cast<std::uint16_t>(row.number(4));
    task.rung = {static_cast<std::uint8_t>(row.number(5)), static_cast<std::uint8_t>(row.number(6)),
                 static_cast<std::uint8_t>(row.number(9))};
    task.continued = static_cast<std::uint16_t>(row.number(10));
    task.given_up = static_cast<GivenUp>(row.number(7));
    task.running = row.number(8) != 0;
  }
  if (code != SQLITE_DONE) return database.error("read");
  if (chain.tasks.empty()) return damaged_ledger(database, "it has no task");
  const Audit sum = audit(chain);
  if (!sum.problems.empty()) return damaged_ledger(database, sum.problems.front());
  return prepare();
}

}  // namespace sluice
