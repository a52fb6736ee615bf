/** What a playing kiosk has besides its pictures. A chunk of its own: no start waits for it to be loaded. */
export { createAdmin } from './admin/admin';
export { checkConnection } from './admin/connection-check';
export { driveFilesOnDisk } from './admin/mounted-drives';
export { playsStream } from './admin/plays-stream';
export { describeRunningKiosk } from './admin/running-kiosk';
export { unhurried } from './admin/unhurried';
export { setAutostart } from './shell/autostart';
export { trustInChromium } from './shell/chromium-cas';
export { machineControls } from './shell/machine-controls';
export { openLoopbackApi } from './signals/loopback-api';
export { reportChromiumCas } from './signals/report-egress';
