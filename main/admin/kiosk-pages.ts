import { join } from 'node:path';
import type {
  ActionResult,
  AdminAction,
  AdminHome,
  AdminNews,
  LogPage,
  RecordedAction,
} from '../../shared/admin';
import { restAfterWork } from '../schedule';
import { cut, cutOrNull } from '../status/shown-text';
import type { ActionRecord } from './action-record';
import { createActions, type EndSoon, type Note } from './actions';
import type { AdminParts } from './admin-parts';
import { createAdsPages } from './ads-page';
import { exportDisk } from './export-disk';
import { exportPlaces } from './export-places';
import { homeOf } from './home';
import { kioskCommands } from './kiosk-commands';
import { logPage, readLogEnd } from './log-tail';
import type { Overlay } from './overlay';
import { openPlayExport } from './play-export';
import type { Preferences } from './preferences';
import type { RunningKiosk } from './running-kiosk';
import type { SetUp } from './set-up';

interface KioskPagesParts extends AdminParts {
  readonly overlay: Overlay;
  readonly record: ActionRecord;
  readonly preferences: Preferences;
  readonly setUp: Pick<SetUp, 'managed' | 'inUse'>;
  readonly send: (news: AdminNews) => void;
  readonly note: Note;
  /** Returns the `Note` for actions of the fleet's operator with this key. */
  readonly noteOf: (key: string) => Note;
  readonly endSoon: EndSoon;
  readonly test: Parameters<typeof kioskCommands>[0]['test'];
}

/** Actions of the fleet's operator, who does them remotely as staff do them in the overlay. */
export interface FleetActions {
  /** Recorded with the fingerprint of the key that signed the command. */
  act(action: AdminAction, key: string): Promise<ActionResult>;
  record(action: RecordedAction): void;
  /** Whether the overlay covers the stage. */
  isCovered(): boolean;
  /** The last lines of the log without secrets, oldest first. */
  logLines(limit: number): Promise<LogPage['lines']>;
}

interface KioskPages {
  readonly commands: ReturnType<typeof kioskCommands>;
  readonly fleet: FleetActions;
  /** Stops a running export. */
  stop(): Promise<void>;
}

/** Creates what staff see and do on a playing kiosk: its pages, its exports and its actions. */
export function createKioskPages(of: RunningKiosk, parts: KioskPagesParts): KioskPages {
  const { clock, schedule, log, dataDirectory, key, overlay, note, preferences, machine, send } = parts;
  const ads = createAdsPages({ ...of, now: clock.now, pause: parts.pause });
  const { records, environment } = of;
  const places = exportPlaces(parts.driveFiles, schedule, dataDirectory);
  const exporting = openPlayExport({
    records,
    places,
    disk: parts.disk ?? exportDisk,
    key,
    clock,
    schedule,
    rest: restAfterWork(schedule, parts.pause, () => overlay.covers),
    log,
    player: of.player,
    version: parts.version,
    onChange(state) {
      if (state.state === 'finished')
        note('export', { kind: 'exported', file: state.file, rows: state.rows });
      if (state.state === 'interrupted') {
        const { file, code, message } = state;
        note('export', { kind: 'export-interrupted', file, code, message }, 'failed');
      }
      if (overlay.at === 'open') send({ kind: 'export', export: state });
    },
  });
  const home = async (): Promise<AdminHome> =>
    homeOf({
      status: of.status(),
      before: overlay.statusBefore,
      pictureOf: of.pictureOf,
      mediaProblems: of.mediaProblems(),
      maintenanceUntil: of.maintenance.until(),
      isStoreOpen: of.isStoreOpen(clock.now()),
      volume: preferences.volume() ?? of.settingsVolume,
      mayAct: overlay.permits('actor'),
      managed: parts.setUp.managed,
      canChangePin: parts.setUp.inUse,
      canRestartKiosk: machine.restartKiosk !== null,
      canSwitchDisplay: of.switchDisplay !== null,
      autostart: await machine.autostart.read(),
      kiosk: {
        id: key.fingerprint,
        player: cutOrNull(of.player, 200),
        hostName: cut(parts.hostName, 200),
        addresses: parts
          .addresses()
          .slice(0, 32)
          .map((address) => cut(address, 64)),
        publicKey: key.publicKey,
        environment: cut(environment, 200),
      },
    });
  const holdForMaintenance = () => of.hold('maintenance', of.maintenance.until() !== null);
  of.maintenance.onChange(() => {
    holdForMaintenance();
    overlay.tell();
  });
  holdForMaintenance();
  const doing = { kiosk: of, maintenance: of.maintenance, preferences, machine, endSoon: parts.endSoon, log };
  const act = createActions({ ...doing, closeOverlay: () => overlay.step({ type: 'close' }), note });
  const tellHome = () => {
    home().then(
      (now) => {
        if (overlay.at === 'open') send({ kind: 'home', home: now });
      },
      (error: unknown) => log.warn('the state could not be sent to the overlay', { error }),
    );
  };
  overlay.onTick(tellHome);
  overlay.onOpened(() => {
    tellHome();
    // No export news is sent while the overlay is closed.
    send({ kind: 'export', export: exporting.state() });
  });
  return {
    commands: kioskCommands({
      kiosk: of,
      home,
      ads,
      record: parts.record,
      places,
      exporting,
      act,
      test: parts.test,
      dataDirectory,
      clock,
      note,
    }),
    fleet: {
      act: (action, key) => createActions({ ...doing, closeOverlay() {}, note: parts.noteOf(key) })(action),
      record: (action) => void parts.record.note(action),
      isCovered: () => overlay.covers,
      async logLines(limit) {
        const end = await readLogEnd(join(dataDirectory, 'logs', 'endcap.log'));
        return logPage(end, { level: 'info', search: '', limit }).lines.reverse();
      },
    },
    async stop() {
      await exporting.cancel();
    },
  };
}
