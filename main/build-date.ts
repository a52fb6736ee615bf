/** Set by the build of a package, in seconds since the epoch (`electron.vite.config.ts`). */
declare const __BUILD_DATE__: number | null | undefined;

/** What runs from source was not released at any time: surely after this. */
const FROM_SOURCE = Date.UTC(2025, 0, 1);

/** When this program was built, ms since the epoch, UTC: no clock that is right shows an earlier time (rule 10). */
export const BUILD_DATE: number = typeof __BUILD_DATE__ === 'number' ? __BUILD_DATE__ * 1000 : FROM_SOURCE;
