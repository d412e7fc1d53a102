import { get, type Pool, type PoolsPage } from "../api";
import { Bar, Card, Chart, Empty, Problem, type Part } from "../parts";
import { useData } from "../live";
import { amounts, clock, count, memory } from "../text";
import type { Series } from "./overview";

const shown = (name: string, value: number) => name === "mem" ? memory(value) : count(value);
const called = (name: string) => ({ cpu: "CPUs", mem: "memory", "gres/gpu": "GPUs", node: "nodes" })[name] ?? name;

// What a limit holds: mine, others', free. Without a limit of its own a pool shows what is held.
function Limit({ pool, name }: { pool: Pool; name: string }) {
  const limit = pool.limits[name];
  const mine = pool.mine[name] ?? 0, others = pool.others[name] ?? 0;
  const parts: Part[] = [
    { value: mine, tone: "run", label: `mine ${shown(name, mine)}` },
    { value: others, tone: "other", label: `others ${shown(name, others)}` },
  ];
  return (
    <div class="meter">
      <div class="meter-head"><span>{called(name)}</span><span class="num">{shown(name, mine + others)} <small>of {shown(name, limit)}</small></span></div>
      <Bar label={called(name)} parts={parts} whole={limit} />
      <div class="meter-foot">mine {shown(name, mine)} · others {shown(name, others)} · free {shown(name, Math.max(0, limit - mine - others))}</div>
    </div>
  );
}

// The limit that matters most, and what was held of it.
function History({ pool, series }: { pool: Pool; series: Series }) {
  const key = `${pool.account}:${pool.qos}/${pool.device}`;
  const of = (what: string) => series.lines[`pool ${what}${key}`] ?? [];
  const name = ["gres/gpu", "cpu", "mem", "node"].find((one) => pool.limits[one] !== undefined);
  const held = of("held "), fit = of("");
  if (name !== undefined && held.length > 1)
    return <div class="past"><small>{called(name)} held since {clock(held[0][0])}, the limit dashed</small><Chart bare height={56} label={`${called(name)} of ${key} over time`} lines={[
      { name: "held", points: held, colour: "other" }, { name: "mine", points: of("mine "), colour: "run" }, { name: "limit", points: of("limit "), colour: "off", dashed: true, plain: true }]} /></div>;
  if (fit.length > 1) return <div class="past"><small>tasks that fit, since {clock(fit[0][0])}</small><Chart bare height={44} lines={[{ name: "fit", points: fit, colour: "good" }]} label={`how many tasks fit into ${key} over time`} /></div>;
  return null;
}

function PoolCard({ pool, series }: { pool: Pool; series?: Series }) {
  const name = `${pool.account}:${pool.qos}`;
  const full = !pool.left_out && pool.now === 0;
  const limited = Object.keys(pool.limits).filter((one) => ["cpu", "mem", "gres/gpu", "node"].includes(one));
  return (
    <section class={`card pool ${pool.left_out ? "left-out" : ""}`}>
      <header><h2>{name} <span class={`device ${pool.device}`}>{pool.device}</span></h2>
        {pool.left_out ? <span class="state off">left out</span> : full ? <span class="state wait">full</span> : <span class="state good">open</span>}</header>
      <div class="pool-now"><b class={full ? "wait" : ""}>{count(pool.now)}</b><span>tasks of {amounts(pool.need)} fit now<br /><small>{count(pool.at_most)} at most</small></span></div>
      {pool.left_out ? <p class="note">{pool.left_out}</p> : full && pool.bound_by ? <p class="note">{pool.bound_by.text}</p> : null}
      {limited.map((one) => <Limit key={one} pool={pool} name={one} />)}
      {limited.length === 0 && <p class="dim">No limit of its own{pool.limits_of ? ` (${pool.limits_of})` : ""}; holds {amounts({ ...pool.mine, }) || "nothing"} of mine.</p>}
      {pool.holders.length > 0 && <table class="holders"><thead><tr><th>held by</th><th class="num">jobs</th><th>holds</th></tr></thead>
        <tbody>{pool.holders.slice(0, 6).map((holder) => <tr key={holder.user}><td class="clip">{holder.user}</td><td class="num">{count(holder.jobs)}</td><td>{amounts(holder.holds)}</td></tr>)}</tbody></table>}
      {pool.holders.length > 6 && <p class="dim">and {count(pool.holders.length - 6)} more users</p>}
      {series && <History pool={pool} series={series} />}
    </section>
  );
}

export function Pools() {
  const pools = useData("pools", () => get<PoolsPage>("/api/pools"), 2000);
  const series = useData("series pool", () => get<Series>("/api/series?of=pool"), 5000);
  const page = pools.value;
  const counted = (of: string) => (page?.totals[of]?.gpu ?? 0) + (page?.totals[of]?.cpu ?? 0);
  return (
    <div class="page">
      {pools.error && <Problem error={pools.error} />}
      {page && <p class="lead">{page.user} on {page.cluster}, seen at {clock(page.as_of)}. Together <b>{count(counted("now_jointly"))}</b> tasks fit now, {count(counted("at_most_jointly"))} at most.
        {page.behind && <span class="state wait">{page.behind}</span>}</p>}
      {page?.unseen.map((one) => <p class="note" key={one}>{one}</p>)}
      <div class="grid">{page?.pools.map((pool) => {
        const key = `${pool.account}:${pool.qos}/${pool.device}`;
        return <PoolCard key={key} pool={pool} series={series.value} />;
      })}</div>
      {page && page.pools.length === 0 && <Card title="Pools"><Empty>You may use no account on this cluster.</Empty></Card>}
    </div>
  );
}
