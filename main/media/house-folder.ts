import { createHash } from 'node:crypto';
import { watch as watchFolder } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Reading } from '../reading/reading';
import { atOnce, hashFile, type Pace, pacedAt } from './checksum';
import { type Disk, type FileStamp, isUntouched, realDisk, sameStamp } from './disk';
import { noQuarantine, type Quarantine } from './kept-quarantine';
import { type DiskCode, diskCode, words } from './media-problem';
import type { MediaForm } from './media-type';
import { Stamp } from './stored-media';
import { asideMs, type StruckFile, struck } from './strikes';
import { checkStructure } from './structure/check-structure';
import type { StructureFault } from './structure/structure-fault';

/** A picture, video or page of the house, ready to be shown as `media://house/<key>`. */
export interface HouseFile {
  /** Names this very content; never a path. */
  readonly key: string;
  /** Its name in the house folder, for status and log. */
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
}

export interface HouseProblem {
  /** Null: the folder itself. */
  readonly name: string | null;
  readonly code: StructureFault['code'] | DiskCode | 'too-large' | 'no-room' | 'struck' | 'harmful';
  readonly detail: string;
}

export interface HouseFolder {
  /** Takes over the copies of earlier runs, and looks at the folder from now on. Never rejects. */
  open(): Promise<void>;
  /**
   * The file to show next, in the order of the names, round and round; null while
   * there is none. What the screen could not show is left out for a while.
   */
  next(): HouseFile | null;
  /** Whether a file can be shown now: its copy is there as it was made. */
  verified(key: string): Promise<boolean>;
  byKey(key: string): HouseFile | null;
  pathOf(file: Pick<HouseFile, 'key'>): string;
  /** The keys of what plays now and next: these copies stay, whatever becomes of the folder. */
  inUse(keys: Iterable<string>): void;
  /** The screen could not show it (rule 11). */
  strike(key: string, detail: string): void;
  /** Called when the first file comes or the last one goes, among others. */
  onChange(listener: () => void): void;
  files(): readonly HouseFile[];
  problems(): readonly HouseProblem[];
  close(): Promise<void>;
}

export interface HouseFolderOptions {
  /** The operator's folder; only read, never written. */
  readonly folder: string;
  /** Where the copies lie; ours alone. */
  readonly copies: string;
  readonly minFreeBytes: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly schedule: (ms: number, run: () => void) => () => void;
  /** Creatives that did harm are left out. */
  readonly quarantine?: Pick<Quarantine, 'msFor'>;
  readonly reading: Pick<Reading, 'read'>;
  readonly disk?: Disk;
  /** Calls back when something in a folder changed; throws where that cannot be watched. */
  readonly watch?: (folder: string, changed: () => void) => () => void;
  /** All copies together. */
  readonly maxBytes?: number;
  readonly maxFileBytes?: number;
}

/** A file untouched for so long is taken to be complete, ms. */
const SETTLED_MS = 2_000;
/** A burst of changes is one, ms. */
const DEBOUNCE_MS = 500;
/** Network folders and old kernels tell nothing: so often is the folder looked at anyway, ms. */
const POLL_MS = 60_000;
const MAX_FILES = 1_000;
const COPY_BYTES_PER_SECOND = 24_000_000;
const REREAD_BYTES_PER_SECOND = 8_000_000;
const PIECE_BYTES = 256 * 1024;

const Copy = z.object({
  key: z.string().regex(/^[0-9a-f]{32}$/),
  name: z.string(),
  type: z.string(),
  bytes: z.int().positive(),
  sha256: z.string(),
  /** The file in the house folder as it was when it was copied. */
  source: Stamp,
  /** The copy as it was made. */
  stamp: Stamp,
});
type Copy = z.infer<typeof Copy>;

/**
 * The house's own content, from a folder that may change at any time (rule 12).
 * Each picture or video is copied once it holds still, checked, and shown from the
 * copy: a file that is overwritten, half-written or on a stick that is pulled out
 * cannot be seen. An unreadable folder leaves what was copied.
 */
export function createHouseFolder(options: HouseFolderOptions): HouseFolder {
  const { folder, clock, log, schedule } = options;
  const disk = options.disk ?? realDisk;
  const quarantine = options.quarantine ?? noQuarantine;
  const watch = options.watch ?? watchWithNode;
  const maxBytes = options.maxBytes ?? 2 * 1024 ** 3;
  const maxFileBytes = options.maxFileBytes ?? 512 * 1024 ** 2;
  const closing = new AbortController();
  const copyPace = pacedAt(COPY_BYTES_PER_SECOND, clock.monotonic, schedule);
  const rereadPace = pacedAt(REREAD_BYTES_PER_SECOND, clock.monotonic, schedule);

  /** By name in the house folder, and by key: also those that play on after their file went. */
  let copies: ReadonlyMap<string, Copy> = new Map();
  const byKey = new Map<string, Copy>();
  /** Files as they were when last looked at, and since when they hold still (monotonic ms). */
  const seen = new Map<string, { readonly stamp: FileStamp; readonly since: number }>();
  /** Refused as they are: not looked at again until they change. */
  const refused = new Map<string, { readonly stamp: FileStamp; readonly problem: HouseProblem }>();
  const strikes = new Map<string, StruckFile>();
  const listeners = new Set<() => void>();
  let folderProblem: HouseProblem | null = null;
  let held: ReadonlySet<string> = new Set();
  let lastName: string | null = null;
  let stopWatching: (() => void) | null = null;
  let cancelScan: (() => void) | null = null;
  let scanning: Promise<void> | null = null;
  let again = false;

  const path = (key: string) => join(options.copies, `${key}.bin`);
  const manifest = join(options.copies, 'copies.json');
  const temporary = join(options.copies, 'copying.tmp');
  const asFile = ({ key, name, type, bytes, sha256 }: Copy): HouseFile => ({
    key,
    name,
    type,
    bytes,
    sha256,
  });
  const isQuarantined = ({ sha256 }: Copy) => quarantine.msFor(sha256) > 0;
  const isAside = ({ key }: Copy) => {
    const strike = strikes.get(key);
    return strike !== undefined && asideMs(strike, clock.now()) > 0;
  };

  function scanIn(ms: number): void {
    cancelScan?.();
    if (!closing.signal.aborted) cancelScan = schedule(ms, scanNow);
  }

  function scanNow(): void {
    if (scanning) {
      again = true;
      return;
    }
    scanning = scan()
      .catch((fault: unknown) => {
        folderProblem = { name: null, code: diskCode(fault), detail: words(fault) };
        log.warn('the house folder could not be looked at', { folder, fault: words(fault) });
        return POLL_MS;
      })
      .then((nextLookMs) => {
        scanning = null;
        scanIn(again ? DEBOUNCE_MS : nextLookMs);
        again = false;
      });
  }

  /** Brings the copies in line with the folder; resolves to when to look again, ms. */
  async function scan(): Promise<number> {
    watchIfPossible();
    let names: readonly string[];
    try {
      names = await disk.list(folder);
    } catch (fault) {
      folderProblem = { name: null, code: diskCode(fault), detail: `it cannot be read: ${words(fault)}` };
      stopWatching?.();
      stopWatching = null;
      return POLL_MS;
    }
    folderProblem = null;
    let nextLookMs = POLL_MS;
    const inOrder = names.filter((name) => !name.startsWith('.')).sort(byName);
    const current = new Map<string, Copy>();
    for (const name of inOrder.slice(0, MAX_FILES)) {
      if (closing.signal.aborted) return POLL_MS;
      const stamp = await disk.stamp(join(folder, name)).catch(() => null);
      if (!stamp) continue;
      const known = copies.get(name);
      if (known && sameStamp(known.source, stamp)) {
        current.set(name, known);
        continue;
      }
      // Until its successor is ready, the last good version of a name is shown.
      if (known) current.set(name, known);
      if (sameStamp(refused.get(name)?.stamp, stamp)) continue;
      refused.delete(name);
      const stillMs = holdsStill(name, stamp);
      if (stillMs < SETTLED_MS) {
        nextLookMs = Math.min(nextLookMs, SETTLED_MS - stillMs);
        continue;
      }
      const others = [...current.values()].reduce(
        (sum, copy) => sum + (copy.name === name ? 0 : copy.bytes),
        0,
      );
      const made = await copyIn(name, stamp, others);
      if (made) current.set(name, made);
    }
    for (const name of [...seen.keys()]) if (!names.includes(name)) seen.delete(name);
    for (const name of [...refused.keys()]) if (!names.includes(name)) refused.delete(name);
    await adopt(current);
    return nextLookMs;
  }

  function holdsStill(name: string, stamp: FileStamp): number {
    const now = clock.monotonic();
    const before = seen.get(name);
    if (before && sameStamp(before.stamp, stamp)) return now - before.since;
    seen.set(name, { stamp, since: now });
    return 0;
  }

  async function copyIn(name: string, source: FileStamp, otherBytes: number): Promise<Copy | null> {
    const refuse = (code: HouseProblem['code'], detail: string) => {
      refused.set(name, { stamp: source, problem: { name, code, detail } });
      log.warn('a house creative cannot be shown', { name, code, detail });
      return null;
    };
    if (source.bytes > maxFileBytes)
      return refuse('too-large', `${source.bytes} bytes, at most ${maxFileBytes}`);
    const free = await disk.freeBytes(options.copies).catch(() => Number.POSITIVE_INFINITY);
    if (otherBytes + source.bytes > maxBytes || free - source.bytes < options.minFreeBytes) {
      return refuse('no-room', `no room for its ${source.bytes} bytes`);
    }
    try {
      const from = join(folder, name);
      const original = await disk.openToRead(from);
      const hash = createHash('sha256');
      try {
        // Most of what is refused is refused before a byte was copied.
        const found = await checkStructure(options.reading, original, formOf(name));
        if ('code' in found) return refuse(found.code, found.detail);
        const copy = await disk.openToAppend(temporary, 0);
        try {
          for (let at = 0; at < source.bytes; ) {
            closing.signal.throwIfAborted();
            const piece = await original.read(at, Math.min(PIECE_BYTES, source.bytes - at));
            if (piece.length === 0) break;
            hash.update(piece);
            await copy.write(piece);
            at += piece.length;
            await copyPace(piece.length);
          }
          await copy.sync();
        } finally {
          await copy.close();
        }
      } finally {
        await original.close();
      }
      // Changed while it was copied: looked at again once it holds still.
      if (!sameStamp(await disk.stamp(from).catch(() => null), source)) return null;
      const made = await disk.openToRead(temporary);
      const found = await checkStructure(options.reading, made, formOf(name)).finally(() => made.close());
      if ('code' in found) return refuse(found.code, found.detail);
      const sha256 = hash.digest('hex');
      const key = createHash('sha256').update(`${name}\0${sha256}`).digest('hex').slice(0, 32);
      await disk.rename(temporary, path(key));
      const stamp = await disk.stamp(path(key));
      if (!stamp) return null;
      log.info('house creative taken', { name, bytes: stamp.bytes, type: found.type });
      return { key, name, type: found.type, bytes: stamp.bytes, sha256, source, stamp };
    } catch (fault) {
      await disk.remove(temporary).catch(() => {});
      if (!closing.signal.aborted) {
        refused.set(name, {
          // Another stamp than any: it is tried again at the next look.
          stamp: { bytes: -1, modifiedMs: 0, inode: 0 },
          problem: { name, code: diskCode(fault), detail: words(fault) },
        });
      }
      return null;
    }
  }

  async function adopt(current: ReadonlyMap<string, Copy>): Promise<void> {
    const before = copies;
    copies = current;
    for (const copy of current.values()) byKey.set(copy.key, copy);
    const changed =
      before.size !== current.size || [...current].some(([name, { key }]) => before.get(name)?.key !== key);
    if (!changed) return;
    await store();
    await eraseUnused();
    for (const listener of listeners) listener();
  }

  async function store(): Promise<void> {
    await disk
      .replaceText(manifest, JSON.stringify([...copies.values()]))
      .catch((fault: unknown) =>
        log.warn('the list of house copies could not be stored', { fault: words(fault) }),
      );
  }

  async function eraseUnused(): Promise<void> {
    const current = new Set([...copies.values()].map(({ key }) => key));
    for (const key of [...byKey.keys()]) {
      if (current.has(key) || held.has(key)) continue;
      byKey.delete(key);
      strikes.delete(key);
      await disk.remove(path(key)).catch(() => {});
    }
  }

  function watchIfPossible(): void {
    if (stopWatching) return;
    try {
      stopWatching = watch(folder, () => scanIn(DEBOUNCE_MS));
    } catch {
      // Looking once a minute has to do.
    }
  }

  /** What earlier runs copied; whatever is not as it was made goes. */
  async function takeOver(): Promise<void> {
    await disk.makeFolder(options.copies);
    const stored = await disk
      .readText(manifest)
      .then((text) => z.array(Copy).parse(JSON.parse(text)))
      .catch(() => []);
    const good = new Map<string, Copy>();
    for (const copy of stored) {
      if (!sameStamp(await disk.stamp(path(copy.key)).catch(() => null), copy.stamp)) continue;
      good.set(copy.name, copy);
      byKey.set(copy.key, copy);
    }
    copies = good;
    for (const name of await disk.list(options.copies)) {
      const key = name.replace(/\.(bin|tmp)$/, '');
      if (key !== name && !byKey.has(key)) await disk.remove(join(options.copies, name)).catch(() => {});
    }
  }

  /** Reads every copy of earlier runs again, gently. */
  async function readAgain(): Promise<void> {
    for (const copy of [...copies.values()]) {
      if ((await isIntact(copy, rereadPace)) || closing.signal.aborted) continue;
      log.warn('a house copy is not what was copied and is made again', { name: copy.name });
      await drop(copy);
    }
  }

  /** Reads a copy again; if its bytes are right, its stamp proves them from now on. */
  async function isIntact(copy: Copy, pace: Pace): Promise<boolean> {
    const stamp = await disk.stamp(path(copy.key)).catch(() => null);
    if (stamp?.bytes !== copy.bytes) return false;
    const hash = await hashFile(disk, path(copy.key), copy.bytes, pace, closing.signal).catch(() => null);
    if (hash?.digest('hex') !== copy.sha256) return false;
    if (isUntouched(stamp, copy.stamp)) return true;
    const proven = { ...copy, stamp };
    byKey.set(copy.key, proven);
    if (copies.get(copy.name)?.key === copy.key) {
      copies = new Map([...copies, [copy.name, proven]]);
      await store();
    }
    return true;
  }

  async function drop(copy: Copy): Promise<void> {
    if (copies.get(copy.name)?.key !== copy.key) return;
    await adopt(new Map([...copies].filter(([name]) => name !== copy.name)));
    scanIn(DEBOUNCE_MS);
  }

  return {
    async open() {
      await takeOver().catch((fault: unknown) => {
        folderProblem = { name: null, code: diskCode(fault), detail: words(fault) };
        log.error('house content cannot be copied', { copies: options.copies, fault: words(fault) });
      });
      scanNow();
      void readAgain();
    },
    next() {
      const showable = [...copies.values()]
        .filter((copy) => !isAside(copy) && !isQuarantined(copy))
        .sort((a, b) => byName(a.name, b.name));
      const after = lastName;
      const copy =
        (after === null ? undefined : showable.find(({ name }) => byName(name, after) > 0)) ?? showable[0];
      if (!copy) return null;
      lastName = copy.name;
      return asFile(copy);
    },
    async verified(key) {
      const copy = byKey.get(key);
      if (!copy) return false;
      const stamp = await disk.stamp(path(key)).catch(() => null);
      if (isUntouched(stamp, copy.stamp)) return true;
      if (sameStamp(stamp, copy.stamp) && (await isIntact(copy, atOnce))) return true;
      await drop(copy);
      return false;
    },
    byKey(key) {
      const copy = byKey.get(key);
      return copy ? asFile(copy) : null;
    },
    pathOf: ({ key }) => path(key),
    inUse(keys) {
      held = new Set(keys);
      void eraseUnused();
    },
    strike(key, detail) {
      const copy = byKey.get(key);
      if (!copy) return;
      const version = { content: copy.sha256, etag: null, lastModified: null };
      strikes.set(key, struck(strikes.get(key), version, clock.now()));
      log.warn('a house creative could not be shown', { name: copy.name, detail });
    },
    onChange: (listener) => void listeners.add(listener),
    files: () => [...copies.values()].map(asFile),
    problems: () => [
      ...(folderProblem ? [folderProblem] : []),
      ...[...refused.values()].map(({ problem }) => problem),
      ...[...copies.values()]
        .filter(isAside)
        .map(({ name }): HouseProblem => ({ name, code: 'struck', detail: 'the screen could not show it' })),
      ...[...copies.values()]
        .filter(isQuarantined)
        .map(({ name }): HouseProblem => ({ name, code: 'harmful', detail: 'it is quarantined' })),
    ],
    async close() {
      closing.abort();
      cancelScan?.();
      stopWatching?.();
      await scanning;
    },
  };
}

/** What the house itself put there needs no other proof of being a page than its name. */
const formOf = (name: string): MediaForm => (/\.html?$/i.test(name) ? 'page' : 'media');

/** The same order on every machine, numbers in names by their value: "2.jpg" before "10.jpg". */
const order = new Intl.Collator('en', { numeric: true, sensitivity: 'variant' });
const byName = (a: string, b: string) => order.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);

function watchWithNode(folder: string, changed: () => void): () => void {
  const watcher = watchFolder(folder, changed);
  // A folder that goes away ends its watch; the next look notices.
  watcher.on('error', changed);
  return () => watcher.close();
}
