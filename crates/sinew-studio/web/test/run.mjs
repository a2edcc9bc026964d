// Uses the page as a person does, once with WebGPU and once with WebGL2, and reads what it saved with the command line.
//
// Variables: SINEW, the program; PAGE, the folder of the page; PICTURES, where screenshots go.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { colors, difference } from "./png.mjs";
import { Studio, browser } from "./studio.mjs";

const { SINEW, PAGE, PICTURES } = process.env;
const sinew = (...words) => execFileSync(SINEW, words, { encoding: "utf8" });

/** The program that serves the page, and its address. */
function serve() {
  const server = spawn(SINEW, ["studio", "--web", "--port", "0", "--page", PAGE]);
  server.stderr.pipe(process.stderr);
  const address = new Promise((found, failed) => {
    server.stdout.on("data", (text) => {
      const match = /http:\/\/127\.0\.0\.1:\d+\//.exec(text);
      if (match) found(match[0]);
    });
    server.on("exit", (code) => failed(new Error(`the server ended with ${code}`)));
  });
  return { server, address };
}

/** Everything that a person does; the server is stopped on the way. */
async function usePage(chromium, renderer) {
  const pictures = join(PICTURES, renderer);
  mkdirSync(pictures, { recursive: true });
  const figure = join(pictures, "figure.glb");
  sinew("--quiet", "convert", "builtin:figure", figure);
  const { server, address } = serve();
  const query = renderer === "webgl" ? "renderer=webgl" : "";
  const studio = await Studio.open(chromium, await address, { query, pictures });
  const begun = await studio.state();
  assert.equal(begun.renderer, renderer === "webgl" ? "Gl" : "BrowserWebGpu");
  console.log(`${renderer}: ready after ${studio.readySecs.toFixed(1)} s`);

  await opensDroppedFiles(studio, figure);
  await rotatesABone(studio);
  // From here on nothing comes from the server any more.
  server.removeAllListeners("exit");
  server.kill();
  await playsAClip(studio);
  const weight = await editsAWeight(studio);
  await savesTheEdit(studio, weight);
  await opensAChosenFile(studio, figure);
  assert.deepEqual(studio.complaints, [], "the console has no errors");
  await studio.page.context().close();
}

async function opensDroppedFiles(studio, figure) {
  await studio.drop("figure.glb", readFileSync(figure));
  await studio.until("the dropped file", (state) => state.source === "figure.glb");
  const seen = await studio.look("1-opened");
  assert.ok(colors(seen) > 50, `the character is drawn: ${colors(seen)} colours`);

  await studio.drop("broken.glb", Buffer.from("glTF but not really"));
  const state = await studio.until("the message", (state) => state.message?.includes("broken.glb"));
  assert.equal(state.source, "figure.glb", "the document is untouched");
  await studio.shoot("2-broken");
  await studio.click("Dismiss");
  await studio.until("no message", (state) => state.message === null);
}

async function rotatesABone(studio) {
  await studio.click("spine_lower");
  const before = await studio.until("the joint", (state) => state.joint === "spine_lower");
  const straight = await studio.look("3-selected");
  const view = await studio.find("View of the character");
  const { mouse, keyboard } = studio.page;
  await mouse.move(view.x + 150, view.y);
  await studio.frames();
  await keyboard.press("r");
  await studio.frames();
  for (const y of [30, 60, 90]) {
    await mouse.move(view.x + 150, view.y - y);
    await studio.frames();
  }
  await keyboard.press("Enter");
  // The pointer leaves for a screenshot: the turn must have ended before.
  await studio.frames(4);
  const after = await studio.until("the turn", (state) => state.undo === "Rotate");
  assert.notDeepEqual(after.rotation, before.rotation);
  const bent = await studio.look("4-rotated");
  assert.ok(difference(straight, bent) > 3000, `the figure bends: ${difference(straight, bent)} pixels`);

  await studio.click("Undo");
  await studio.until("the turn back", (state) => JSON.stringify(state.rotation) === JSON.stringify(before.rotation));
}

async function playsAClip(studio) {
  await studio.page.keyboard.press("Space");
  await studio.until("playing", (state) => state.playing);
  const one = await studio.look("5-playing");
  await studio.page.waitForTimeout(250);
  const other = await studio.look("6-playing");
  assert.ok(difference(one, other) > 3000, `the figure moves: ${difference(one, other)} pixels`);
  await studio.page.keyboard.press("Space");
  await studio.until("pause", (state) => !state.playing);
}

/** Gives the vertex in the middle of the view another weight of the selected joint, in the table. */
async function editsAWeight(studio) {
  await studio.click("Vertices");
  const view = await studio.find("View of the character");
  await studio.clickAt(view.x, view.y);
  const { picked } = await studio.until("a vertex", (state) => state.vertices === 1);
  const joint = Object.keys(picked.weights)[0];
  const wanted = picked.weights[joint] > 0.5 ? 0.25 : 0.75;
  const cell = await studio.find(joint, "SpinButton");
  assert.ok(cell.bottom < 720, `the table is in sight: ${cell.bottom}`);
  await studio.clickAt(cell.x, cell.y);
  await studio.page.keyboard.press("Control+a");
  await studio.page.keyboard.type(String(wanted));
  await studio.page.keyboard.press("Enter");
  await studio.until("the weight", (state) => Math.abs(state.picked.weights[joint] - wanted) < 1e-6);
  await studio.shoot("7-weight");
  return { vertex: picked.vertex, joint, wanted };
}

async function savesTheEdit(studio, { vertex, joint, wanted }) {
  const path = await studio.download(async () => {
    await studio.click("Save", "Button");
    await studio.shoot("8-save");
    await studio.click("Save character");
  });
  assert.match(path, /figure-edited\.glb$/);
  const facts = JSON.parse(sinew("inspect", path, "--json"));
  assert.ok(JSON.stringify(facts).includes("walk"), "clips are saved too");
  const line = sinew("weights", "export", path).split("\n").find((l) => l.startsWith(`${vertex}: `));
  const weight = Number(line.split(`"${joint}" `)[1]?.split(" ")[0]);
  assert.ok(Math.abs(weight - wanted) < 1e-6, `vertex ${line}; wanted ${joint} ${wanted}`);
}

async function opensAChosenFile(studio, figure) {
  await studio.click("Open", "Button");
  const [chooser] = await Promise.all([
    studio.page.waitForEvent("filechooser"),
    studio.click("Choose a file…"),
  ]);
  await chooser.setFiles({ name: "chosen.glb", mimeType: "model/gltf-binary", buffer: readFileSync(figure) });
  await studio.until("the chosen file", (state) => state.source === "chosen.glb");
}

/** A browser that can draw nothing says so in words. */
async function saysWhatIsMissing() {
  const chromium = await browser(["--no-sandbox", "--disable-gpu", "--disable-3d-apis", "--disable-features=WebGPU"]);
  const { server, address } = serve();
  const page = await (await chromium.newContext()).newPage();
  await page.goto(await address);
  await page.waitForFunction(() => document.getElementById("note").textContent.includes("cannot start"));
  console.log(`without: ${(await page.textContent("#note")).slice(0, 90)}…`);
  server.removeAllListeners("exit");
  server.kill();
  await chromium.close();
}

rmSync(PICTURES, { recursive: true, force: true });
mkdirSync(PICTURES, { recursive: true });
for (const renderer of process.argv.length > 2 ? process.argv.slice(2) : ["webgpu", "webgl"]) {
  const chromium = await browser();
  await usePage(chromium, renderer);
  await chromium.close();
}
await saysWhatIsMissing();
console.log(`the page works; screenshots are in ${PICTURES}`);
process.exit(0);
