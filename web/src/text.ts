// Numbers and times as a person reads them.
export function duration(seconds: number | undefined): string {
  if (seconds === undefined || !isFinite(seconds)) return "";
  const s = Math.max(0, Math.round(seconds));
  const days = Math.floor(s / 86400), hours = Math.floor(s / 3600) % 24, minutes = Math.floor(s / 60) % 60;
  const two = (n: number) => String(n).padStart(2, "0");
  if (days > 0) return `${days}-${two(hours)}:${two(minutes)}:${two(s % 60)}`;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(s % 60)}` : `${minutes}:${two(s % 60)}`;
}

export function memory(mb: number | undefined): string {
  if (mb === undefined) return "";
  if (mb < 1024) return `${Math.round(mb)}M`;
  const gb = mb / 1024;
  if (gb < 1024) return `${gb < 10 ? gb.toFixed(1).replace(/\.0$/, "") : Math.round(gb)}G`;
  return `${(gb / 1024).toFixed(1).replace(/\.0$/, "")}T`;
}

export function clock(at: number | undefined, now = Date.now() / 1000): string {
  if (at === undefined) return "";
  const date = new Date(at * 1000);
  const time = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
  if (Math.abs(at - now) < 12 * 3600) return time;
  return `${date.toLocaleDateString([], { month: "short", day: "numeric" })} ${time.slice(0, 5)}`;
}

export const count = (n: number): string => n.toLocaleString("en");
export const plural = (n: number, one: string, many = one + "s"): string => `${count(n)} ${n === 1 ? one : many}`;
export const percent = (part: number, whole: number): string => whole > 0 ? `${Math.round((100 * part) / whole)}%` : "";

// TRES amounts: "2 CPU, 200M, 1 GPU".
export function amounts(tres: Record<string, number>, only?: Set<string>): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(tres)) {
    if (only && !only.has(name)) continue;
    if (name === "billing" || (name === "node" && !only)) continue;
    if (name === "mem") parts.push(memory(value));
    else if (name === "cpu") parts.push(`${count(value)} CPU`);
    else if (name === "gres/gpu") parts.push(`${count(value)} GPU`);
    else parts.push(`${count(value)} ${name}`);
  }
  return parts.join(", ");
}

// The same as Slurm prints them: "cpu=2,mem=200M,gres/gpu=1".
export function printedAmounts(tres: string | undefined): string {
  return (tres ?? "").split(",").map((one) => one.split("=")).filter(([name, amount]) => amount && !["node", "billing", "energy"].includes(name))
    .map(([name, amount]) => name === "cpu" ? `${amount} CPU` : name === "mem" ? (/^\d+M$/.test(amount) ? memory(Number(amount.slice(0, -1))) : amount) : name === "gres/gpu" ? `${amount} GPU` : `${amount} ${name}`).join(", ");
}

// "g[1-2,4]x" and "a,b" into names.
export function expandHosts(text: string): string[] {
  const out: string[] = [];
  for (const part of text.split(/,(?![^[]*\])/)) {
    const match = /^([^[]*)\[([^\]]*)\](.*)$/.exec(part);
    if (!match) { if (part) out.push(part); continue; }
    for (const range of match[2].split(",")) {
      const [from, to = from] = range.split("-");
      for (let n = Number(from); n <= Number(to) && out.length < 1000; n++)
        out.push(match[1] + String(n).padStart(from.length, "0") + match[3]);
    }
  }
  return out;
}

export type Tone = "run" | "wait" | "good" | "bad" | "off";
export function toneOf(state: string): Tone {
  switch (state) {
    case "RUNNING": case "COMPLETING": case "CONFIGURING": case "active": return "run";
    case "PENDING": case "SUSPENDED": case "REQUEUED": case "REQUEUE_HOLD": case "WAITING": return "wait";
    case "COMPLETED": case "ended": return "good";
    case "CANCELLED": case "cancelled": case "stopped": case "PREEMPTED": return "off";
    default: return "bad";
  }
}

// How long a job has run. Its limit runs with it, so that what it was suspended for does not count.
export function ranFor(line: { state: string; started?: number; elapsed?: number; limit?: number; ends_by?: number; tasks?: number }, now: number): number {
  if (line.started === undefined) return 0;
  // Of an array's line the longest run is shown.
  if ((line.tasks ?? 1) > 1) return now - line.started;
  if (line.elapsed !== undefined && !/^(RUNNING|COMPLETING|CONFIGURING)$/.test(line.state)) return line.elapsed;
  return now - (line.ends_by !== undefined && line.limit !== undefined ? line.ends_by - line.limit : line.started);
}

// What a program wrote for a terminal, as the terminal would show it: without colours, and of a line
// that it wrote over (a progress bar) the last.
export function terminalText(text: string): string {
  const plain = text.replace(/\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]/g, "").replaceAll("\r\n", "\n");
  const lines = plain.includes("\r") ? plain.split("\n").map((line) => line.split("\r").reduce((shown, over) => over === "" ? shown : over)).join("\n") : plain;
  return lines.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "");
}
