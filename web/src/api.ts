// What the server answers, as the commands print it with --json.
export interface QueueLine {
  id: string; job: number; array?: number; task?: number; name: string; user: string; account: string;
  partition: string; qos: string; state: string; reason: string; detail: string; priority: number;
  nodes: string; planned: string; cpus: number; memory_mb: number; gpus: number; limit?: number;
  elapsed: number; submitted: number; started?: number; expected?: number; ends_by?: number;
  tasks: number; waiting: number; running: number; done: number;
}
export interface JobCard extends QueueLine {
  attempt: number; held_by: string; dependency: string; requested: string; allocated: string;
  command: string; arguments: string[]; working_directory: string; stdout_path: string;
  stderr_path: string; captured: boolean; comment: string; nice: number; preemptor: string;
  eligible?: number; begin?: number; ended?: number; exit_code?: number; exit_signal?: number;
  max_rss_kb?: number; cpu_time?: number; gpu_percent?: number; gpu_memory_mb?: number;
}
export interface HolderLine { user: string; jobs: string; amount: number; amount_text: string }
export interface GateLine { name: string; holder: string; passed: boolean; binding: boolean; limit: string; used: string; asked: string }
export interface WhyCard {
  id: string; reason: string; sentence: string; arithmetic: string; holders: HolderLine[];
  may_end?: number; expected?: number; planned: string; ahead: number; priority: number;
  gates: GateLine[]; help: { what: string; command: string }[];
}
export interface NodeLine {
  name: string; state: string; partitions: string; cpus: number; cpus_free: number; memory_mb: number;
  memory_free_mb: number; gpus: number; gpus_free: number; gpu_types: string; jobs: number; why: string;
}
export interface ShareLine {
  account: string; user: string; depth: number; shares: number; norm_shares: number;
  effective_usage: number; factor: number; running: number; submitted: number; holds: string;
}
export interface PriorityLine {
  id: string; priority: number; age: number; assoc: number; fairshare: number; job_size: number;
  partition_part: number; qos_part: number; tres: number; nice: number;
}
export interface HistoryLine {
  id: string; job: number; array?: number; name: string; user: string; account: string; state: string; exit_code: number;
  exit_signal: number; started?: number; ended: number; elapsed: number; nodes: string; allocated: string;
}
export interface DaemonCard {
  cluster: string; version: string; jobs: number; waiting: number; running: number; policy_origin: string;
}
export interface Pool {
  account: string; qos: string; device: string; partitions: string[]; now: number; now_jointly: number;
  at_most: number; submittable: number | null; limits_of: string; need: Record<string, number>;
  limits: Record<string, number>; mine: Record<string, number>; others: Record<string, number>;
  holders: { user: string; jobs: number; holds: Record<string, number> }[];
  bound_by?: { text: string; reason: string }; left_out?: string; block?: { why: string; since?: string; review?: string };
}
export interface PoolsPage { cluster: string; user: string; as_of: number; behind: string; unseen: string[]; pools: Pool[]; totals: Record<string, Record<string, number>> }
export interface Round {
  round: number; batch: number; job?: number; memory: string; time: string; partitions: string; with?: string; tasks: number; task_list?: string;
  done: number; out_of_memory: number; timeout: number; interrupted: number; cancelled: number; failed: number;
  running: number; waiting: number; status: string; pool?: string; account?: string; moved_from?: string; refusal?: string;
}
export interface Chain {
  id: string; name: string; state: string; created: string; tasks: number; completed: number; given_up: number;
  waiting: number; running: number; rounds: Round[]; tasks_per_hour?: number; left_s?: number;
  failed_tasks: { task: number; state: string; exit_code: number; signal: number; node: string; why: string; job: string }[];
  waste: { memory_asked_mb_s: number; memory_used_mb_s: number; time_asked_s: number; time_used_s: number; time_lost_s: number; runs: number; retries: number };
}
export interface PolicyPlan { target: string; cluster: string; differences: boolean; refusal?: string;
  changes?: { kind: string; subject: string; says: string }[]; steps?: { says?: string[]; command?: string }[]; jobs?: { id?: string; job?: string; why?: string; effect?: string }[] }
export interface About { version: string; user: string; engine: string; may_write: boolean; now: number; reasons: Record<string, string> }

export class Refused extends Error {
  constructor(what: string, readonly hint: string, readonly status: number) { super(what); }
}

async function checked(response: Response): Promise<Response> {
  if (response.ok) return response;
  let what = `the server answered ${response.status}`, hint = "";
  try {
    const error = (await response.json()).error;
    what = error.what; hint = error.hint ?? "";
  } catch { /* not JSON */ }
  throw new Refused(what, hint, response.status);
}

export const get = async <T>(path: string): Promise<T> => (await checked(await fetch(path))).json();
export const post = async (path: string): Promise<{ results: { id: string; error: string }[] }> =>
  (await checked(await fetch(path, { method: "POST" }))).json();
export const getText = async (path: string): Promise<Response> => checked(await fetch(path));

// Lists come as tab-separated values: a third of the bytes of JSON.
const kEscaped: Record<string, string> = { t: "\t", n: "\n", r: "\r", "\\": "\\" };
const plain = (cell: string) => cell.includes("\\") ? cell.replace(/\\(.)/g, (_, c) => kEscaped[c] ?? c) : cell;
const kNumbers = new Set(["job", "array", "task", "cpus", "memory_mb", "gpus", "limit", "elapsed", "submitted", "started", "expected",
  "ends_by", "tasks", "waiting", "running", "done", "priority", "ended", "exit_code", "exit_signal"]);

export async function getLines<T>(path: string): Promise<T[]> {
  const response = await checked(await fetch(path));
  if (response.headers.get("content-type")?.includes("json")) return (await response.json()).lines;
  return parseLines<T>(await response.text());
}

export function parseLines<T>(text: string): T[] {
  const rows = text.split("\n");
  const names = (rows[0] ?? "").split("\t");
  const numeric = names.map((name) => kNumbers.has(name));
  const out: T[] = [];
  for (let i = 1; i < rows.length; i++) {
    if (rows[i] === "") continue;
    const cells = rows[i].split("\t");
    const line: Record<string, unknown> = {};
    for (let k = 0; k < names.length; k++) {
      const cell = cells[k] ?? "";
      line[names[k]] = numeric[k] ? (cell === "" ? undefined : Number(cell)) : plain(cell);
    }
    out.push(line as T);
  }
  return out;
}

export const kQueueFields = "id,job,array,task,name,user,account,partition,qos,state,reason,detail,nodes,cpus,memory_mb,gpus,limit,elapsed,submitted,started,expected,ends_by,tasks,waiting,running,done,priority";
export const queuePath = `/api/v1/queue?format=tsv&fields=${kQueueFields}`;
