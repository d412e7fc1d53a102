// The page: which view the address names, the keys, and the frame around them.
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { get, type About } from "./api";
import { kMark, kViews } from "./frame";
import { connect, setClock, useLive } from "./live";
import { Problem } from "./parts";
import { Overview } from "./views/overview";
import { Pools } from "./views/pools";
import { Queue } from "./views/queue";
import { Job } from "./views/job";
import { Chains } from "./views/chains";
import { Timeline } from "./views/timeline";
import { PolicyView } from "./views/policy";
import { Simulation } from "./views/sim";

function useAddress(): { view: string; rest: string; query: string } {
  // An address that somebody cut or mistyped is shown as it stands.
  const decoded = (text: string) => { try { return decodeURIComponent(text); } catch { return text; } };
  const read = () => {
    const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
    const [view, ...rest] = path.split("/");
    return { view, rest: decoded(rest.join("/")), query: decoded(query) };
  };
  const [address, set] = useState(read);
  useEffect(() => {
    const changed = () => { set(read()); window.scrollTo(0, 0); };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return address;
}

function Keys({ close }: { close: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  // The keyboard goes into the dialog, and back to where it was.
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    button.current?.focus();
    return () => before?.focus();
  }, []);
  return (
    <div class="overlay" onClick={close} onKeyDown={(event) => { if (event.key === "Tab") event.preventDefault(); }}><div class="card keys" role="dialog" aria-modal="true" aria-label="Keys">
      <h2>Keys</h2>
      <dl>{kViews.map(([, name], i) => <div key={name}><dt>{i + 1}</dt><dd>{name}</dd></div>)}
        <div><dt>/</dt><dd>filter the queue</dd></div><div><dt>j k ↑ ↓</dt><dd>move in the queue</dd></div><div><dt>Enter</dt><dd>open the job</dd></div>
        <div><dt>Backspace</dt><dd>back</dd></div><div><dt>?</dt><dd>this list</dd></div></dl>
      <button ref={button} onClick={close}>close</button></div></div>
  );
}

// The server writes it into the page.
function aboutOfPage(): About | undefined {
  const text = document.getElementById("about")?.textContent;
  if (!text) return undefined;
  const about = JSON.parse(text) as About;
  setClock(about.now);
  return about;
}

function App() {
  const address = useAddress();
  const state = useLive();
  const [about, setAbout] = useState<About | undefined>(aboutOfPage);
  const [problem, setProblem] = useState<Error>();
  const [help, setHelp] = useState(false);
  useEffect(() => {
    if (about) connect();
    else get<About>("/api/about").then((it) => { setClock(it.now); setAbout(it); connect(); }, setProblem);
  }, []);
  useEffect(() => {
    const name = kViews.find(([path]) => path === address.view)?.[1] ?? (address.view === "job" ? `Job ${address.rest}` : "");
    document.title = `${name ? name + " · " : ""}sluice`;
  }, [address.view, address.rest]);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const inField = event.target instanceof HTMLInputElement;
      if (event.key === "Escape") { setHelp(false); if (inField) (event.target as HTMLElement).blur(); return; }
      if (inField || event.ctrlKey || event.metaKey || event.altKey) return;
      const view = kViews[Number(event.key) - 1];
      if (view) location.hash = `#/${view[0]}`;
      else if (event.key === "?") setHelp((shown) => !shown);
      else if (event.key === "Backspace") history.back();
      else if (event.key === "/") {
        event.preventDefault();
        if (address.view !== "queue") location.hash = "#/queue";
        window.setTimeout(() => document.dispatchEvent(new Event("sluice-find", { cancelable: true })), 60);
      } else if (["j", "k", "ArrowDown", "ArrowUp"].includes(event.key) && address.view === "queue" && document.activeElement === document.body)
        document.querySelector<HTMLElement>(".rows")?.focus();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [address.view]);
  const engine = about?.engine ?? "";
  const here = address.view === "job" ? "queue" : address.view;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>to the content</a>
      <header class="frame">
        <a class="brand" href="#/"><svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d={kMark} /></svg>sluice</a>
        <nav aria-label="Views">{kViews.map(([path, name]) => <a key={path} href={`#/${path}`} aria-current={here === path ? "page" : undefined}>{name}</a>)}</nav>
        <div class="who"><span class={`dot ${state.lost ? "bad" : "good"}`} /><span>{state.lost ? "not live" : "live"}</span>
          <span class="wide-only">{about?.user}{state.daemon ? ` on ${state.daemon.cluster}` : engine === "slurm" ? " on Slurm" : ""}{about?.may_write ? "" : " · read-only"}</span>
          <button class="help-key" aria-label="Keys" onClick={() => setHelp(true)}>?</button></div>
      </header>
      <main id="main" tabIndex={-1}>
        {problem && <div class="page"><Problem error={problem} /></div>}
        {state.lost && <p class="lost" role="alert">{state.lost}</p>}
        {about && (address.view === "" ? <Overview engine={engine} />
          : address.view === "queue" ? <Queue key={address.query} given={address.query} reasons={about.reasons} />
          : address.view === "pools" ? <Pools />
          : address.view === "chains" ? <Chains id={address.rest} />
          : address.view === "timeline" ? <Timeline engine={engine} />
          : address.view === "policy" ? <PolicyView engine={engine} />
          : address.view === "simulation" ? <Simulation />
          : address.view === "job" ? <Job key={address.rest} id={address.rest} reasons={about.reasons} mayWrite={about.may_write} engine={engine} />
          : <div class="page"><p class="empty">There is no such page. <a href="#/">Overview</a></p></div>)}
      </main>
      {help && <Keys close={() => setHelp(false)} />}
    </>
  );
}

render(<App />, document.getElementById("app")!);
