import { createHash } from 'node:crypto';
import { watch as watchFolder } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { messageOf } from '../describe-error';
import type { Schedule } from '../service/schedule';
import { type Disk, type FileStamp, realDisk, sameStamp } from './disk';
import { houseUrl, parseHouseUrl } from './house-file';
import type { MediaCache } from './media-cache';
import type { MediaForm } from './media-type';

/** A picture, video or page of the house that is in the cache. */
export interface HouseFile {
  /** By which the cache knows this version. */
  readonly url: string;
  /** Names this very content in plays and exports; never a path. */
  readonly key: string;
  /** Its name in the house folder, for status and log. */
  readonly name: string;
  readonly type: string;
  /** In hex. */
  readonly sha256: string;
}

export interface HouseFolder {
  /** Takes over what earlier runs cached, and looks at the folder from now on. The cache is open before. */
  open(): void;
  /** The file to show next, in the order of the names, round and round; null while none may play. */
  next(): HouseFile | null;
  /** Called when a file comes, goes, or may play or not, among others. */
  onChange(listener: () => void): void;
  close(): Promise<void>;
}

export interface HouseFolderOptions {
  /** The operator's folder; only read, never written. */
  readonly folder: string;
  readonly cache: Pick<MediaCache, 'files' | 'lookup' | 'want' | 'onChange'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly schedule: Schedule;
  readonly disk?: Pick<Disk, 'list' | 'stamp'>;
  /** Calls back when something in a folder changed; throws where that cannot be watched. */
  readonly watch?: (folder: string, changed: () => void) => () => void;
}

/** A file untouched for so long is taken to be complete, ms. */
const SETTLED_MS = 2_000;
/** A burst of changes is one, ms. */
const DEBOUNCE_MS = 500;
/** Network folders and old kernels tell nothing: so often is the folder looked at anyway, ms. */
const POLL_MS = 60_000;
const MAX_FILES = 1_000;

/**
 * The house's own content, from a folder that may change at any time (rule 12). Each
 * file is wanted of the media cache once it holds still, and shown from there: a file
 * that is overwritten, half-written or on a stick that is pulled out cannot be seen.
 * An unreadable folder leaves what is cached.
 */
export function createHouseFolder(options: HouseFolderOptions): HouseFolder {
  const { folder, cache, clock, log, schedule } = options;
  const disk = options.disk ?? realDisk;

  /** By name in the folder: the version that lies there, and the one that is shown until that is cached. */
  let present: ReadonlyMap<string, string> = new Map();
  let shown: ReadonlyMap<string, string> = new Map();
  const seen = new SeenFiles(clock);
  const listeners = new Set<() => void>();
  const watched = new WatchedFolder(folder, options.watch ?? watchWithNode, () => scanIn(DEBOUNCE_MS));
  const want = wantOf(cache);
  let isReadable = true;
  let isClosed = false;
  let lastName: string | null = null;
  let cancelScan: (() => void) | null = null;
  let scanning: Promise<void> | null = null;
  let again = false;

  function scanIn(ms: number): void {
    cancelScan?.();
    if (!isClosed) cancelScan = schedule(ms, scanNow);
  }

  function scanNow(): void {
    if (scanning) {
      again = true;
      return;
    }
    scanning = scan()
      .catch((error: unknown) => {
        if (isReadable) log.warn('the house folder cannot be read', { folder, error: messageOf(error) });
        isReadable = false;
        watched.end();
        // What is not cached yet cannot be had; tries in vain would only put off the next good one.
        present = shown;
        want(present.values());
        return POLL_MS;
      })
      .then((nextLookMs) => {
        scanning = null;
        scanIn(again ? DEBOUNCE_MS : nextLookMs);
        again = false;
      });
  }

  /** Looks which version of which file lies in the folder; resolves to when to look again, ms. */
  async function scan(): Promise<number> {
    watched.begin();
    const names = await disk.list(folder);
    isReadable = true;
    let nextLookMs = POLL_MS;
    const found = new Map<string, string>();
    const visible = names.filter((name) => !name.startsWith('.')).sort(byName);
    for (const name of visible.slice(0, MAX_FILES)) {
      if (isClosed) return POLL_MS;
      const stamp = await disk.stamp(join(folder, name)).catch(() => null);
      if (!stamp) continue;
      const url = houseUrl(name, stamp);
      const known = [present.get(name), shown.get(name)];
      const stillMs = known.includes(url) ? SETTLED_MS : seen.stillMs(name, stamp);
      if (stillMs >= SETTLED_MS) found.set(name, url);
      else {
        nextLookMs = Math.min(nextLookMs, SETTLED_MS - stillMs);
        // Until its successor is there, the last good version of a name is shown.
        const last = shown.get(name);
        if (last !== undefined) found.set(name, last);
      }
    }
    seen.keepOnly(names);
    present = found;
    update(false);
    return nextLookMs;
  }

  /** Shows the versions that may play now, and wants them with those that are to take their places. */
  function update(isTold: boolean): void {
    const before = shown;
    shown = new Map(
      [...present].flatMap(([name, url]) => {
        const version = cache.lookup(url) ? url : before.get(name);
        return version === undefined ? [] : [[name, version] as const];
      }),
    );
    want(new Set([...shown.values(), ...present.values()]));
    const isSame = before.size === shown.size && [...shown].every(([name, url]) => before.get(name) === url);
    if (isTold || !isSame) for (const listener of listeners) listener();
  }

  return {
    open() {
      present = cachedVersions(cache);
      shown = present;
      want(present.values());
      cache.onChange((url) => {
        const name = parseHouseUrl(url)?.name;
        if (name === undefined) return;
        if (shown.get(name) === url) update(true);
        else if (present.get(name) === url) update(false);
      });
      scanNow();
    },
    next() {
      const found = nextByName(shown, cache, lastName);
      lastName = found?.name ?? lastName;
      return found;
    },
    onChange: (listener) => void listeners.add(listener),
    async close() {
      isClosed = true;
      cancelScan?.();
      watched.end();
      await scanning;
    },
  };
}

/** By name, in the order of the names: the versions that earlier runs cached, of each the newest. */
function cachedVersions(cache: Pick<MediaCache, 'files'>): Map<string, string> {
  const byAge = cache.files().sort((a, b) => a.storedAt - b.storedAt);
  const cached = byAge.flatMap(({ url }) => {
    const file = parseHouseUrl(url);
    return file ? [[file.name, url] as const] : [];
  });
  return new Map(cached.sort(([a], [b]) => byName(a, b)));
}

/** The first file after `last` that may play, else the first of all. */
function nextByName(
  shown: ReadonlyMap<string, string>,
  cache: Pick<MediaCache, 'lookup'>,
  last: string | null,
): HouseFile | null {
  const showable = [...shown].flatMap(([name, url]) => {
    const file = cache.lookup(url);
    return file ? [{ name, file }] : [];
  });
  const found =
    (last === null ? undefined : showable.find(({ name }) => byName(name, last) > 0)) ?? showable[0];
  if (!found) return null;
  const { name, file } = found;
  const key = createHash('sha256').update(`${name}\0${file.sha256}`).digest('hex').slice(0, 32);
  return { url: file.url, key, name, type: file.type, sha256: file.sha256 };
}

/** Files as they were when last looked at. */
class SeenFiles {
  /** By name; `since`: since when it holds still, monotonic ms. */
  readonly #seen = new Map<string, { readonly stamp: FileStamp; readonly since: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** For how long a file has held still, ms. */
  stillMs(name: string, stamp: FileStamp): number {
    const now = this.#clock.monotonic();
    const before = this.#seen.get(name);
    if (before && sameStamp(before.stamp, stamp)) return now - before.since;
    this.#seen.set(name, { stamp, since: now });
    return 0;
  }

  keepOnly(names: readonly string[]): void {
    for (const name of [...this.#seen.keys()]) if (!names.includes(name)) this.#seen.delete(name);
  }
}

/** Wants files of the cache, each time that they are others. */
function wantOf(cache: Pick<MediaCache, 'want'>): (urls: Iterable<string>) => void {
  let wanted = '';
  return (urls) => {
    const all = [...urls].map((url) => ({ url, form: formOf(parseHouseUrl(url)?.name ?? '') }));
    const list = JSON.stringify(all);
    if (list === wanted) return;
    wanted = list;
    cache.want('house', all);
  };
}

/** A folder that is watched where that is possible. */
class WatchedFolder {
  readonly #watch: () => () => void;
  #stop: (() => void) | null = null;

  constructor(folder: string, watch: NonNullable<HouseFolderOptions['watch']>, changed: () => void) {
    this.#watch = () => watch(folder, changed);
  }

  begin(): void {
    if (this.#stop) return;
    try {
      this.#stop = this.#watch();
    } catch {
      // Looking once a minute has to do.
    }
  }

  end(): void {
    this.#stop?.();
    this.#stop = null;
  }
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
