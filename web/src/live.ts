// One stream of server-sent events for the whole page, and data that is fetched again when it says
// that something changed.
import { useEffect, useRef, useState } from "preact/hooks";
import type { DaemonCard } from "./api";

type Listener = () => void;
const listeners = new Set<Listener>();

export interface Live { version: number; daemon?: DaemonCard; lost: string; at: number }
export const live: Live = { version: 0, lost: "", at: Date.now() };

function tell() {
  live.at = Date.now();
  for (const listener of listeners) listener();
}

export function connect() {
  const source = new EventSource("/api/events");
  source.addEventListener("pulse", (event) => {
    live.lost = "";
    live.version++;
    const card = JSON.parse((event as MessageEvent).data);
    if (card.cluster !== undefined) live.daemon = card;
    tell();
  });
  source.addEventListener("hello", () => { live.lost = ""; tell(); });
  source.addEventListener("lost", (event) => {
    let what = "The daemon does not answer";
    try { what = JSON.parse((event as MessageEvent).data).error.what; } catch { /* as it is */ }
    live.lost = what;
    tell();
  });
  source.onerror = () => { live.lost = "The connection to sluice web is lost; trying again"; tell(); };
}

export function useLive(): Live {
  const [, again] = useState(0);
  useEffect(() => {
    const listener = () => again((n) => n + 1);
    listeners.add(listener);
    return () => { listeners.delete(listener); };
  }, []);
  return live;
}

export interface Loaded<T> { value?: T; error?: Error }

// The newest value of `load`, which is called again after a change, but no more than a tenth of the
// time: a queue of 50,000 jobs must not keep the page from scrolling.
export function useData<T>(key: string, load: () => Promise<T>, least = 700): Loaded<T> {
  const [state, set] = useState<Loaded<T> & { key: string }>({ key });
  const loader = useRef(load);
  loader.current = load;
  useEffect(() => {
    let gone = false, busy = false, due = false, timer = 0, next = 0, seen = -1;
    const run = async () => {
      timer = 0; busy = true; due = false; seen = live.version;
      const began = performance.now();
      try {
        const value = await loader.current();
        if (!gone) set({ key, value });
      } catch (error) {
        if (!gone) set((before) => ({ key, value: before.key === key ? before.value : undefined, error: error as Error }));
      }
      busy = false;
      const took = performance.now() - began;
      next = performance.now() + Math.max(least, took * 9);
      if (due) plan();
    };
    const plan = () => {
      if (gone || timer) return;
      if (busy) { due = true; return; }
      timer = window.setTimeout(run, Math.max(0, next - performance.now()));
    };
    const listener = () => { if (live.version !== seen && document.visibilityState === "visible") plan(); };
    listeners.add(listener);
    document.addEventListener("visibilitychange", listener);
    run();
    return () => {
      gone = true;
      window.clearTimeout(timer);
      listeners.delete(listener);
      document.removeEventListener("visibilitychange", listener);
    };
  }, [key]);
  return state.key === key ? state : {};
}

// The clock of this browser's machine may be another than the cluster's: times are the server's.
let ahead = 0;
export function setClock(now: number) {
  const by = now - Date.now() / 1000;
  ahead = Math.abs(by) > 2 ? by : 0;
}
export const clockNow = () => Date.now() / 1000 + ahead;

// The time now, again every second.
export function useNow(every = 1000): number {
  const [now, set] = useState(clockNow);
  useEffect(() => {
    const timer = window.setInterval(() => set(clockNow()), every);
    return () => window.clearInterval(timer);
  }, [every]);
  return now;
}
