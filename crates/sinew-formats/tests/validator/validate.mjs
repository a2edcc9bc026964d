// Runs the Khronos validator over glTF files.
//
//   node validate.mjs FOLDER_WITH_NODE_MODULES FILE...
//
// Prints a JSON list, one entry a file: its path, how many errors and warnings the validator counts, and the messages of
// both kinds.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, ...files] = process.argv.slice(2);
const requireFrom = createRequire(pathToFileURL(path.join(path.resolve(modules), 'here.js')));
const validator = requireFrom('gltf-validator');

const WARNING = 1;

async function validate(file) {
  const beside = (uri) => path.join(path.dirname(file), decodeURIComponent(uri));
  const options = {
    uri: path.basename(file),
    // 0 means no limit.
    maxIssues: 0,
    writeTimestamp: false,
    externalResourceFunction: async (uri) => new Uint8Array(fs.readFileSync(beside(uri))),
  };
  const { issues } = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), options);
  const messages = issues.messages
    .filter((message) => message.severity <= WARNING)
    .map(({ severity, code, pointer, message }) => ({ error: severity < WARNING, code, pointer, message }));
  return { file, errors: issues.numErrors, warnings: issues.numWarnings, messages };
}

const results = [];
for (const file of files) {
  results.push(await validate(file));
}
console.log(JSON.stringify(results));
