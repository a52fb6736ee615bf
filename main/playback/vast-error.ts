/** VAST 4.2 error codes (section 2.3.6.3) of what can go wrong on the stage. */
const CODES: Readonly<Record<string, number>> = {
  'load-failed': 401,
  'start-timeout': 402,
  stalled: 402,
  'decode-failed': 405,
  error: 405,
};

/** The `[ERRORCODE]` of a stage failure; 400, "general linear error", for any other. */
export function vastErrorCode(failure: string): number {
  return CODES[failure] ?? 400;
}
