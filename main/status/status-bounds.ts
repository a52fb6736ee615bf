// What the start needs of the status, apart from its schema, which takes main some 5 ms to build.

/** Longest lists in the status. */
export const MAX_REJECTED = 100;
export const MAX_RECENT_PLAYS = 1000;
export const MAX_PROBLEMS = 50;
export const MAX_UPCOMING = 10;
export const MAX_NATIVE_ADS = 20;

/** What the kiosk asks of the service. */
export const SERVICE_OPERATIONS = ['token', 'inventory', 'ads', 'native', 'media', 'beacons'] as const;
export type ServiceOperation = (typeof SERVICE_OPERATIONS)[number];
