// @ts-nocheck It stands in for a function of the runtime, whatever it is called with.
// Runs in main before the kiosk does: what it looks at every five seconds it looks at every half.
const every = globalThis.setInterval;
globalThis.setInterval = (run, ms, ...given) => every(run, ms / 10, ...given);
