import { startKiosk } from './kiosk.mjs';
import { asCommand } from './say.mjs';

// npm start -- [--config FILE] [--data-dir DIR] [--windowed] [more for Electron]
await asCommand(() => startKiosk(process.argv.slice(2)));
