import { join } from 'node:path';
import type { AdminAction, ConnectionStep, LogQuery, RecordedAction } from '../../shared/admin';
import { beforeDeadline, startDeadline } from '../deadline';
import { restAfterWork, type Schedule } from '../schedule';
import type { Settings } from '../settings/settings';
import { shared } from '../turns';
import type { ActionRecord } from './action-record';
import { createActions, type EndSoon, type Note, recordFailures } from './actions';
import type { AdminParts } from './admin-parts';
import { createAdsPages } from './ads-page';
import type { AdminCommands } from './answer-calls';
import { bookPages } from './book-pages';
import { homeFacts, homeOf } from './home';
import { logPage, readLogEnd } from './log-tail';
import { type DriveFiles, mountedDrives } from './mounted-drives';
import type { Overlay } from './overlay';
import { openPlayExport } from './play-export';
import type { RunningKiosk } from './running-kiosk';
import type { SetUp } from './set-up';
import type { setUpCommands } from './set-up-commands';
import { type ExportPlace, exportDisk } from './write-plays';

interface KioskPagesParts extends AdminParts {
  readonly overlay: Overlay;
  readonly record: ActionRecord;
  readonly setUp: Pick<SetUp, 'managed' | 'inUse'>;
  readonly note: Note;
  /** Returns the `Note` for actions of the fleet's operator with this key. */
  readonly noteOf: (key: string) => Note;
  readonly endSoon: EndSoon;
  readonly test: (settings: Settings) => Promise<readonly ConnectionStep[]>;
}

type KioskCommands = Omit<AdminCommands, keyof Overlay['commands'] | keyof ReturnType<typeof setUpCommands>>;

/** Actions of the fleet's operator, who does them remotely as staff do them in the overlay. */
export type FleetActions = ReturnType<typeof createKioskPages>['fleet'];

/** Creates what staff see and do on a playing kiosk: its pages, its exports and its actions. */
export function createKioskPages(kiosk: RunningKiosk, parts: KioskPagesParts) {
  const { clock, schedule, log, dataDirectory, overlay, note, preferences, record, machine } = parts;
  const places = exportPlaces(parts.driveFiles, schedule, dataDirectory);
  const exporting = openPlayExport({
    records: kiosk.records,
    places,
    disk: exportDisk,
    key: kiosk.key,
    clock,
    rest: restAfterWork(schedule, parts.pause, overlay.covers),
    log,
    player: kiosk.player,
    timeZone: kiosk.timeZone,
    version: parts.version,
    onBegin: () => parts.onExport(true),
    onEnd(state) {
      parts.onExport(false);
      if (state.state === 'finished')
        note('export', { kind: 'exported', file: state.file, rows: state.rows });
      if (state.state === 'interrupted') {
        const { file, code, message } = state;
        note('export', { kind: 'export-interrupted', file, code, message }, 'failed');
      }
    },
  });
  kiosk.maintenance.onChange(overlay.tell);
  const actionParts = { kiosk, preferences, machine, endSoon: parts.endSoon, log };
  const readLog = async (query: LogQuery) =>
    logPage(await readLogEnd(join(dataDirectory, 'logs', 'endcap.log')), query);
  const commands: KioskCommands = {
    home: async () => homeOf(await homeFacts(kiosk, parts)),
    ads: createAdsPages({ ...kiosk, now: clock.now, pause: parts.pause }),
    ...bookPages(kiosk),
    signals() {
      const { signals, signalsServer: server = { url: null, problem: null } } = kiosk.status();
      return { at: clock.now(), ...signals, server };
    },
    log: readLog,
    recordedActions: ({ limit }) => record.latest(limit),

    // The contract drops their folders.
    exportTargets: places,
    export: exporting.state,
    startExport({ target, format, period }) {
      return exporting.start({ target, format, ...period });
    },
    cancelExport: exporting.cancel,

    act: recordFailures(
      createActions({
        ...actionParts,
        closeOverlay: () => overlay.step({ type: 'close' }),
        isAtScreen: true,
        note,
      }),
      note,
    ),
    async testConnection() {
      const steps = await parts.test(kiosk.settings);
      const failed = steps.filter(({ ok }) => !ok).map(({ step }) => step);
      if (failed.length > 0) note('connection-test', { kind: 'steps-failed', steps: failed }, 'failed');
      else note('connection-test');
      return [...steps];
    },
  };
  return {
    commands,
    fleet: {
      /** Recorded with the fingerprint of the key that signed the command. */
      act: (action: AdminAction, signedBy: string) =>
        createActions({
          ...actionParts,
          closeOverlay() {},
          isAtScreen: false,
          note: parts.noteOf(signedBy),
        })(action),
      record: (action: RecordedAction) => void record.note(action),
      isCovered: overlay.covers,
      /** The last lines of the log without secrets, oldest first. */
      logLines: async (limit: number) =>
        (await readLog({ level: 'info', search: '', limit })).lines.reverse(),
    },
    /** Stops a running export, and does not wait for it: books or drive may not answer. */
    stop: () => void exporting.cancel(),
  };
}

/** How long a drive may take to report its free space, ms. */
const DRIVE_ANSWER_MS = 1_000;

/** Where exports can go now: the drives that are plugged in and, last, the data folder's `exports`. */
function exportPlaces(
  driveFiles: DriveFiles,
  schedule: Schedule,
  dataDirectory: string,
): () => Promise<ExportPlace[]> {
  // A broken drive may never answer, and a question to it keeps one of Node's few threads: one at a time.
  const askOnce = shared(driveFiles.freeBytes);
  /** A drive that does not answer is listed without its free space. */
  const patient: DriveFiles = {
    ...driveFiles,
    freeBytes: (path) => beforeDeadline(startDeadline(DRIVE_ANSWER_MS, schedule), () => askOnce(path)),
  };
  const folder = join(dataDirectory, 'exports');
  return async () => {
    const drives = await mountedDrives(patient);
    return [
      ...drives.map(({ mountPoint, label, freeBytes }) => ({
        id: `usb:${mountPoint}`,
        kind: 'usb' as const,
        label,
        freeBytes,
        folder: mountPoint,
      })),
      {
        id: 'folder',
        kind: 'folder' as const,
        label: folder,
        freeBytes: await patient.freeBytes(dataDirectory).catch(() => null),
        folder,
      },
    ];
  };
}
