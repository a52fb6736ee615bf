import { type BrowserWindow, MessageChannelMain, session, type WebContents } from 'electron';
import { RECORDS_ORIGIN, RECORDS_PORT } from '../../shared/channels';
import type { LinkCommand } from '../../shared/link';
import type { Log } from '../../shared/log';
import type { GuestCommand, StageCommand, StageEvent } from '../../shared/stage';
import type { HarmCause } from '../media/quarantine';
import type { RecordsClient } from '../records/records-client';
import { timers } from '../schedule';
import { beforeDeadline, startDeadline } from '../service/deadline';
import { killGraphicsProcess } from './graphics';
import { type KioskListener, type KioskWindow, openKioskWindow } from './kiosk-window';
import type { Liveness } from './liveness';
import type { WindowMaking } from './new-windows';
import { isTrustedSender, logPageErrors } from './page-port';
import { killByMain, wasKilledByMain } from './page-processes';

interface Supervision {
  /** The first window, which must have been created in the same turn. */
  readonly first: BrowserWindow;
  readonly make: () => BrowserWindow;
  /** Whether a lost window may be replaced; otherwise the kiosk ends. */
  readonly mayReplace: () => boolean;
  readonly log: Log;
  /** Whether the kiosk is ending: then a lost window is not replaced. */
  readonly isEnding: () => boolean;
  readonly liveness: Pick<Liveness, 'register'>;
}

/** How long the kiosk window may draw no frame, ms. */
const NO_FRAMES_MS = 5_000;
/** How often the records are asked whether they still answer, ms. */
const PING_MS = 2_000;
/** How long an answer may take, ms. Long, because a restart does not make a slow disk faster. */
const NO_ANSWER_MS = 20_000;

/**
 * Keeps the hidden window open that hosts Dexie, because IndexedDB exists only in a renderer. The window is sandboxed,
 * has no network, and communicates with main over one message port only, which the client gets. `onBack`: called when
 * a new window replaced a lost one.
 */
export function superviseRecordsWindow(
  client: RecordsClient,
  { first, make, mayReplace, log, isEnding, liveness, onBack }: Supervision & { readonly onBack: () => void },
) {
  const signs = liveness.register({
    name: 'records',
    withinMs: NO_ANSWER_MS,
    // A rejection is no answer.
    ask: { everyMs: PING_MS, run: () => void client.run('ping', null).then(signs.heard, () => {}) },
    // Another window takes over as after a crash.
    onSilence() {
      if (!window.isDestroyed()) killByMain(window.webContents);
    },
  });
  const open = (made: BrowserWindow, isReplacement: boolean): BrowserWindow => {
    const { webContents } = made;
    signs.started();
    logPageErrors(webContents, 'records', log);
    webContents.on('render-process-gone', (_event, { reason }) => {
      log.error('the records window ended', { reason });
      close();
      if (!isEnding() && mayReplace()) window = open(make(), true);
    });
    webContents.ipc.on(RECORDS_PORT, (event) => {
      if (!isTrustedSender(event, webContents, RECORDS_ORIGIN)) {
        const from = event.senderFrame?.url ?? null;
        log.warn('the records port was requested by an untrusted page', { from });
        return;
      }
      const { port1, port2 } = new MessageChannelMain();
      webContents.postMessage(RECORDS_PORT, null, [port1]);
      client.connect({
        send: (message) => port2.postMessage(message),
        onMessage(listener) {
          port2.on('message', ({ data }) => listener(data));
          port2.start();
        },
      });
      if (isReplacement) onBack();
    });
    return made;
  };
  let window = open(first, false);
  function close(): void {
    client.disconnect();
    if (!window.isDestroyed()) window.destroy();
  }
  return {
    /** Monotonic time of the last answer, ms; null before the first. */
    lastAnswer: signs.lastHeard,
    /** Replaces a window that does not answer. */
    replaceWindow() {
      close();
      window = open(make(), false);
    },
    /** Deletes the database, and opens a new window on an empty one. */
    async deleteDatabase() {
      close();
      await session.defaultSession.clearStorageData({ origin: RECORDS_ORIGIN, storages: ['indexdb'] });
      window = open(make(), false);
    },
  };
}

interface ScreenListener extends KioskListener {
  /** The last display was unplugged or switched off, by us or somebody else, or one is back. */
  onDisplay(isOn: boolean): void;
  /** Called before any remedy; see `harmed`. */
  onHarm(cause: HarmCause, isAgain: boolean): boolean;
}

export type KioskScreen = ReturnType<typeof superviseKioskWindow>;

/** Keeps the kiosk window open: replaces a lost window, and acts when no frames are drawn. */
export function superviseKioskWindow({
  first,
  make,
  mayReplace,
  log,
  isEnding,
  liveness,
  kiosk,
  display,
}: Supervision & Pick<WindowMaking, 'kiosk' | 'display'>) {
  const early: StageEvent[] = [];
  /** The current page listens. */
  let isReady = false;
  const kept = new Map<StageCommand['type'], StageCommand>();
  let listener: ScreenListener | null = null;
  let isVisible = true;
  /** The sources that report the display as off. */
  const offBy = new Set<'connectors' | 'power'>();
  const picture = liveness.register({
    name: 'picture',
    withinMs: NO_FRAMES_MS,
    onSilence: (attempt) => void revive(attempt),
  });
  /**
   * Called when no frames are drawn. The first time, it kills the graphics process, which Chromium starts over,
   * because a page that waits for that process cannot answer either. If the page still does not answer, and every
   * later time, it kills the page's own process.
   */
  async function revive(attempt: number): Promise<void> {
    const contents = window.window.webContents;
    if (attempt === 1) {
      harmed('hang');
      log.error('no frames are drawn; the graphics process is ended');
      killGraphicsProcess();
      const isSound = await answers(contents);
      // It answers, the kiosk is ending, or the window was hidden or replaced meanwhile.
      if (isSound || isEnding() || !mustDraw() || window.window.webContents !== contents) return;
    }
    log.error('the kiosk window draws nothing; its process is ended');
    killByMain(contents);
  }
  /** A hidden window, or one without a display, need not draw frames. */
  const mustDraw = () => isVisible && offBy.size === 0;
  const expectFrames = () => {
    if (mustDraw()) picture.started();
    else picture.mayBeSilent();
  };
  const open = (made: BrowserWindow): KioskWindow => {
    expectFrames();
    isReady = false;
    const contents = made.webContents;
    return openKioskWindow({
      window: made,
      kiosk,
      display,
      log,
      onEvent(event) {
        if (event.type === 'heartbeat') return picture.heard();
        if (event.type === 'ready') {
          isReady = true;
          for (const command of kept.values()) window.tell('stage', command);
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
        // Part of an orderly end.
        if (isEnding() && reason === 'closed') return;
        log.error('the kiosk window ended', { reason });
        // Its process died; it was not closed, and not destroyed by another program.
        const isDeath = reason !== 'clean-exit' && reason !== 'closed';
        if (isDeath && !wasKilledByMain(contents)) harmed('kiosk-window');
        listener?.onLost(reason);
        if (!isEnding() && mayReplace()) replace();
      },
    });
  };
  let window = open(first);
  const replace = () => {
    const old = window;
    // The new one is not hidden.
    isVisible = true;
    window = open(make());
    old.close();
    listener?.onVisible(true);
  };
  /**
   * Reports that the window or the graphics process hangs, or died without main killing it (rule 11). Returns whether
   * something other than a creative may be the cause. `isAgain`: it also died just before.
   */
  const harmed = (cause: HarmCause, isAgain = false) => listener?.onHarm(cause, isAgain) ?? true;
  return {
    replace,
    harmed,
    /** Sends a command, and sends the last one of each type again to every page that takes over. */
    keep(command: Extract<StageCommand, { type: 'screen' | 'message' | 'announcement' }>) {
      kept.set(command.type, command);
      if (isReady) window.tell('stage', command);
    },
    command: (command: StageCommand) => window.tell('stage', command),
    /** Whether these are the window's own contents, and no guest's. */
    // During shutdown a message of a destroyed window may still arrive, and a destroyed window must not be asked.
    owns: (contents: WebContents) => !window.window.isDestroyed() && window.window.webContents === contents,
    guest: (command: GuestCommand) => window.tell('guest', command),
    link: (command: LinkCommand) => window.tell('link', command),
    /** The view that other pages are laid over; null: another program has destroyed the window. */
    view: () => (window.window.isDestroyed() ? null : window.window.contentView),
    /** The page as it is on the screen, as PNG bytes. */
    screenshot: async () => new Uint8Array((await window.window.webContents.capturePage()).toPNG()),
    /** The same as JPEG, at most `width` px wide, and its size in px. */
    async picture(width: number) {
      const whole = await window.window.webContents.capturePage();
      const image = whole.getSize().width > width ? whole.resize({ width, quality: 'good' }) : whole;
      return { jpeg: new Uint8Array(image.toJPEG(80)), ...image.getSize() };
    },
    /** Sets the listener for the stage's events; earlier events are delivered first. */
    listen(next: ScreenListener) {
      listener = next;
      if (offBy.size > 0) next.onDisplay(false);
      for (const event of early.splice(0)) next.onEvent(event);
    },
    /** Monotonic time of the last sign of life, ms; null before the first. */
    lastHeartbeat: picture.lastHeard,
    /** Sets whether a display is on, according to its connectors or our own switch; it counts as on if both say so. */
    displayIs(isOn: boolean, by: 'connectors' | 'power') {
      if (offBy.has(by) === !isOn) return;
      if (by === 'connectors')
        log.warn(isOn ? 'a display is back' : 'the last display was unplugged or switched off');
      const wasOn = offBy.size === 0;
      if (isOn) offBy.delete(by);
      else offBy.add(by);
      if (wasOn === (offBy.size === 0)) return;
      expectFrames();
      listener?.onDisplay(!wasOn);
    },
  };
}

const ANSWER_MS = 1_000;

/** Whether a page's own thread still answers. */
const answers = (contents: WebContents): Promise<boolean> =>
  beforeDeadline(startDeadline(ANSWER_MS, timers), () => contents.executeJavaScript('true')).then(
    () => true,
    () => false,
  );
