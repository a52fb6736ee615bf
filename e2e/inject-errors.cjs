// @ts-nocheck It reaches into main from outside, as only a test may.
// Runs in main before the kiosk does, and in the embedded ad service in place of its program, which it loads. Code
// that is put into the file ENDCAP_E2E_INJECT is run once: in the service where it begins with its name, else in main.
const { existsSync, readFileSync, renameSync, rmSync } = require('node:fs');

const file = process.env.ENDCAP_E2E_INJECT;
const forService = process.type !== 'browser';

setInterval(() => {
  if (!existsSync(file)) return;
  const code = readFileSync(file, 'utf8');
  if (code.startsWith('// service') !== forService) return;
  const mine = `${file}.${process.pid}`;
  renameSync(file, mine);
  rmSync(mine);
  // biome-ignore lint/security/noGlobalEval: what a journey wants to have run.
  globalThis.eval(`(require) => {${code}\n}`)(require);
}, 25).unref();

if (forService) require(process.env.ENDCAP_E2E_SERVICE);
else {
  const { utilityProcess } = require('electron');
  const fork = utilityProcess.fork;
  utilityProcess.fork = (script, args, options) =>
    fork(__filename, args, { ...options, env: { ...process.env, ENDCAP_E2E_SERVICE: script } });
}
