// Recovery after a killed page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Studio } from "../studio.mjs";

/** The state that recovery must restore. */
const kept = ({ source, fingerprint, steps, undo, redo }) => ({ source, fingerprint, steps, undo, redo });

export async function survivesAKilledPage(visitor, address, options, { figure }) {
  let studio = await Studio.open(visitor, address, options);
  assert.ok((await studio.state()).journal, "the browser keeps a journal");
  await studio.drop("figure.glb", readFileSync(figure));
  await studio.until("the dropped file", (state) => state.source === "figure.glb");
  await studio.click("head");
  await studio.step("Rotate", () => studio.slide("Rotate Z", 0.6));
  await studio.step("Smooth weights", () => studio.click("Smooth"));
  const wanted = kept(await studio.state());
  studio = await killed(studio, visitor, address, options);
  await studio.shoot("recover");

  await studio.click("Recover");
  const found = await studio.until("the session", (state) => !state.unclosed && state.source === "figure.glb");
  assert.deepEqual(kept(found), wanted, "nothing is lost");
  await studio.shoot("recovered");
  // The recovered steps are in a new journal.
  studio = await killed(studio, visitor, address, options);
  await studio.click("Discard");
  await studio.until("no offer", (state) => !state.unclosed);
  return studio;
}

/** Kills the page a second after the last edit, and opens the next one. */
async function killed(studio, visitor, address, options) {
  await studio.page.waitForTimeout(1300);
  await studio.page.close({ runBeforeUnload: false });
  const next = await Studio.open(visitor, address, options);
  await next.until("the offer", (state) => state.unclosed);
  return next;
}
