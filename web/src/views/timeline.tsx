import { useState } from "preact/hooks";
import { get, getLines, kQueueFields, type HistoryLine, type QueueLine } from "../api";
import { Card, Chart, Empty, Problem, type ChartLine } from "../parts";
import type { Series } from "./overview";
import { clockNow, useData, useNow } from "../live";
import { clock, count, duration, expandHosts, toneOf, type Tone } from "../text";

interface Span { id: string; name: string; user: string; nodes: string; state: string; from: number; to: number; limit?: number; tone: Tone; row: number }

// Bars that overlap lie below each other.
function stack(spans: Span[]): number {
  const free: number[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    let row = free.findIndex((end) => end <= span.from);
    if (row < 0) row = free.length;
    free[row] = Math.max(span.to, span.limit ?? 0);
    span.row = row;
  }
  return free.length;
}

// Round times at which the axis is marked, six at most.
function ticksOf(from: number, to: number): number[] {
  const step = [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200].find((one) => (to - from) / one <= 6) ?? 86400;
  const shift = new Date(from * 1000).getTimezoneOffset() * 60;
  const out: number[] = [];
  for (let at = Math.ceil((from - shift) / step) * step + shift; at < to - (to - from) * 0.04; at += step) out.push(at);
  return out;
}

const kWindows: [string, number][] = [["10 min", 600], ["1 h", 3600], ["6 h", 21600], ["24 h", 86400]];
const kMostRows = 24;
const kTall = 16;
// Many bars are thin, and have no names.
const kThin = 8;

function Lane({ name, spans, from, to, now }: { name: string; spans: Span[]; from: number; to: number; now: number }) {
  const rows = stack(spans);
  const shown = Math.min(rows, kMostRows);
  const tall = rows > 6 ? kThin : kTall;
  const x = (at: number) => 100 * (Math.min(to, Math.max(from, at)) - from) / (to - from);
  return (
    <div class="lane">
      <div class="lane-name clip" title={name}>{name}{rows > shown && <small>and {count(rows - shown)} more rows</small>}</div>
      <div class="lane-bars" style={{ height: `${shown * tall + 6}px` }}>
        <span class="now" style={{ left: `${x(now)}%` }} />
        {spans.filter((span) => span.row < kMostRows).map((span) => {
          const words = `${span.id} ${span.name} of ${span.user}: ${span.state.toLowerCase()}, ${clock(span.from, now)} for ${duration(span.to - span.from)}`;
          return (
            <a key={span.id + span.from} href={`#/job/${span.id}`} class={`span ${span.tone}`} title={words} aria-label={words}
              style={{ left: `${x(span.from)}%`, width: `max(3px, ${x(span.to) - x(span.from)}%)`, top: `${3 + span.row * tall}px`, height: `${tall - 2}px` }}>
              {tall === kTall && <span>{span.name}</span>}</a>
          );
        })}
      </div>
    </div>
  );
}

const kColours = ["run", "good", "other", "wait", "bad", "off"];

// Thousandths over time, the largest lines first.
function Shares({ title, of, label }: { title: string; of: string; label: string }) {
  const series = useData(`series ${of}`, () => get<Series>(`/api/series?of=${of}`), 10000);
  const all = Object.entries(series.value?.lines ?? {}).filter(([name]) => name !== `${of} root`)
    .map(([name, points]) => ({ name: name.slice(of.length + 1), points, last: points.at(-1)?.[1] ?? 0 })).sort((a, b) => b.last - a.last || a.name.localeCompare(b.name));
  const lines: ChartLine[] = all.slice(0, kColours.length).map((one, i) => ({ name: one.name, points: one.points, colour: kColours[i], plain: true }));
  return (
    <Card title={title} side={all.length > lines.length ? <span class="dim">{lines.length} of {count(all.length)}</span> : undefined}>
      {lines.some((line) => line.points.length > 1) ? <Chart lines={lines} height={190} label={label} most={1000} show={of === "share" ? (n) => `${Math.round(n / 10)}%` : (n) => (n / 1000).toFixed(2)} /> :
        <Empty>Recorded once a minute while this page is served; the first points come in a moment.</Empty>}
    </Card>
  );
}

export function Timeline({ engine }: { engine: string }) {
  const now = useNow(2000);
  const [by, setBy] = useState<"nodes" | "user">("nodes");
  const [chosen, setSpan] = useState<number>();
  const [since] = useState(() => Math.floor(clockNow()));
  // Without a choice, as long as something was seen: a morning in an hour's window is a dot.
  const [first, setFirst] = useState<number>();
  const span = chosen ?? (first === undefined ? 3600 : Math.min(86400, Math.max(120, Math.ceil((now - first) * 1.2 / 60) * 60)));
  const ended = useData(`timeline ${chosen ?? 0}`, async () => engine === "embedded" ? getLines<HistoryLine>(
    `/api/v1/history?format=tsv&limit=1500&since=${since - (chosen ?? 86400)}&fields=id,job,name,user,state,exit_code,exit_signal,started,ended,elapsed,nodes`) : [], 2000);
  const queue = useData("running", () => getLines<QueueLine>(`/api/v1/queue?format=tsv&arrays=records&state=running,suspended&limit=1500&fields=${kQueueFields}`), 2000);
  const starts = [...(ended.value ?? []), ...(queue.value ?? [])].map((line) => line.started ?? Infinity).filter((at) => at > now - 86400);
  const earliest = starts.length > 0 ? Math.min(...starts) : undefined;
  if (chosen === undefined && earliest !== undefined && isFinite(earliest) && (first === undefined || earliest < first)) setFirst(earliest);
  const from = now - span * 0.9, to = now + span * 0.1;
  const spans: Span[] = [];
  for (const line of ended.value ?? [])
    if (line.started !== undefined && line.ended > from) spans.push({ ...line, from: line.started, to: line.ended, tone: toneOf(line.state), row: 0 });
  for (const line of queue.value ?? [])
    if (line.started !== undefined) spans.push({ ...line, limit: undefined, from: line.started, to: now, tone: "run", row: 0 });
  const lanes = new Map<string, Span[]>();
  for (const one of spans)
    for (const lane of by === "user" ? [one.user] : expandHosts(one.nodes)) lanes.set(lane, [...(lanes.get(lane) ?? []), { ...one }]);
  const names = [...lanes.keys()].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
  const ticks = ticksOf(from, to);
  const withSeconds = to - from < 300;
  return (
    <div class="page">
      <div class="toolbar">
        <span class="tabs" role="group" aria-label="Lanes">{(["nodes", "user"] as const).map((one) => <button key={one} aria-pressed={by === one} onClick={() => setBy(one)}>by {one === "nodes" ? "node" : "user"}</button>)}</span>
        <span class="tabs" role="group" aria-label="Time"><button aria-pressed={chosen === undefined} onClick={() => setSpan(undefined)}>all</button>{kWindows.map(([name, seconds]) => <button key={name} aria-pressed={chosen === seconds} onClick={() => setSpan(seconds)}>{name}</button>)}</span>
        <span class="totals">{count(spans.length)} runs{(ended.value?.length ?? 0) >= 1500 ? " (the latest 1,500 ended ones)" : ""}</span>
      </div>
      {ended.error && <Problem error={ended.error} />}
      <Card title="Runs" wide>
        {names.length === 0 ? <Empty>Nothing ran in this time.</Empty> : <div class="gantt">
          <div class="lane ticks" aria-hidden="true"><div class="lane-name" /><div class="lane-bars">{ticks.map((at) => <span key={at} class="tick" style={{ left: `${100 * (at - from) / (to - from)}%` }}>{new Date(at * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: withSeconds ? "2-digit" : undefined, hour12: false })}</span>)}</div></div>
          {names.slice(0, 60).map((name) => <Lane key={name} name={name} spans={lanes.get(name)!} from={from} to={to} now={now} />)}
        </div>}
        {names.length > 60 && <Empty>The first 60 of {count(names.length)} lanes.</Empty>}
      </Card>
      {engine === "embedded" && <div class="columns">
        <Shares title="Shares over time" of="share" label="each account's part of the recent use, over time" />
        <Shares title="Fairshare over time" of="fairshare" label="each user's fairshare factor over time" /></div>}
    </div>
  );
}
