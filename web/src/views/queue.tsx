import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { getLines, queuePath, type QueueLine } from "../api";
import { Bar, Empty, Problem, State } from "../parts";
import { useData, useNow } from "../live";
import { VirtualRows } from "../virtual";
import { clock, count, duration, memory, plural, ranFor } from "../text";

const kColumns: [keyof QueueLine, string, boolean][] = [
  ["job", "job", false], ["name", "name", false], ["user", "user", false], ["account", "account", false], ["state", "state", false],
  ["started", "time", true], ["limit", "limit", true], ["cpus", "CPUs", true], ["memory_mb", "memory", true], ["gpus", "GPUs", true], ["reason", "where or why", false],
];

const searchText = new WeakMap<QueueLine, string>();
function textOf(line: QueueLine): string {
  let text = searchText.get(line);
  if (text === undefined) {
    text = `${line.id} ${line.name} ${line.user} ${line.account} ${line.partition} ${line.qos} ${line.state} ${line.reason} ${line.nodes}`.toLowerCase();
    searchText.set(line, text);
  }
  return text;
}

// Words are looked for everywhere, "user:ann" in one field. All of them must be there.
export function filtered(lines: QueueLine[], filter: string): QueueLine[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
    const match = /^(id|name|user|account|partition|qos|state|reason|nodes):(.*)$/.exec(word);
    return match ? { field: match[1] as keyof QueueLine, text: match[2] } : { field: undefined, text: word };
  });
  if (words.length === 0) return lines;
  return lines.filter((line) => words.every(({ field, text }) => {
    if (field === "state" && line.tasks > 1)
      return ("running".startsWith(text) && line.running > 0) || ("pending".startsWith(text) && line.waiting > 0);
    return field ? String(line[field] ?? "").toLowerCase().includes(text) : textOf(line).includes(text);
  }));
}

function sorted(lines: QueueLine[], by: keyof QueueLine | "", down: boolean): QueueLine[] {
  if (by === "") return lines;
  const sign = down ? -1 : 1;
  return [...lines].sort((a, b) => {
    const x = a[by], y = b[by];
    if (typeof x === "number" || typeof y === "number") return sign * (((x as number) ?? Infinity) - ((y as number) ?? Infinity));
    return sign * String(x ?? "").localeCompare(String(y ?? ""));
  });
}

export function why(line: QueueLine, reasons: Record<string, string>, now: number): string {
  if (line.waiting === 0 && line.nodes) return line.nodes;
  if (!line.reason) return line.nodes;
  const words = line.reason === "Dependency" && line.detail ? `waits for ${line.detail}` : line.detail || reasons[line.reason] || line.reason;
  return line.expected && line.expected > now ? `${words}; expected ${clock(line.expected, now)}` : words;
}

function Cells({ line, reasons, now }: { line: QueueLine; reasons: Record<string, string>; now: number }) {
  const many = line.tasks > 1;
  return (
    <>
      <span class="id">{line.id}</span>
      <span class="clip">{line.name}</span>
      <span class="clip">{line.user}</span>
      <span class="clip wide-only">{line.account}</span>
      <span class={many ? "cell-state many" : "cell-state"}>{many ? <><Bar parts={[
        { value: line.done, tone: "good", label: `${count(line.done)} done` },
        { value: line.running, tone: "run", label: `${count(line.running)} running` },
        { value: line.waiting, tone: "wait", label: `${count(line.waiting)} waiting` }]} whole={line.tasks} label={plural(line.tasks, "task")} /><small>{[line.done && `${count(line.done)} done`, line.running && `${count(line.running)} run`, line.waiting && `${count(line.waiting)} wait`].filter(Boolean).join(" · ")}</small></> : <State state={line.state} />}</span>
      <span class="num">{line.started ? duration(ranFor(line, now)) : ""}</span>
      <span class="num wide-only">{duration(line.limit)}</span>
      <span class="num">{line.cpus}</span>
      <span class="num wide-only">{memory(line.memory_mb)}</span>
      <span class="num wide-only">{line.gpus || ""}</span>
      <span class="clip reason" title={why(line, reasons, now)}>{why(line, reasons, now)}</span>
    </>
  );
}

const kNarrow = "(max-width: 760px)";

export function Queue({ given, reasons }: { given: string; reasons: Record<string, string> }) {
  const queue = useData("queue", () => getLines<QueueLine>(queuePath));
  const now = useNow();
  const [filter, setFilter] = useState(given);
  const [by, setBy] = useState<keyof QueueLine | "">("");
  const [down, setDown] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const [narrow, setNarrow] = useState(() => matchMedia(kNarrow).matches);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const query = matchMedia(kNarrow);
    const changed = () => setNarrow(query.matches);
    query.addEventListener("change", changed);
    const slash = (event: Event) => { event.preventDefault(); input.current?.focus(); };
    document.addEventListener("sluice-find", slash);
    return () => { query.removeEventListener("change", changed); document.removeEventListener("sluice-find", slash); };
  }, []);
  const all = queue.value ?? [];
  const lines = useMemo(() => sorted(filtered(all, filter), by, down), [all, filter, by, down]);
  const sums = useMemo(() => lines.reduce((sum, line) => ({ running: sum.running + line.running, waiting: sum.waiting + line.waiting, cpus: sum.cpus + (line.running > 0 ? line.cpus : 0) }), { running: 0, waiting: 0, cpus: 0 }), [lines]);
  const order = (name: keyof QueueLine) => { if (by === name && down) { setBy(""); setDown(false); } else { setDown(by === name); setBy(name); } };
  return (
    <div class="page full">
      <div class="toolbar">
        <input ref={input} class="filter" type="search" placeholder="Filter: train user:ann state:pending   ( / )" aria-label="Filter the queue" value={filter}
          onInput={(event) => { setFilter((event.currentTarget as HTMLInputElement).value); setChosen(-1); }} />
        <span class="totals" role="status">{lines.length !== all.length && <>{count(lines.length)} of </>}{plural(all.length, "line")} · <b class="run">{count(sums.running)}</b> running · <b class="wait">{count(sums.waiting)}</b> waiting</span>
      </div>
      {queue.error && <Problem error={queue.error} />}
      <div class="queue">
        <div class="row head">{kColumns.map(([field, name, number]) =>
          <button key={field} class={`${number ? "num" : ""} ${["account", "limit", "memory_mb", "gpus"].includes(field) ? "wide-only" : ""}`} onClick={() => order(field)}
            aria-label={`Sort by ${name}${by === field ? (down ? ", falling now" : ", rising now") : ""}`}>{name}{by === field ? (down ? " ↓" : " ↑") : ""}</button>)}</div>
        {queue.value && lines.length === 0 ? <Empty>{all.length === 0 ? "Nothing runs and nothing waits." : "No line has all of these words."}</Empty> :
          <VirtualRows rows={lines} height={narrow ? 58 : 32} chosen={chosen} label="Jobs" onChoose={setChosen} onOpen={(line) => { location.hash = `#/job/${line.array !== undefined && line.task === undefined ? line.array : line.id}`; }}
            row={(line) => <Cells line={line} reasons={reasons} now={now} />} />}
      </div>
    </div>
  );
}
