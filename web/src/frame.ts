// The frame around every view, as the page has it before its program runs: build.mjs writes it into
// index.html, so that something is seen at once. app.tsx draws the same.
export const kViews: [string, string][] = [["", "Overview"], ["queue", "Queue"], ["pools", "Pools"], ["chains", "Chains"], ["timeline", "Timeline"], ["policy", "Policy"], ["simulation", "Simulation"]];

export const kMark = "M3 4v16M21 4v16M8 4v9M16 4v9M3 17q3-3 6 0t6 0 6 0";

export const frameHtml = () =>
  `<a class="skip" href="#main">to the content</a><header class="frame"><a class="brand" href="#/"><svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="${kMark}"></path></svg>sluice</a>` +
  `<nav aria-label="Views">${kViews.map(([path, name]) => `<a href="#/${path}">${name}</a>`).join("")}</nav></header><main id="main" tabindex="-1"></main>`;
