// Small pieces that every view uses.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";
import { duration, toneOf, type Tone, percent } from "./text";
import { Refused } from "./api";

export const State = ({ state }: { state: string }) =>
  <span class={`state ${toneOf(state)}`}>{state.toLowerCase().replaceAll("_", " ")}</span>;

export interface Part { value: number; tone: Tone | "other" | "free"; label: string }

// Parts of a whole, side by side; the same in words for those who do not see it.
export function Bar({ parts, whole, label }: { parts: Part[]; whole?: number; label?: string }) {
  const sum = Math.max(whole ?? 0, parts.reduce((n, part) => n + part.value, 0)) || 1;
  const words = (label ? label + ": " : "") + parts.filter((part) => part.value > 0).map((part) => part.label).join(", ");
  return (
    <div class="bar" role="img" aria-label={words || "nothing"} title={words}>
      {parts.map((part) => part.value > 0 &&
        <span key={part.label} class={`part ${part.tone}`} style={{ width: `${(100 * part.value) / sum}%` }} />)}
    </div>
  );
}

export function Meter({ name, used, whole, show, word = "in use" }: { name: string; used: number; whole: number; show: (n: number) => string; word?: string }) {
  const full = whole > 0 && used / whole >= 0.999;
  return (
    <div class="meter">
      <div class="meter-head"><span>{name}</span><span class="num">{show(used)} <small>of {show(whole)}</small></span></div>
      <Bar label={name} parts={[{ value: used, tone: full ? "wait" : "run", label: `${show(used)} of ${show(whole)} ${word}` }]} whole={whole} />
      <div class="meter-foot">{percent(used, whole)} {word}</div>
    </div>
  );
}

export const Card = ({ title, children, side, wide }: { title: string; children: ComponentChildren; side?: ComponentChildren; wide?: boolean }) =>
  <section class={wide ? "card wide" : "card"}><header><h2>{title}</h2>{side}</header>{children}</section>;

export const Empty = ({ children }: { children: ComponentChildren }) => <p class="empty">{children}</p>;

export function Problem({ error }: { error: Error }) {
  return <p class="problem" role="alert">{error.message}{error instanceof Refused && error.hint ? <small>{error.hint}</small> : null}</p>;
}

export const Command = ({ text }: { text: string }) => <code class="command">{text}</code>;

// Lines over time. Colours are the page's own, so that dark is dark.
export interface ChartLine { name: string; points: [number, number][]; colour: string; dashed?: boolean; plain?: boolean }
// `relative` times are seconds since the beginning; `mark` is a moment with a line of its own.
const kGap = 300;
export function Chart({ lines, height, label, bare, relative, mark, most, show }: { lines: ChartLine[]; height: number; label: string; bare?: boolean; relative?: boolean; mark?: number; most?: number; show?: (n: number) => string }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const marked = useRef(mark);
  marked.current = mark;
  // A line that has no point at a time keeps the value it had, as far as it goes.
  const data = useMemo(() => {
    const seen = [...new Set(lines.flatMap((line) => line.points.map((point) => point[0])))].sort((a, b) => a - b);
    // Where nothing was recorded for a while, the line is broken.
    const times = relative ? seen : seen.flatMap((time, i) => i > 0 && time - seen[i - 1] > kGap ? [time - 1, time] : [time]);
    return [times, ...lines.map((line) => {
      const { points } = line;
      let next = 0;
      return times.map((time) => {
        while (next < points.length && points[next][0] <= time) next++;
        if (next === 0 || time > points[points.length - 1][0]) return null;
        return !relative && time - points[next - 1][0] > kGap ? null : points[next - 1][1];
      });
    })] as uPlot.AlignedData;
  }, [lines.map((line) => `${line.name} ${line.points.length} ${line.points.at(-1)?.[0]}`).join()]);
  const names = lines.map((line) => line.name).join();
  useEffect(() => {
    const element = box.current!;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
    const since = (n: number, step: number) => n === 0 ? "0" : step >= 86400 ? `${Math.round(n / 86400)} d` : n % 86400 === 0 ? `${n / 86400} d` : step >= 3600 ? `${Math.floor(n / 86400) ? `${Math.floor(n / 86400)} d ` : ""}${Math.round(n % 86400 / 3600)} h` : n < 3600 ? `${Math.round(n / 60)} min` : duration(n).replace(/:\d\d$/, "");
    const axis = { stroke: colour("muted"), grid: { stroke: colour("line"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
    const made = new uPlot({
      width: element.clientWidth || 300, height,
      legend: { show: !bare }, cursor: { show: !bare, y: false },
      padding: bare ? [2, 0, 2, 0] : [8, 16, 0, 0],
      scales: { x: { time: !relative, range: (_u, min, max) => [relative ? min : Math.min(min, max - 300), max] }, y: { range: (_u, _min, max) => [0, most ?? Math.max(1, max * 1.1)] } },
      hooks: { draw: [(u) => {
        if (marked.current === undefined) return;
        const x = u.valToPos(marked.current, "x", true);
        u.ctx.save(); u.ctx.fillStyle = colour("bad"); u.ctx.fillRect(x, u.bbox.top, 1.5 * devicePixelRatio, u.bbox.height); u.ctx.restore();
      }] },
      axes: bare ? [{ show: false }, { show: false }] :
        [relative ? { ...axis, size: 26, incrs: [60, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 432000, 864000, 2592000, 8640000, 31536000], values: (_u: uPlot, ticks: number[], _axis: number, _space: number, step: number) => ticks.map((n) => since(n, step)) } : { ...axis, size: 26, values: "{HH}:{mm}", incrs: [60, 300, 600, 1800, 3600, 7200, 14400] },
          { ...axis, size: 44, values: show && ((_u: uPlot, ticks: number[]) => ticks.map(show)), incrs: show ? [50, 100, 200, 250, 500, 1000] : [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000] }],
      series: [{ label: relative ? "after" : "time", value: relative ? (_u: uPlot, n: number) => n === null ? "" : duration(n) : "{HH}:{mm}:{ss}" }, ...lines.map((line) => ({
        label: line.name, stroke: colour(line.colour), width: 2, fill: line.plain ? undefined : colour(line.colour) + "22", dash: line.dashed ? [5, 4] : undefined, points: { show: false },
        value: (_u: uPlot, n: number | null) => n === null ? "–" : show ? show(n) : n.toLocaleString("en"),
        paths: uPlot.paths.stepped!({ align: 1 }),
      }))],
    }, data, element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => { observer.disconnect(); made.destroy(); plot.current = null; };
  }, [names, height]);
  useEffect(() => { plot.current?.setData(data); }, [data]);
  useEffect(() => { if (mark !== undefined) plot.current?.redraw(false); }, [mark]);
  return <div class="chart" ref={box} role="img" aria-label={label} />;
}
