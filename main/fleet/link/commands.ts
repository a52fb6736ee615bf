import { z } from 'zod';
import { plain } from '../../../shared/plain';
import { MAX_PAUSE_MINUTES } from '../../../shared/staff';
import { Announcement } from '../../../shared/stage';
import { Block, MAX_BLOCKS } from './block';

/** Signed commands are valid for at most this long (rule 30), seconds. */
export const MAX_VALID_SECONDS = 7 * 86_400;
/** Longest command or blocks document that is read, bytes. */
export const MAX_COMMAND_BYTES = 256 * 1024;

/** One of these words, or one of a newer version: a message with it is read all the same. */
export const orNewer = (words: z.ZodType<string>) => words.or(z.string().max(64));

/** The commands that an operator may send to a kiosk. */
export const Command = z.discriminatedUnion('name', [
  z.strictObject({ name: z.literal('refresh') }),
  /** `width`: of the picture, pixels. */
  z.strictObject({ name: z.literal('screenshot'), width: z.int().min(64).max(1_920).default(480) }),
  z.strictObject({ name: z.literal('pause'), minutes: z.int().min(1).max(MAX_PAUSE_MINUTES) }),
  z.strictObject({ name: z.literal('resume') }),
  z.strictObject({ name: z.literal('restart-player') }),
  z.strictObject({ name: z.literal('restart-kiosk') }),
  /** `null`: as the setting `playback.volume` says. */
  z.strictObject({ name: z.literal('volume'), volume: z.number().min(0).max(1).nullable() }),
  /** An announcement over the ads, which are held meanwhile. `until`: RFC 3339; a null `text` ends it. */
  z.strictObject({
    name: z.literal('announce'),
    // With the stage's bounds: what is accepted is also shown.
    text: Announcement.shape.text.nullable(),
    severity: Announcement.shape.severity.default('information'),
    language: Announcement.shape.language.regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/).default('en'),
    until: z.iso.datetime({ offset: true }).nullable().default(null),
  }),
  /** Switches the display on or off; `null`: as the setting `display.power` says. */
  z.strictObject({ name: z.literal('display'), on: plain.yesOrNo.nullable() }),
  /** The last lines of the log, without secrets. */
  z.strictObject({ name: z.literal('log'), lines: z.int().min(1).max(1_000).default(100) }),
  /** Remote settings, merged over the file; null removes them. */
  z.strictObject({ name: z.literal('settings'), settings: z.record(plain.text, z.unknown()).nullable() }),
]);
export type Command = z.infer<typeof Command>;
export type CommandName = Command['name'];
/** What metrics count a command as; `other`: it has no name that this version knows, or could not be read. */
export type ToldCommand = CommandName | 'blocks' | 'other';

/** The `typ` of the JWS headers. Their `kid` is the fingerprint of the signing key. */
export const COMMAND_TYPE = 'endcap-command+jwt';
export const BLOCKS_TYPE = 'endcap-blocks+jwt';

const seconds = plain.count;

/** The payload of a command's JWS (rule 30). Times: whole seconds since 1970, UTC. */
export const SignedCommand = z.object({
  iat: seconds,
  exp: seconds,
  /** Unique id: a command is carried out once. */
  jti: z.string().min(8).max(128),
  aud: z.string().min(1).max(128),
  command: Command,
});
export type SignedCommand = z.infer<typeof SignedCommand>;

/** The blocks of one addressee. There is no `exp`: they are in force until a document of a higher `version` comes. */
export const SignedBlocks = z.object({
  iat: seconds,
  aud: z.string().min(1).max(128),
  version: z.int().min(1),
  /** Also ends a blocked play that is on the screen; otherwise blocks apply from the next slot on. */
  atOnce: z.boolean().default(false),
  blocks: z.array(Block).max(MAX_BLOCKS),
});
export type SignedBlocks = z.infer<typeof SignedBlocks>;

export const REFUSALS = [
  'too-long',
  'unreadable',
  'unsigned',
  'unknown-key',
  'wrong-addressee',
  'expired',
  'not-yet-valid',
  'valid-too-long',
  'seen-before',
  'superseded',
  'too-many',
  'not-now',
  'not-here',
  'invalid',
  'failed',
] as const;
export type Refusal = (typeof REFUSALS)[number];

/** Published on the topic `reply`, as JSON. A command gets `accepted`, then `done` or `refused`; or only `refused`. */
export const Reply = z.object({
  kiosk: plain.text,
  /** `jti` of the command; `blocks:VERSION` for a blocks document; null where it could not be read. */
  to: plain.textOrNull,
  command: plain.textOrNull,
  state: z.enum(['accepted', 'done', 'refused']),
  /** RFC 3339, UTC. */
  at: z.iso.datetime(),
  reason: orNewer(z.enum(REFUSALS)).optional(),
  /** What was expected, what came, and what to do. */
  message: z.string().max(2_000).optional(),
  /** `screenshot`: base64 of a JPEG; `log`: lines. */
  result: z
    .object({
      mediaType: plain.text.optional(),
      width: plain.whole.optional(),
      height: plain.whole.optional(),
      data: plain.text.optional(),
      lines: z.array(plain.text).optional(),
    })
    .optional(),
});
export type Reply = z.infer<typeof Reply>;

/** The reply in place of one whose result the broker does not take; null: it has no result. */
export function withoutResult({ result, ...reply }: Reply): Reply | null {
  if (result === undefined) return null;
  const length = JSON.stringify(result).length;
  return {
    ...reply,
    state: 'refused',
    reason: 'failed',
    message: `It was carried out, but the broker does not take its result of ${length} characters. Ask for less, or raise the broker's limit for messages.`,
  };
}
