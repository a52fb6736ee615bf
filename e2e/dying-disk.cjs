// @ts-nocheck It stands in for functions of the system, whatever they are called with.
// Runs in main before the kiosk does: what it writes of creatives fails with the system's
// code in the file that ENDCAP_E2E_DISK names, for as long as that file is there.
const promises = require('node:fs/promises');
const { readFileSync } = require('node:fs');

const { open, rename, mkdir } = promises;

function fault() {
  try {
    return readFileSync(process.env.ENDCAP_E2E_DISK, 'utf8');
  } catch {
    return null;
  }
}

function failIf(code, path) {
  const isOurs = /[\\/]media([\\/]|$)/.test(String(path));
  if (isOurs && fault() === code) throw Object.assign(new Error(`${code}: of the test, ${path}`), { code });
}

promises.open = async (path, flags, ...rest) => {
  if (flags !== 'r') failIf('EROFS', path);
  const file = await open(path, flags, ...rest);
  const append = file.appendFile.bind(file);
  let written = 0;
  file.appendFile = async (...args) => {
    // In its middle: something of it was written by then.
    if (written > 0) failIf('ENOSPC', path);
    written += 1;
    return append(...args);
  };
  return file;
};
promises.rename = async (from, to) => {
  failIf('EROFS', to);
  return rename(from, to);
};
promises.mkdir = async (path, ...rest) => {
  failIf('EROFS', path);
  return mkdir(path, ...rest);
};
