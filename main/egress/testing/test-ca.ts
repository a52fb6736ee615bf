import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { der } from './der';

export type TestCa = ReturnType<typeof testCa>;
export type KeyAndCertificate = ReturnType<TestCa['issue']>;

/** `YYMMDD` each: valid from the start of the first to the end of the second. */
type Days = readonly [first: string, last: string];
const ALWAYS: Days = ['200101', '491231'];

/** A CA for tests, which no trust store contains. */
export function testCa(commonName: string) {
  const keys = newKeys();
  const name = nameOf(commonName);
  const isCa = extension('551d13', true, der(0x30, der(0x01, Buffer.from([0xff]))));
  const cert = certificate(name, name, keys.publicKey, keys.privateKey, [isCa], ALWAYS);
  return {
    /** Its own key and certificate, PEM. */
    key: pemOf(keys.privateKey),
    cert,
    /** A key and a certificate for a server of this DNS name or v4 address, by default valid from 2020 to 2049. */
    issue(hostname: string, days = ALWAYS) {
      const own = newKeys();
      const names = extension('551d11', false, der(0x30, alternativeName(hostname)));
      return {
        key: pemOf(own.privateKey),
        cert: certificate(nameOf(hostname), name, own.publicKey, keys.privateKey, [names], days),
      };
    },
  };
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
let serial = 1;

/** X.509 v3 (RFC 5280, 4.1), ECDSA with SHA-256. */
function certificate(
  subject: Buffer,
  issuer: Buffer,
  publicKey: KeyObject,
  signer: KeyObject,
  extensions: readonly Buffer[],
  [first, last]: Days,
): string {
  serial += 1;
  const algorithm = der(0x30, Buffer.from('06082a8648ce3d040302', 'hex'));
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([serial])),
    algorithm,
    issuer,
    der(0x30, der(0x17, Buffer.from(`${first}000000Z`)), der(0x17, Buffer.from(`${last}235959Z`))),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, ...extensions)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, signer));
  const base64 = der(0x30, body, algorithm, signature).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

const nameOf = (commonName: string) =>
  der(0x30, der(0x31, der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from(commonName)))));

const alternativeName = (host: string) =>
  isIPv4(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));

function extension(oid: string, critical: boolean, value: Buffer): Buffer {
  const id = der(0x06, Buffer.from(oid, 'hex'));
  return der(0x30, id, ...(critical ? [der(0x01, Buffer.from([0xff]))] : []), der(0x04, value));
}
