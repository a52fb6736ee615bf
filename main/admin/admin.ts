import { join } from 'node:path';
import type {
  AdminAction,
  AdminFaultCode,
  AdminHome,
  AdminMessage,
  ConnectionStep,
  ExportState,
  ExportTarget,
  OverlayState,
  OverlayView,
  PlayRow,
} from '../../shared/admin';
import { assertNever } from '../../shared/assert-never';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { ProvenPlay } from '../../shared/proof-of-play';
import type { OutboxCounts } from '../beacons/outbox';
import type { Records } from '../records/records-client';
import type { Schedule } from '../service/schedule';
import type { Settings } from '../settings/settings';
import type { SignalAges } from '../signals/signals';
import type { Status } from '../signals/status';
import { withoutSecrets } from '../signals/status-board';
import { openActionRecord } from './action-record';
import { type AdsPageParts, createAdsPages } from './ads-page';
import { type AdminCommands, answerAdminCalls, Refusal } from './answer-calls';
import { cut, cutOrNull } from './bounded-text';
import { isShortcut, NO_TAPS, type PressedKey, stepGesture } from './gesture';
import { homeOf } from './home';
import { logPage, readLogEnd } from './log-tail';
import { type DriveFiles, mountedDrives } from './mounted-drives';
import { CLOSED, covers, permits, type Session, type SessionEvent, stepSession } from './overlay-session';
import { openPinAttempts } from './pin-attempts';
import { hashPin, isPin, readPinHash } from './pin-hash';
import {
  createPlayExport,
  type ExportDisk,
  type ExportPlace,
  type ExportRefusal,
  exportDisk,
} from './play-export';
import { keepPlaysCondensed } from './plays-condenser';
import { openPreferences } from './preferences';
import { createSetUp } from './set-up';
import { openSigningKey } from './signing-key';
import { weaknessOf } from './weak-pin';

/** The window's end of the contract, and what main itself sees of its input. */
export interface AdminChannel {
  /** To the page that called last; nothing while there is none. */
  send(message: AdminMessage): void;
  onCall(listener: (message: unknown) => void): void;
  /** A key, a press or a turn of the wheel on the kiosk window. */
  onInput(listener: () => void): void;
  /** Answers whether the key was for us, and must not reach the page. */
  onKey(listener: (key: PressedKey) => boolean): void;
}

/** A kiosk that plays; what the overlay shows of it and does to it. */
export interface RunningKiosk
  extends Pick<AdsPageParts, 'playlist' | 'explain' | 'media' | 'rejected' | 'maxAgeMs'> {
  readonly status: () => Status;
  readonly records: Pick<Records, 'run'>;
  readonly environment: string;
  readonly player: string | null;
  readonly signalAges: () => SignalAges;
  readonly outboxCounts: () => OutboxCounts;
  /** Rule 14: while a reason holds, nothing is reserved. */
  readonly hold: (reason: 'overlay' | 'maintenance', holds: boolean) => void;
  readonly isStoreOpen: (at: number) => boolean;
  /** Asks for a playlist now. */
  readonly refresh: () => Promise<void> | void;
  /** The ad that waits gives way to the one after it. */
  readonly skip: () => void;
  /** `playback.volume` of the settings. */
  readonly settingsVolume: number;
  readonly setVolume: (volume: number) => void;
  /** Removes creatives from disk, never what plays now or next; what is wanted is fetched again. */
  readonly clearMedia: () => Promise<{ readonly files: number; readonly bytes: number }>;
  readonly settings: Settings;
}

export interface AdminParts {
  readonly channel: AdminChannel;
  readonly dataDirectory: string;
  readonly clock: Clock;
  readonly schedule: Schedule;
  /** Lets other work run; resolves when it is this one's turn again. */
  readonly pause: () => Promise<void>;
  readonly log: Log;
  /** Null: the first set-up, on a kiosk without settings. */
  readonly kiosk: RunningKiosk | null;
  /** The settings file in use; null without one, or for the demo. */
  readonly settingsFile: string | null;
  readonly gesture: Settings['admin']['gesture'];
  readonly shortcut: string | null;
  /** `admin.pinHash`, or null. */
  readonly pinHash: string | null;
  /** `ui.language`. */
  readonly language: string;
  readonly rotation: OverlayState['rotation'];
  readonly version: string;
  readonly hostName: string;
  /** Addresses of this kiosk on the network. */
  readonly addresses: () => readonly string[];
  /** Tries the service as these settings name it; see `checkConnection`. */
  readonly checkConnection: (
    settings: Settings,
    onStep: (step: ConnectionStep) => void,
  ) => Promise<ConnectionStep[]>;
  readonly driveFiles: DriveFiles;
  readonly disk?: ExportDisk;
  readonly machine: {
    /** Starts the kiosk's process over. */
    readonly restartPlayer: () => void;
    /** Restarts the computer; null where the kiosk may not. */
    readonly restartKiosk: (() => Promise<void>) | null;
    /** Gives the screen back to the desktop, or ends. */
    readonly leave: () => void;
    /** Runs the demo until the next start; null where there is none. */
    readonly tryDemo: (() => void) | null;
  };
}

export interface Admin {
  /** For the status and for who verifies exports. */
  readonly publicKey: string;
  readonly fingerprint: string;
  /** Sound of videos as it was chosen on the kiosk; null: as the settings say. */
  volume(): number | null;
  /** Opens the overlay as the gesture does. */
  open(): void;
  /** Breaks off what runs; for an orderly end. */
  close(): Promise<void>;
}

const TICK_MS = 1_000;
/** Until a page has its answer, before the process it came from ends, ms. */
const ANSWER_MS = 300;
/** How long a drive may take to tell its free space, ms. */
const DRIVE_ANSWER_MS = 1_000;
/** Plays looked at for one page of a flight's plays. */
const LOOKED_AT = 1_000;
const LOOKS = 5;

const EXPORT_REFUSALS: Readonly<Record<ExportRefusal['code'], readonly [AdminFaultCode, string]>> = {
  busy: ['busy', 'Another export is under way.'],
  'no-target': ['failed', 'The drive is not there. Plug it in and try again.'],
  'nothing-to-resume': ['failed', 'No export was interrupted.'],
};

/** The main process's half of the admin overlay; the window's half is `renderer/admin`. */
export async function createAdmin(parts: AdminParts): Promise<Admin> {
  const { channel, dataDirectory, clock, schedule, log, kiosk, machine } = parts;
  const inData = (name: string) => join(dataDirectory, name);
  const [key, attempts, record, preferences] = await Promise.all([
    openSigningKey(inData('signing-key.pem'), log),
    openPinAttempts(inData('pin-attempts.json'), clock, log),
    openActionRecord(inData('actions.ndjson'), log),
    openPreferences(inData('overlay.json'), parts.language, log),
  ]);
  const ownFile = inData('settings.json');
  const setUp = createSetUp({ ownFile, file: parts.settingsFile }, dataDirectory);
  let pinHash = parts.pinHash === null ? null : readPinHash(parts.pinHash);
  if (parts.pinHash !== null && pinHash === null) {
    log.error('admin.pinHash is not what `npm run pin` prints; the overlay only shows');
  }

  let session: Session = kiosk ? CLOSED : { at: 'set-up' };
  let taps = NO_TAPS;
  let before: Status | null = null;
  let maintenance: { readonly until: number; readonly cancel: () => void } | null = null;
  let isTesting = false;
  let ticking = false;

  const volume = () => preferences.volume() ?? kiosk?.settingsVolume ?? 0;
  const chosenVolume = preferences.volume();
  if (kiosk && chosenVolume !== null) kiosk.setVolume(chosenVolume);

  // Session

  function overlayState(): OverlayState {
    return {
      overlay: viewOf(session),
      preferences: preferences.overlay(),
      rotation: parts.rotation,
      maintenanceUntil: maintenance?.until ?? null,
    };
  }

  function viewOf(of: Session): OverlayView {
    switch (of.at) {
      case 'closed':
        return { view: 'closed' };
      case 'locked':
        return { view: 'locked', ...attempts.standing() };
      case 'open':
        return { view: 'open', mayAct: of.mayAct };
      case 'set-up':
        return { view: 'set-up' };
      default:
        return assertNever(of);
    }
  }

  const tellOverlay = () => channel.send({ kind: 'overlay', state: overlayState() });

  function step(event: SessionEvent): void {
    const old = session;
    session = stepSession(session, event, clock.monotonic());
    if (covers(old) !== covers(session)) {
      if (covers(session)) before = kiosk?.status() ?? null;
      kiosk?.hold('overlay', covers(session));
      if (!covers(session)) before = null;
    }
    const isOther =
      old.at !== session.at || (old.at === 'open' && session.at === 'open' && old.mayAct !== session.mayAct);
    if (isOther) tellOverlay();
    if (covers(session)) tick();
  }

  function tick(): void {
    if (ticking) return;
    ticking = true;
    schedule(TICK_MS, () => {
      ticking = false;
      if (!covers(session)) return;
      step({ type: 'tick', hasPin: pinHash !== null });
      if (session.at === 'open' && kiosk) {
        void home(kiosk).then(
          (now) => {
            if (session.at === 'open') channel.send({ kind: 'home', home: now });
          },
          (fault: unknown) => log.warn('the overlay could not be told the state', { fault }),
        );
      }
      if (covers(session)) tick();
    });
  }

  function open(): void {
    if (session.at !== 'closed') return;
    taps = NO_TAPS;
    step({ type: 'gesture', hasPin: pinHash !== null });
  }

  const note = (
    action: Parameters<typeof record.note>[0]['action'],
    detail: string | null = null,
    outcome: 'done' | 'failed' = 'done',
  ) => void record.note({ at: clock.now(), action, detail, outcome });

  function running(): RunningKiosk {
    if (!kiosk) throw new Refusal('not-here', 'This kiosk is not set up yet.');
    return kiosk;
  }

  // What the pages show

  const ads = kiosk && createAdsPages({ ...kiosk, now: clock.now, pause: parts.pause });
  const condenser =
    kiosk &&
    keepPlaysCondensed({ records: kiosk.records, environment: kiosk.environment, clock, schedule, log });

  async function home(of: RunningKiosk): Promise<AdminHome> {
    return homeOf({
      status: of.status(),
      before,
      tally: (await ads?.tally()) ?? null,
      maintenanceUntil: maintenance?.until ?? null,
      isStoreOpen: of.isStoreOpen(clock.now()),
      volume: volume(),
      mayAct: permits(session, 'actor'),
      managed: setUp.managed,
      canChangePin: parts.settingsFile === ownFile,
      canRestartKiosk: machine.restartKiosk !== null,
      kiosk: {
        id: key.fingerprint,
        player: cutOrNull(of.player, 200),
        hostName: cut(parts.hostName, 200),
        addresses: parts
          .addresses()
          .slice(0, 32)
          .map((address) => cut(address, 64)),
        publicKey: key.publicKey,
        environment: cut(of.environment, 200),
      },
    });
  }

  // Exports

  /** A drive that is dying may never answer; the list of the others does not wait for it. */
  const driveFiles: DriveFiles = {
    ...parts.driveFiles,
    freeBytes: (path) =>
      new Promise((resolve, reject) => {
        const cancel = schedule(DRIVE_ANSWER_MS, () => reject(new Error(`${path} does not answer`)));
        parts.driveFiles.freeBytes(path).then(resolve, reject).finally(cancel);
      }),
  };

  async function places(): Promise<ExportPlace[]> {
    const drives = await mountedDrives(driveFiles);
    const folder = inData('exports');
    return [
      ...drives.map(({ mountPoint, label, freeBytes }) => ({
        id: cut(`usb:${mountPoint}`, 500),
        kind: 'usb' as const,
        label: cut(label, 500),
        freeBytes,
        folder: mountPoint,
      })),
      {
        id: 'folder',
        kind: 'folder' as const,
        label: cut(folder, 500),
        freeBytes: await driveFiles.freeBytes(dataDirectory).catch(() => null),
        folder,
      },
    ];
  }

  const exporting =
    kiosk &&
    createPlayExport({
      records: kiosk.records,
      places,
      disk: parts.disk ?? exportDisk,
      key,
      clock,
      schedule,
      pause: parts.pause,
      log,
      player: kiosk.player,
      version: parts.version,
      onChange(state) {
        if (state.state === 'finished') note('export', `${state.file}: ${state.rows} plays`);
        if (state.state === 'interrupted') note('export', `${state.file}: ${state.message}`, 'failed');
        if (session.at === 'open') channel.send({ kind: 'export', export: state });
      },
    });

  function exported(result: ExportState | ExportRefusal): ExportState {
    if ('kind' in result) throw new Refusal(...EXPORT_REFUSALS[result.code]);
    return result;
  }

  // Actions

  function endMaintenance(): void {
    maintenance?.cancel();
    maintenance = null;
    kiosk?.hold('maintenance', false);
    tellOverlay();
  }

  async function act(action: AdminAction): Promise<Awaited<ReturnType<AdminCommands['act']>>> {
    const of = running();
    switch (action.action) {
      case 'pause': {
        maintenance?.cancel();
        const lasts = action.minutes * 60_000;
        const cancel = schedule(lasts, endMaintenance);
        maintenance = { until: clock.now() + lasts, cancel };
        of.hold('maintenance', true);
        tellOverlay();
        note('pause', `${action.minutes} minutes`);
        return { result: 'done' };
      }
      case 'resume':
        endMaintenance();
        note('resume');
        return { result: 'done' };
      case 'skip':
        of.skip();
        note('skip');
        step({ type: 'close' });
        return { result: 'done' };
      case 'refresh':
        await of.refresh();
        note('refresh');
        return { result: 'done' };
      case 'sound':
        of.setVolume(action.volume);
        await preferences.choose({ volume: action.volume });
        note('sound', `volume ${Math.round(action.volume * 100)} %`);
        return { result: 'done' };
      case 'clear-media': {
        const { files, bytes } = await of.clearMedia();
        note('clear-media', `${files} files, ${bytes} bytes`);
        return { result: 'cleared', files, bytes };
      }
      case 'restart-player':
        note('restart-player');
        schedule(ANSWER_MS, machine.restartPlayer);
        return { result: 'done' };
      case 'restart-kiosk': {
        const { restartKiosk } = machine;
        if (!restartKiosk) throw new Refusal('not-here', 'This kiosk may not restart the computer.');
        try {
          await restartKiosk();
        } catch (fault) {
          log.error('the computer could not be restarted', { fault });
          note('restart-kiosk', null, 'failed');
          const message = 'The computer could not be restarted.';
          return { result: 'failed', message, advice: 'Restart it at its switch.' };
        }
        note('restart-kiosk');
        return { result: 'done' };
      }
      case 'leave':
        note('leave');
        schedule(ANSWER_MS, machine.leave);
        return { result: 'done' };
      default:
        return assertNever(action);
    }
  }

  /** One test at a time; its steps are told as they end. */
  async function tested(settings: Settings): Promise<ConnectionStep[]> {
    if (isTesting) throw new Refusal('busy', 'A connection test is under way.');
    isTesting = true;
    try {
      return await parts.checkConnection(settings, (done) =>
        channel.send({ kind: 'connection-step', step: done }),
      );
    } finally {
      isTesting = false;
    }
  }

  function changeable(): void {
    if (setUp.managed) {
      throw new Refusal(
        'managed',
        `The settings come from ${parts.settingsFile}; they are changed there (\`npm run pin\` prints admin.pinHash).`,
      );
    }
  }

  const commands: AdminCommands = {
    overlay: overlayState,
    tap({ x, y, width, height }) {
      if (session.at !== 'closed') return null;
      const stepped = stepGesture(taps, { x, y, width, height, at: clock.monotonic() }, parts.gesture);
      taps = stepped.state;
      if (stepped.recognised) open();
      return null;
    },
    close() {
      step({ type: 'close' });
      return null;
    },
    lock() {
      step({ type: 'lock', hasPin: pinHash !== null });
      return null;
    },
    async unlock({ pin }) {
      const known = pinHash;
      if (session.at !== 'locked' || known === null) throw new Refusal('locked', 'No PIN is asked for.');
      step({ type: 'input' });
      let wasCompared = false;
      const result = await attempts.attempt(() => {
        wasCompared = true;
        return isPin(pin, known);
      });
      if (wasCompared) {
        const named = { unlocked: 'unlocked', wrong: 'wrong-pin', wait: 'locked-out' } as const;
        note(named[result.result], null, result.result === 'unlocked' ? 'done' : 'failed');
      }
      if (result.result === 'unlocked') step({ type: 'unlocked' });
      return result;
    },
    async setPreferences({ language, theme }) {
      await preferences.choose({ ...(language && { language }), ...(theme && { theme }) });
      tellOverlay();
      return preferences.overlay();
    },

    home: () => home(running()),
    async ads(query) {
      running();
      if (!ads) throw new Refusal('not-here', 'There is no playlist.');
      return ads.page(query);
    },
    async report({ from, to }) {
      const of = running();
      const report = await of.records.run('reportPlays', { environment: of.environment, from, to });
      return report ? { state: 'ready', report } : { state: 'counting', done: condenser?.hurry() ?? 0 };
    },
    async plays({ period, flightId, before: start, limit }) {
      const of = running();
      const rows: ProvenPlay[] = [];
      let after = start;
      for (let look = 0; look < LOOKS; look += 1) {
        const found = await of.records.run('provePlays', {
          environment: of.environment,
          ...period,
          flightId,
          after,
          order: 'newest-first',
          limit: flightId === null ? limit : LOOKED_AT,
        });
        rows.push(...found.plays);
        after = found.next;
        if (after === null || rows.length >= limit) break;
      }
      const shown = rows.slice(0, limit);
      const last = shown.at(-1)?.play;
      const next = rows.length > limit && last ? { at: last.at, id: last.id } : after;
      return { rows: shown.map(playRow), next };
    },
    async beacons({ show, limit }) {
      const of = running();
      const states = {
        open: ['waiting', 'sending'],
        lost: ['refused', 'expired'],
        unknown: ['unknown'],
        sent: ['sent'],
      } as const;
      const rows = await of.records.run('listBeacons', { states: [...states[show]], limit });
      return {
        counts: of.outboxCounts(),
        rows: rows.map(({ event, url, state, attempts: tries, eventAt, dueAt, finishedAt, lastError }) => ({
          event: cut(event, 200),
          url: cut(withoutSecrets(url), 500),
          state,
          attempts: tries,
          eventAt,
          dueAt,
          finishedAt,
          lastError: cutOrNull(lastError, 200),
        })),
      };
    },
    signals() {
      const of = running();
      const { url = null, problem = null } = of.status().signalsServer ?? {};
      return {
        at: clock.now(),
        ...of.signalAges(),
        server: { url: cutOrNull(url, 500), problem: cutOrNull(problem, 500) },
      };
    },
    log: async (query) => logPage(await readLogEnd(join(dataDirectory, 'logs', 'endcap.log')), query),
    recordedActions: ({ limit }) => [...record.latest(limit)],

    async exportTargets() {
      return (await places()).map(
        ({ id, kind, label, freeBytes }): ExportTarget => ({ id, kind, label, freeBytes }),
      );
    },
    export: () => exporting?.state() ?? { state: 'none' },
    async startExport({ target, format, period }) {
      running();
      if (!exporting) throw new Refusal('not-here', 'There is nothing to export.');
      return exported(await exporting.start({ target, format, ...period }));
    },
    async resumeExport() {
      if (!exporting) throw new Refusal('not-here', 'There is nothing to export.');
      return exported(await exporting.resume());
    },
    cancelExport: async () => (await exporting?.cancel()) ?? { state: 'none' },

    act,
    async testConnection() {
      const steps = await tested(running().settings);
      const failed = steps.filter(({ ok }) => !ok).map((one) => one.step);
      note(
        'connection-test',
        failed.length > 0 ? `failed: ${failed.join(', ')}` : null,
        failed.length > 0 ? 'failed' : 'done',
      );
      return steps;
    },
    async changePin({ pin }) {
      changeable();
      if (parts.settingsFile !== ownFile) {
        throw new Refusal('not-here', 'The demo keeps its PIN; set the kiosk up to choose one.');
      }
      const why = weaknessOf(pin);
      if (why !== null) return { result: 'weak', why };
      const hash = await hashPin(pin);
      await setUp.savePin(hash);
      pinHash = readPinHash(hash);
      note('change-pin');
      return { result: 'changed' };
    },

    setUp: () => setUp.page(pinHash !== null, machine.tryDemo !== null),
    async keepSetUpDraft(form) {
      if (!setUp.managed) await setUp.keepDraft(form);
      return null;
    },
    async testSetUp(form) {
      changeable();
      const checked = await setUp.check(form);
      if (checked.kind === 'problems') return { result: 'problems', problems: checked.problems };
      return { result: 'tested', steps: await tested(checked.settings) };
    },
    async saveSetUp({ form, pin }) {
      changeable();
      const checked = await setUp.check(form);
      if (checked.kind === 'problems') return { result: 'problems', problems: checked.problems };
      const hasStoredPin = checked.settings.admin.pinHash !== null;
      if (pin !== null || !hasStoredPin) {
        const why = weaknessOf(pin ?? '');
        if (why !== null) return { result: 'weak-pin', why };
      }
      const file = await setUp.save(checked.raw, pin === null ? null : await hashPin(pin));
      note('set-up');
      schedule(ANSWER_MS, machine.restartPlayer);
      return { result: 'saved', file: cut(file, 500) };
    },
    judgePin: ({ pin }) => weaknessOf(pin),
    tryDemo() {
      const { tryDemo } = machine;
      if (!tryDemo) throw new Refusal('not-here', 'There is no demo on this kiosk.');
      schedule(ANSWER_MS, tryDemo);
      return null;
    },
  };

  const answer = answerAdminCalls({
    commands,
    permits: (who) => permits(session, who),
    send: channel.send,
    log,
  });
  channel.onCall((message) => void answer(message));
  channel.onInput(() => step({ type: 'input' }));
  channel.onKey((pressed) => {
    if (!isShortcut(pressed, parts.shortcut)) return false;
    open();
    return true;
  });
  tellOverlay();

  return {
    publicKey: key.publicKey,
    fingerprint: key.fingerprint,
    volume: preferences.volume,
    open,
    async close() {
      condenser?.stop();
      await exporting?.stop();
    },
  };
}

function playRow({ play, beacons }: ProvenPlay): PlayRow {
  return {
    id: cut(play.id, 200),
    at: play.at,
    adId: cut(play.adId, 200),
    flightId: cutOrNull(play.flightId, 200),
    campaignId: cutOrNull(play.campaignId, 200),
    sourceId: cutOrNull(play.sourceId, 200),
    delivery: play.delivery,
    outcome: play.outcome,
    viewedMs: play.viewedMs,
    endReason: cutOrNull(play.endReason, 200),
    beacons,
  };
}
