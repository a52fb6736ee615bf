/** Set by the build, in seconds since the epoch (`electron.vite.config.ts`); null where it is not known. */
declare const __BUILD_DATE__: number | null | undefined;

/** For tests that run the sources, and for a build that knows no date: surely before it. */
const NOT_KNOWN = Date.UTC(2025, 0, 1);

/** When this program was built, ms since the epoch, UTC: no clock that is right shows an earlier time (rule 10). */
export const BUILD_DATE: number = typeof __BUILD_DATE__ === 'number' ? __BUILD_DATE__ * 1000 : NOT_KNOWN;
