// @ts-nocheck It stands in for a function of the runtime, whatever it is called with.
// Runs in main before the kiosk does: a wait of a minute takes six seconds.
const later = globalThis.setTimeout;
globalThis.setTimeout = Object.assign(
  (run, ms, ...given) => later(run, ms === 60_000 ? 6_000 : ms, ...given),
  later,
);
