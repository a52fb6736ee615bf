// Runs in main before the kiosk does: chance does not make the nightly restart late, and it is looked for often.
Math.random = () => 0;
require('./look-often.cjs');
