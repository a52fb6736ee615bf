import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { CompactSign } from 'jose';
import { signingKeyOf } from '../../signing-key';
import { BLOCKS_TYPE, COMMAND_TYPE } from '../commands';

/** An operator with a key, who signs commands as `endcap fleet` does. */
export function anOperator() {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { publicKey, fingerprint } = signingKeyOf(privateKey);
  const sign = (content: object, typ: string, header: object = {}) =>
    new CompactSign(Buffer.from(JSON.stringify(content)))
      .setProtectedHeader({ alg: 'EdDSA', typ, kid: fingerprint, ...header })
      .sign(privateKey);
  return {
    publicKey,
    fingerprint,
    sign,
    /** Valid for an hour from `now` (ms since the epoch). @param more replaces fields of the payload */
    command: (aud: string, command: object, now: number, more: object = {}) => {
      const iat = Math.floor(now / 1000);
      return sign({ iat, exp: iat + 3_600, jti: randomUUID(), aud, command, ...more }, COMMAND_TYPE);
    },
    blocks: (aud: string, version: number, blocks: readonly object[], more: object = {}) =>
      sign({ iat: 0, aud, version, blocks, ...more }, BLOCKS_TYPE),
  };
}
