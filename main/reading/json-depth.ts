/** Most levels of JSON from the service that are read; its interfaces nest ten at most. */
export const SERVICE_JSON_DEPTH = 64;

/**
 * Whether arrays and objects of a JSON text nest deeper than `limit` levels. Call it before `JSON.parse`, which keeps
 * a record of each open level: 512 KiB of `[` take a third of a second. Reads until the limit is exceeded, at most
 * once from start to end (rule 31). For a text that is not JSON, the result means nothing.
 */
export function nestsDeeperThan(limit: number, text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i];
    if (inString) {
      if (char === '\\') i += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') {
      inString = true;
    } else if (char === '[' || char === '{') {
      depth += 1;
      if (depth > limit) return true;
    } else if (char === ']' || char === '}') {
      depth -= 1;
    }
  }
  return false;
}
