// Apart from the contract of the overlay, so that no start has to load that.

/** The longest pause that staff can ask for, minutes. */
export const MAX_PAUSE_MINUTES = 480;

export const OVERLAY_LANGUAGES = ['en', 'de'] as const;
export const OVERLAY_THEMES = ['system', 'light', 'dark'] as const;

/** The PIN of the embedded demo, shown where the demo starts; no kiosk in a store has it. */
export const DEMO_PIN = '2741';
/** What `npm run pin` prints for the demo's PIN. */
export const DEMO_PIN_HASH =
  'scrypt$32768$8$1$T3UjaJ1mGVVlr-tZ4FwE6A$Q4oxcfaWjjZXcC-iwn51hr5bZL1D-AsN7iCGpezJOWM';
