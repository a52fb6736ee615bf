// @ts-nocheck It stands in for a function of the runtime, whatever it is called with.
// Runs in main before the kiosk does: from the start its timers run ENDCAP_E2E_HURRY times as fast.
const later = globalThis.setTimeout;
const times = Number(process.env.ENDCAP_E2E_HURRY);
globalThis.setTimeout = Object.assign((run, ms = 0, ...given) => later(run, ms / times, ...given), later);
