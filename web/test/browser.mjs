// Walks through every view of a running page with a real browser. Prints a line a check.
//
//   node web/test/browser.mjs URL FOLDER JOB CHAIN     FOLDER gets the screenshots
import { chromium } from "playwright-core";
import { readFile, mkdir } from "node:fs/promises";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";

const [url, folder, waiting, running, hostile, chain] = process.argv.slice(2);
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
await mkdir(folder, { recursive: true });

let failures = 0;
function check(title, passed, said = "") {
  console.log(`${passed ? "ok" : "not ok"} - ${title}`);
  if (!passed) { failures++; if (said) console.log(`  ${said}`); }
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const origin = new URL(url).origin;
const views = [
  ["overview", "#/", "What is wrong right now"], ["queue", "#/queue", "sweep"], ["pools", "#/pools", "fit now"],
  ["chain", `#/chains/${chain}`, "Round 2"], ["timeline", "#/timeline", "gpu1"], ["policy", "#/policy", "genomics"],
  ["simulation", "#/simulation", "sluice sim"], ["waiting", `#/job/${waiting}`, "Gates on its way"], ["running", `#/job/${running}`, "epoch"], ["hostile", `#/job/${hostile}`, "Log"],
];

const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
const page = await context.newPage();
const problems = [];
page.on("console", (message) => { if (message.type() === "error") problems.push(`${message.text()} ${message.location().url}`); });
page.on("response", (response) => { if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`); });
page.on("pageerror", (error) => problems.push(String(error)));
page.on("dialog", (dialog) => { problems.push("a dialog: " + dialog.message()); dialog.dismiss(); });
await page.goto(url);
await page.waitForURL(origin + "/");

async function show(name, hash, text, at = page) {
  await at.goto(`${origin}/${hash}`);
  await at.getByText(text, { exact: false }).first().waitFor({ timeout: 60000 });
  await at.waitForTimeout(300);
}

for (const [name, hash, text] of views) {
  try {
    await show(name, hash, text);
    await page.screenshot({ path: `${folder}/${name}.png` });
    check(`the view '${name}' shows '${text}'`, true);
  } catch (error) {
    await page.screenshot({ path: `${folder}/${name}.png` });
    check(`the view '${name}' shows '${text}'`, false, String(error).split("\n")[0]);
    continue;
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check(`'${name}' does not scroll sideways at 1280 px`, wide <= 0, `${wide} px too wide`);
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
  const serious = found.violations.filter((one) => ["serious", "critical"].includes(one.impact));
  check(`axe finds nothing serious in '${name}'`, serious.length === 0,
    serious.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`).join("; "));
}

// True as soon as it is so; a busy machine draws late.
async function comes(condition) {
  for (let tries = 0; tries < 200; tries++) {
    if (await page.evaluate(condition)) return true;
    await page.waitForTimeout(100);
  }
  return false;
}

// Names are text, whatever they say.
await show("hostile", `#/job/${hostile}`, "Log");
check("a script in a name stays text", (await page.title()).endsWith("sluice") && (await page.locator("h1 script, h1 img, pre script, pre b").count()) === 0, await page.title());
check("and is shown as it was written", (await page.locator("h1").innerText()).includes("<script>"));

// A log is shown as a terminal would show it.
const log = await page.locator("pre.log").first().innerText();
check("colours of a log are no text", log.includes("<b>red</b>") && !log.includes("[31m"), log);
check("of a line that was written over the last is shown", log.includes("30% done") && !log.includes("10% done"), log);

// What has ended runs no longer.
await show("array", "#/job/1", "completed");
const ran = () => page.locator("tbody tr", { hasText: "completed" }).first().locator("td.num").innerText();
const then = await ran();
await page.waitForTimeout(2100);
check("the time of a task that has ended stands still", then !== "" && then === await ran(), then);

// The queue: filter, keys, a click.
await show("queue", "#/queue", "sweep");
await page.keyboard.press("/");
await comes(() => document.activeElement?.tagName === "INPUT");
await page.keyboard.type("notebook");
check("a filter leaves the lines that have its words", await comes(() => document.querySelectorAll('.rows [role="option"]').length === 1));
await page.locator('.rows [role="option"]').first().click();
await page.getByText("Life").waitFor();
check("a click on a line opens the job", page.url().includes("#/job/"));
await page.keyboard.press("3");
await page.getByText("fit now").first().waitFor();
check("a number goes to a view", page.url().endsWith("#/pools"));
check("a page that only shows has no buttons for changes", (await page.getByRole("button", { name: /cancel/i }).count()) === 0);

// Keys, addresses that are wrong, and what a chain's flow says.
await page.keyboard.press("?");
check("the list of keys takes the keyboard", await comes(() => document.activeElement?.textContent === "close"));
await page.keyboard.press("Escape");
check("and gives it back", await comes(() => document.querySelector('[role="dialog"], dialog[open]') === null));
// On a page of its own: a browser notes itself that there is no such job.
const lost = await context.newPage();
await lost.goto(`${origin}/#/job/%zz`);
await lost.getByRole("alert").first().waitFor();
check("an address that means nothing is answered in words", (await lost.locator("nav").count()) === 1);
await lost.close();
await show("chain", `#/chains/${chain}`, "Round 2");
check("the flow says which tasks were tried again", (await page.locator(".flow > li").nth(1).innerText()).includes("tasks 0"));

// A simulation is read in the browser; two are compared.
const result = (name, wait) => ({ name, mimeType: "text/csv", buffer: Buffer.from("job,user,account,cpus,gpus,limit_seconds,submit_seconds,start_seconds,end_seconds,state\n" +
  Array.from({ length: 200 }, (_, i) => `${i},u${i % 5},a,4,0,600,${i * 10},${i * 10 + wait},${i * 10 + wait + 300},COMPLETED`).join("\n")) });
await page.goto(`${origin}/#/simulation`);
await page.locator('input[type="file"]').setInputFiles([result("before.csv", 60), result("after.csv", 20)]);
await page.getByText("Compared").waitFor();
await page.locator('input[type="range"]').fill("0.5");
check("two simulations are compared", (await page.getByText("mean wait").first().locator("xpath=..").innerText()).includes("67%"));
await page.screenshot({ path: `${folder}/simulation-compared.png` });
await page.evaluate(axe);
const compared = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
check("axe finds nothing serious in the comparison", compared.violations.every((one) => !["serious", "critical"].includes(one.impact)),
  compared.violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 150)}`).join("; "));
await page.locator('input[type="file"]').setInputFiles([{ name: "notes.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n") }]);
check("another file is refused in words", (await page.getByRole("alert").innerText()).includes("has no column"));

// Narrow and dark.
const phone = await browser.newContext({ viewport: { width: 390, height: 800 }, colorScheme: "dark", storageState: await context.storageState() });
const small = await phone.newPage();
for (const [name, hash, text] of views) {
  await show(name, hash, text, small);
  await small.screenshot({ path: `${folder}/${name}-phone-dark.png` });
  const over = await small.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check(`'${name}' does not scroll sideways at 390 px`, over <= 0, `${over} px too wide`);
}
await small.evaluate(axe);
const dark = await small.evaluate(() => axe.run({ resultTypes: ["violations"] }));
check("axe finds nothing serious in the dark", dark.violations.every((one) => !["serious", "critical"].includes(one.impact)),
  dark.violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 150)}`).join("; "));
await phone.close();
const night = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "dark", storageState: await context.storageState() });
const dim = await night.newPage();
for (const [name, hash, text] of views.slice(0, 4)) { await show(name, hash, text, dim); await dim.screenshot({ path: `${folder}/${name}-dark.png` }); }
await night.close();

// A browser without the cookie gets nothing.
const stranger = await (await browser.newContext()).newPage();
const answer = await stranger.goto(origin + "/");
check("a browser that was not logged in gets nothing", answer.status() === 401, String(answer.status()));
await page.waitForTimeout(100);
check("the browser has nothing to complain about", problems.length === 0, problems.slice(0, 5).join("; "));
await browser.close();
process.exit(failures > 0 ? 1 : 0);
