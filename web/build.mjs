// Builds the page into bundle/, which is kept in the repository: `node build.mjs`, or with --check
// only says whether what is there is what would be built.
import { build } from "esbuild";
import { readFile, writeFile, mkdir } from "node:fs/promises";

const check = process.argv.includes("--check");
const folder = new URL("./bundle/", import.meta.url);

const result = await build({
  entryPoints: ["src/app.tsx", "src/app.css"],
  bundle: true,
  minify: true,
  write: false,
  outdir: "bundle",
  target: ["es2022"],
  format: "iife",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  absWorkingDir: new URL(".", import.meta.url).pathname,
});
const files = new Map();
const part = (name) => result.outputFiles.find((file) => file.path.endsWith(name)).text;
files.set("app.js", part("app.js"));
files.set("app.css", part("app.css"));
const frame = await build({ entryPoints: ["src/frame.ts"], bundle: true, write: false, format: "esm", absWorkingDir: new URL(".", import.meta.url).pathname });
const { frameHtml } = await import(`data:text/javascript,${encodeURIComponent(frame.outputFiles[0].text)}`);
const page = await readFile(new URL("./src/index.html", import.meta.url), "utf8");
files.set("index.html", page.replace("<!--frame-->", () => frameHtml()));

let stale = false;
await mkdir(folder, { recursive: true });
for (const [name, text] of files) {
  const file = new URL(name, folder);
  const before = await readFile(file, "utf8").catch(() => "");
  if (before === text) continue;
  stale = true;
  if (check) console.error(`web/bundle/${name} is not what web/src gives; type: cd web && npm run build`);
  else await writeFile(file, text);
}
process.exit(check && stale ? 1 : 0);
