// A list of any length of which only the rows in sight exist.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";

interface Props<T> {
  rows: T[]; height: number; chosen: number; label: string;
  row: (line: T, index: number) => JSX.Element; onChoose: (index: number) => void; onOpen: (line: T) => void;
}

export function VirtualRows<T>({ rows, height, chosen, label, row, onChoose, onOpen }: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [tall, setTall] = useState(600);
  useLayoutEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => setTall(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = box.current!;
    const at = chosen * height;
    if (chosen < 0) return;
    if (at < element.scrollTop) element.scrollTop = at;
    else if (at + height > element.scrollTop + element.clientHeight) element.scrollTop = at + height - element.clientHeight;
  }, [chosen, height]);
  const first = Math.max(0, Math.floor(top / height) - 8);
  const last = Math.min(rows.length, Math.ceil((top + tall) / height) + 8);
  const keys = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(tall / height) - 1);
    const step: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -rows.length, End: rows.length };
    if (event.key === "Enter" && rows[chosen]) { onOpen(rows[chosen]); return; }
    if (step[event.key] === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    onChoose(Math.min(rows.length - 1, Math.max(0, chosen + step[event.key])));
  };
  return (
    <div class="rows" ref={box} tabIndex={0} role="listbox" aria-label={label} onKeyDown={keys}
      aria-activedescendant={chosen >= first && chosen < last ? `row-${chosen}` : undefined}
      onScroll={(event) => setTop((event.currentTarget as HTMLElement).scrollTop)}>
      <div class="rows-all" role="presentation" style={{ height: `${rows.length * height}px` }}>
        {rows.slice(first, last).map((line, k) => {
          const index = first + k;
          return (
            <div key={index} id={`row-${index}`} role="option" aria-selected={index === chosen} class={index === chosen ? "row chosen" : "row"}
              style={{ transform: `translateY(${index * height}px)`, height: `${height}px` }}
              onClick={() => { onChoose(index); onOpen(line); }}>{row(line, index)}</div>
          );
        })}
      </div>
    </div>
  );
}
