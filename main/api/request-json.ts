import { nestsDeeperThan } from '../reading/json-depth';

/** Levels of arrays and objects a body may nest; the deepest signal has three. */
const MAX_DEPTH = 8;

/** Decodes a body strictly: UTF-8 without repairs, JSON, at most eight levels deep. */
export function readJson(bytes: Uint8Array) {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { ok: false, code: 'not-utf-8', message: 'The body is not valid UTF-8.' } as const;
  }
  if (nestsDeeperThan(MAX_DEPTH, text)) {
    return {
      ok: false,
      code: 'too-deep',
      message: `The body nests deeper than ${MAX_DEPTH} levels.`,
    } as const;
  }
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value } as const;
  } catch {
    // The parser's own message quotes the body, which may describe a shopper.
    return { ok: false, code: 'not-json', message: 'The body is not valid JSON.' } as const;
  }
}
