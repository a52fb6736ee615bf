import { CompactSign, decodeProtectedHeader } from 'jose';
import { BLOCKS_TYPE, COMMAND_TYPE, SignedBlocks, SignedCommand } from '../fleet/link/commands';
import { verifyBlocks } from '../fleet/link/verify-document';
import type { PublicKey } from '../fleet/signing-key';
import type { CommandKey } from './fleet-keys';

/** Signs a command as it is published: a JWS in its compact form (RFC 7515). */
export const signCommand = (command: SignedCommand, key: CommandKey): Promise<string> =>
  signed(SignedCommand.parse(command), COMMAND_TYPE, key);

export const signBlocks = (blocks: SignedBlocks, key: CommandKey): Promise<string> =>
  signed(SignedBlocks.parse(blocks), BLOCKS_TYPE, key);

function signed(claims: object, typ: string, { privateKey, fingerprint }: CommandKey): Promise<string> {
  return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'EdDSA', typ, kid: fingerprint })
    .sign(privateKey);
}

/** Reads a blocks document that a known key signed for this addressee; otherwise `error` is a sentence why not. */
export async function readBlocks(
  jws: string,
  addressee: string,
  keys: readonly PublicKey[],
): Promise<SignedBlocks | { readonly error: string }> {
  const isAddressed = (aud: string) => aud === addressee;
  const read = await verifyBlocks(Buffer.from(jws, 'latin1'), { keys, isAddressed });
  if (!('refused' in read)) return read.document;
  if (read.refused !== 'unknown-key') return { error: read.message };
  return { error: `It is signed with the key ${decodeProtectedHeader(jws).kid}, which is none of yours.` };
}
