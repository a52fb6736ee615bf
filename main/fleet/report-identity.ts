import type { Tell } from '../status/facts';
import type { Identity } from './identity';

const WORDS = {
  'other-machine': {
    message: 'This disk ran on another machine before. The kiosk has a key of its own now.',
    advice:
      'Tell whoever checks proof of play the new key. What the other machine played and had not delivered is delivered by that machine; the overlay exports it here, too.',
  },
  'key-lost': {
    message: "The kiosk's key was lost or unreadable. It has a new one.",
    advice: 'Tell whoever checks proof of play the new key.',
  },
} as const;

/** Tells the board whose exports and proof of play these are, and in the run in which that changed, why. */
export function reportIdentity(tell: Tell, identity: Identity): Identity {
  const { key, changed } = identity;
  tell({ kind: 'section', name: 'kiosk', value: { id: key.fingerprint, publicKey: key.publicKey } });
  if (changed !== null) {
    tell({ kind: 'attention', problem: { code: `new-key-${changed}`, ...WORDS[changed] } });
  }
  return identity;
}
