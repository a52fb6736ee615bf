/** The kinds of signals that the kiosk receives about the moment. */
export const SIGNAL_KINDS = ['shopper', 'cart', 'weather'] as const;
export type SignalKind = (typeof SIGNAL_KINDS)[number];
