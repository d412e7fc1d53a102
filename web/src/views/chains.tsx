import { get, getText, type Chain, type Round } from "../api";
import { Bar, Card, Command, Empty, Problem, State, type Part } from "../parts";
import { useData } from "../live";
import { count, duration, percent, plural, terminalText } from "../text";

const progress = (chain: Chain): Part[] => [
  { value: chain.completed, tone: "good", label: `${count(chain.completed)} completed` },
  { value: chain.running, tone: "run", label: `${count(chain.running)} running` },
  { value: chain.waiting, tone: "wait", label: `${count(chain.waiting)} waiting` },
  { value: chain.given_up, tone: "bad", label: `${count(chain.given_up)} given up` },
];

const kOutcomes: [keyof Round, Part["tone"], string][] = [
  ["done", "good", "completed"], ["running", "run", "running"], ["waiting", "wait", "waiting"], ["out_of_memory", "bad", "out of memory"],
  ["timeout", "bad", "out of time"], ["interrupted", "other", "interrupted"], ["failed", "bad", "failed"], ["cancelled", "off", "cancelled"],
];

const kCauses: [keyof Round, string][] = [["out_of_memory", "out of memory"], ["timeout", "out of time"], ["interrupted", "interrupted"]];
const asked = (row: Round) => [row.memory, row.time && row.time.replace(/^00:/, ""), row.with, row.partitions].filter(Boolean).join(" · ") || "as submitted";
const kMostArrays = 5;

// The arrays of one round that asked for the same are one line: which tasks it had, and how they ended.
function Asked({ rows }: { rows: Round[] }) {
  const counts = kOutcomes.map(([field, tone, name]) => ({ value: rows.reduce((n, row) => n + (row[field] as number), 0), tone, name })).filter((one) => one.value > 0);
  const lists = rows.map((row) => row.task_list).filter(Boolean).join(",");
  const jobs = [...new Set(rows.map((row) => row.job))].filter((job) => job !== undefined);
  return (
    <div class="asked">
      <p class="asks">{asked(rows[0])}</p>
      <Bar parts={counts.map((one) => ({ value: one.value, tone: one.tone, label: `${count(one.value)} ${one.name}` }))} whole={rows.reduce((n, row) => n + row.tasks, 0)} />
      <ul class="counts">{counts.map((one) => <li key={one.name}><i class={one.tone} />{count(one.value)} {one.name}</li>)}</ul>
      {lists && <p class="tasks" title={lists}><small>tasks {lists.length > 60 ? lists.slice(0, lists.lastIndexOf(",", 60)) + ", …" : lists.replaceAll(",", ", ")}</small></p>}
      <p class="dim">{jobs.slice(0, 4).map((job) => <a key={job} href={`#/job/${job}`}>{job} </a>)}{jobs.length > 4 && `and ${count(jobs.length - 4)} more `}{rows.some((row) => row.pool) && [...new Set(rows.map((row) => row.pool))].join(", ")}</p>
    </div>
  );
}

function Flow({ chain }: { chain: Chain }) {
  const rounds = [...new Set(chain.rounds.map((row) => row.round))].sort((a, b) => a - b);
  const of = (round: number) => chain.rounds.filter((row) => row.round === round && row.status !== "WITHDRAWN");
  const total = (rows: Round[], field: keyof Round) => rows.reduce((n, row) => n + (row[field] as number), 0);
  return (
    <ol class="flow">{rounds.map((round, i) => {
      const rows = of(round);
      const groups = new Map<string, Round[]>();
      for (const row of rows) groups.set(asked(row), [...(groups.get(asked(row)) ?? []), row]);
      const next = rounds[i + 1];
      const climbed = next === undefined ? 0 : total(of(next).filter((row) => !row.moved_from), "tasks");
      const causes = kCauses.map(([field, name]) => ({ name, value: total(rows, field) })).filter((one) => one.value > 0);
      return (
        <li key={round}>
          <div class="round">
            <h3>Round {round} <small>{plural(total(rows, "tasks"), "task")}</small></h3>
            {[...groups.values()].slice(0, kMostArrays).map((same) => <Asked key={asked(same[0])} rows={same} />)}
            {groups.size > kMostArrays && <p class="dim">and {count(groups.size - kMostArrays)} more levels</p>}
          </div>
          {next !== undefined && <div class="climb"><b>{count(climbed)}</b><span>tried again</span><i class="arrow" aria-hidden="true" />{causes.length > 0 && <small>{causes.map((one) => one.name).join(", ")}</small>}</div>}
        </li>
      );
    })}</ol>
  );
}

interface Said { task: number; path: string; last: string }

// As `sluice logs CHAIN --failed` prints it: a title, then what the task wrote.
function lastLines(text: string): Map<number, Said> {
  const out = new Map<number, Said>();
  for (const part of text.split(/^(?===> task \d+: )/m)) {
    const match = /^==> task (\d+): (.*) <==\n([^]*)$/.exec(part);
    if (match) out.set(Number(match[1]), { task: Number(match[1]), path: match[2], last: terminalText(match[3]).trimEnd().split("\n").slice(-8).join("\n") });
  }
  return out;
}

function Failures({ chain }: { chain: Chain }) {
  const said = useData(`failures ${chain.id} ${chain.given_up}`, async () => lastLines(await (await getText(`/api/chains/${chain.id}/failures`)).text()), 10000);
  const groups = new Map<string, typeof chain.failed_tasks>();
  for (const task of chain.failed_tasks) {
    const cause = `${task.state.toLowerCase().replaceAll("_", " ")}, exit ${task.exit_code}${task.signal ? `, signal ${task.signal}` : ""}: ${task.why}`;
    groups.set(cause, [...(groups.get(cause) ?? []), task]);
  }
  return (
    <Card title="Given up" wide>
      {[...groups].map(([cause, tasks]) => {
        const shown = tasks.map((task) => said.value?.get(task.task)).find((one) => one !== undefined && one.last !== "");
        return (
          <div class="cause" key={cause}>
            <h3><span class="state bad">{plural(tasks.length, "task")}</span> {cause}</h3>
            <p class="dim">{tasks.slice(0, 30).map((task) => task.task).join(", ")}{tasks.length > 30 ? `, and ${count(tasks.length - 30)} more` : ""}{tasks[0].node ? ` · on ${[...new Set(tasks.map((task) => task.node))].slice(0, 5).join(", ")}` : ""}</p>
            {shown && <><p class="dim break">The last lines of task {shown.task}: {shown.path}</p><pre class="log short" tabIndex={0} aria-label={`Last lines of task ${shown.task}`}>{shown.last}</pre></>}
          </div>
        );
      })}
      <p class="dim">Once the cause is mended: <Command text={`sluice rerun ${chain.id} --failed`} /></p>
    </Card>
  );
}

function Detail({ chain }: { chain: Chain }) {
  const { waste } = chain;
  return (
    <>
      <div class="title"><h1>{chain.name} <span class="dim">{chain.id}</span></h1><State state={chain.state} /></div>
      <div class="columns">
        <Card title="Progress" wide side={<b class="num">{percent(chain.completed, chain.tasks)}</b>}>
          <Bar parts={progress(chain)} whole={chain.tasks} />
          <ul class="counts big">{progress(chain).filter((part) => part.value > 0).map((part) => <li key={part.label}><i class={part.tone} />{part.label}</li>)}<li>of {plural(chain.tasks, "task")}</li></ul>
          {chain.tasks_per_hour !== undefined && <p class="pace"><b>{count(chain.tasks_per_hour)}</b> tasks an hour so far, about <b>{duration(chain.left_s)}</b> left</p>}
        </Card>
        <Card title="Rounds" wide><Flow chain={chain} /></Card>
        {chain.failed_tasks.length > 0 && <Failures chain={chain} />}
        <Card title="Waste" wide>
          {waste.runs === 0 ? <Empty>No run has ended yet.</Empty> : <dl class="facts">
            <div><dt>runs</dt><dd>{count(waste.runs)}, {count(waste.retries)} of them again</dd></div>
            {waste.time_asked_s > 0 && <div><dt>time</dt><dd>{duration(waste.time_used_s)} used of {duration(waste.time_asked_s)} asked ({percent(waste.time_used_s, waste.time_asked_s)})</dd></div>}
            <div><dt>lost</dt><dd>{duration(waste.time_lost_s)} in runs that did not complete</dd></div>
            {waste.memory_asked_mb_s > 0 && <div><dt>memory</dt><dd>{percent(waste.memory_used_mb_s, waste.memory_asked_mb_s)} of what was asked for was used</dd></div>}
          </dl>}
        </Card>
      </div>
    </>
  );
}

export function Chains({ id }: { id: string }) {
  const loaded = useData("chains", () => get<{ chains: Chain[] }>("/api/chains"), 1500);
  const chains = [...(loaded.value?.chains ?? [])].reverse();
  const chosen = id ? chains.find((chain) => chain.id === id) : chains.length === 1 ? chains[0] : undefined;
  return (
    <div class="page">
      {loaded.error && <Problem error={loaded.error} />}
      {loaded.value && chains.length === 0 && <Card title="Chains"><Empty>No chains yet. Start one: <Command text="sluice submit --chain --array=0-9 job.sh" /></Empty></Card>}
      {id && loaded.value && !chosen && <Empty>There is no chain {id}.</Empty>}
      {chosen && id && <p class="back"><a href="#/chains">← all chains</a></p>}
      {chosen ? <Detail chain={chosen} /> : <div class="grid">{chains.slice(0, 100).map((chain) =>
        <a class="card chain" href={`#/chains/${chain.id}`} key={chain.id}>
          <header><h2>{chain.name || chain.id} <small>{chain.name ? chain.id : ""}</small></h2><State state={chain.state} /></header>
          <Bar parts={progress(chain)} whole={chain.tasks || 1} />
          <p>{count(chain.completed)} of {plural(chain.tasks, "task")} completed{chain.given_up > 0 && <b class="bad"> · {count(chain.given_up)} given up</b>}</p>
          {chain.left_s !== undefined && <p class="dim">{count(chain.tasks_per_hour ?? 0)} tasks an hour, about {duration(chain.left_s)} left</p>}
          <p class="dim">{chain.created ? `since ${chain.created.replace("T", " ").slice(0, 16)} · ` : ""}{plural(new Set(chain.rounds?.map((row) => row.round)).size, "round")}</p>
        </a>)}</div>}
      {!chosen && chains.length > 100 && <Empty>The newest 100 of {count(chains.length)}; all of them: <code>sluice list</code></Empty>}
    </div>
  );
}
