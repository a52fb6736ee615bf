import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Log } from '../../shared/log';
import type { Basics } from '../basics';
import { messageOf, reasonOf } from '../describe-error';
import { type Disk, realDisk } from './disk';
import { houseUrl, parseHouseUrl } from './house-file';
import type { CachedMedia, MediaCache } from './media-cache';
import type { MediaForm } from './media-type';

/** A house creative (picture, video or page) that is in the cache; its `url` names this version. */
export interface HouseFile extends Pick<CachedMedia, 'url' | 'type' | 'sha256'> {
  /** Identifies name and content in plays and exports; never a path. */
  readonly key: string;
  /** Its file name in the house folder, for status and log. */
  readonly name: string;
}

export type HouseFolder = ReturnType<typeof createHouseFolder>;

export interface HouseFolderOptions extends Pick<Basics, 'schedule' | 'log'> {
  /** The operator's folder; only read, never written. */
  readonly folder: string;
  readonly cache: Pick<MediaCache, 'files' | 'lookup' | 'want' | 'forget' | 'onChange'>;
  readonly disk?: Pick<Disk, 'list' | 'stamp' | 'folder'>;
  /** Called after each read of the folder with why it failed; null: it did not. */
  readonly onRead: (error: string | null) => void;
}

/** How often the folder is read, ms. A file that is the same in two reads in a row counts as complete. */
const LOOK_MS = 3_000;
/** A read whose disk answers nothing for this long failed, ms; the next one begins when it has ended all the same. */
const ANSWER_MS = 30_000;
/** Most names in the folder that are looked at; folders and other files count too. */
const MAX_NAMES = 1_000;
/** Hidden files, and those that Windows hides in every folder: no creative of anybody. */
const HIDDEN = /^(?:\.|(?:eh)?thumbs\.db$|desktop\.ini$)/i;

/**
 * House creatives from a folder that may change at any time (rule 12). A file that has stopped changing is
 * copied into the media cache and shown from there, so overwriting it, or pulling out the USB stick, does not
 * disturb a play. If the folder cannot be read, the cached files are shown.
 */
export function createHouseFolder(options: HouseFolderOptions) {
  const { folder, cache, onRead, log, schedule } = options;
  const disk = options.disk ?? realDisk;

  /** By file name: the version in the folder, and the version that is shown until that one is cached. */
  let present: ReadonlyMap<string, string> = new Map();
  let shown: ReadonlyMap<string, string> = new Map();
  /** All versions that the last read found, complete or not. */
  let seen: ReadonlySet<string> = new Set();
  const want = wantOf(cache);
  const sorted = createNameOrder(folder, log);
  /** Whether a drive was mounted at the folder while it had files; null: it had none in this run. */
  let hadDrive: boolean | null = null;
  let isReadable = true;
  let lastName: string | null = null;
  let cancelWait: (() => void) | null = null;

  /** To be called when a read begins, and with each answer of the disk. */
  function awaitAnswer(): void {
    cancelWait?.();
    cancelWait = schedule(ANSWER_MS, () => failed(new Error(`no answer within ${ANSWER_MS / 1_000} s`)));
  }

  function lookNow(): void {
    awaitAnswer();
    void look()
      .then(() => {
        isReadable = true;
        onRead(null);
      }, failed)
      .then(() => {
        cancelWait?.();
        cancelWait = schedule(LOOK_MS, lookNow);
      });
  }

  function failed(error: unknown): void {
    if (isReadable) log.warn('the house folder cannot be read', { folder, error: messageOf(error) });
    isReadable = false;
    onRead(reasonOf(error));
    // A file that is not cached cannot be copied now. Do not want it: failed tries would only delay the next one.
    present = shown;
    want(present.values());
  }

  async function look(): Promise<void> {
    const names = sorted(await disk.list(folder));
    awaitAnswer();
    const found = new Map<string, string>();
    const seenNow = new Set<string>();
    let isGone = names.length === 0;
    for (const name of names) {
      awaitAnswer();
      const stamp = await disk.stamp(join(folder, name)).catch(() => undefined);
      if (stamp === null) {
        // The drive may have been pulled out since the names were listed.
        isGone ||= shown.has(name);
        continue;
      }
      // Until a new version can be read and is complete, the last good version is shown.
      let version = shown.get(name);
      if (stamp) {
        const url = houseUrl(name, stamp);
        seenNow.add(url);
        if (seen.has(url) || present.get(name) === url) version = url;
      }
      if (version !== undefined) found.set(name, version);
    }
    awaitAnswer();
    if (await isDriveAway(isGone)) throw new Error('it is empty, and its drive is not mounted');
    seen = seenNow;
    present = found;
    update();
  }

  /** @param isGone whether the folder is empty, or a file that is shown was gone after its name was listed */
  async function isDriveAway(isGone: boolean): Promise<boolean> {
    const [here, above] = await Promise.all([disk.folder(folder), disk.folder(join(folder, '..'))]);
    const hasDrive = here.device !== above.device;
    if (!isGone) hadDrive ||= hasDrive;
    if (!isGone || hasDrive) return false;
    // After a restart: if the folder has not changed since a file was copied, nobody removed that file from it.
    const copied = cache.files().filter(({ url }) => parseHouseUrl(url) !== null);
    // Both times are of the machine's clock, which may differ from ours.
    return hadDrive ?? copied.some(({ stamp }) => stamp !== null && stamp.modifiedMs > here.modifiedMs);
  }

  /**
   * Shows the versions that may play now, and wants them and their successors from the cache. All others are forgotten
   * there, or a start without the folder would show what was removed from it. The cache tells of each change.
   */
  function update(): void {
    shown = new Map(
      [...present].flatMap(([name, url]) => {
        const version = cache.lookup(url) ? url : shown.get(name);
        return version === undefined ? [] : [[name, version] as const];
      }),
    );
    const wanted = new Set([...shown.values(), ...present.values()]);
    want(wanted);
    const cached = cache.files().map(({ url }) => url);
    cache.forget(cached.filter((url) => !wanted.has(url) && parseHouseUrl(url) !== null));
  }

  return {
    /** Shows what earlier runs cached, and watches the folder until the process ends. The cache must be open. */
    open(): void {
      present = cachedVersions(cache);
      shown = present;
      want(present.values());
      cache.onChange((url) => {
        const name = parseHouseUrl(url)?.name;
        if (name !== undefined && [shown.get(name), present.get(name)].includes(url)) update();
      });
      lookNow();
    },
    /** The file to show next, in the order of the names, in a cycle; null: none may play. */
    next(): HouseFile | null {
      const found = nextByName(shown, cache, lastName);
      lastName = found?.name ?? lastName;
      return found;
    },
  };
}

/** The newest cached version of each file name, from earlier runs, in the order of the names. */
function cachedVersions(cache: Pick<MediaCache, 'files'>): Map<string, string> {
  const byAge = cache.files().sort((a, b) => a.storedAt - b.storedAt);
  const cached = byAge.flatMap(({ url }) => {
    const file = parseHouseUrl(url);
    return file ? [[file.name, url] as const] : [];
  });
  return new Map(cached.sort(([a], [b]) => byName(a, b)));
}

/** The next file after `last` that may play, or else the first one. */
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

/** Wants files from the cache, but only when the list has changed. */
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

/** The operator is trusted: a file name ending in .html is enough to make a file a page. */
const formOf = (name: string): MediaForm => (/\.html?$/i.test(name) ? 'page' : 'media');

/**
 * Returns a function that answers with the names in their order, hidden ones left out, and at most MAX_NAMES.
 * Sorts only when the names have changed, because that takes long.
 */
function createNameOrder(folder: string, log: Log): (names: readonly string[]) => readonly string[] {
  let listed: readonly string[] = [];
  let sorted: readonly string[] = [];
  let areTooMany = false;
  return (names) => {
    if (names.length === listed.length && names.every((name, at) => name === listed[at])) return sorted;
    listed = names;
    const visible = names.filter((name) => !HIDDEN.test(name));
    const wereTooMany = areTooMany;
    areTooMany = visible.length > MAX_NAMES;
    if (areTooMany && !wereTooMany)
      log.warn(`only ${MAX_NAMES} names of the house folder are looked at`, {
        folder,
        names: visible.length,
      });
    // Which names are left out is decided without the collator, which would need 2 s for 100,000 names.
    if (areTooMany) visible.sort();
    sorted = visible.slice(0, MAX_NAMES).sort(byName);
    return sorted;
  };
}

let order: Intl.Collator | null = null;

/** The same order on every machine, numbers in names by their value: "2.jpg" before "10.jpg". */
function byName(a: string, b: string): number {
  // Made when a folder is read: it takes 9 ms of a start, and few kiosks have house creatives.
  order ??= new Intl.Collator('en', { numeric: true, sensitivity: 'variant' });
  return order.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}
