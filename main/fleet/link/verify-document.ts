import type { KeyObject } from 'node:crypto';
import { compactVerify, decodeProtectedHeader, errors } from 'jose';
import { z } from 'zod';
import { readPublicKey } from '../../admin/signing-key';
import {
  BLOCKS_TYPE,
  COMMAND_TYPE,
  MAX_COMMAND_BYTES,
  MAX_VALID_SECONDS,
  type Refusal,
  SignedBlocks,
  SignedCommand,
} from './commands';

/**
 * Longest encoded header, characters. It is parsed before the signature is checked, and deep JSON of 256 KiB takes
 * `JSON.parse` longer than main may be held (rule 31).
 */
const MAX_HEADER = 4_096;

/** The sender's clock may be ahead of the kiosk's by so much, ms. */
const SKEW_MS = 300_000;

/** Why a document is not obeyed. `by`: fingerprint of the key that signed it; null: no valid signature. */
export interface Refused {
  readonly refused: Refusal;
  readonly message: string;
  readonly by: string | null;
  /** `jti` of a command with a valid signature. */
  readonly jti: string | null;
  /** Name of a command with a valid signature. */
  readonly command: string | null;
}

/** A document whose signature, addressee and time are right. */
export interface Verified<Document> {
  readonly document: Document;
  /** Fingerprint of the key that signed it. */
  readonly by: string;
}

/** The keys whose documents are obeyed, by their fingerprints. */
export type CommandKeys = ReadonlyMap<string, KeyObject>;

/** @param texts the setting `fleet.commandKeys`, which is validated already */
export const readCommandKeys = (texts: readonly string[]): CommandKeys =>
  new Map(
    texts.flatMap((text) => {
      const read = readPublicKey(text);
      return read ? [[read.fingerprint, read.key] as const] : [];
    }),
  );

export interface VerifyParts {
  readonly keys: CommandKeys;
  /** Whether an addressee is this kiosk, one of its groups, or all. */
  readonly isAddressed: (aud: string) => boolean;
  /** ms since the epoch; null while the time is not trusted: then it is not judged. */
  readonly now: () => number | null;
}

/** Verifies the size, signature, addressee and, once it is trusted, time of a command (rule 30). */
export async function verifyCommand(
  payload: Uint8Array,
  parts: VerifyParts,
): Promise<Verified<SignedCommand> | Refused> {
  const opened = await openSigned(payload, COMMAND_TYPE, parts.keys);
  if ('refused' in opened) return opened;
  const { by, content } = opened;
  const named = Named.parse(content);
  const refuse = (refused: Refusal, message: string): Refused => ({ refused, message, by, ...named });
  const read = SignedCommand.safeParse(content);
  if (!read.success)
    return refuse('invalid', `The command is not one that this kiosk knows: ${issueOf(read.error)}.`);
  const { aud, iat, exp } = read.data;
  if (!parts.isAddressed(aud))
    return refuse('wrong-addressee', `It is addressed to ${aud}, not to this kiosk or one of its groups.`);
  if (exp <= iat || exp - iat > MAX_VALID_SECONDS) {
    return refuse('valid-too-long', `Expected exp after iat by at most ${MAX_VALID_SECONDS} s.`);
  }
  const now = parts.now();
  const wrongTime = now === null ? null : outOfDate(read.data, now);
  return wrongTime ? refuse(wrongTime.refused, wrongTime.message) : { document: read.data, by };
}

/** Why a command is not obeyed at `now`, ms since the epoch; null: it is in date. */
export function outOfDate(
  { iat, exp }: Pick<SignedCommand, 'iat' | 'exp'>,
  now: number,
): Pick<Refused, 'refused' | 'message'> | null {
  const clock = `the kiosk's clock shows ${timeOf(now / 1_000)}.`;
  if (now >= exp * 1_000)
    return { refused: 'expired', message: `It was valid until ${timeOf(exp)}; ${clock}` };
  if (iat * 1_000 <= now + SKEW_MS) return null;
  return {
    refused: 'not-yet-valid',
    message: `It was issued at ${timeOf(iat)}, but ${clock} Check both clocks.`,
  };
}

/** Verifies a blocks document likewise, but no time: it is in force until a higher version comes. */
export async function verifyBlocks(
  payload: Uint8Array,
  parts: Pick<VerifyParts, 'keys' | 'isAddressed'>,
): Promise<Verified<SignedBlocks> | Refused> {
  const opened = await openSigned(payload, BLOCKS_TYPE, parts.keys);
  if ('refused' in opened) return opened;
  const { by, content } = opened;
  const refuse = (refused: Refusal, message: string): Refused => ({
    ...{ refused, message, by, jti: null, command: 'blocks' },
  });
  const read = SignedBlocks.safeParse(content);
  if (!read.success) return refuse('invalid', `The blocks cannot be read: ${issueOf(read.error)}.`);
  const { aud } = read.data;
  if (!parts.isAddressed(aud))
    return refuse('wrong-addressee', `They are addressed to ${aud}, not to this kiosk or one of its groups.`);
  return { document: read.data, by };
}

const shortText = z.string().max(128).nullable().catch(null);

/** Id and name of a signed command, for the answer; read even if the rest is invalid. */
const Named = z
  .object({ jti: shortText, command: z.object({ name: shortText }).catch({ name: null }) })
  .transform(({ jti, command }) => ({ jti, command: command.name }));

/** The JSON object that one of the keys has signed. Without a valid signature only the header is parsed. */
async function openSigned(
  payload: Uint8Array,
  typ: string,
  keys: CommandKeys,
): Promise<{ readonly by: string; readonly content: object } | Refused> {
  const refuse = (refused: Refusal, message: string, by: string | null = null): Refused => ({
    ...{ refused, message, by, jti: null, command: null },
  });
  if (payload.byteLength > MAX_COMMAND_BYTES) {
    return refuse('too-long', `Expected at most ${MAX_COMMAND_BYTES} bytes, found ${payload.byteLength}.`);
  }
  if (payload.indexOf('.'.charCodeAt(0)) > MAX_HEADER) {
    return refuse('unreadable', `Expected a JWS with a header of at most ${MAX_HEADER} characters.`);
  }
  let kid: string;
  try {
    const header = decodeProtectedHeader(Buffer.from(payload).toString('latin1'));
    if (header.typ !== typ || header.alg !== 'EdDSA' || typeof header.kid !== 'string') {
      return refuse('unsigned', `Expected a JWS with typ ${typ}, alg EdDSA and a kid.`);
    }
    kid = header.kid;
  } catch {
    return refuse('unreadable', 'Expected a JWS in compact form.');
  }
  const key = keys.get(kid);
  if (key === undefined)
    return refuse('unknown-key', 'The key that signed it is not in fleet.commandKeys of this kiosk.');
  try {
    const verified = await compactVerify(payload, key, { algorithms: ['EdDSA'] });
    const content: unknown = JSON.parse(Buffer.from(verified.payload).toString('utf8'));
    if (typeof content !== 'object' || content === null || Array.isArray(content))
      return refuse('unreadable', 'Expected an object.', kid);
    return { by: kid, content };
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) {
      return refuse('unsigned', 'The signature does not match the content.');
    }
    return refuse('unreadable', 'Expected a JWS in compact form over a JSON object.');
  }
}

const issueOf = (error: z.ZodError): string => {
  const [issue] = error.issues;
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`.slice(0, 300);
};

/** RFC 3339 if the time fits into a `Date`, otherwise the seconds. */
const timeOf = (seconds: number): string => {
  const date = new Date(Math.floor(seconds) * 1000);
  return Number.isNaN(date.getTime()) ? `${seconds} s` : date.toISOString();
};
