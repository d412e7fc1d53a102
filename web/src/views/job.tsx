import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get, getLines, getText, post, kQueueFields, type JobCard, type PriorityLine, type QueueLine, type WhyCard } from "../api";
import { Bar, Card, Command, Empty, Meter, Problem, State } from "../parts";
import { useData, useNow } from "../live";
import { clock, count, duration, memory, plural, printedAmounts, ranFor, terminalText, toneOf } from "../text";
import { why } from "./queue";

function Life({ job, now }: { job: JobCard; now: number }) {
  const began = job.submitted;
  const end = job.ended ?? Math.max(now, (job.started ? job.ends_by : job.expected) ?? now);
  const span = Math.max(1, end - began);
  const parts = [];
  const waited = (job.started ?? (job.ended ?? now)) - began;
  if (waited > 0) parts.push({ value: waited, tone: "wait" as const, label: `waited ${duration(waited)}` });
  if (job.started) parts.push({ value: (job.ended ?? now) - job.started, tone: job.ended ? toneOf(job.state) : "run" as const, label: `ran ${duration((job.ended ?? now) - job.started)}` });
  if (!job.ended) parts.push({ value: end - now, tone: "free" as const, label: job.started ? `at most ${duration((job.ends_by ?? now) - now)} more` : job.expected ? "until its expected start" : "" });
  const steps: [string, number | undefined][] = [["submitted", job.submitted], ["eligible", job.eligible !== job.submitted ? job.eligible : undefined],
    ["started", job.started], ["expected to start", job.started || job.ended ? undefined : job.expected], ["ended", job.ended], ["must end by", job.ended ? undefined : job.ends_by]];
  return (
    <Card title="Life" wide>
      <Bar parts={parts} whole={span} />
      <dl class="steps">{steps.map(([name, at]) => at !== undefined && <div key={name}><dt>{name}</dt><dd>{clock(at, now)}</dd></div>)}
        {job.attempt > 1 && <div><dt>run</dt><dd>number {job.attempt}</dd></div>}
        {job.exit_code !== undefined && job.ended && <div><dt>exit code</dt><dd>{job.exit_code}{job.exit_signal ? `, signal ${job.exit_signal}` : ""}</dd></div>}</dl>
    </Card>
  );
}

function Why({ id, now }: { id: string; now: number }) {
  const card = useData(`why ${id}`, () => get<WhyCard>(`/api/v1/jobs/${encodeURIComponent(id)}/why`), 2000);
  const it = card.value;
  return (
    <Card title="Why it waits" wide>
      {card.error && <Problem error={card.error} />}
      {it && <>
        <p class="sentence">{it.sentence ? `It ${it.sentence}` : it.reason}</p>
        {it.arithmetic && <p><code class="arithmetic">{it.arithmetic}</code></p>}
        <p class="dim">{it.ahead > 0 ? `${count(it.ahead)} jobs before it in the queue. ` : ""}{it.expected ? `Expected to start ${clock(it.expected, now)}${it.planned ? ` on ${it.planned}` : ""}. ` : ""}{it.may_end ? `The first of what holds it ends by ${clock(it.may_end, now)}.` : ""}</p>
        {it.holders.length > 0 && <table><thead><tr><th>held by</th><th>jobs</th><th class="num">amount</th></tr></thead>
          <tbody>{it.holders.slice(0, 10).map((holder) => <tr key={holder.user}><td>{holder.user}</td><td class="clip">{holder.jobs}</td><td class="num">{holder.amount_text}</td></tr>)}</tbody></table>}
        <h3>Gates on its way</h3>
        <ul class="gates">{it.gates.map((gate, i) => <li key={i} class={gate.passed ? "good" : gate.binding ? "bad" : "wait"}>
          <b>{gate.passed ? "open" : "shut"}</b> {gate.name} <small>{gate.holder}</small>
          {gate.limit && <code>{gate.used || "0"} used + {gate.asked || "0"} asked {gate.passed ? "≤" : ">"} {gate.limit}</code>}</li>)}</ul>
        {it.help.length > 0 && <><h3>What would help</h3><ul class="help">{it.help.map((help, i) => <li key={i}>{help.what} {help.command && <Command text={help.command} />}</li>)}</ul></>}
      </>}
    </Card>
  );
}

function Priority({ job }: { job: JobCard }) {
  const lines = useData(`priority ${job.job}`, () => getLines<PriorityLine>(`/api/v1/priority?job=${job.array ?? job.job}`), 3000);
  const line = lines.value?.find((one) => one.id === job.id) ?? lines.value?.[0];
  if (!line) return null;
  const parts: [string, number][] = [["age", line.age], ["fairshare", line.fairshare], ["QoS", line.qos_part], ["partition", line.partition_part],
    ["job size", line.job_size], ["TRES", line.tres], ["association", line.assoc], ["nice", -line.nice]];
  const most = Math.max(1, ...parts.map(([, value]) => Math.abs(value)));
  return (
    <Card title="Priority" side={<b class="num">{count(line.priority)}</b>}>
      {parts.every(([, value]) => value === 0) ? <Empty>Nothing weighs in this policy: first come, first served.</Empty> :
        <table class="priority"><tbody>{parts.filter(([, value]) => value !== 0).map(([name, value]) => <tr key={name}><th>{name}</th>
          <td><Bar parts={[{ value: Math.abs(value), tone: value < 0 ? "bad" : "run", label: `${name} ${value}` }]} whole={most} /></td><td class="num">{count(value)}</td></tr>)}</tbody></table>}
    </Card>
  );
}

function Used({ job, now }: { job: JobCard; now: number }) {
  const elapsed = ranFor(job, now);
  return (
    <Card title="Asked and used" wide={job.waiting === 0}>
      {job.limit !== undefined && job.started !== undefined && <Meter name="Time" used={elapsed} whole={job.limit} show={duration} word="of its limit" />}
      {job.max_rss_kb !== undefined && <Meter name="Memory" used={job.max_rss_kb / 1024} whole={job.memory_mb} show={memory} word="at its peak" />}
      {job.cpu_time !== undefined && elapsed > 0 && <Meter name="CPU time" used={job.cpu_time} whole={elapsed * job.cpus} show={duration} word="of what its CPUs could do" />}
      {job.gpu_percent !== undefined && <Meter name="GPU" used={job.gpu_percent} whole={100} show={(percent) => `${percent}%`} word={`busy on average, ${memory(job.gpu_memory_mb ?? 0)} in use at most`} />}
      <dl class="facts">
        <div><dt>asked</dt><dd>{printedAmounts(job.requested)}</dd></div>
        {job.started === undefined && job.limit !== undefined && <div><dt>limit</dt><dd>{duration(job.limit)}</dd></div>}
        {job.allocated && <div><dt>given</dt><dd>{printedAmounts(job.allocated)}{job.nodes ? ` on ${job.nodes}` : ""}</dd></div>}
        <div><dt>account</dt><dd>{job.account}, QoS {job.qos}, partition {job.partition}</dd></div>
        {job.dependency && <div><dt>after</dt><dd>{job.dependency}</dd></div>}
        {job.command && job.command !== "(null)" && <div><dt>command</dt><dd class="break">{job.command} {job.arguments.join(" ")}</dd></div>}
        <div><dt>folder</dt><dd class="break">{job.working_directory}</dd></div>
        {job.comment && <div><dt>comment</dt><dd class="break">{job.comment}</dd></div>}
      </dl>
    </Card>
  );
}

const kMostLog = 400_000;

// The end of a log, read on every second while the job runs.
function Log({ id, stream, ended, every = 1000 }: { id: string; stream: "out" | "err"; ended: boolean; every?: number }) {
  const [path, setPath] = useState("");
  const [text, setText] = useState("");
  const [problem, setProblem] = useState("");
  const box = useRef<HTMLPreElement>(null);
  const follow = useRef(true);
  const over = useRef(ended);
  over.current = ended;
  useEffect(() => {
    let gone = false, timer = 0, next: number | undefined;
    const decoder = new TextDecoder();
    setText("");
    const read = async () => {
      let more = false;
      try {
        const response = await getText(`/api/jobs/${encodeURIComponent(id)}/log?stream=${stream}${next === undefined ? "" : `&from=${next}`}`);
        const bytes = new Uint8Array(await response.arrayBuffer());
        const start = Number(response.headers.get("x-log-start") ?? 0);
        // A file that was written anew begins before what was read.
        const anew = next === undefined || start < next;
        next = start + bytes.length;
        more = bytes.length > 0;
        if (gone) return;
        const piece = decoder.decode(bytes, { stream: true });
        setText((before) => ((anew ? "" : before) + piece).slice(-kMostLog));
        setProblem(response.headers.get("x-log-note") ?? "");
        setPath(decodeURIComponent(response.headers.get("x-log-path") ?? ""));
      } catch (error) { if (!gone) setProblem((error as Error).message); }
      if (!gone && (!over.current || more)) timer = window.setTimeout(read, more && over.current ? 50 : every);
    };
    read();
    return () => { gone = true; window.clearTimeout(timer); };
  }, [id, stream, ended]);
  const shown = useMemo(() => terminalText(text), [text]);
  useEffect(() => { if (follow.current && box.current) box.current.scrollTop = box.current.scrollHeight; }, [shown]);
  return (
    <>
      {problem && <Empty>{problem}</Empty>}
      {path && <p class="dim break">{path}{ended ? "" : " · following"}</p>}
      <pre class="log" ref={box} tabIndex={0} aria-label={stream === "out" ? "Output" : "Errors"}
        onScroll={(event) => { const e = event.currentTarget as HTMLElement; follow.current = e.scrollTop + e.clientHeight > e.scrollHeight - 30; }}>{shown || (problem ? "" : "Nothing yet.")}</pre>
    </>
  );
}

const Streams = ({ chosen, choose }: { chosen: "out" | "err"; choose: (stream: "out" | "err") => void }) =>
  <span class="tabs">{(["out", "err"] as const).map((one) =>
    <button key={one} aria-pressed={chosen === one} onClick={() => choose(one)}>{one === "out" ? "output" : "errors"}</button>)}</span>;

function Logs({ job }: { job: JobCard }) {
  const [stream, setStream] = useState<"out" | "err">("out");
  const apart = job.stderr_path !== "" && job.stderr_path !== job.stdout_path;
  return (
    <Card title="Log" wide side={apart && <Streams chosen={stream} choose={setStream} />}>
      {job.captured && <p class="dim">kept by the daemon{job.ended ? "" : " · following"}</p>}
      <Log id={job.id} stream={stream} ended={job.ended !== undefined} />
    </Card>
  );
}

function TaskLines({ lines, reasons, now, all }: { lines: QueueLine[]; reasons: Record<string, string>; now: number; all: string }) {
  return (
    <Card title="Tasks" wide side={<span class="dim">{plural(lines.length, "line")}</span>}>
      <table><thead><tr><th>task</th><th>state</th><th class="num">time</th><th>where or why</th></tr></thead>
        <tbody>{lines.slice(0, 300).map((line) => <tr key={line.id}><td class="clip">{line.task !== undefined ? <a href={`#/job/${line.id}`}>{line.id}</a> : line.id}</td><td><State state={line.state} /></td>
          <td class="num">{line.started ? duration(ranFor(line, now)) : ""}</td><td class="clip">{why(line, reasons, now)}</td></tr>)}</tbody></table>
      {lines.length > 300 && <Empty>The first 300; all of them: <code>{all}</code></Empty>}
    </Card>
  );
}

function Tasks({ array, reasons, now }: { array: number; reasons: Record<string, string>; now: number }) {
  const tasks = useData(`tasks ${array}`, () => getLines<QueueLine>(`/api/v1/queue?format=tsv&arrays=records&state=all&job=${array}&fields=${kQueueFields}`), 1500);
  return <TaskLines lines={tasks.value ?? []} reasons={reasons} now={now} all={`sluice queue -r ${array} -t all`} />;
}

function Actions({ id, name, verbs }: { id: string; name: string; verbs: string[] }) {
  const [said, setSaid] = useState("");
  const act = async (verb: string) => {
    if ((verb === "cancel" || verb === "requeue") && !confirm(`${verb} ${id} (${name})?`)) return;
    try {
      const reply = await post(`/api/v1/jobs/${encodeURIComponent(id)}/${verb}`);
      setSaid(reply.results.map((one) => one.error || `${one.id}: ${verb} done`).join("; "));
    } catch (error) { setSaid((error as Error).message); }
  };
  return <div class="actions">{verbs.map((verb) => <button key={verb} class={verb === "cancel" ? "danger" : ""} onClick={() => act(verb)}>{verb}</button>)}<span role="status">{said}</span></div>;
}

interface SlurmWhy { reason: string; sentence: string; gates?: { open: boolean; binding: boolean; text: string }[]; holders?: { user: string; job: number; ends_by?: number }[]; help?: { what: string; command: string }[]; waiting?: SlurmWhy[] }

// Of a Slurm cluster the commands tell a line of the queue, why a job waits, and where it writes.
function SlurmJob({ id, now, reasons, mayWrite }: { id: string; now: number; reasons: Record<string, string>; mayWrite: boolean }) {
  const number = id.replace(/_.*/, "");
  const queue = useData(`slurm queue ${number}`, () => getLines<QueueLine>(`/api/v1/queue?arrays=records&job=${number}`), 3000);
  const lines = queue.value ?? [];
  // An array by its number, a task or a job by its own.
  const one = lines.find((line) => line.id === id) ?? (lines.length === 1 ? lines[0] : undefined);
  const isArray = one === undefined && lines.length > 0;
  const line = one ?? lines[0];
  const sum = (field: "running" | "waiting") => lines.reduce((n, each) => n + each[field], 0);
  const waits = isArray ? sum("waiting") > 0 : line !== undefined && line.waiting > 0;
  const why = useData(`slurm why ${id} ${waits}`, async () => waits ? get<SlurmWhy>(`/api/v1/jobs/${encodeURIComponent(id)}/why`) : undefined, 5000);
  const all = why.value?.waiting ?? (why.value ? [why.value] : []);
  const [stream, setStream] = useState<"out" | "err">("out");
  return (
    <div class="page">
      {queue.error && <Problem error={queue.error} />}
      <div class="title"><h1><span class="dim">{id}</span> {line?.name}</h1>{line && (isArray ? <Bar parts={[{ value: sum("running"), tone: "run", label: `${count(sum("running"))} running` }, { value: sum("waiting"), tone: "wait", label: `${count(sum("waiting"))} waiting` }]} whole={sum("running") + sum("waiting")} /> : <State state={line.state} />)}
        {line && <span class="dim">of {line.user}{!isArray && line.nodes ? ` on ${line.nodes}` : ""}</span>}{mayWrite && line && <Actions id={id} name={line.name} verbs={["cancel"]} />}</div>
      {queue.value && !line && <Card title="Not in the queue"><Empty>It has ended, or never was: <Command text={`sacct -j ${id}`} /></Empty></Card>}
      {line && <div class="columns">
        {waits && <Card title="Why it waits" wide>{why.error && <Problem error={why.error} />}{all.map((each, i) => <div key={i}><p class="sentence">{each.sentence ? `It ${each.sentence}` : each.reason}</p>
          <ul class="gates">{(each.gates ?? []).map((gate, k) => <li key={k} class={gate.open ? "good" : gate.binding ? "bad" : "wait"}><b>{gate.open ? "open" : "shut"}</b> {gate.text}</li>)}</ul>
          {(each.help ?? []).length > 0 && <ul class="help">{each.help!.map((help, k) => <li key={k}>{help.what} {help.command && <Command text={help.command} />}</li>)}</ul>}</div>)}</Card>}
        {isArray && <TaskLines lines={lines} reasons={reasons} now={now} all={`squeue -r -j ${number}`} />}
        <Card title="Asked" wide>{!isArray && line.started && line.limit ? <Meter name="Time" used={now - line.started} whole={line.limit} show={duration} word="of its limit" /> : null}
          <dl class="facts"><div><dt>asked</dt><dd>{plural(line.cpus, "CPU")}, {memory(line.memory_mb)}{line.gpus ? `, ${plural(line.gpus, "GPU")}` : ""}</dd></div>
            <div><dt>account</dt><dd>{line.account}, QoS {line.qos}, partition {line.partition}</dd></div>
            <div><dt>submitted</dt><dd>{clock(line.submitted, now)}</dd></div>{line.started ? <div><dt>started</dt><dd>{clock(line.started, now)}</dd></div> : line.expected ? <div><dt>expected</dt><dd>{clock(line.expected, now)}</dd></div> : null}
            <div><dt>priority</dt><dd>{count(line.priority)}</dd></div></dl></Card>
        {!isArray && line.started && <Card title="Log" wide side={<Streams chosen={stream} choose={setStream} />}><Log id={id} stream={stream} ended={false} every={5000} /></Card>}
      </div>}
    </div>
  );
}

export function Job({ id, reasons, mayWrite, engine }: { id: string; reasons: Record<string, string>; mayWrite: boolean; engine: string }) {
  const now = useNow();
  const card = useData(`job ${id}`, () => engine === "embedded" ? get<JobCard>(`/api/v1/jobs/${encodeURIComponent(id)}`) : Promise.resolve(undefined));
  const job = card.value;
  const isArray = job !== undefined && job.array !== undefined && job.task === undefined;
  if (engine !== "embedded") return <SlurmJob id={id} now={now} reasons={reasons} mayWrite={mayWrite} />;
  return (
    <div class="page">
      {card.error && <Problem error={card.error} />}
      {job && <>
        <div class="title"><h1><span class="dim">{job.id}</span> {job.name}</h1>{isArray ? <Bar parts={[
          { value: job.done, tone: "good", label: `${count(job.done)} done` }, { value: job.running, tone: "run", label: `${count(job.running)} running` },
          { value: job.waiting, tone: "wait", label: `${count(job.waiting)} waiting` }]} whole={job.tasks} /> : <State state={job.state} />}
          <span class="dim">of {job.user}{job.nodes ? ` on ${job.nodes}` : ""}</span>{mayWrite && !job.ended && <Actions id={isArray ? String(job.array) : job.id} name={job.name} verbs={job.waiting > 0 ? (job.held_by ? ["release", "cancel"] : ["hold", "cancel"]) : ["requeue", "cancel"]} />}</div>
        <div class="columns">
          {!isArray && <Life job={job} now={now} />}
          {job.waiting > 0 && <Why id={id} now={now} />}
          {isArray && <Tasks array={job.array!} reasons={reasons} now={now} />}
          <Used job={job} now={now} />
          {job.waiting > 0 && <Priority job={job} />}
          {!isArray && (job.started || job.captured) && <Logs job={job} />}
        </div>
      </>}
    </div>
  );
}
