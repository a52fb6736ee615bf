import { CompactSign, compactVerify, decodeProtectedHeader, errors } from 'jose';
import { readPublicKey } from '../admin/signing-key';
import { BLOCKS_TYPE, COMMAND_TYPE, SignedBlocks, SignedCommand } from '../fleet/link/commands';
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
  publicKeys: readonly string[],
): Promise<SignedBlocks | { readonly error: string }> {
  try {
    const { kid, typ } = decodeProtectedHeader(jws);
    if (typ !== BLOCKS_TYPE) return { error: `expected a document of type ${BLOCKS_TYPE}, got another` };
    const known = publicKeys.map(readPublicKey).find((key) => key?.fingerprint === kid);
    if (!known) return { error: `it is signed with the key ${String(kid)}, which is none of yours` };
    const { payload } = await compactVerify(jws, known.key, { algorithms: ['EdDSA'] });
    const claims = SignedBlocks.safeParse(JSON.parse(new TextDecoder().decode(payload)));
    if (!claims.success) return { error: 'it is signed, but it is no list of blocks' };
    if (claims.data.aud !== addressee) return { error: `it is for ${claims.data.aud}` };
    return claims.data;
  } catch (error) {
    const isWrong = error instanceof errors.JWSSignatureVerificationFailed;
    return { error: isWrong ? 'its signature is wrong' : 'it is no signed document' };
  }
}
