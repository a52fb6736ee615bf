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
import type { Healing } from './healing';
import { type KioskWindow, openKioskWindow } from './kiosk-window';
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
  /** Told when a window was opened, and when it is heard of. */
  readonly vitals: Pick<Healing, 'started' | 'heard' | 'excused'>;
}

export interface RecordsWindowKeeper {
  /** Puts a fresh window in place of one that does not answer. */
  reopen(): void;
  /** Ends the process of one that stands still; another window takes over as after a crash. */
  revive(): void;
  /** Throws the database away, and opens a fresh window on an empty one. */
  startOver(): Promise<void>;
}

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
    vitals,
    onBack,
  }: Supervision & { readonly onBack: () => void },
): RecordsWindowKeeper {
  const mayTry = createRestartBudget(TRIES, WITHIN_MS, clock.monotonic);
  const open = (made: BrowserWindow, isReplacement: boolean): RecordsWindow => {
    vitals.started('records');
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
    revive: () => window.kill(),
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
  /**
   * It draws no frames. A page that answers all the same draws them in vain: then the
   * graphics process ends, to be started over. Else, and the second time, the page's own does.
   */
  revive(attempt: number): Promise<void>;
}

/** Keeps the kiosk window open. */
export function keepKioskWindow({
  first,
  make,
  clock,
  log,
  isEnding,
  giveUp,
  vitals,
  kiosk,
}: Supervision & { readonly kiosk: boolean }): KioskScreen {
  const mayTry = createRestartBudget(TRIES, WITHIN_MS, clock.monotonic);
  const early: StageEvent[] = [];
  /** The page there is at the moment listens. */
  let isReady = false;
  let screen: Extract<StageCommand, { type: 'screen' }> | null = null;
  let listener: Parameters<KioskScreen['listen']>[0] | null = null;
  let lastHeartbeat: number | null = null;
  let isVisible = true;
  let isDisplayOn = true;
  /** Where nobody sees its frames, none may be drawn. */
  const expectFrames = () => {
    if (isVisible && isDisplayOn) vitals.started('picture');
    else vitals.excused('picture');
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
        if (event.type === 'heartbeat') {
          lastHeartbeat = clock.monotonic();
          if (isVisible && isDisplayOn) vitals.heard('picture');
          return;
        }
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
    lastHeartbeat: () => lastHeartbeat,
    displayIs(isOn) {
      isDisplayOn = isOn;
      log.warn(isOn ? 'a display is back' : 'the last display was unplugged or switched off');
      expectFrames();
      listener?.onDisplay(isOn);
    },
    async revive(attempt) {
      const { contents } = window;
      if (attempt === 1) harmed('hang');
      if (attempt === 1 && (await answers(contents))) {
        log.error('the page answers but draws nothing; the graphics process is ended');
        endGraphicsProcess();
        return;
      }
      log.error('the kiosk window draws nothing; its process is ended');
      endByMain(contents);
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
