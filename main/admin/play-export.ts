import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExportState } from '../../shared/admin';
import { instant } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { AdminError } from './answer-calls';
import {
  type ExportJob,
  type ExportOrder,
  type ExportPlace,
  interruptionOf,
  signPlays,
  type WritingParts,
  writePlays,
} from './write-plays';

interface PlayExportParts extends WritingParts {
  readonly places: () => Promise<readonly ExportPlace[]>;
  /** The store's time zone; null: the machine's own. */
  readonly timeZone: () => string | null;
  readonly log: Log;
  readonly onBegin: () => void;
  readonly onEnd: (state: ExportState) => void;
}

/**
 * Writes proof of play to a drive or a folder, one export at a time; it continues when the overlay closes. Also
 * removes leftovers of earlier runs from every target.
 */
export function openPlayExport(parts: PlayExportParts) {
  const { disk, clock, log } = parts;
  let state: ExportState = { state: 'none' };
  let running: Promise<void> | null = null;
  /** The file that is being written. */
  let writing: string | null = null;
  let isCancelled = false;

  /** Never rejects: an error of the drive shows when it is written to. */
  async function removeHalf(folder: string): Promise<void> {
    const names = await disk.list(folder).catch(() => []);
    for (const name of halfExports(names)) {
      if (writing === null || !name.startsWith(writing))
        await disk.remove(join(folder, name)).catch(() => undefined);
    }
  }

  async function run(job: ExportJob): Promise<void> {
    const { place } = job;
    let last: ExportState = { state: 'cancelled' };
    try {
      // A drive's folder is its mount point: making it would fill the kiosk's own disk once the drive is gone.
      if (place.kind === 'folder') await mkdir(place.folder, { recursive: true, mode: 0o700 });
      await removeHalf(place.folder);
      const tell = (rows: number, done: number) => {
        state = { ...begun(job), rows, done };
      };
      const written = await writePlays(parts, job, () => isCancelled, tell);
      if (written) {
        await signPlays(parts, job, written);
        log.info('plays were exported', { file: job.name, rows: written.rows, bytes: written.bytes });
        last = { ...begun(job), state: 'finished', ...written, at: clock.now() };
      }
    } catch (error) {
      const { code, message } = interruptionOf(error, place);
      log.warn('an export was interrupted', { file: job.name, code, error });
      if (!isCancelled && state.state === 'running') last = { ...state, state: 'interrupted', code, message };
    }
    writing = null;
    if (last.state !== 'finished') await removeHalf(place.folder);
    state = last;
    parts.onEnd(last);
  }

  void parts
    .places()
    .then((places) => Promise.all(places.map(({ folder }) => removeHalf(folder))))
    .catch((error: unknown) => log.warn('unfinished exports could not be searched for', { error }));

  return {
    state: () => state,
    /**
     * Exports plays of all environments (rule 26). Leftovers of an interrupted export in the target are removed.
     * Throws an `AdminError`: `busy` while another export runs, `no-target` without its drive.
     */
    async start(order: ExportOrder): Promise<ExportState> {
      const place = (await parts.places()).find(({ id }) => id === order.target);
      if (running) throw new AdminError('busy', 'Another export is under way.');
      if (!place) throw new AdminError('no-target', 'The drive is not there. Plug it in and try again.');
      const createdAt = clock.now();
      // Plays that come while it is written belong to the next export.
      const to = Math.max(order.from + 1, Math.min(order.to, createdAt));
      const name = exportName({ ...order, to }, createdAt, parts);
      const job = { ...order, to, place, name, createdAt };
      writing = name;
      isCancelled = false;
      state = begun(job);
      parts.onBegin();
      running = run(job).finally(() => {
        running = null;
      });
      return state;
    },
    /**
     * The running export stops and removes what it has written; its state tells when. This does not wait for that,
     * because a broken drive may never answer.
     */
    cancel(): ExportState {
      isCancelled = true;
      return state;
    },
  };
}

const begun = ({ place: { folder, ...target }, name: file }: ExportJob) =>
  ({ state: 'running', file, target, rows: 0, done: 0 }) as const;

/**
 * What an interrupted export left in a folder: files that are not whole, and a signature whose content is still a
 * `.part`.
 */
export function halfExports(names: readonly string[]): string[] {
  const all = new Set(names);
  return names.filter((name) => {
    const content = /^(endcap-plays_[\w.-]+\.(?:csv|ndjson))(?:\.sig)?(?:\.part|\.tmp)?$/.exec(name)?.[1];
    if (content === undefined || name === content) return false;
    return /\.(part|tmp)$/.test(name) || (all.has(`${content}.part`) && !all.has(content));
  });
}

/**
 * `endcap-plays_PLAYER_20261101_20261130_20261201T093000Z.csv`: only characters that every file system accepts. The first
 * and the last day are the store's, as staff choose them.
 */
function exportName(
  { from, to, format }: ExportOrder,
  createdAt: number,
  { player, timeZone }: Pick<PlayExportParts, 'player' | 'timeZone'>,
): string {
  // Swedish writes dates as ISO does.
  const days = new Intl.DateTimeFormat('sv-SE', { timeZone: timeZone() ?? undefined });
  const day = (at: number) => days.format(at).replaceAll('-', '');
  const name = (player ?? 'kiosk').replace(/[^A-Za-z0-9.-]+/g, '-').slice(0, 40) || 'kiosk';
  return `endcap-plays_${name}_${day(from)}_${day(to - 1)}_${instant(createdAt).replace(/[-:]|\.\d+/g, '')}.${format}`;
}
