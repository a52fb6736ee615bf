/** The placeholders of `proof.url`, filled in for each segment. */
export const PROOF_PLACEHOLDERS = ['kiosk', 'epoch', 'first', 'last'] as const;

/**
 * A segment as `proof.url` names it: fingerprint of the kiosk's key, epoch (ms), its first and last sequence
 * number.
 */
export type ProofUrlValues = Readonly<Record<(typeof PROOF_PLACEHOLDERS)[number], string | number>>;

/** The address that one segment is sent to. The values need no escaping: hex digits and whole numbers. */
export function proofUrl(template: string, values: ProofUrlValues): string {
  return template.replace(/\{(\w+)\}/g, (braces, name: keyof ProofUrlValues) =>
    Object.hasOwn(values, name) ? String(values[name]) : braces,
  );
}

/** What is wrong with `proof.url`, as the words after "expected", or null when it is fine. */
export function proofUrlExpectation(template: string): string | null {
  const filled = proofUrl(template, { kiosk: 'k', epoch: 1, first: 1, last: 1 });
  const url = URL.parse(filled);
  if (url === null) return 'an http(s) address such as https://proof.example.com/plays';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'an http(s) address';
  if (url.username !== '' || url.password !== '')
    return 'an address without a user name or password in it (use proof.headers)';
  if (url.hash !== '') return 'an address without "#"';
  const unknown = /\{([\w\s.-]+)\}/.exec(filled)?.[1];
  if (unknown !== undefined) {
    return `only these names between braces: ${PROOF_PLACEHOLDERS.join(', ')}; not "${unknown.slice(0, 50)}"`;
  }
  const other = proofUrl(template, { kiosk: 'o', epoch: 2, first: 2, last: 2 });
  return new URL(other).origin === url.origin ? null : 'a host without braces';
}
