import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from '../../shared/log';
import { plain } from '../../shared/plain';
import { errorCode } from '../describe-error';
import { type Records, RecordsError } from '../records/records-client';
import type { Schedule } from '../schedule';
import type { Tell } from '../status/facts';
import { readJsonIfThere, readTextIfThere, writeWholeFile } from '../whole-file';
import { completed, hasSameDevices, isOther, Machine } from './machine';
import { openSigningKey, privateKeyIn, type SigningKey, signingKeyOf } from './signing-key';

/** In place of a fingerprint that is not known, because `machine.json` was lost together with the key. */
const UNREADABLE = 'unreadable';

/** The machine that made the key, and the key's fingerprint (`kiosk`); empty while a first key is made. */
const Owner = z.object({ machine: Machine, kiosk: plain.text });
type Owner = z.infer<typeof Owner>;

export interface Identity {
  readonly key: SigningKey;
  /** Why the kiosk has another key than before; null: it has the same one, or never had one. */
  readonly changed: 'other-machine' | 'other-system' | 'key-lost' | null;
}

export interface IdentityParts {
  readonly dataDirectory: string;
  readonly machine: Machine;
  readonly records: Pick<Records, 'run'>;
  /** ms since the epoch. */
  readonly now: () => number;
  /** When this run began, ms since the epoch: what is older was played by whoever had the disk before. */
  readonly startedAt: number;
  readonly log: Log;
}

/**
 * Opens the kiosk's key (rule 27). If another machine made the key, renames its file and makes a new key: two kiosks
 * that run copies of one disk must not report plays under one name. A changed key begins a new epoch, in which
 * sequence numbers begin at 1; so does a first key, unless the books are new, because the one before may be lost together
 * with its note. After a crash in between, the next start completes the change.
 * Rejects with a `RecordsError` when the books do not answer, and with the system's error if one of the files cannot be
 * read, or a new key cannot be stored.
 *
 * @param waitsOfOther called with true when the disk is known to be another machine's, before anything is changed, and
 *   with false once that machine's beacons do not wait any more
 */
export async function openIdentity(
  parts: IdentityParts,
  waitsOfOther = (_isSo: boolean): void => {},
): Promise<Identity> {
  const { dataDirectory, machine, log } = parts;
  const keyFile = join(dataDirectory, 'signing-key.pem');
  const ownerFile = join(dataDirectory, 'machine.json');
  const store = (owner: Owner) => writeWholeFile(ownerFile, JSON.stringify(owner), 0o600);
  // Missing before the first run of a version that writes it; a broken file counts as missing.
  let known = await readJsonIfThere(ownerFile, Owner);
  const isElsewhere = known !== null && isOther(known.machine, machine);
  if (known !== null && isElsewhere) {
    waitsOfOther(true);
    await putAside(dataDirectory, keyFile, known.kiosk);
  }
  const key = await openSigningKey(keyFile, log, async (wasLost) => {
    if (known !== null) return;
    // Called before a new key is stored. `machine.json` may be lost with the old key; this note tells the next start,
    // should it crash here, that the new key's epoch has still to begin.
    known = { machine, kiosk: wasLost ? UNREADABLE : '' };
    await store(known);
  });
  const owner = {
    machine: known && !isElsewhere ? completed(machine, known.machine) : machine,
    kiosk: key.fingerprint,
  };
  if (known !== null && JSON.stringify(known) === JSON.stringify(owner)) return { key, changed: null };
  if (known === null || known.kiosk === key.fingerprint) {
    // A kiosk plays on with a full disk; the next start tries again.
    await store(owner).catch((error: unknown) => log.error('machine.json could not be written', { error }));
    return { key, changed: null };
  }
  const isFirst = known.kiosk === '';
  if (!isFirst)
    log.warn('the kiosk has another key than before', { before: known.kiosk, now: key.fingerprint });
  // The first machine delivers what this copy has not delivered: plays and beacons sent twice would be paid for twice.
  const how = { forgetWaiting: isElsewhere, kiosk: key.fingerprint };
  const { epoch } = await parts.records.run('beginEpoch', { now: parts.now(), ...how });
  // Later, because the epoch also ends what this run has played under the other machine's name.
  if (isElsewhere) {
    await forgetBeacons(parts, epoch);
    waitsOfOther(false);
  }
  await store(owner);
  const elsewhere = hasSameDevices(known.machine, machine) ? 'other-system' : 'other-machine';
  return { key, changed: isElsewhere ? elsewhere : isFirst ? null : 'key-lost' };
}

/** Few at once, because reservations wait for each transaction. */
const FORGOTTEN_AT_ONCE = 200;

/**
 * Forgets the beacons of before this run or, if the epoch began in an earlier run, of before the epoch: the later ones
 * are this machine's own.
 */
async function forgetBeacons({ records, now, startedAt }: IdentityParts, epoch: number): Promise<void> {
  const input = { now: now(), before: Math.min(startedAt, epoch), limit: FORGOTTEN_AT_ONCE };
  while ((await records.run('forgetBeacons', input)) > 0);
}

/** Wait before another try to open the key, ms. */
const AGAIN_MS = 60_000;

/**
 * Opens the key, and tries again each minute while disk or books do not let it: a kiosk plays on without a key.
 * `tried` resolves after the first try with whether there is a key, `opened` once there is one. Any other error is a bug, and rejects both.
 *
 * @param options.onOwnBeacons called, perhaps again, when the beacons that wait may be sent: on a copy of another machine's
 *   disk once that machine's are forgotten, else after the first try
 */
export function openIdentityInTime(
  parts: IdentityParts,
  options: { readonly schedule: Schedule; readonly tell: Tell; readonly onOwnBeacons: () => void },
) {
  const { schedule, tell, onOwnBeacons } = options;
  async function attempt(): Promise<Identity | null> {
    let areOthersWaiting = false;
    try {
      const identity = await openIdentity(parts, (isSo) => {
        areOthersWaiting = isSo;
      });
      onOwnBeacons();
      tell({ kind: 'attention', code: NO_KEY, problem: null });
      return identity;
    } catch (error) {
      if (!(error instanceof RecordsError) && errorCode(error) === null) throw error;
      parts.log.error("the kiosk's key could not be opened or made", { error });
      tell({ kind: 'attention', code: NO_KEY, problem: WITHOUT_KEY });
      if (!areOthersWaiting) onOwnBeacons();
      return null;
    }
  }

  const first = attempt();
  async function untilOpened(): Promise<Identity> {
    for (let identity = await first; ; identity = await attempt()) {
      if (identity !== null) return identity;
      await new Promise<void>((resolve) => schedule(AGAIN_MS, resolve));
    }
  }

  return { tried: first.then((identity) => identity !== null), opened: untilOpened() };
}

const NO_KEY = 'no-key';
const WITHOUT_KEY = {
  message:
    'The kiosk has no key, because its file cannot be read or written. It plays, but has no overlay and no live link, and sends no proof of play.',
  advice:
    'Check that the disk is neither full nor read-only, and who may write to the data folder. The kiosk tries again each minute.',
} as const;

/**
 * Renames the other machine's key. If it was put aside before, either a crash came afterwards, and `file` holds the new
 * key already, or its disk was copied again.
 */
async function putAside(folder: string, file: string, kiosk: string): Promise<void> {
  const aside = join(folder, `signing-key.${kiosk}.pem`);
  if (existsSync(file) && (!existsSync(aside) || (await fingerprintIn(file)) === kiosk))
    await rename(file, aside);
}

async function fingerprintIn(file: string): Promise<string | null> {
  const key = privateKeyIn((await readTextIfThere(file)) ?? '');
  return key && signingKeyOf(key).fingerprint;
}

const WHY_NEW = {
  'other-machine': {
    message:
      'This disk ran on another machine before, or with another network card. The kiosk has a key of its own now.',
    advice:
      'Tell whoever checks proof of play the new key. This kiosk does not send what was played before and had not been delivered. A machine that still runs delivers it; if none does (its disk was moved here, or its only network card exchanged), export it in the overlay.',
  },
  'other-system': {
    message:
      'This machine has another /etc/machine-id than before, as after a reinstallation. The kiosk has a new key.',
    advice:
      'Tell whoever checks proof of play the new key. What was played before and had not been delivered is not sent; the overlay exports it. Keep /etc/machine-id when the system is reinstalled, and over each boot.',
  },
  'key-lost': {
    message: "The kiosk's key was lost or unreadable. It has a new one.",
    advice: 'Tell whoever checks proof of play the new key.',
  },
} as const;

/** Reports the kiosk's id and public key to the status board, and a problem in the run in which the key changed. */
export function reportIdentity(tell: Tell, identity: Identity): Identity {
  const { key, changed } = identity;
  tell({ kind: 'section', name: 'kiosk', value: { id: key.fingerprint, publicKey: key.publicKey } });
  if (changed !== null) {
    const { message, advice } = WHY_NEW[changed];
    const problem = { message, advice: `${advice} This is reported until the player is restarted.` };
    tell({ kind: 'attention', code: `new-key-${changed}`, problem });
  }
  return identity;
}
