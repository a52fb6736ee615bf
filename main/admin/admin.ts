import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AdminHome,
  type AdminNews,
  type ConnectionStep,
  type OverlayState,
  type OverlayView,
  overlayContract,
} from '../../shared/admin';
import { assertNever } from '../../shared/assert-never';
import { tellOn } from '../../shared/rpc';
import type { Settings } from '../settings/settings';
import type { Status } from '../signals/status';
import { openActionRecord } from './action-record';
import { createActions, type Note } from './actions';
import type { AdminParts } from './admin-parts';
import { createAdsPages } from './ads-page';
import { type AdminCommands, answerAdminCalls, Refusal } from './answer-calls';
import { cut, cutOrNull } from './bounded-text';
import { endOnce } from './ending';
import { exportDisk } from './export-disk';
import { exportPlaces } from './export-places';
import { isShortcut, NO_TAPS, stepGesture } from './gesture';
import { homeOf } from './home';
import { kioskCommands, noKioskCommands } from './kiosk-commands';
import { CLOSED, covers, permits, type Session, type SessionEvent, stepSession } from './overlay-session';
import { openPinAttempts } from './pin-attempts';
import { isPin, readPinHash } from './pin-hash';
import { openPlayExport } from './play-export';
import { openPreferences } from './preferences';
import type { RunningKiosk } from './running-kiosk';
import { createSetUp } from './set-up';
import { setUpCommands } from './set-up-commands';
import { openSigningKey } from './signing-key';
import { unhurried } from './unhurried';

export interface Admin {
  /** For the status and for who verifies exports. */
  readonly publicKey: string;
  readonly fingerprint: string;
  /** Sound of videos as it was chosen on the kiosk; null: as the settings say. */
  volume(): number | null;
  /** Opens the overlay as the gesture does. */
  open(): void;
  /** Breaks off what runs and says no more: for an orderly end, or for the one that takes over. */
  close(): Promise<void>;
}

const TICK_MS = 1_000;

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
  const setUp = createSetUp(
    { ownFile: inData('settings.json'), file: parts.settingsFile },
    dataDirectory,
    parts.keyring,
    log,
  );
  let pinHash = parts.pinHash === null ? null : readPinHash(parts.pinHash);
  if (parts.pinHash !== null && pinHash === null) {
    log.error('admin.pinHash is not what `npm run pin` prints; the overlay only shows');
  }

  const tell = tellOn(channel, overlayContract.fromServer);
  const send = (news: AdminNews) => tell('news', news);

  let session: Session = kiosk ? CLOSED : { at: 'set-up' };
  let taps = NO_TAPS;
  let before: Status | null = null;
  const endSoon = endOnce(schedule);
  let isTesting = false;
  let ticking = false;

  const chosenVolume = preferences.volume();
  if (chosenVolume !== null) kiosk?.setVolume(chosenVolume);

  // Session

  function overlayState(): OverlayState {
    return {
      overlay: viewOf(session),
      preferences: preferences.overlay(),
      rotation: parts.rotation,
      maintenanceUntil: kiosk?.maintenance.until() ?? null,
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

  const tellOverlay = () => send({ kind: 'overlay', state: overlayState() });

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
    if (isOther && session.at === 'open' && playing) {
      tellHome();
      // The page may have been told nothing of an export since the overlay was open last.
      send({ kind: 'export', export: playing.exporting.state() });
    }
    if (covers(session)) tick();
  }

  function tick(): void {
    if (ticking) return;
    ticking = true;
    schedule(TICK_MS, () => {
      ticking = false;
      if (!covers(session)) return;
      step({ type: 'tick', hasPin: pinHash !== null });
      if (session.at === 'open') tellHome();
      if (covers(session)) tick();
    });
  }

  function tellHome(): void {
    playing?.home().then(
      (now) => {
        if (session.at === 'open') send({ kind: 'home', home: now });
      },
      (fault: unknown) => log.warn('the overlay could not be told the state', { fault }),
    );
  }

  function open(): void {
    if (session.at !== 'closed') return;
    taps = NO_TAPS;
    step({ type: 'gesture', hasPin: pinHash !== null });
  }

  const note: Note = (action, detail = null, outcome = 'done') =>
    void record.note({ at: clock.now(), action, detail, outcome });

  /** One test at a time; its steps are told as they end. */
  async function test(settings: Settings): Promise<ConnectionStep[]> {
    if (isTesting) throw new Refusal('busy', 'A connection test is under way.');
    isTesting = true;
    try {
      return await parts.checkConnection(settings, (done) => send({ kind: 'connection-step', step: done }));
    } finally {
      isTesting = false;
    }
  }

  // A kiosk that plays

  async function overlayOf(of: RunningKiosk) {
    const ads = createAdsPages({ ...of, now: clock.now, pause: parts.pause });
    const { records, environment } = of;
    const places = exportPlaces(parts.driveFiles, schedule, dataDirectory);
    // Earlier versions kept here how far an export had come.
    void rm(inData('export.json'), { force: true }).catch(() => undefined);
    const exporting = openPlayExport({
      records,
      places,
      disk: parts.disk ?? exportDisk,
      key,
      clock,
      schedule,
      rest: unhurried(schedule, parts.pause, () => covers(session)),
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
        if (session.at === 'open') send({ kind: 'export', export: state });
      },
    });
    const home = async (): Promise<AdminHome> =>
      homeOf({
        status: of.status(),
        before,
        pictureOf: of.pictureOf,
        mediaProblems: of.mediaProblems(),
        tally: await ads.tally(),
        maintenanceUntil: of.maintenance.until(),
        isStoreOpen: of.isStoreOpen(clock.now()),
        volume: preferences.volume() ?? of.settingsVolume,
        mayAct: permits(session, 'actor'),
        managed: setUp.managed,
        canChangePin: setUp.inUse,
        canRestartKiosk: machine.restartKiosk !== null,
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
      tellOverlay();
    });
    holdForMaintenance();
    const closeOverlay = () => step({ type: 'close' });
    const { maintenance } = of;
    const act = createActions({
      kiosk: of,
      maintenance,
      preferences,
      machine,
      endSoon,
      closeOverlay,
      note,
      log,
    });
    return {
      home,
      exporting,
      commands: kioskCommands({
        kiosk: of,
        home,
        ads,
        record,
        places,
        exporting,
        act,
        test,
        dataDirectory,
        clock,
        note,
      }),
    };
  }
  const playing = kiosk && (await overlayOf(kiosk));

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
    ...(playing ? playing.commands : noKioskCommands()),
    ...setUpCommands({
      setUp,
      settingsFile: parts.settingsFile,
      hasPin: () => pinHash !== null,
      takePin(hash) {
        pinHash = readPinHash(hash);
      },
      test,
      machine,
      endSoon,
      note,
    }),
  };

  // Where a set-up lay on the stage until now.
  kiosk?.hold('overlay', covers(session));
  answerAdminCalls({ port: channel, commands, permits: (who) => permits(session, who), log });
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
      session = CLOSED;
      await playing?.exporting.cancel();
    },
  };
}
