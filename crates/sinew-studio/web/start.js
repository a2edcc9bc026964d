// Starts the studio. A file of its own, so that servers can forbid all scripts inside pages.
import init from "./sinew-studio.js";
const note = document.getElementById("note");
const show = (text) => { note.textContent = text; note.hidden = false; };
const get = (name) => fetch(`./sinew-studio${name}`);
async function start() {
  const [script, module] = await Promise.all([
    get(".js").then((answer) => answer.text()),
    // Falls back if the server sends another content type.
    WebAssembly.compileStreaming(get("_bg.wasm")).catch(async () => WebAssembly.compile(await (await get("_bg.wasm")).arrayBuffer())),
  ]);
  // Background jobs run in a second instance of the loaded module, without another request to the server.
  const begin = "\nonmessage = ({ data }) => { onmessage = null; initSync({ module: data }); };";
  const copy = URL.createObjectURL(new Blob([script, begin], { type: "text/javascript" }));
  window.sinewWorker = () => {
    const worker = new Worker(copy, { type: "module" });
    worker.postMessage(module);
    return worker;
  };
  await init({ module_or_path: module });
}
start().catch((error) => {
  // winit leaves its main function by a harmless exception.
  if (!String(error).includes("exceptions for control flow")) show(`The studio cannot start here: ${error}`);
});
// Asks before a page with unsaved edits is closed.
addEventListener("beforeunload", (event) => {
  if (JSON.parse(document.body.dataset.state ?? "{}").unsaved) event.preventDefault();
});
