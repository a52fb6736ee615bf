import { type BrowserWindow, session, type View, type WebContents } from 'electron';
import { RECORDS_ORIGIN } from '../../shared/channels';
import type { Clock } from '../../shared/clock';
import type { GuestCommand } from '../../shared/guests';
import type { LinkCommand, LinkEvent } from '../../shared/link';
import type { Log } from '../../shared/log';
import type { StageCommand, StageEvent } from '../../shared/stage';
import type { HarmCause } from '../media/quarantine';
import type { RecordsClient } from '../records/records-client';
import { endByMain, wasEndedByMain } from './ended-by-main';
import { endGraphicsProcess } from './graphics';
import { type KioskWindow, openKioskWindow } from './kiosk-window';
import type { Liveness } from './liveness';
import { openRecordsWindow, type RecordsWindow } from './records-window';
import { createRestartBudget, TRIES, WITHIN_MS } from './restart-budget';

interface Supervision {
  /** The first window, made in this very turn, and how to make another in its place. */
  readonly first: BrowserWindow;
  readonly make: () => BrowserWindow;
  readonly clock: Clock;
  readonly log: Log;
  /** The kiosk is ending: what dies now stays dead. */
  readonly isEnding: () => boolean;
  /** It could not be brought back. */
  readonly giveUp: () => void;
  readonly liveness: Pick<Liveness, 'register'>;
}

export interface RecordsWindowKeeper {
  /** Puts a fresh window in place of one that does not answer. */
  reopen(): void;
  /** Throws the database away, and opens a fresh window on an empty one. */
  startOver(): Promise<void>;
  /** Monotonic time of the last answer, ms; null before the first. */
  lastAnswer(): number | null;
}

/** Frames of the kiosk window may stay away for so long, ms. */
const NO_FRAMES_MS = 5_000;
/** How often the records are asked whether they still answer, ms. */
const PING_MS = 2_000;
/** They wait for their disk, which no restart makes faster, ms. */
const NO_ANSWER_MS = 20_000;

/** Keeps a records window open and connected to the client. `onBack`: one took over from another that died. */
export function keepRecordsWindow(
  client: RecordsClient,
  {
    first,
    make,
    clock,
    log,
    isEnding,
    giveUp,
    liveness,
    onBack,
  }: Supervision & { readonly onBack: () => void },
): RecordsWindowKeeper {
  const mayTry = createRestartBudget(TRIES, WITHIN_MS, clock.monotonic);
  const signs = liveness.register({
    name: 'records',
    withinMs: NO_ANSWER_MS,
    // Silence is what is listened for.
    ask: { everyMs: PING_MS, run: () => void client.run('ping', null).then(signs.heard, () => {}) },
    // Another window takes over as after a crash.
    onSilence: () => window.kill(),
  });
  const open = (made: BrowserWindow, isReplacement: boolean): RecordsWindow => {
    signs.started();
    return openRecordsWindow({
      window: made,
      log,
      onPort(port) {
        client.connect(port);
        if (isReplacement) onBack();
      },
      onLost(reason) {
        log.error('the records window ended', { reason });
        client.disconnect();
        window.close();
        if (isEnding()) return;
        if (mayTry()) window = open(make(), true);
        else giveUp();
      },
    });
  };
  let window = open(first, false);
  const reopen = () => {
    client.disconnect();
    window.close();
    window = open(make(), false);
  };
  return {
    reopen,
    lastAnswer: signs.lastHeard,
    async startOver() {
      client.disconnect();
      window.close();
      await session.defaultSession.clearStorageData({ origin: RECORDS_ORIGIN, storages: ['indexdb'] });
      window = open(make(), false);
    },
  };
}

export interface KioskScreen {
  /** Which way round its pages stand, and in which language, from now on. */
  showAs(screen: Omit<Extract<StageCommand, { type: 'screen' }>, 'type'>): void;
  command(command: StageCommand): void;
  screenshot(): Promise<Uint8Array>;
  /** Whether these are the window's own contents, and no guest's. */
  owns(contents: WebContents): boolean;
  guest(command: GuestCommand): void;
  link(command: LinkCommand): void;
  /** What a page of its own can be laid over. */
  view(): View;
  /** Hands over the stage's events from now on, those that came before first. */
  listen(listener: {
    onEvent(event: StageEvent): void;
    onLost(): void;
    onGuest(contents: WebContents): void;
    onLink(event: LinkEvent): void;
    onInput(type: string): void;
    onVisible(visible: boolean): void;
    /** The last display was unplugged or switched off, or one is back. */
    onDisplay(isOn: boolean): void;
    /** Before anything is done about it: see `harmed`. */
    onHarm?(cause: HarmCause, isAgain: boolean): boolean;
    onDriverAtFault?(): void;
  }): void;
  /**
   * The window hangs or died, or the graphics process did, and not because main ended it (rule 11). Answers
   * whether anything but a creative may be at fault. `isAgain`: it died just before, too.
   */
  harmed(cause: HarmCause, isAgain?: boolean): boolean;
  /** The graphics process died too often by itself: what it drew is not to blame. */
  driverAtFault(): void;
  /** Puts a fresh window in place, with nothing on it. */
  replace(): void;
  /** Whether any display shows what the window draws. */
  displayIs(isOn: boolean): void;
  /** Monotonic time of the last sign of life, ms; null before the first. */
  lastHeartbeat(): number | null;
}

/** Keeps the kiosk window open. */
export function keepKioskWindow({
  first,
  make,
  clock,
  log,
  isEnding,
  giveUp,
  liveness,
  kiosk,
}: Supervision & { readonly kiosk: boolean }): KioskScreen {
  const mayTry = createRestartBudget(TRIES, WITHIN_MS, clock.monotonic);
  const early: StageEvent[] = [];
  /** The page there is at the moment listens. */
  let isReady = false;
  let screen: Extract<StageCommand, { type: 'screen' }> | null = null;
  let listener: Parameters<KioskScreen['listen']>[0] | null = null;
  let isVisible = true;
  let isDisplayOn = true;
  const picture = liveness.register({
    name: 'picture',
    withinMs: NO_FRAMES_MS,
    onSilence: (attempt) => void revive(attempt),
  });
  /**
   * It draws no frames. A page that answers all the same draws them in vain: then the
   * graphics process ends, to be started over. Else, and the second time, the page's own does.
   */
  async function revive(attempt: number): Promise<void> {
    const { contents } = window;
    if (attempt === 1) harmed('hang');
    if (attempt === 1 && (await answers(contents))) {
      log.error('the page answers but draws nothing; the graphics process is ended');
      endGraphicsProcess();
      return;
    }
    log.error('the kiosk window draws nothing; its process is ended');
    endByMain(contents);
  }
  /** Where nobody sees its frames, none may be drawn. */
  const expectFrames = () => {
    if (isVisible && isDisplayOn) picture.started();
    else picture.excused();
  };
  const open = (made: BrowserWindow): KioskWindow => {
    expectFrames();
    isReady = false;
    const contents = made.webContents;
    return openKioskWindow({
      window: made,
      kiosk,
      log,
      onEvent(event) {
        if (event.type === 'heartbeat') return picture.heard();
        if (event.type === 'ready') {
          isReady = true;
          if (screen) window.command(screen);
        }
        if (listener) listener.onEvent(event);
        else early.push(event);
      },
      onGuest: (contents) => listener?.onGuest(contents),
      onLink: (event) => listener?.onLink(event),
      onInput: (type) => listener?.onInput(type),
      onVisible(visible) {
        isVisible = visible;
        expectFrames();
        listener?.onVisible(visible);
      },
      onLost(reason) {
        // The last thing of an orderly end.
        if (isEnding() && reason === 'closed') return;
        log.error('the kiosk window ended', { reason });
        if (isOwnDeath(reason) && !wasEndedByMain(contents)) harmed('kiosk-window');
        listener?.onLost();
        if (isEnding()) return;
        if (!mayTry()) {
          giveUp();
          return;
        }
        replace();
      },
    });
  };
  let window = open(first);
  const replace = () => {
    const old = window;
    // One that was hidden is replaced by one that is not.
    isVisible = true;
    window = open(make());
    old.close();
    listener?.onVisible(true);
  };
  const harmed = (cause: HarmCause, isAgain = false) => listener?.onHarm?.(cause, isAgain) ?? true;
  return {
    replace,
    harmed,
    driverAtFault: () => listener?.onDriverAtFault?.(),
    showAs(next) {
      screen = { type: 'screen', ...next };
      if (isReady) window.command(screen);
    },
    command: (command) => window.command(command),
    owns: (contents) => window.contents === contents,
    guest: (command) => window.guest(command),
    link: (command) => window.link(command),
    view: () => window.window.contentView,
    screenshot: () => window.screenshot(),
    listen(next) {
      listener = next;
      for (const event of early.splice(0)) next.onEvent(event);
    },
    lastHeartbeat: picture.lastHeard,
    displayIs(isOn) {
      isDisplayOn = isOn;
      log.warn(isOn ? 'a display is back' : 'the last display was unplugged or switched off');
      expectFrames();
      listener?.onDisplay(isOn);
    },
  };
}

/** Its process died, and was neither closed nor taken off the display by another program. */
const isOwnDeath = (reason: string) => !['clean-exit', 'closed'].includes(reason);

const ANSWER_MS = 1_000;

/** Whether a page's own thread still does what it is asked to. */
function answers(contents: WebContents): Promise<boolean> {
  return Promise.race([
    contents.executeJavaScript('true').then(
      () => true,
      () => false,
    ),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), ANSWER_MS)),
  ]);
}
