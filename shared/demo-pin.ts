/** The PIN of the embedded demo, told where it starts; no kiosk in a store has it. */
export const DEMO_PIN = '2741';
