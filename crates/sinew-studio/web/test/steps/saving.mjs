// Downloads of the page, read by other programs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { colors, decode } from "../png.mjs";

export async function savesTheEdit(studio, sinew, { vertex, joint, wanted }) {
  const path = await studio.download(async () => {
    await studio.click("Save", "Button");
    await studio.shoot("save");
    await studio.click("Save character");
  });
  assert.match(path, /figure-edited\.glb$/);
  const facts = JSON.parse(sinew("inspect", path, "--json"));
  assert.ok(JSON.stringify(facts).includes("walk"), "clips are saved too");
  const line = sinew("weights", "export", path).split("\n").find((l) => l.startsWith(`${vertex}: `));
  const weight = Number(line.split(`"${joint}" `)[1]?.split(" ")[0]);
  assert.ok(Math.abs(weight - wanted) < 1e-6, `vertex ${line}; wanted ${joint} ${wanted}`);
}

export async function exportsEverything(studio, sinew) {
  await studio.choose("Clip", "walk");
  await studio.until("a clip", (state) => state.clip === "walk");
  const pose = await exported(studio, "Pose as mesh (.glb)");
  assert.ok(JSON.parse(sinew("inspect", pose, "--json")), "the command line reads the mesh");
  const cache = readFileSync(await exported(studio, "Clip as point cache (.pc2)"));
  const [vertices, samples] = [cache.readInt32LE(16), cache.readInt32LE(28)];
  assert.equal(cache.toString("latin1", 0, 11), "POINTCACHE2");
  assert.equal(cache.length, 32 + vertices * samples * 12, "every vertex of every sample is there");
  const film = readFileSync(await exported(studio, "Clip as animated picture (.gif)"));
  assert.equal(film.toString("latin1", 0, 6), "GIF89a");
  assert.ok(film.length > 20_000, `the film has ${film.length} bytes`);
  const picture = decode(readFileSync(await studio.download(async () => {
    await studio.click("Save", "Button");
    await studio.click("Save picture of the view");
  })));
  assert.ok(picture.width > 400 && colors(picture) > 50, `${picture.width} pixels, ${colors(picture)} colors`);
}

function exported(studio, what) {
  return studio.download(async () => {
    await studio.click("Save", "Button");
    await studio.click("Export");
    await studio.click(what);
  });
}
