// Drives a studio in a browser by widget names, pointer and keys.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { crop, decode } from "./png.mjs";

// Without a GPU, Chromium draws WebGPU only with all of these flags.
const FLAGS = (
  "--no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader --enable-unsafe-webgpu --ignore-gpu-blocklist " +
  "--enable-gpu --enable-features=Vulkan --use-vulkan=swiftshader --disable-quic --no-first-run " +
  "--disable-background-networking --disable-component-update --disable-sync"
).split(" ");

const TIMEOUT_MS = 60_000;
const VIEW = "Viewport";
// Widgets above the properties column, which never scroll.
const BARS = ["Dismiss", "Light", "Dark", "?"];

/** A headless browser. */
export function browser(flags = FLAGS) {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });
}

const place = ({ rect: [left, top, right, bottom] }) => {
  return { left, top, right, bottom, x: (left + right) / 2, y: (top + bottom) / 2 };
};

/** A browser context: its pages share stored data. */
export function visitor(within) {
  return within.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true });
}

export class Studio {
  /** Opens the page at `address` and waits until it can be used. */
  static async open(visitor, address, { query = "", pictures }) {
    const studio = new Studio(await visitor.newPage(), pictures);
    const begin = performance.now();
    await studio.page.goto(`${address}?test&${query}`);
    await studio.until("the page is ready", (state) => state !== null);
    studio.readySecs = (performance.now() - begin) / 1000;
    return studio;
  }

  constructor(page, pictures) {
    this.page = page;
    this.pictures = pictures;
    this.complaints = [];
    page.on("console", (message) => {
      if (message.type() === "error") this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
  }

  /** The published state of the page. */
  async state() {
    return JSON.parse((await this.page.getAttribute("body", "data-state")) ?? "null");
  }

  /** Waits until the state satisfies `wanted`. */
  async until(what, wanted) {
    const end = performance.now() + TIMEOUT_MS;
    for (;;) {
      const state = await this.state();
      if (wanted(state)) return state;
      const note = (await this.page.isVisible("#note")) ? await this.page.textContent("#note") : "";
      const seen = `${JSON.stringify(state)} ${note} ${this.complaints}`;
      if (performance.now() > end) await this.shoot("failed");
      assert.ok(performance.now() < end, `${what} never came: ${seen}`);
      await this.page.waitForTimeout(50);
    }
  }

  /** The rectangle of the named widget, once it exists and does not move, with that of the viewport. */
  async find(name, role) {
    const end = performance.now() + TIMEOUT_MS;
    let before;
    for (;;) {
      const widgets = JSON.parse((await this.page.getAttribute("body", "data-widgets")) ?? "[]");
      // Submenus have an arrow after their names.
      const isNamed = (widget) => widget.name === name || widget.name === `${name} ⏵`;
      const found = widgets.find((w) => isNamed(w) && (role === undefined || w.role === role));
      if (found && String(found.rect) === before) {
        const view = widgets.find((w) => w.name === VIEW);
        return { ...place(found), view: place(view) };
      }
      before = String(found?.rect);
      const names = widgets.map((w) => `${w.role} ${w.name}`).join(", ");
      if (performance.now() > end) await this.shoot("failed");
      assert.ok(performance.now() < end, `there is no ${role ?? "widget"} ${name} among ${names}`);
      await this.frames(1);
    }
  }

  /** Like `find`, but scrolls the properties column to the widget. */
  async reach(name, role) {
    for (let tries = 0; ; tries++) {
      const found = await this.find(name, role);
      const { view } = found;
      const isBeside = found.x > view.right && !BARS.includes(name);
      const isHidden = isBeside && (found.bottom > view.bottom - 4 || found.top < view.top + 4);
      if (!isHidden) return found;
      assert.ok(tries < 8, `${name} does not scroll into the column: ${JSON.stringify(found)}`);
      await this.page.mouse.move(found.x, view.y);
      await this.page.mouse.wheel(0, found.y - view.y);
      await this.frames(4);
    }
  }

  view() {
    return this.find(VIEW);
  }

  async click(name, role) {
    const { x, y } = await this.reach(name, role);
    await this.clickAt(x, y);
  }

  /** Clicks after a frame has seen the pointer there. */
  async clickAt(x, y) {
    await this.page.mouse.move(x, y);
    await this.frames();
    await this.page.mouse.down();
    await this.page.mouse.up();
    await this.frames();
  }

  /** Opens a combo box and chooses an entry. */
  async choose(list, choice) {
    await this.click(list, "ComboBox");
    await this.click(choice);
  }

  /** Drags the pointer along points `[x, y]`, optionally with a held key. */
  async drag(path, key) {
    const { mouse, keyboard } = this.page;
    if (key) await keyboard.down(key);
    await mouse.move(...path[0]);
    await this.frames();
    await mouse.down();
    await this.frames();
    for (const at of path.slice(1)) {
      await mouse.move(...at);
      await this.frames();
    }
    await mouse.up();
    await this.frames();
    if (key) await keyboard.up(key);
  }

  /** Drags a slider from its center to a fraction of its length. */
  async slide(name, fraction) {
    const { left, right, y } = await this.reach(name, "Slider");
    const at = left + (right - left) * fraction;
    await this.drag([[(left + right) / 2, y], [at - 2, y], [at, y]]);
  }

  async press(key) {
    await this.page.keyboard.press(key);
    await this.frames();
  }

  /** Runs `act`, which must add one named step to the history; returns the states before and after. */
  async step(name, act) {
    const before = await this.state();
    await act();
    const after = await this.until(name, (state) => state.undo === name && state.steps > before.steps);
    assert.equal(after.steps, before.steps + 1, `${name} is one step`);
    return { before, after };
  }

  /** Undoes everything down to so many steps. */
  async undoTo(steps) {
    while ((await this.state()).steps > steps) {
      const { steps: now } = await this.state();
      await this.press("Control+z");
      await this.until("undo", (state) => state.steps < now);
    }
    return this.state();
  }

  async frames(count = 2) {
    await this.page.evaluate(async (count) => {
      for (let n = 0; n < count; n++) await new Promise((done) => requestAnimationFrame(done));
    }, count);
  }

  /** A picture of the viewport; a screenshot of the page is saved under a name. */
  async look(name) {
    const { left, top, right, bottom } = await this.view();
    // Moves the pointer away, so that no tooltip or mark is in the picture.
    await this.page.mouse.move(left + 3, bottom - 3);
    await this.frames(3);
    return crop(decode(await this.shoot(name)), [left + 2, top + 2, right - 2, bottom - 2]);
  }

  /** Saves a screenshot of the page. */
  async shoot(name) {
    const picture = await this.page.screenshot();
    writeFileSync(join(this.pictures, `${name}.png`), picture);
    return picture;
  }

  /** Drops a file on the page, optionally with others. */
  async drop(name, bytes, ...others) {
    const files = [[name, bytes], ...others].map(([name, bytes]) => [name, bytes.toString("base64")]);
    const handle = await this.page.evaluateHandle((files) => {
      const transfer = new DataTransfer();
      for (const [name, text] of files) {
        transfer.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
      }
      return transfer;
    }, files);
    await this.page.dispatchEvent("canvas", "dragover", { dataTransfer: handle });
    await this.page.dispatchEvent("canvas", "drop", { dataTransfer: handle });
  }

  /** What is downloaded while `act` runs. */
  async download(act) {
    const [file] = await Promise.all([this.page.waitForEvent("download"), act()]);
    const path = join(this.pictures, file.suggestedFilename());
    await file.saveAs(path);
    return path;
  }
}
