import { get, getLines, type PolicyPlan, type ShareLine } from "../api";
import { Bar, Card, Empty, Problem } from "../parts";
import { useData } from "../live";
import { count, percent, plural, printedAmounts } from "../text";

type Limits = Record<string, unknown>;
interface Policy { cluster: string; accounts?: Record<string, Limits & { accounts?: Policy["accounts"] }>; qos?: Record<string, Limits>; enforce?: string[]; partitions?: Record<string, Limits>; preemption?: Limits }
interface Use { account: string; user: string; qos: string; tres: string; jobs: number; submitted: number }

const kNotLimits = new Set(["shares", "users", "qos", "accounts", "default_qos", "description", "organization", "Priority", "Preempt", "Flags", "default"]);
const written = (value: unknown): string => Array.isArray(value) ? value.map(written).join(",") : typeof value === "object" && value ? Object.entries(value).map(([name, one]) => `${name}=${written(one)}`).join(",") : String(value);
const limitsOf = (it: Limits | undefined): string => Object.entries(it ?? {}).filter(([name]) => !kNotLimits.has(name)).map(([name, value]) => `${name} ${written(value)}`).join(" · ");

function accountsOf(policy: Policy | undefined): Map<string, Limits> {
  const out = new Map<string, Limits>();
  const walk = (accounts: Policy["accounts"]) => {
    for (const [name, account] of Object.entries(accounts ?? {})) { out.set(name, account ?? {}); walk(account?.accounts); }
  };
  walk(policy?.accounts);
  return out;
}

// What a plan or a drift says, whichever target it is of.
function Differences({ title, path, none, advice }: { title: string; path: string; none: string; advice: string }) {
  const loaded = useData(path, () => get<PolicyPlan & { error?: { what: string; hint: string } }>(path), 30000);
  // Nothing to compare with is an answer, too.
  const unknown = loaded.value?.error;
  const it = unknown ? undefined : loaded.value;
  const says = [...(it?.changes ?? []).map((one) => typeof one === "string" ? one : one.says), ...(it?.steps ?? []).flatMap((step) => step.says ?? (step.command ? [step.command] : []))];
  const jobs = it?.jobs ?? [];
  return (
    <Card title={title} side={it && <span class={`state ${says.length > 0 ? "wait" : "good"}`}>{says.length > 0 ? plural(says.length, "difference") : "none"}</span>}>
      {loaded.error && <Problem error={loaded.error} />}
      {unknown && <p class="dim">{unknown.what}{unknown.hint && <><br />{unknown.hint}</>}</p>}
      {it && says.length === 0 && <p class="fine">{none}</p>}
      {it?.refusal && <p class="note">{it.refusal}</p>}
      {says.length > 0 && <ul class="diff">{says.slice(0, 60).map((one, i) => <li key={i}>{one}</li>)}</ul>}
      {says.length > 60 && <Empty>The first 60 of {count(says.length)}.</Empty>}
      {jobs.length > 0 && <><h3>{plural(jobs.length, "job")} affected</h3><ul class="diff">{jobs.slice(0, 20).map((job, i) => <li key={i}>{`${job.job}: ${job.effect}`}<small> {job.why}</small></li>)}</ul></>}
      {says.length > 0 && <p class="dim">{advice}</p>}
    </Card>
  );
}

const kPlan = <Differences title="Plan: the file against what is in force" path="/api/policy/plan" none="The policy file is in force." advice="To put it into force: sluice policy apply FILE" />;
const kDrift = <Differences title="Drift since the last apply" path="/api/policy/drift" none="Nothing was changed behind the file." advice="To go back to the file: sluice policy apply FILE" />;

export function PolicyView({ engine }: { engine: string }) {
  if (engine !== "embedded")
    return <div class="page"><div class="columns">{kPlan}{kDrift}</div><p class="dim">The whole policy of this cluster: <code>sluice policy import --on slurm</code></p></div>;
  const shares = useData("shares", () => getLines<ShareLine>("/api/v1/shares"), 2000);
  const policy = useData("policy", () => get<Policy>("/api/v1/policy"), 10000);
  const cluster = useData("cluster", () => get<{ qos: Use[] }>("/api/v1/cluster"), 3000);
  const accounts = accountsOf(policy.value);
  const uses = new Map(cluster.value?.qos.map((use) => [use.qos, use]));
  const names = [...new Set([...Object.keys(policy.value?.qos ?? {}), ...uses.keys()])];
  return (
    <div class="page">
      {shares.error && <Problem error={shares.error} />}
      <div class="columns">
        <Card title="Accounts" wide>
          <table class="tree"><thead><tr><th>account or user</th><th class="num">shares</th><th class="wide-only">used of its share</th><th class="num wide-only">fairshare</th><th class="num">running</th><th class="num">all</th><th>holds</th><th class="wide-only">limits</th></tr></thead>
            <tbody>{(shares.value ?? []).map((line) => <tr key={`${line.account} ${line.user}`} class={line.user ? "user" : "account"}>
              <td class="clip" style={{ paddingLeft: `${line.depth * 14}px` }}>{line.user || line.account}</td><td class="num">{line.shares}</td>
              <td class="wide-only">{line.depth > 0 && <div class="of-share"><Bar parts={[{ value: line.effective_usage, tone: line.effective_usage > line.norm_shares ? "wait" : "run", label: `used ${percent(line.effective_usage, 1)} of its level, share ${percent(line.norm_shares, 1)}` }]} whole={1} /><small class="num">{percent(line.effective_usage, 1)} of {percent(line.norm_shares, 1)}</small></div>}</td>
              <td class="num wide-only">{line.user ? line.factor.toFixed(3) : ""}</td><td class="num">{count(line.running)}</td><td class="num">{count(line.submitted)}</td><td class="holds">{printedAmounts(line.holds)}</td>
              <td class="wide-only limits">{line.user ? "" : limitsOf(accounts.get(line.account))}</td></tr>)}</tbody></table>
        </Card>
        <Card title="QoS" wide>
          <table><thead><tr><th>QoS</th><th class="num">priority</th><th class="num">running</th><th class="num">all</th><th>holds</th><th class="limits">limits</th><th class="wide-only">preempts</th></tr></thead>
            <tbody>{names.map((name) => { const qos = policy.value?.qos?.[name]; const use = uses.get(name); return <tr key={name}><td>{name}</td><td class="num">{written(qos?.Priority ?? 0)}</td><td class="num">{count(use?.jobs ?? 0)}</td><td class="num">{count(use?.submitted ?? 0)}</td><td class="holds">{printedAmounts(use?.tres)}</td>
              <td class="limits">{limitsOf(qos)}{qos?.Flags ? ` · ${written(qos.Flags)}` : ""}</td><td class="wide-only">{qos?.Preempt ? written(qos.Preempt) : ""}</td></tr>; })}</tbody></table>
        </Card>
        {kPlan}{kDrift}
        <Card title="In force" wide><p class="dim">Cluster {policy.value?.cluster}. Enforced: {policy.value?.enforce?.length ? policy.value.enforce.join(", ") : "nothing; limits of accounts and QoS do not bind"}. What another policy would change: <code>sluice policy plan FILE</code></p></Card>
      </div>
    </div>
  );
}
