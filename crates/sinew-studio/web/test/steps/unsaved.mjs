// The question before unsaved edits would be lost.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

export async function asksBeforeEditsAreLost(studio, { figure }) {
  const { source } = await studio.state();
  await studio.step("Smooth weights", () => studio.click("Smooth"));
  await studio.until("unsaved edits", (state) => state.unsaved);
  assert.match(await studio.page.title(), /^\u2022 .* - Sinew Studio$/, "the title has the mark");
  await studio.drop("other.glb", readFileSync(figure));
  const asked = await studio.until("the question", (state) => state.question);
  assert.equal(asked.source, source, "nothing is opened before the answer");
  await studio.shoot("unsaved");
  await studio.click("Cancel");
  await studio.until("no question", (state) => !state.question);
  await asksBeforeThePageCloses(studio);
  await studio.drop("other.glb", readFileSync(figure));
  await studio.until("the question", (state) => state.question);
  await studio.click("Discard edits");
  const opened = await studio.until("the dropped file", (state) => state.source === "other.glb");
  assert.ok(!opened.unsaved, "an opened file is clean");
}

async function asksBeforeThePageCloses(studio) {
  const asked = studio.page.waitForEvent("dialog");
  await studio.page.close({ runBeforeUnload: true });
  const dialog = await asked;
  assert.equal(dialog.type(), "beforeunload");
  await dialog.dismiss();
}
