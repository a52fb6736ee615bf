import { X509Certificate } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';

/** Most certificates in one file; a store has a few. */
const MAX_CAS = 100;

/**
 * The certificates of `network.caFile`, each as PEM; a string is an error message. They are checked at the
 * start, so that a wrong file does not show up as an unclear TLS error later.
 */
export function casIn(text: string, file: string): readonly string[] | string {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) {
    const isBinary = /[\0\uFFFD]/.test(text);
    const advice = `If it is in DER, as Windows exports it, name the file that this makes: sudo openssl x509 -inform der -in '${file}' -out '${file}.pem'`;
    return `The file ${file} holds no certificate; expected PEM ("-----BEGIN CERTIFICATE-----"). ${isBinary ? advice : ''}`.trim();
  }
  if (blocks.length > MAX_CAS) return `The file ${file} holds more than ${MAX_CAS} certificates.`;
  for (const [index, block] of blocks.entries()) {
    try {
      // Need not be a CA: a server's own certificate can be trusted too.
      new X509Certificate(block);
    } catch {
      return `Certificate ${index + 1} in ${file} cannot be read; expected X.509 in PEM.`;
    }
  }
  return blocks.map((block) => `${block}\n`);
}

const HOST =
  /^(?:\[([0-9A-Fa-f:.]{2,45})\]|(?:\*?\.)?[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9])?)(?::[1-9]\d{0,4})?$/;

/**
 * Whether `network.noProxy` may hold this: `host`, `host:port`, `.domain`, `[v6]` or a network such as
 * `10.0.0.0/8`.
 */
export function isNoProxyEntry(entry: string): boolean {
  const network = /^([0-9A-Fa-f:.]{2,45})\/(\d{1,3})$/.exec(entry);
  if (network) {
    const [, address = '', bits = ''] = network;
    return isIP(address) !== 0 && Number(bits) <= (isIPv6(address) ? 128 : 32);
  }
  const host = HOST.exec(entry);
  return host !== null && (host[1] === undefined || isIPv6(host[1])) && hasTcpPort(entry);
}

/** Whether the port of `host:port` is one of TCP; true without a port. */
export const hasTcpPort = (entry: string) => Number(/:(\d+)$/.exec(entry)?.[1] ?? 0) <= 65_535;
