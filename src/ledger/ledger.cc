// Folds each fact into the chain as everybody does, then writes the rows that it touched.
#include "ledger/ledger.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/check.h"
#include "host/files/folders.h"
#include "ledger/chain_fields.h"
#include "storage/sqlite.h"
#include "text/array_spec.h"
#include "text/scan.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kApplication = 0x736c6c64;  // "slld"
constexpr std::int64_t kFormat = 5;

constexpr const char* kTables = R"(
  CREATE TABLE chain (id TEXT, created INTEGER, array INTEGER, throttle INTEGER, state INTEGER,
                      script TEXT, spec BLOB, ladder BLOB, sizing BLOB, terms BLOB);
  CREATE TABLE task (number INTEGER PRIMARY KEY, state INTEGER, batch INTEGER, round INTEGER,
                     again INTEGER, memory_level INTEGER, time_level INTEGER, given_up INTEGER,
                     running INTEGER, place_level INTEGER, continued INTEGER);
  CREATE TABLE batch (number INTEGER PRIMARY KEY, round INTEGER, key TEXT, memory_level INTEGER,
                      time_level INTEGER, request BLOB, tasks TEXT, first INTEGER,
                      throttle INTEGER, state INTEGER, intended INTEGER, attempts INTEGER,
                      job INTEGER, submitted INTEGER, move BLOB, placement BLOB, refusal TEXT,
                      missed INTEGER, place_level INTEGER);
  CREATE TABLE handler (number INTEGER PRIMARY KEY, key TEXT, batches TEXT, intended INTEGER,
                        job INTEGER, submitted INTEGER, gone INTEGER);
  CREATE TABLE run (task INTEGER, batch INTEGER, round INTEGER, state INTEGER, exit_code INTEGER,
                    signal INTEGER, max_rss_kb INTEGER, start INTEGER, end INTEGER, node TEXT,
                    restarts INTEGER, PRIMARY KEY (task, batch)) WITHOUT ROWID;
)";

// Absent is -1: none of what is stored so can be negative.
template <class T>
std::int64_t stored(const std::optional<T>& value) {
  return value ? static_cast<std::int64_t>(*value) : -1;
}
std::int64_t stored(Instant at) { return at.time_since_epoch().count(); }
std::int64_t stored(const std::optional<Instant>& at) { return at ? stored(*at) : -1; }
std::optional<Instant> instant(std::int64_t value) {
  return value < 0 ? std::nullopt : std::optional(Instant(Duration(value)));
}

template <class T>
std::string encoded(const T& value) {
  ByteWriter out;
  PackedWriter(out).element(value);
  return std::string(out.view());
}

template <class T>
bool decode(std::string_view bytes, T& value) {
  ByteReader in(bytes);
  PackedReader(in).element(value);
  return in.ok() && in.at_end();
}

template <class Key>
std::vector<RemedyRow> rows_of(const std::map<Key, Remedy>& table) {
  std::vector<RemedyRow> out;
  for (const auto& [what, remedy] : table) out.push_back({static_cast<std::int32_t>(what), remedy});
  return out;
}

IndexSet indices_of(std::string_view text) {
  if (text.empty()) return {};
  const auto read = parse_array_spec(text);
  return read ? read->indices : IndexSet{};
}

StoredMove stored(const BatchMove& move) {
  return {move.from,
          move.job.job.value(),
          move.job.submitted.time_since_epoch().count(),
          move.account,
          move.qos,
          compress_indices(move.spare)};
}

BatchMove move_of(const StoredMove& kept) {
  return {kept.from,
          {JobId(kept.job), Instant(Duration(kept.submitted))},
          kept.account,
          kept.qos,
          indices_of(kept.spare)};
}

StoredTerms stored(const ChainTerms& terms) {
  std::optional<std::int64_t> looked;
  if (terms.looked_around) looked = stored(*terms.looked_around);
  return {terms.engine,      terms.project, terms.attended,   terms.routed,    terms.spread,
          terms.device,      terms.shape,   terms.accounts,   terms.keep_back, terms.gpu_runtime,
          terms.cpu_runtime, terms.stopped, terms.last_level, looked,          terms.accounts_seen};
}

ChainTerms terms_of(StoredTerms kept) {
  ChainTerms out;
  out.engine = std::move(kept.engine);
  out.project = std::move(kept.project);
  out.attended = kept.attended;
  out.routed = kept.routed;
  out.spread = kept.spread;
  out.device = std::move(kept.device);
  out.shape = std::move(kept.shape);
  out.accounts = std::move(kept.accounts);
  out.keep_back = kept.keep_back;
  out.gpu_runtime = kept.gpu_runtime;
  out.cpu_runtime = kept.cpu_runtime;
  out.stopped = kept.stopped;
  out.last_level = kept.last_level;
  if (kept.looked_around) out.looked_around = Instant(Duration(*kept.looked_around));
  out.accounts_seen = kept.accounts_seen;
  return out;
}

// The first line of a file; nothing where it is not there.
std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) return std::nullopt;
  return line;
}

// Before format 4 they were files beside the ledger, and variables in the job's environment.
ChainTerms terms_of_older(const std::string& folder, const Chain& chain) {
  ChainTerms out;
  out.engine = first_line(folder + "/engine").value_or("slurm");
  // The folder that tasks run in is mostly the one.
  out.project = first_line(folder + "/project").value_or(chain.spec.launch.working_directory);
  for (const EnvironmentVariable& one : chain.spec.launch.environment) {
    if (one.name == "SLUICE_UNATTENDED") out.attended = false;
    if (one.name == "SLUICE_ACCOUNTS")
      for (const std::string_view name : split(one.value, ','))
        if (!name.empty()) out.accounts.emplace_back(name);
  }
  return out;
}

StoredLadder stored(const Ladder& ladder) {
  return {ladder.levels,
          ladder.climb,
          ladder.most_again,
          rows_of(ladder.handling.states),
          rows_of(ladder.handling.exit_codes),
          rows_of(ladder.handling.signals),
          ladder.handling.stderr_rules,
          ladder.top,
          ladder.handling.gpu_memory,
          ladder.checkpoint};
}

Ladder ladder_of(const StoredLadder& kept) {
  Ladder out;
  out.levels = kept.levels;
  out.climb = kept.climb;
  out.most_again = kept.most_again;
  out.handling.states.clear();
  out.handling.exit_codes.clear();
  out.handling.signals.clear();
  for (const RemedyRow& row : kept.states)
    out.handling.states[static_cast<JobState>(row.what)] = row.remedy;
  for (const RemedyRow& row : kept.exit_codes) out.handling.exit_codes[row.what] = row.remedy;
  for (const RemedyRow& row : kept.signals) out.handling.signals[row.what] = row.remedy;
  out.handling.stderr_rules = kept.stderr_rules;
  out.top = kept.top;
  out.handling.gpu_memory = kept.gpu_memory;
  out.checkpoint = kept.checkpoint;
  return out;
}

std::string joined(const std::vector<std::uint32_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

tl::unexpected<Error> damaged(const SqliteDatabase& database, std::string_view what) {
  return tl::unexpected<Error>(
      Error{ErrorKind::kFailed, fmt::format("the ledger is damaged: {}", what), database.path(),
            "nothing was changed; restore a copy of the file"});
}

}  // namespace

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
        fmt::format("{}PRAGMA user_version={}; COMMIT", changes, kFormat).c_str());
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
    const std::string request = encoded(batch.request);
    const std::string tasks = compress_indices(batch.tasks);
    const std::string move = batch.move ? encoded(stored(*batch.move)) : "";
    const std::string placement = batch.placement ? encoded(*batch.placement) : "";
    put_batch.bind(1, std::int64_t{batch.number})
        .bind(2, std::int64_t{batch.round})
        .bind(3, batch.key)
        .bind(4, std::int64_t{batch.rung.memory})
        .bind(5, std::int64_t{batch.rung.time})
        .bind_blob(6, request)
        .bind(7, tasks)
        .bind(8, std::int64_t{batch.offset})
        .bind(9, stored(batch.throttle))
        .bind(10, static_cast<std::int64_t>(batch.state))
        .bind(11, stored(batch.intended))
        .bind(12, std::int64_t{batch.attempts})
        .bind(13, batch.job ? std::int64_t{batch.job->job.value()} : -1)
        .bind(14, batch.job ? stored(batch.job->submitted) : -1)
        .bind_blob(15, move)
        .bind_blob(16, placement)
        .bind(17, batch.refusal)
        .bind(18, stored(batch.missed))
        .bind(19, std::int64_t{batch.rung.place});
    return done(put_batch);
  }

  Result<void> write(const Handler& handler) {
    const std::string batches = joined(handler.batches);
    put_handler.bind(1, std::int64_t{handler.number})
        .bind(2, handler.key)
        .bind(3, batches)
        .bind(4, stored(handler.intended))
        .bind(5, handler.job ? std::int64_t{handler.job->job.value()} : -1)
        .bind(6, handler.job ? stored(handler.job->submitted) : -1)
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
        .bind(7, stored(run.max_rss_kb))
        .bind(8, stored(run.start))
        .bind(9, stored(run.end))
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
    const std::string terms = encoded(stored(event.terms));
    put_terms.bind_blob(1, terms);
    return done(put_terms);
  }

  Result<void> rows(const ChainSized& event) {
    const std::string sizing = encoded(event.sizing);
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

Result<void> Ledger::Parts::load_chain() {
  TRY(SqliteStatement row, database.prepare("SELECT * FROM chain"));
  TRY(const bool found, database.next(row));
  if (!found) return damaged(database, "it names no chain");
  chain.id = row.bytes(0);
  chain.created = Instant(Duration(row.number(1)));
  chain.array = row.number(2) != 0;
  if (row.number(3) >= 0) chain.throttle = static_cast<std::uint32_t>(row.number(3));
  chain.state = static_cast<ChainState>(row.number(4));
  chain.script_path = row.bytes(5);
  StoredLadder kept;
  if (!decode(row.bytes(6), chain.spec) || !decode(row.bytes(7), kept) || kept.levels.empty())
    return damaged(database, "what was submitted cannot be read");
  chain.ladder = ladder_of(kept);
  if (const auto sizing = row.bytes(8); !sizing.empty())
    if (!decode(sizing, chain.sizing.emplace()))
      return damaged(database, "what was learnt about sizes cannot be read");
  if (const auto terms = row.bytes(9); !terms.empty()) {
    StoredTerms agreed;
    if (!decode(terms, agreed)) return damaged(database, "the terms of the chain cannot be read");
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
      return damaged(database, fmt::format("batch {} cannot be read", batch.number));
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
        return damaged(database,
                       fmt::format("where batch {} came from cannot be read", batch.number));
      batch.move = move_of(kept);
    }
    if (const auto placement = row.bytes(15); !placement.empty())
      if (!decode(placement, batch.placement.emplace()))
        return damaged(database, fmt::format("the pool of batch {} cannot be read", batch.number));
    batch.refusal = row.bytes(16);
    batch.missed = instant(row.number(17));
    if (batch.number != chain.batches.size()) return damaged(database, "a batch is missing");
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
    if (handler.number != chain.handlers.size()) return damaged(database, "a handler is missing");
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
  if (chain.tasks.empty()) return damaged(database, "it has no task");
  const Audit sum = audit(chain);
  if (!sum.problems.empty()) return damaged(database, sum.problems.front());
  return prepare();
}

Ledger::Ledger(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Ledger::~Ledger() = default;

const Chain& Ledger::chain() const { return parts_->chain; }

Result<std::unique_ptr<Ledger>> Ledger::create(const std::string& folder, const Chain& chain) {
  std::error_code problem;
  fs::create_directories(fs::path(folder).parent_path(), problem);
  if (problem || ::mkdir(folder.c_str(), 0700) != 0)
    return failed(fmt::format("cannot make {}: {}", folder,
                              problem ? problem.message() : std::strerror(errno)));
  const auto make = [&]() -> Result<std::unique_ptr<Ledger>> {
    {
      std::ofstream script(folder + "/script", std::ios::binary);
      script << chain.spec.launch.script;
      script.close();
      if (!script) return failed(fmt::format("cannot write {}/script", folder));
      ::chmod((folder + "/script").c_str(), 0700);
    }
    auto parts = std::make_unique<Parts>();
    TRY(parts->database, SqliteDatabase::open(folder + "/ledger.db"));
    ::chmod((folder + "/ledger.db").c_str(), 0600);
    if (is_on_network(folder)) TRY_VOID(parts->database.execute("PRAGMA locking_mode=EXCLUSIVE"));
    TRY_VOID(parts->database.execute("PRAGMA synchronous=FULL; BEGIN"));
    TRY_VOID(parts->database.execute(
        fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", kApplication, kFormat)
            .c_str()));
    TRY_VOID(parts->database.execute(kTables));
    parts->chain = chain;
    TRY_VOID(parts->prepare());
    TRY(SqliteStatement row,
        parts->database.prepare("INSERT INTO chain VALUES (?,?,?,?,?,?,?,?,?,?)"));
    const std::string spec = encoded(chain.spec);
    const std::string ladder = encoded(stored(chain.ladder));
    const std::string sizing = chain.sizing ? encoded(*chain.sizing) : "";
    const std::string terms = encoded(stored(chain.terms));
    row.bind(1, chain.id)
        .bind(2, stored(chain.created))
        .bind(3, std::int64_t{chain.array})
        .bind(4, stored(chain.throttle))
        .bind(5, static_cast<std::int64_t>(chain.state))
        .bind(6, chain.script_path)
        .bind_blob(7, spec)
        .bind_blob(8, ladder)
        .bind_blob(9, sizing)
        .bind_blob(10, terms);
    TRY_VOID(parts->done(row));
    for (const Task& task : chain.tasks) TRY_VOID(parts->write(task));
    TRY_VOID(parts->database.execute("COMMIT"));
    return std::unique_ptr<Ledger>(new Ledger(std::move(parts)));
  };
  auto made = make();
  if (!made) fs::remove_all(folder, problem);
  return made;
}

Result<std::unique_ptr<Ledger>> Ledger::open(const std::string& folder) {
  const std::string path = folder + "/ledger.db";
  std::error_code problem;
  if (!fs::exists(path, problem))
    return bad_input(fmt::format("there is no chain '{}'", fs::path(folder).filename().string()),
                     "sluice list shows the chains");
  auto parts = std::make_unique<Parts>();
  parts->folder = folder;
  TRY(parts->database, SqliteDatabase::open(path));
  TRY(const std::int64_t application, parts->database.ask("PRAGMA application_id"));
  TRY(const std::int64_t format, parts->database.ask("PRAGMA user_version"));
  if (application != kApplication) return damaged(parts->database, "it is another kind of file");
  if (format > kFormat)
    return tl::unexpected<Error>(Error{
        ErrorKind::kBadInput,
        fmt::format("written by a newer sluice (format {}; this one knows {})", format, kFormat),
        path, "use that version for this chain; nothing was changed"});
  if (is_on_network(folder)) TRY_VOID(parts->database.execute("PRAGMA locking_mode=EXCLUSIVE"));
  TRY_VOID(parts->database.execute("PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL"));
  if (format < kFormat) TRY_VOID(parts->bring_up_to_date(format));
  TRY_VOID(parts->load());
  if (format < 4) {
    TRY_VOID(parts->rows(TermsChanged{parts->chain.terms}));
    for (const char* name : {"/engine", "/project", "/moves"}) fs::remove(folder + name, problem);
  }
  return std::unique_ptr<Ledger>(new Ledger(std::move(parts)));
}

Result<ChainState> Ledger::state_of(const std::string& folder) {
  TRY(SqliteDatabase database, SqliteDatabase::open(folder + "/ledger.db"));
  TRY(const std::int64_t state, database.ask("SELECT state FROM chain"));
  return static_cast<ChainState>(state);
}

Result<std::int64_t> Ledger::count_moves(const std::string& folder) {
  TRY(SqliteDatabase database, SqliteDatabase::open(folder + "/ledger.db"));
  return database.ask("SELECT count(*) FROM batch WHERE length(move) > 0");
}

Result<void> Ledger::commit(std::span<const ChainEvent> events) {
  Parts& parts = *parts_;
  if (parts.broken) return damaged(parts.database, "an earlier write failed");
  const auto write = [&]() -> Result<void> {
    TRY_VOID(parts.database.execute("BEGIN IMMEDIATE"));
    for (const ChainEvent& event : events) {
      record_in(parts.chain, event);
      TRY_VOID(std::visit([&](const auto& fact) { return parts.rows(fact); }, event));
    }
    return parts.database.execute("COMMIT");
  };
  auto written = write();
  if (!written) {
    // The chain in memory is ahead of the file: nothing may go on from it.
    parts.broken = true;
    (void)parts.database.execute("ROLLBACK");
  }
  return written;
}

Result<std::vector<TaskRun>> Ledger::runs() const {
  std::vector<TaskRun> out;
  TRY_VOID(each_run([&](const TaskRun& run) { out.push_back(run); }));
  return out;
}

Result<void> Ledger::each_run(const std::function<void(const TaskRun&)>& visit,
                              std::optional<std::uint32_t> task) const {
  TRY(SqliteStatement row,
      parts_->database.prepare(task ? "SELECT * FROM run WHERE task = ?1 ORDER BY task, batch"
                                    : "SELECT * FROM run ORDER BY task, batch"));
  if (task) row.bind(1, std::int64_t{*task});
  int code = row.step();
  for (; code == SQLITE_ROW; code = row.step()) {
    TaskRun run;
    run.index = static_cast<std::uint32_t>(row.number(0));
    run.batch = static_cast<std::uint32_t>(row.number(1));
    run.round = static_cast<std::uint32_t>(row.number(2));
    run.state = static_cast<JobState>(row.number(3));
    run.exit_code = static_cast<std::int32_t>(row.number(4));
    run.signal = static_cast<std::int32_t>(row.number(5));
    if (row.number(6) >= 0) run.max_rss_kb = row.number(6);
    run.start = instant(row.number(7));
    run.end = instant(row.number(8));
    run.node = row.bytes(9);
    run.restarts = static_cast<std::int32_t>(row.number(10));
    visit(run);
  }
  if (code != SQLITE_DONE) return parts_->database.error("read");
  return {};
}

}  // namespace sluice
