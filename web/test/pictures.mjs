// The pictures of the documentation. scripts/write-web-pictures calls it.
//
//   node web/test/pictures.mjs URL FOLDER JOB CHAIN
import { chromium } from "playwright-core";
import { existsSync } from "node:fs";

const [url, folder, waiting, chain] = process.argv.slice(2);
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const browser = await chromium.launch({ executablePath, args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
const origin = new URL(url).origin;
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
const page = await context.newPage();
await page.goto(url);
await page.waitForURL(origin + "/");
const pictures = [["web-overview", "#/", "Ended lately"], ["web-queue", "#/queue", "sweep"], ["web-pools", "#/pools", "fit now"], ["web-chain", `#/chains/${chain}`, "Round 1"],
  ["web-job", `#/job/${waiting}`, "Gates on its way"], ["web-timeline", "#/timeline", "gpu1"]];
async function take(at, suffix) {
  for (const [name, hash, text] of pictures) {
    await at.goto(`${origin}/${hash}`);
    await at.getByText(text, { exact: false }).first().waitFor({ timeout: 60000 });
    await at.waitForTimeout(2500);
    await at.screenshot({ path: `${folder}/${name}${suffix}.png` });
  }
}
await take(page, "");
const night = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "dark", storageState: await context.storageState() });
await take(await night.newPage(), "-dark");
await browser.close();
