/** Channel names, in a file without schemas so that preloads need not carry a validator. */
export const STAGE_CHANNEL = 'endcap:stage';
export const RECORDS_PORT = 'endcap:records-port';
export const OVERLAY_CHANNEL = 'endcap:overlay';

/** Origins of our own pages. IndexedDB belongs to its origin: these never change. */
export const APP_SCHEME = 'endcap';
export const KIOSK_ORIGIN = `${APP_SCHEME}://kiosk`;
export const RECORDS_ORIGIN = `${APP_SCHEME}://records`;
/** Verified creatives: `media://cache/<key>`. */
export const MEDIA_SCHEME = 'media';
