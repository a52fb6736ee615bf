import { z } from 'zod';
import { plain } from '../../shared/plain';
import type { CountedPlay } from '../decisions/explain';
import type { ScreenSize } from '../service/ads-reading/choose-media';
import { readInstant } from '../service/ads-reading/instant';
import { type CommandLine, UsageError } from './command-result';

export const INSPECT_USAGE = `Usage: inspect ADS.xml [options]

Explains what this kiosk would do with an ads response, without a network.
ADS.xml may be "-" for standard input.

  --context FILE   {"shopper": …, "cart": …, "weather": …}, bodies as for the local API
  --plays FILE     earlier plays: [{"flightId": "…", "at": "2026-01-31T12:00:00Z"}],
                   or what endcap export-plays and GET /v1/plays print
  --at TIME        judge at this moment (RFC 3339) instead of now
  --screen WxH     size in pixels, default 1920x1080
  --extension TYPE type of the metadata's <Extension>, default service-metadata
  --json           print the report as JSON

Exit status: 0 the response could be read, 1 it could not, 2 wrong usage.`;

const text = { type: 'string' } as const;
export const INSPECT_OPTIONS = {
  context: text,
  plays: text,
  at: text,
  screen: text,
  extension: text,
  json: { type: 'boolean' },
} as const;

/** The arguments that need more than a default. Throws `UsageError`. */
export function readInspectArguments({ words, options: values }: CommandLine<typeof INSPECT_OPTIONS>) {
  const [ads, ...others] = words;
  if (ads === undefined) throw wrong('expected the file of an ads response, or "-" for standard input');
  if (others.length > 0) throw wrong(`expected one file, got ${words.length}`);
  const at = values.at === undefined ? null : readInstant(values.at);
  if (values.at !== undefined && at === null)
    throw wrong(
      `--at: expected an RFC 3339 time such as 2026-01-31T12:00:00Z, got ${JSON.stringify(values.at)}`,
    );
  const screen = readScreen(values.screen ?? '1920x1080');
  if (screen === null)
    throw wrong(`--screen: expected WIDTHxHEIGHT such as 1920x1080, got ${JSON.stringify(values.screen)}`);
  return {
    /** Path of the response, or "-" for standard input. */
    ads,
    /** ms since the epoch, UTC; null is now. */
    at,
    screen,
  };
}

const Plays = z.array(
  z.object({
    flightId: plain.textOrNull,
    at: z.string().transform((text, context) => {
      const at = readInstant(text);
      if (at !== null) return at;
      context.addIssue('expected an RFC 3339 time');
      return z.NEVER;
    }),
    outcome: plain.text.optional(),
  }),
);

/** The text of a JSON list: `text` itself, or the list of its objects if it holds one a line. */
export const asList = (text: string): string =>
  /^\s*(\{|$)/.test(text) ? `[${text.trim().split(/\n+/).join(',\n')}]` : text;

/**
 * Reads `[{ "flightId": "…", "at": "RFC 3339" }]`; a text says why it cannot be read. Of the plays that a kiosk exports,
 * those are left out that no cap counts: without a flight, and void ones.
 */
export function readPlays(document: unknown): CountedPlay[] | string {
  const parsed = Plays.safeParse(document);
  if (parsed.success)
    return parsed.data.flatMap(({ flightId, at, outcome }) =>
      flightId === null || outcome === 'given-back' ? [] : [{ flightId, at }],
    );
  const [issue] = parsed.error.issues;
  const path = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  return `${path}${issue?.message ?? 'not a list of plays'}`;
}

function readScreen(text: string): ScreenSize | null {
  const [, width, height] = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/i.exec(text) ?? [];
  return width === undefined || height === undefined
    ? null
    : { width: Number(width), height: Number(height) };
}

const wrong = (message: string) => new UsageError(`${message} (--help shows the usage)`);
