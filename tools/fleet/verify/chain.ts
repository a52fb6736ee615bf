import type { MissingRange } from '../../../main/fleet/segment';
import type { ErrorCode, NoteCode } from './findings';

/** A segment as the chain sees it; numbers are inclusive. */
export interface ChainLink {
  readonly first: number;
  readonly last: number;
  readonly digest: string;
  readonly predecessor: string | null;
}

interface ChainFinding {
  readonly code: ErrorCode | NoteCode;
  readonly first: number;
  readonly last: number;
  readonly message: string;
}

/** Reads the `setAside` of a manifest, ascending. An invalid text counts as empty: the digest check reports it. */
export function setAsideIn(text: string): MissingRange[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(isSetAside).sort((a, b) => a.first - b.first) : [];
  } catch {
    return [];
  }
}

function isSetAside(value: unknown): value is MissingRange {
  if (typeof value !== 'object' || value === null) return false;
  const { first, last, digest } = value as Record<string, unknown>;
  return (
    Number.isSafeInteger(first) &&
    Number.isSafeInteger(last) &&
    (digest === null || typeof digest === 'string')
  );
}

/**
 * Checks a segment against the one before it in the table (rule 28). `previous` null: there is none.
 * A segment that is set aside stays in the chain: its digest is the predecessor of the next one.
 *
 * @param fromStart whether `link` must be the epoch's first when there is no previous one
 */
export function followChain(
  previous: ChainLink | null,
  link: ChainLink,
  setAside: readonly MissingRange[],
  fromStart: boolean,
): ChainFinding[] {
  const { first, last, predecessor } = link;
  if (previous === null && !fromStart) return [];
  const end = previous?.last ?? 0;
  if (first <= end) {
    return [{ code: 'chain-broken', first, last, message: `it overlaps the segment that ends at ${end}` }];
  }
  const between = setAside.filter((aside) => aside.first > end && aside.last < first);
  const findings: ChainFinding[] = [];
  let next = end + 1;
  for (const aside of between) {
    if (aside.first > next) findings.push(missing(next, aside.first - 1));
    findings.push(told(aside));
    next = aside.last + 1;
  }
  if (first > next) findings.push(missing(next, first - 1));
  // The last segment that was made before this one, as far as the table and this manifest tell.
  const before = between.findLast(({ digest }) => digest !== null) ?? previous;
  const isGapless = !findings.some(({ code }) => code === 'segment-missing');
  if (isGapless && predecessor !== (before?.digest ?? null)) {
    const message = 'it names another predecessor than the segment before it';
    findings.push({ code: 'chain-broken', first, last, message });
  }
  return findings;
}

function told({ first, last, digest }: MissingRange): ChainFinding {
  return digest === null
    ? {
        code: 'dropped-by-kiosk',
        first,
        last,
        message: 'the kiosk dropped these plays unsent: it could not keep so many',
      }
    : {
        code: 'set-aside',
        first,
        last,
        message: 'the kiosk says that these numbers were refused; it tries again daily',
      };
}

function missing(first: number, last: number): ChainFinding {
  const message = 'no segment has these numbers, and the kiosk gives no reason';
  return { code: 'segment-missing', first, last, message };
}
