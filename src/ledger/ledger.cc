// Folds each fact into the chain as everybody does, then writes the rows that it touched.
#include "ledger/ledger.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "host/files/folders.h"
#include "ledger/ledger_parts.h"
#include "storage/sqlite.h"

namespace sluice {

using namespace ledger_columns;

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kApplication = 0x736c6c64;  // "slld"

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

}  // namespace

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
        fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", kApplication, kLedgerFormat)
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
  if (application != kApplication)
    return damaged_ledger(parts->database, "it is another kind of file");
  if (format > kLedgerFormat)
    return tl::unexpected<Error>(
        Error{ErrorKind::kBadInput,
              fmt::format("written by a newer sluice (format {}; this one knows {})", format,
                          kLedgerFormat),
              path, "use that version for this chain; nothing was changed"});
  if (is_on_network(folder)) TRY_VOID(parts->database.execute("PRAGMA locking_mode=EXCLUSIVE"));
  TRY_VOID(parts->database.execute("PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL"));
  if (format < kLedgerFormat) TRY_VOID(parts->bring_up_to_date(format));
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
  if (parts.broken) return damaged_ledger(parts.database, "an earlier write failed");
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
