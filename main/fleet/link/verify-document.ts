import { compactVerify, decodeProtectedHeader, errors } from 'jose';
import { z } from 'zod';
import { instant } from '../../../shared/clock';
import type { PublicKey } from '../signing-key';
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
 * `JSON.parse` longer than main may be blocked (rule 31).
 */
const MAX_HEADER = 4_096;

/** The sender's clock may be ahead of the kiosk's by this much, ms. */
export const SKEW_MS = 300_000;

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

export interface VerifyParts {
  /** The keys whose documents are obeyed. */
  readonly keys: readonly PublicKey[];
  /** Whether an addressee is this kiosk, one of its groups, or all. */
  readonly isAddressed: (aud: string) => boolean;
}

/** Verifies the size, signature, addressee and duration of a command (rule 30); for its time see `outOfDate`. */
export async function verifyCommand(
  payload: Uint8Array,
  parts: VerifyParts,
): Promise<Verified<SignedCommand> | Refused> {
  const nameOf = (content: object) => Named.parse(content);
  const verified = await verify(payload, { typ: COMMAND_TYPE, shape: SignedCommand, nameOf }, parts);
  if ('refused' in verified) return verified;
  const { by, document } = verified;
  const { jti, iat, exp, command } = document;
  if (exp > iat && exp - iat <= MAX_VALID_SECONDS) return verified;
  const message = `Expected exp after iat by at most ${MAX_VALID_SECONDS} s.`;
  return { refused: 'valid-too-long', message, by, jti, command: command.name };
}

/** Why a command is not obeyed at `now`, ms since the epoch; null: it is in date. */
export function outOfDate(
  { iat, exp }: Pick<SignedCommand, 'iat' | 'exp'>,
  now: number,
): Pick<Refused, 'refused' | 'message'> | null {
  const clock = `the kiosk's clock shows ${instant(now)}.`;
  if (now >= exp * 1_000)
    return { refused: 'expired', message: `It was valid until ${instant(exp * 1_000)}; ${clock}` };
  if (iat * 1_000 <= now + SKEW_MS) return null;
  return {
    refused: 'not-yet-valid',
    message: `It was issued at ${instant(iat * 1_000)}, but ${clock} Check both clocks.`,
  };
}

/** Verifies a blocks document likewise, but no time: it is in force until a higher version comes. */
export const verifyBlocks = (payload: Uint8Array, parts: VerifyParts) =>
  verify(
    payload,
    { typ: BLOCKS_TYPE, shape: SignedBlocks, nameOf: () => ({ jti: null, command: 'blocks' }) },
    parts,
  );

const shortText = z.string().max(128).nullable().catch(null);

/** Id and name of a signed command, for the answer; read even if the rest is invalid. */
const Named = z
  .object({ jti: shortText, command: z.object({ name: shortText }).catch({ name: null }) })
  .transform(({ jti, command }) => ({ jti, command: command.name }));

/** Verifies size, signature, shape and addressee. Without a valid signature only the header is parsed. */
async function verify<Document extends { readonly aud: string }>(
  payload: Uint8Array,
  kind: {
    readonly typ: string;
    readonly shape: z.ZodType<Document>;
    readonly nameOf: (content: object) => Pick<Refused, 'jti' | 'command'>;
  },
  { keys, isAddressed }: VerifyParts,
): Promise<Verified<Document> | Refused> {
  const refuse = (refused: Refusal, message: string, about: Partial<Refused> = {}): Refused => ({
    refused,
    message,
    by: null,
    jti: null,
    command: null,
    ...about,
  });
  if (payload.byteLength > MAX_COMMAND_BYTES) {
    return refuse('too-long', `Expected at most ${MAX_COMMAND_BYTES} bytes, found ${payload.byteLength}.`);
  }
  if (payload.indexOf('.'.charCodeAt(0)) > MAX_HEADER) {
    return refuse('unreadable', `Expected a JWS with a header of at most ${MAX_HEADER} characters.`);
  }
  let by: string;
  try {
    const { typ, alg, kid } = decodeProtectedHeader(Buffer.from(payload).toString('latin1'));
    if (typ !== kind.typ || alg !== 'EdDSA' || typeof kid !== 'string') {
      return refuse('unsigned', `Expected a JWS with typ ${kind.typ}, alg EdDSA and a kid.`);
    }
    by = kid;
  } catch {
    return refuse('unreadable', 'Expected a JWS in compact form.');
  }
  const known = keys.find(({ fingerprint }) => fingerprint === by);
  if (known === undefined)
    return refuse('unknown-key', 'The key that signed it is not in fleet.commandKeys of this kiosk.');
  let content: unknown;
  try {
    const verified = await compactVerify(payload, known.key, { algorithms: ['EdDSA'] });
    content = JSON.parse(Buffer.from(verified.payload).toString('utf8'));
  } catch (error) {
    return error instanceof errors.JWSSignatureVerificationFailed
      ? refuse('unsigned', 'The signature does not match the content.')
      : refuse('unreadable', 'Expected a JWS in compact form over a JSON object.');
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    return refuse('unreadable', 'Expected an object.', { by });
  const about = { by, ...kind.nameOf(content) };
  const { data, error } = kind.shape.safeParse(content);
  if (error) return refuse('invalid', `It is no document that this version knows: ${issueOf(error)}.`, about);
  const { aud } = data;
  return isAddressed(aud)
    ? { document: data, by }
    : refuse('wrong-addressee', `It is addressed to ${aud}.`, about);
}

const issueOf = (error: z.ZodError): string => {
  const [issue] = error.issues;
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`.slice(0, 300);
};
