import { get, getLines, type Chain, type HistoryLine, type NodeLine, type PoolsPage, type QueueLine, type ShareLine } from "../api";
import { Bar, Card, Chart, Empty, Meter, Problem, State, type ChartLine } from "../parts";
import { useData, useLive, useNow } from "../live";
import { clock, count, duration, memory, plural } from "../text";

export interface Series { lines: Record<string, [number, number][]> }

interface Ended { line: HistoryLine; tasks: number }

// The tasks of an array that ended alike are one line, the latest first.
function grouped(history: HistoryLine[]): Ended[] {
  const out = new Map<string, Ended>();
  for (const line of [...history].sort((a, b) => b.ended - a.ended)) {
    const key = `${line.array ?? line.id} ${line.state}`;
    const found = out.get(key);
    if (found) found.tasks++; else out.set(key, { line, tasks: 1 });
  }
  return [...out.values()];
}

interface Wrong { what: string; why: string; href: string; bad: boolean }

function wrongNow(nodes: NodeLine[], chains: Chain[], pools: PoolsPage | undefined, history: HistoryLine[], now: number, lost: string): Wrong[] {
  const out: Wrong[] = [];
  if (lost) out.push({ what: "The cluster does not answer", why: lost, href: "#/", bad: true });
  if (pools?.behind) out.push({ what: "What is shown is old", why: pools.behind, href: "#/pools", bad: true });
  for (const node of nodes)
    if (/down|drain|fail|unknown/i.test(node.state)) out.push({ what: `${node.name} is ${node.state}`, why: node.why, href: "#/", bad: true });
  for (const chain of chains)
    if (chain.given_up > 0 && (chain.state === "active" || now - Date.parse(chain.created) / 1000 < 2 * 86400)) out.push({ what: `${chain.name}: ${plural(chain.given_up, "task")} given up`, why: chain.id, href: `#/chains/${chain.id}`, bad: true });
    else if (chain.state === "damaged") out.push({ what: `Chain ${chain.id} cannot be read`, why: "", href: "#/chains", bad: true });
  const failed = history.filter((line) => line.ended > now - 3600 && !/COMPLETED|CANCELLED|PREEMPTED/.test(line.state));
  if (failed.length > 0) out.push({ what: `${plural(failed.length, "job")} failed in the last hour`, why: [...new Set(failed.map((line) => line.name))].slice(0, 4).join(", "), href: "#/timeline", bad: true });
  const full = pools?.pools.filter((pool) => !pool.left_out && pool.now === 0) ?? [];
  if (pools && full.length > 0 && full.length === pools.pools.filter((pool) => !pool.left_out).length)
    out.push({ what: "Every pool is full", why: full[0].bound_by?.text ?? "", href: "#/pools", bad: false });
  return out;
}

export function Overview({ engine }: { engine: string }) {
  const now = useNow();
  const state = useLive();
  const embedded = engine === "embedded";
  const nodes = useData("nodes", () => getLines<NodeLine>("/api/v1/nodes"));
  const chains = useData("chains", () => get<{ chains: Chain[] }>("/api/chains"), 3000);
  const pools = useData("pools", () => get<PoolsPage>("/api/pools"), 3000);
  const history = useData("lately", async () => embedded ? getLines<HistoryLine>("/api/v1/history?limit=200&fields=id,job,array,name,user,state,exit_code,exit_signal,started,ended,elapsed,nodes") : []);
  // A Slurm cluster's queue is counted here: its commands tell no sums.
  const queue = useData("counts", async () => embedded ? [] : getLines<QueueLine>("/api/v1/queue"), 3000);
  const shares = useData("shares", async () => embedded ? getLines<ShareLine>("/api/v1/shares") : []);
  const series = useData("series", () => get<Series>("/api/series"), 5000);
  const lines = nodes.value ?? [];
  const sum = (field: keyof NodeLine) => lines.reduce((n, node) => n + (node[field] as number), 0);
  const wrong = wrongNow(lines, chains.value?.chains ?? [], pools.value, history.value ?? [], now, state.lost);
  const up = lines.filter((node) => !/down|drain/i.test(node.state)).length;
  const chart: ChartLine[] = [
    { name: "running", points: series.value?.lines.running ?? [], colour: "run" },
    { name: "waiting", points: series.value?.lines.waiting ?? [], colour: "wait" },
  ];
  // In parts of what there is: four GPUs beside 300 CPUs would be a line on the ground.
  const part = (name: string, colour: string, line: string, whole: number): ChartLine =>
    ({ name, colour, plain: true, points: whole > 0 ? (series.value?.lines[line] ?? []).map(([at, used]) => [at, 100 * used / whole]) : [] });
  const chart2 = [part("CPUs", "run", "cpus", sum("cpus")), part("memory", "other", "memory_mb", sum("memory_mb"))];
  if (sum("gpus") > 0) chart2.push(part("GPUs", "good", "gpus", sum("gpus")));
  const lately = grouped(history.value ?? []).slice(0, 8);
  // Array tasks are counted one by one, as the account tree counts them.
  const all = shares.value?.find((line) => line.depth === 0 && line.user === "");
  const seen = (field: "running" | "waiting") => (queue.value ?? []).reduce((n, line) => n + line[field], 0);
  const running = embedded ? all?.running ?? state.daemon?.running ?? 0 : seen("running");
  const waiting = embedded ? (all ? all.submitted - all.running : state.daemon?.waiting ?? 0) : seen("waiting");
  return (
    <div class="page">
      <div class="tiles">
        <a class="tile" href="#/queue?state:running"><b class="run">{count(running)}</b><span>running</span></a>
        <a class="tile" href="#/queue?state:pending"><b class="wait">{count(waiting)}</b><span>waiting</span></a>
        <div class="tile"><b>{up}<small> of {lines.length}</small></b><span>{lines.length === 1 ? "node up" : "nodes up"}</span></div>
        <div class="tile grow"><Meter name="CPUs" used={sum("cpus") - sum("cpus_free")} whole={sum("cpus")} show={count} /></div>
        <div class="tile grow"><Meter name="Memory" used={sum("memory_mb") - sum("memory_free_mb")} whole={sum("memory_mb")} show={memory} /></div>
        {sum("gpus") > 0 && <div class="tile grow"><Meter name="GPUs" used={sum("gpus") - sum("gpus_free")} whole={sum("gpus")} show={count} /></div>}
      </div>
      {nodes.error && <Problem error={nodes.error} />}
      <div class="columns">
        <Card title="What is wrong right now" wide>
          {wrong.length === 0 ? <p class="fine">Nothing.</p> :
            <ul class="wrong">{wrong.map((one) => <li key={one.what} class={one.bad ? "bad" : "wait"}><a href={one.href}>{one.what}</a><small>{one.why}</small></li>)}</ul>}
        </Card>
        {embedded && <Card title="Jobs over time">{(chart[0].points.length > 1) ? <Chart lines={chart} height={190} label="running and waiting jobs over time" /> : <Empty>Recorded while this page is served; the first points come in a moment.</Empty>}</Card>}
        {<Card title="In use">{(chart2[0].points.length > 1) ? <Chart lines={chart2} height={190} label="the part of all CPUs, memory and GPUs in use over time" most={100} show={(n) => `${Math.round(n)}%`} /> : <Empty>Recorded while this page is served; the first points come in a moment.</Empty>}</Card>}
        {embedded && <Card title="Ended lately" wide>
          {lately.length === 0 ? <Empty>No job has ended yet.</Empty> :
            <table><thead><tr><th>job</th><th>name</th><th>state</th><th class="num">ran</th><th class="num wide-only">at</th></tr></thead><tbody>
              {lately.map(({ line, tasks }) => <tr key={line.id + line.ended}><td><a href={`#/job/${line.id}`}>{tasks > 1 ? `${line.array}` : line.id}</a></td><td class="clip">{line.name}{tasks > 1 && <small> {count(tasks)} tasks</small>}</td>
                <td><State state={line.state} /></td><td class="num">{line.started ? duration(line.elapsed) : ""}</td><td class="num wide-only">{clock(line.ended, now)}</td></tr>)}
            </tbody></table>}
        </Card>}
        <Card title="Nodes" wide>
          <table class="nodes"><thead><tr><th>node</th><th>state</th><th class="num">jobs</th><th>CPUs</th><th>memory</th>{sum("gpus") > 0 && <th>GPUs</th>}<th class="wide-only">partitions</th></tr></thead>
            <tbody>{lines.slice(0, 200).map((node) => <tr key={node.name}>
              <td>{node.name}</td><td><span class={`state ${/down|drain/i.test(node.state) ? "bad" : node.state === "idle" ? "off" : "run"}`}>{node.state}</span></td><td class="num">{node.jobs}</td>
              <td><Bar parts={[{ value: node.cpus - node.cpus_free, tone: "run", label: `${node.cpus - node.cpus_free} of ${node.cpus} CPUs` }]} whole={node.cpus} /></td>
              <td><Bar parts={[{ value: node.memory_mb - node.memory_free_mb, tone: "run", label: `${memory(node.memory_mb - node.memory_free_mb)} of ${memory(node.memory_mb)}` }]} whole={node.memory_mb} /></td>
              {sum("gpus") > 0 && <td><Bar parts={[{ value: node.gpus - node.gpus_free, tone: "good", label: `${node.gpus - node.gpus_free} of ${node.gpus} GPUs` }]} whole={node.gpus} /></td>}
              <td class="wide-only">{node.partitions}</td></tr>)}</tbody></table>
          {lines.length > 200 && <Empty>The first 200 of {count(lines.length)} nodes; all of them: <code>sluice nodes</code></Empty>}
        </Card>
      </div>
    </div>
  );
}
