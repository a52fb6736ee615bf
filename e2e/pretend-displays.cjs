// @ts-nocheck It stands in for functions of the system, whatever they are called with.
// Runs in main before the kiosk does: the connectors of its graphics card are the folders in ENDCAP_E2E_DRM.
const promises = require('node:fs/promises');

const instead = (path) =>
  typeof path === 'string' && path.startsWith('/sys/class/drm')
    ? process.env.ENDCAP_E2E_DRM + path.slice('/sys/class/drm'.length)
    : path;
for (const name of ['readdir', 'readFile']) {
  const original = promises[name];
  promises[name] = (path, ...rest) => original(instead(path), ...rest);
}
