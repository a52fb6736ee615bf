import { errorCode } from '../describe-error';
import { withoutSecrets } from '../status/shown-text';
import { parseHouseUrl } from './house-file';
import type { StructureError } from './media-type';
import type { HarmCause } from './quarantine';
import type { Quarantined } from './quarantine-store';

export type MediaProblemCode =
  /**
   * No answer: DNS, connection or TLS failed, or the egress policy rejected the address; or the answer of another: the
   * page of a captive portal or a filter.
   */
  | 'unreachable'
  | 'status'
  /** The transfer broke off or stalled; the received bytes are kept if the download can be continued. */
  | 'short'
  /** The answer has a content encoding, although none was asked for. */
  | 'encoded'
  | 'too-large'
  | StructureError['code']
  /** The bytes of the file on disk changed. */
  | 'corrupt'
  /** The screen could not show it, or not to its end: it is set aside for a while (rule 11). */
  | 'not-shown'
  /** The file is in the cache folder and cannot be read now. */
  | 'unreadable'
  /** The file vanished from the cache folder. */
  | 'lost'
  /** No room in the quota or on the disk, because all other files are needed at least as much. */
  | 'no-room'
  /** The kiosk could not open a guest to show this page in. */
  | 'no-guest'
  /** Drawing it stopped the kiosk twice: it is quarantined (rule 11). */
  | 'harmful'
  | DiskCode;

export type DiskCode = 'disk-full' | 'disk-read-only' | 'folder-gone' | 'disk';

export interface MediaProblem {
  readonly url: string;
  readonly code: MediaProblemCode;
  /** What was expected and what came, in words for staff. */
  readonly detail: string;
}

/** A problem of the cache as a whole, and what to do about it. */
export interface CacheCondition {
  readonly code: 'cache-too-small' | 'disk-low' | DiskCode;
  readonly message: string;
  readonly advice: string;
}

const CHECK_SERVER = 'Check the media server; it is tried again.';
const UPLOAD_AGAIN = 'Upload a working file in its place; it is noticed within the hour.';
const FETCHED_AGAIN = 'It is fetched again; if this comes back, check the disk and the file.';
const MAKE_ROOM = 'Raise media.quotaBytes, or shorten the playlist.';
const NO_ROOM = `${MAKE_ROOM} Where the disk is low, free space on it instead.`;
/** The books are on the disk of the creatives. */
const GOES_ON = 'it goes on by itself. Until then, stored ads play only while the books can be written.';

const ADVICE: Readonly<Record<MediaProblemCode | CacheCondition['code'], string>> = {
  unreachable:
    'Check the network and that the host may be reached from here; it is tried again. If the network has a log-in page, exempt the kiosk from it.',
  status: CHECK_SERVER,
  short: CHECK_SERVER,
  encoded: 'Have the media server send its files without Content-Encoding; it is tried again.',
  'not-media': 'Check the address. If the network has a log-in page, exempt the kiosk from it.',
  'too-large': UPLOAD_AGAIN,
  'too-many-pixels': UPLOAD_AGAIN,
  truncated: UPLOAD_AGAIN,
  undecodable: UPLOAD_AGAIN,
  corrupt: FETCHED_AGAIN,
  'not-shown': 'It is tried again. If this comes back, upload another file in its place.',
  unreadable:
    'It is read again after a minute, later every ten, and fetched again within the hour where a network is there. If this stays, check the disk, and who may read the media folder.',
  lost: FETCHED_AGAIN,
  harmful: 'Ask the advertiser for another file; it is noticed within the hour. The other ads go on.',
  'no-guest':
    'It is tried again within a minute. If this comes back, restart the kiosk, and check its memory.',
  'no-room': NO_ROOM,
  'cache-too-small': MAKE_ROOM,
  'disk-low': 'Free disk space on this kiosk.',
  'disk-full': `Free disk space on this kiosk; ${GOES_ON}`,
  'disk-read-only': `Make the data folder writable for the kiosk again; ${GOES_ON}`,
  'folder-gone': 'Check the disk that holds the data folder; creatives are fetched again.',
  disk: `Check the disk of this kiosk; ${GOES_ON}`,
};

const PUT_ANOTHER = 'Put another file in its place in the house folder, or remove it from there.';
/** Staff copy house creatives by hand: no server and no network is at fault. */
const HOUSE_ADVICE: Partial<typeof ADVICE> = {
  short: 'Check that the kiosk may read it, and that it is copied completely; it is tried again.',
  'not-media': PUT_ANOTHER,
  'too-many-pixels': PUT_ANOTHER,
  truncated: PUT_ANOTHER,
  undecodable: PUT_ANOTHER,
  corrupt: 'It is copied again from the house folder. If this comes back, check the disk and the file.',
  'not-shown': 'It is tried again. If this comes back, put another file in its place in the house folder.',
  harmful: `${PUT_ANOTHER} All others go on.`,
  'no-room': `${NO_ROOM} A new version needs room beside the old one: if that is what is lacking, remove the file from the house folder, and put the new one there a minute later.`,
};

export function condition(code: CacheCondition['code'], message: string): CacheCondition {
  return { code, message, advice: ADVICE[code] };
}

const CAUSES: Readonly<Record<HarmCause, string>> = {
  hang: 'the picture stood still',
  'kiosk-window': 'the kiosk window ended',
  guest: 'its own process ended',
  graphics: 'the graphics process ended',
  main: 'the program ended',
};

/** Why a creative is not shown, since when and until when. */
export function quarantineWords({ cause, since, until }: Quarantined): string {
  const at = (time: number) => new Date(time).toISOString();
  return `quarantined since ${at(since)} until ${at(until)} or until its file changes: while it was drawn, ${CAUSES[cause]}, twice without a full showing in between`;
}

/** @param error as a disk gives it */
export const unreadableWords = (error: string): string =>
  `its file is kept, but cannot be read now (${error}), so it does not play`;

/** What a problem says to people: which file, and what to do about it. A house creative has its name as in its folder. */
export function problemWords({ url, code }: Omit<MediaProblem, 'detail'>): {
  readonly file: string;
  readonly advice: string;
} {
  const house = parseHouseUrl(url);
  if (house === null) return { file: withoutSecrets(url), advice: ADVICE[code] };
  return { file: `house:${house.name}`, advice: HOUSE_ADVICE[code] ?? ADVICE[code] };
}

const DISK_CODES: Readonly<Record<string, DiskCode>> = {
  ENOSPC: 'disk-full',
  EDQUOT: 'disk-full',
  EFBIG: 'disk-full',
  EROFS: 'disk-read-only',
  EACCES: 'disk-read-only',
  EPERM: 'disk-read-only',
  ENOENT: 'folder-gone',
  ENOTDIR: 'folder-gone',
};

export const diskCode = (error: unknown): DiskCode => DISK_CODES[errorCode(error) ?? ''] ?? 'disk';
