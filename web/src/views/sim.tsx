// Results of `sluice sim --csv`, read in the browser: nothing is sent anywhere.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Card, Chart, Empty, type ChartLine } from "../parts";
import { count, duration, percent, plural, toneOf } from "../text";

interface SimJob { job: string; user: string; account: string; cpus: number; gpus: number; submit: number; start?: number; end?: number; state: string; limit?: number }
interface Run { name: string; jobs: SimJob[]; from: number; to: number; cpus: number; at: number[]; used: number[]; waiting: number[]; gpus: number[] }

const kSteps = 600;
const kNeeded = ["job", "user", "cpus", "submit_seconds", "start_seconds", "end_seconds"];

// RFC 4180: a field in quotes may hold commas and quotes.
function cellsOf(line: string): string[] {
  if (!line.includes('"')) return line.split(",");
  return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map((match) => match[1].startsWith('"') ? match[1].slice(1, -1).replaceAll('""', '"') : match[1]);
}

export function readRun(name: string, text: string): Run {
  const rows = text.split(/\r?\n/);
  const heads = cellsOf(rows[0] ?? "");
  const lacking = kNeeded.filter((field) => !heads.includes(field));
  if (lacking.length > 0) throw new Error(`${name} has no column ${lacking.join(", ")}; write one with: sluice sim … --csv FILE`);
  const place = (field: string) => heads.indexOf(field);
  const [job, user, account, cpus, gpus, submit, start, end, state, limit] = ["job", "user", "account", "cpus", "gpus", "submit_seconds", "start_seconds", "end_seconds", "state", "limit_seconds"].map(place);
  const number = (cell: string | undefined) => cell === undefined || cell === "" ? undefined : Number(cell);
  const jobs: SimJob[] = [];
  for (let i = 1; i < rows.length; i++) {
    if (rows[i] === "") continue;
    const cells = cellsOf(rows[i]);
    jobs.push({ job: cells[job], user: cells[user], account: cells[account] ?? "", cpus: number(cells[cpus]) ?? 0, gpus: number(cells[gpus]) ?? 0,
      submit: number(cells[submit]) ?? 0, start: number(cells[start]), end: number(cells[end]), state: cells[state] ?? "", limit: number(cells[limit]) });
  }
  if (jobs.length === 0) throw new Error(`${name} has no jobs`);
  const from = jobs.reduce((least, one) => Math.min(least, one.submit), Infinity);
  const to = Math.max(from + 1, jobs.reduce((most, one) => Math.max(most, one.end ?? one.start ?? one.submit), from));
  // What changes at each step, then summed up: one pass over the jobs, whatever the number of steps.
  const step = (at: number) => Math.min(kSteps, Math.max(0, Math.floor((at - from) / (to - from) * kSteps)));
  const changes = { used: new Array(kSteps + 2).fill(0), waiting: new Array(kSteps + 2).fill(0), gpus: new Array(kSteps + 2).fill(0) };
  for (const one of jobs) {
    const began = one.start ?? to;
    changes.waiting[step(one.submit)]++; changes.waiting[step(began)]--;
    if (one.start === undefined) continue;
    const over = one.end ?? to;
    changes.used[step(began)] += one.cpus; changes.used[step(over)] -= one.cpus;
    changes.gpus[step(began)] += one.gpus; changes.gpus[step(over)] -= one.gpus;
  }
  const summed = (of: number[]) => { let sum = 0; return of.slice(0, kSteps + 1).map((change) => (sum += change)); };
  const used = summed(changes.used);
  return { name, jobs, from, to, cpus: Math.max(1, ...used), at: used.map((_, i) => from + (to - from) * i / kSteps), used, waiting: summed(changes.waiting), gpus: summed(changes.gpus) };
}

const waitsOf = (run: Run) => run.jobs.filter((one) => one.start !== undefined).map((one) => one.start! - one.submit).sort((a, b) => a - b);
const at = (sorted: number[], part: number) => sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] : 0;
const mean = (all: number[]) => all.length ? all.reduce((sum, one) => sum + one, 0) / all.length : 0;

interface Figure { name: string; of: (run: Run) => number; show: (n: number) => string; lessIsBetter: boolean }
const kFigures: Figure[] = [
  { name: "jobs", of: (run) => run.jobs.length, show: count, lessIsBetter: false },
  { name: "ended otherwise than well", of: (run) => run.jobs.filter((one) => one.state !== "" && one.state !== "COMPLETED").length, show: count, lessIsBetter: true },
  { name: "mean wait", of: (run) => mean(waitsOf(run)), show: duration, lessIsBetter: true },
  { name: "median wait", of: (run) => at(waitsOf(run), 0.5), show: duration, lessIsBetter: true },
  { name: "95% wait at most", of: (run) => at(waitsOf(run), 0.95), show: duration, lessIsBetter: true },
  { name: "longest wait", of: (run) => at(waitsOf(run), 1), show: duration, lessIsBetter: true },
  { name: "longest queue", of: (run) => Math.max(0, ...run.waiting), show: count, lessIsBetter: true },
  { name: "last job ended after", of: (run) => run.to - run.from, show: duration, lessIsBetter: true },
  { name: "CPU hours", of: (run) => run.jobs.reduce((sum, one) => sum + (one.start !== undefined && one.end !== undefined ? one.cpus * (one.end - one.start) : 0), 0) / 3600, show: (n) => count(Math.round(n)), lessIsBetter: false },
];

function Figures({ runs }: { runs: Run[] }) {
  const rows = useMemo(() => kFigures.map((figure) => ({ figure, values: runs.map(figure.of) })), [runs]);
  return (
    <Card title={runs.length > 1 ? "Compared" : "Figures"}>
      <table><thead><tr><th></th>{runs.map((_, i) => <th key={i} class="num">{runs.length > 1 ? "AB"[i] : ""}</th>)}{runs.length > 1 && <th class="num">change</th>}</tr></thead>
        <tbody>{rows.map(({ figure, values }) => {
          const change = values.length > 1 ? values[1] - values[0] : 0;
          const tone = change === 0 || figure.name === "jobs" || figure.name === "CPU hours" ? "" : (change < 0) === figure.lessIsBetter ? "good" : "bad";
          return <tr key={figure.name}><td>{figure.name}</td>{values.map((value, i) => <td key={i} class="num">{figure.show(value)}</td>)}
            {values.length > 1 && <td class={`num ${tone}`}>{change === 0 ? "same" : values[0] ? `${change > 0 ? "+" : "−"}${percent(Math.abs(change), values[0])}` : `${change > 0 ? "+" : "−"}${figure.show(Math.abs(change))}`}</td>}</tr>;
        })}</tbody></table>
    </Card>
  );
}

function Users({ runs }: { runs: Run[] }) {
  const rows = useMemo(() => {
    const waits = runs.map((run) => {
      const out = new Map<string, number[]>();
      for (const one of run.jobs) if (one.start !== undefined) { const list = out.get(one.user) ?? []; list.push(one.start - one.submit); out.set(one.user, list); }
      return out;
    });
    return [...waits[0].entries()].map(([user, list]) => ({ user, jobs: list.length, waits: waits.map((one) => mean(one.get(user) ?? [])) })).sort((a, b) => b.jobs - a.jobs);
  }, [runs]);
  const most = Math.max(1, ...rows.slice(0, 10).flatMap((row) => row.waits));
  return (
    <Card title="Mean wait by user" side={rows.length > 10 ? <span class="dim">10 of {count(rows.length)}</span> : undefined}>
      <table class="by-user"><tbody>{rows.slice(0, 10).map((row) => <tr key={row.user}><td class="clip">{row.user}<small> {plural(row.jobs, "job")}</small></td>
        <td>{row.waits.map((wait, i) => <div key={i} class="wait-bar"><span class={`part ${i ? "other" : "run"}`} style={{ width: `${Math.max(1, 100 * wait / most)}%` }} /></div>)}</td>
        <td class="num">{row.waits.map((wait, i) => <div key={i}>{duration(wait)}</div>)}</td></tr>)}</tbody></table>
    </Card>
  );
}

// What runs and waits at one moment.
function Moment({ run, time, title }: { run: Run; time: number; title: string }) {
  const { running, waiting } = useMemo(() => {
    const running: SimJob[] = [], waiting: SimJob[] = [];
    for (const one of run.jobs) {
      if (one.submit > time) continue;
      if (one.start !== undefined && one.start <= time) { if ((one.end ?? Infinity) > time) running.push(one); }
      else waiting.push(one);
    }
    return { running, waiting };
  }, [run, time]);
  const cpus = running.reduce((sum, one) => sum + one.cpus, 0);
  const byUser = new Map<string, number>();
  for (const one of running) byUser.set(one.user, (byUser.get(one.user) ?? 0) + one.cpus);
  const users = [...byUser].sort((a, b) => b[1] - a[1]);
  const oldest = [...waiting].sort((a, b) => a.submit - b.submit).slice(0, 8);
  return (
    <Card title={title} side={<span class="dim">{plural(running.length, "job")} on {count(cpus)} CPUs, {count(waiting.length)} waiting</span>}>
      <div class="strip" role="img" aria-label={`CPUs by user: ${users.slice(0, 12).map(([user, used]) => `${user} ${used}`).join(", ")}`}>{users.slice(0, 12).map(([user, used], i) =>
        <span key={user} class={`tint tint-${i % 6}`} style={{ width: `${100 * used / run.cpus}%` }} title={`${user}: ${count(used)} CPUs`}><i>{user}</i></span>)}</div>
      {oldest.length === 0 ? <Empty>Nothing waits.</Empty> : <table><thead><tr><th>waits longest</th><th>user</th><th class="num">CPUs</th><th class="num">has waited</th><th class="num wide-only">will wait</th></tr></thead>
        <tbody>{oldest.map((one) => <tr key={one.job}><td>{one.job}</td><td class="clip">{one.user}</td><td class="num">{count(one.cpus)}</td><td class="num">{duration(time - one.submit)}</td><td class="num wide-only">{one.start === undefined ? "for ever" : duration(one.start - time)}</td></tr>)}</tbody></table>}
    </Card>
  );
}

// Every run of the time around the moment, stacked.
function Bars({ run, time, title }: { run: Run; time: number; title: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current!;
    const draw = () => {
      const wide = element.clientWidth, tall = element.clientHeight, ratio = devicePixelRatio || 1;
      element.width = wide * ratio; element.height = tall * ratio;
      const context = element.getContext("2d")!;
      context.scale(ratio, ratio);
      const style = getComputedStyle(document.documentElement);
      const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
      const span = (run.to - run.from) / 8, from = time - span / 2;
      const shown = run.jobs.filter((one) => one.start !== undefined && one.start < from + span && (one.end ?? run.to) > from).sort((a, b) => a.start! - b.start!);
      const ends: number[] = [];
      const rows = shown.map((one) => {
        let row = ends.findIndex((end) => end <= one.start!);
        if (row < 0) row = ends.length;
        ends[row] = one.end ?? run.to;
        return row;
      });
      const high = Math.max(2, Math.min(14, tall / Math.max(1, ends.length)));
      shown.forEach((one, i) => {
        const x = (one.start! - from) / span * wide, y = rows[i] * high;
        context.fillStyle = colour(one.state === "" || one.state === "COMPLETED" ? (one.end !== undefined && one.end <= time ? "good" : "run") : toneOf(one.state));
        context.fillRect(x, y, Math.max(1, ((one.end ?? run.to) - one.start!) / span * wide), Math.max(1, high - 1));
      });
      context.fillStyle = colour("bad");
      context.fillRect(wide / 2, 0, 1.5, tall);
    };
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(element);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", draw);
    return () => { observer.disconnect(); scheme.removeEventListener("change", draw); };
  }, [run, time]);
  return <Card title={title} wide><canvas class="bars" ref={canvas} role="img" aria-label="Runs around this moment, each a bar" /></Card>;
}

const kKept: { runs: Run[] } = { runs: [] };

export function Simulation() {
  const [runs, setRuns] = useState<Run[]>(kKept.runs);
  const [part, setPart] = useState(0.5);
  const [playing, setPlaying] = useState(false);
  const [problem, setProblem] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const take = async (files: FileList | null | undefined) => {
    if (!files || files.length === 0) return;
    try {
      const read = await Promise.all([...files].slice(0, 2).map(async (file) => readRun(file.name, await file.text())));
      const next = read.length > 1 ? read : runs.length === 1 ? [runs[0], read[0]] : [read[0]];
      kKept.runs = next; setRuns(next); setProblem("");
    } catch (error) { setProblem((error as Error).message); }
  };
  useEffect(() => {
    if (!playing) return;
    const timer = window.setInterval(() => setPart((now) => { if (now >= 1) { setPlaying(false); return 1; } return Math.min(1, now + 0.004); }), 60);
    return () => window.clearInterval(timer);
  }, [playing]);
  const longest = runs.length ? Math.max(...runs.map((run) => run.to - run.from)) : 0;
  const since = part * longest;
  const lines = useMemo(() => {
    const of = (field: "used" | "waiting", first: string, second: string): ChartLine[] => runs.map((run, i) => ({
      name: runs.length > 1 ? "AB"[i] : first, colour: i ? "other" : runs.length > 1 ? "run" : second, points: run.at.map((time, k) => [time - run.from, run[field][k]] as [number, number]) }));
    return { used: of("used", "CPUs in use", "run"), waiting: of("waiting", "waiting", "wait") };
  }, [runs]);
  const drop = (event: DragEvent) => { event.preventDefault(); take(event.dataTransfer?.files); };
  return (
    <div class="page" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <div class="toolbar">
        <button onClick={() => input.current?.click()}>{runs.length === 1 ? "Load another to compare" : "Load a result"}</button>
        <input ref={input} type="file" accept=".csv,text/csv" multiple hidden aria-label="Results of sluice sim --csv" onChange={(event) => { const box = event.currentTarget as HTMLInputElement; take(box.files).then(() => { box.value = ""; }); }} />
        {runs.map((run, i) => <span key={i} class="totals"><i class={`swatch ${i ? "other" : "run"}`} />{runs.length > 1 && <b>{"AB"[i]} </b>}{run.name} · {plural(run.jobs.length, "job")}</span>)}
        {runs.length > 0 && <button onClick={() => { kKept.runs = []; setRuns([]); setPlaying(false); }}>Clear</button>}
      </div>
      {problem && <p class="problem" role="alert">{problem}</p>}
      {runs.length === 0 ? <Card title="Simulation">
        <p>See a rehearsal move: every job of a simulated workload, at any moment, and two policies side by side. The file stays in this browser.</p>
        <ol class="how"><li><code class="command">sluice sim --policy policy.yaml --generate jobs=10000,load=0.9 --csv before.csv</code></li>
          <li><code class="command">sluice sim --policy new.yaml --generate jobs=10000,load=0.9 --csv after.csv</code></li>
          <li>Load the one or both, with the button or by dropping them here.</li></ol></Card> : <>
        <div class="scrub card"><button onClick={() => { if (part >= 1) setPart(0); setPlaying(!playing); }} aria-label={playing ? "Pause" : "Play"}>{playing ? "❚❚" : "▶"}</button>
          <input type="range" min="0" max="1" step="0.001" value={part} aria-label="Time" aria-valuetext={`${duration(since)} after the first submission`} onInput={(event) => { setPlaying(false); setPart(Number((event.currentTarget as HTMLInputElement).value)); }} />
          <b class="num">{duration(since)}</b><span class="dim wide-only">of {duration(longest)}</span></div>
        <div class="columns">
          <Card title="CPUs in use"><Chart lines={lines.used} height={170} label="CPUs in use over the simulated time" relative mark={since} /></Card>
          <Card title="Waiting"><Chart lines={lines.waiting} height={170} label="Waiting jobs over the simulated time" relative mark={since} /></Card>
          {runs.map((run, i) => <Moment key={i} run={run} time={run.from + since} title={runs.length > 1 ? `Now in ${"AB"[i]}` : "At this moment"} />)}
          {runs.length === 1 && <Figures runs={runs} />}
          {runs.map((run, i) => <Bars key={`bars ${i}`} run={run} time={run.from + since} title={runs.length > 1 ? `Runs around it in ${"AB"[i]}` : "Runs around it"} />)}
          {runs.length > 1 && <Figures runs={runs} />}
          <Users runs={runs} />
        </div></>}
    </div>
  );
}
