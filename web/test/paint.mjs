// Measures the page: `node web/test/paint.mjs URL` with the address that sluice web --tcp printed.
// First paint, and the queue while it is scrolled and filtered.
import { chromium } from "playwright-core";
import { existsSync } from "node:fs";

const url = process.argv[2];
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
const origin = new URL(url).origin;
await page.goto(url);
await page.waitForURL(origin + "/");
const paints = [];
for (let i = 0; i < 5; i++) {
  await page.goto("about:blank");
  await page.goto(`${origin}/#/queue`);
  await page.locator('.rows [role="option"]').first().waitFor({ timeout: 60000 });
  paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime));
}
console.log(`first paint: ${paints.map((one) => Math.round(one)).join(", ")} ms`);
const seen = await page.evaluate(async () => {
  const rows = document.querySelector(".rows");
  const gaps = [];
  let last = performance.now();
  for (let i = 0; i < 200; i++) {
    rows.scrollTop = (rows.scrollHeight / 200) * i;
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    gaps.push(now - last);
    last = now;
  }
  gaps.sort((a, b) => a - b);
  return { lines: document.querySelector(".totals").textContent, half: gaps[100], most: gaps[199], nodes: document.querySelectorAll("*").length };
});
console.log(`${seen.lines}: a frame while scrolling takes ${seen.half.toFixed(1)} ms, the longest ${seen.most.toFixed(1)} ms; ${seen.nodes} elements`);
const began = Date.now();
await page.locator(".filter").fill("4999");
await page.waitForFunction(() => / of /.test(document.querySelector(".totals").textContent));
console.log(`a filter over all of them: ${Date.now() - began} ms`);
await browser.close();
