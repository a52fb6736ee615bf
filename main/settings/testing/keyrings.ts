import type { Keyring } from '../sealed-secrets';

/** The keyring of a machine that has none. */
export const noKeyring: Keyring = {
  name: async () => null,
  seal: () => Promise.reject(new Error('there is no keyring')),
  open: async () => null,
};

/** A keyring that opens only what it sealed itself. */
export function pretendKeyring(): Keyring {
  const mark = `${Math.random()}:`;
  return {
    name: async () => 'gnome_libsecret',
    seal: async (secret) => Buffer.from(mark + [...secret].reverse().join('')).toString('base64'),
    async open(sealed) {
      const text = Buffer.from(sealed, 'base64').toString();
      return text.startsWith(mark) ? [...text.slice(mark.length)].reverse().join('') : null;
    },
  };
}
