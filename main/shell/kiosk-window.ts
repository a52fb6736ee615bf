import { app, type BrowserWindow, type WebContents } from 'electron';
import { STAGE_CHANNEL } from '../../shared/channels';
import type { LinkEvent } from '../../shared/link';
import { createRpcClient } from '../../shared/rpc';
import { type StageCommand, type StageEvent, stageContract } from '../../shared/stage';
import type { HarmCause } from '../media/quarantine';
import { timers } from '../schedule';
import { coverWhenMoved } from './cover-display';
import { killGraphicsProcess } from './graphics';
import { isEnding } from './kiosk-end';
import { answers } from './liveness';
import type { WindowMaking } from './new-windows';
import { logPageErrors } from './page-errors';
import { openPagePort } from './page-port';
import { killByMain, wasKilledByMain } from './page-processes';
import type { Supervision } from './records-window';

/** What the kiosk window reports. */
interface ScreenListener {
  onEvent(event: Exclude<StageEvent, { type: 'heartbeat' }>): void;
  /** The page is gone, and with it all that it showed. */
  onLost(): void;
  onLink(event: LinkEvent): void;
  /** An input event that the browser itself delivered to the page (rule 18). */
  onInput(type: string): void;
  /** It was hidden, minimised, or shown again (rule 14). */
  onVisible(visible: boolean): void;
  /** The last display was unplugged or switched off, by us or somebody else, or one is back. */
  onDisplay(isOn: boolean): void;
  /**
   * The window or the graphics process hangs, or died without main killing it (rule 11); called before any remedy.
   * Returns whether something other than a creative may be the cause. `isAgain`: it also died just before.
   */
  onHarm(cause: HarmCause, isAgain: boolean): boolean;
}

/** How long the kiosk window may draw no frame, ms. */
const NO_FRAMES_MS = 5_000;
/** How long the page may take to answer once no frame was drawn, ms. */
const ANSWER_MS = 1_000;

export type KioskScreen = ReturnType<typeof superviseKioskWindow>;

/**
 * Connects to the page of the window that shoppers see, and in kiosk mode keeps that window over the display. Replaces
 * a lost window, and acts when no frames are drawn.
 */
export function superviseKioskWindow(parts: Supervision & Pick<WindowMaking, 'kiosk' | 'display'>) {
  const { first, make, mayReplace, liveness, log } = parts;
  /** The current page listens. */
  let isReady = false;
  const kept = new Map<StageCommand['type'], StageCommand>();
  let listener: ScreenListener | null = null;
  let isVisible = true;
  /** Who reports that the display is off. */
  const offBy = new Set<DisplaySource>();
  const isDisplayOn = () => offBy.size === 0;
  /** A hidden window, or one without a display, need not draw frames. */
  const mustDraw = () => isVisible && isDisplayOn();
  const frames = liveness.register({
    name: 'picture',
    withinMs: NO_FRAMES_MS,
    onSilence: (attempt) => void revive(attempt),
  });
  const harmed = (cause: HarmCause, isAgain = false): boolean => listener?.onHarm(cause, isAgain) ?? true;
  const { connect, tell } = createRpcClient(stageContract, {
    received: { stage: onEvent, link: (event) => listener?.onLink(event) },
    onInvalid: (problem) =>
      log.error('a page sent a message that breaks the contract', { channel: STAGE_CHANNEL, problem }),
  });
  // During shutdown a message of a destroyed window may still arrive, and a destroyed window must not be asked.
  const owns = (contents: WebContents) => !window.isDestroyed() && window.webContents === contents;
  let window = open(first);
  connect(openPagePort(STAGE_CHANNEL, owns, log));

  function open(made: BrowserWindow): BrowserWindow {
    expectFrames();
    isReady = false;
    const { webContents } = made;
    // Before `coverWhenMoved` shows it again: even a moment hidden breaks a continuous second of visibility.
    watchVisibility(made, visibleIs);
    if (parts.kiosk) coverWhenMoved(made, parts.display);
    else made.on('close', () => app.quit());
    logPageErrors(webContents, 'kiosk', log);
    webContents.on('render-process-gone', (_event, { reason }) => onLost(webContents, reason));
    made.on('closed', () => {
      // Another program has destroyed it, if it was not replaced.
      if (made === window) onLost(webContents, 'closed');
    });
    webContents.on('input-event', (_event, { type }) => listener?.onInput(type));
    return made;
  }

  function replace(): void {
    const old = window;
    window = open(make());
    if (!old.isDestroyed()) old.destroy();
    // The new one is not hidden.
    visibleIs(true);
  }

  function onLost(contents: WebContents, reason: string): void {
    // Part of an orderly end.
    if (isEnding() && reason === 'closed') return;
    log.error('the kiosk window ended', { reason });
    if (isDeath(reason) && !wasKilledByMain(contents)) harmed('kiosk-window');
    listener?.onLost();
    if (!isEnding() && mayReplace()) replace();
  }

  function onEvent(event: StageEvent): void {
    isReady ||= event.type === 'ready';
    if (event.type === 'ready') for (const command of kept.values()) tell('stage', command);
    if (event.type === 'heartbeat') frames.heard();
    else listener?.onEvent(event);
  }

  function visibleIs(visible: boolean): void {
    isVisible = visible;
    expectFrames();
    listener?.onVisible(visible);
  }

  function expectFrames() {
    return mustDraw() ? frames.started() : frames.mayBeSilent();
  }

  /**
   * Called when no frames are drawn. The first time, it kills the graphics process, which Chromium starts over,
   * because a page that waits for that process cannot answer either. If the page still does not answer, and every
   * later time, it kills the page's own process.
   */
  async function revive(attempt: number): Promise<void> {
    const contents = window.webContents;
    if (attempt === 1) {
      harmed('hang');
      log.error('no frames are drawn; the graphics process is ended');
      killGraphicsProcess();
      const isSound = await answers(contents, ANSWER_MS, timers);
      // It answers, the kiosk is ending, or the window was hidden or replaced meanwhile.
      if (isSound || isEnding() || !mustDraw() || !owns(contents)) return;
    }
    log.error('the kiosk window draws nothing; its process is ended');
    killByMain(contents);
  }

  return {
    replace,
    harmed,
    /** Sends a command to the page; it is checked against the contract first. */
    tell,
    /** Sends a command, and sends the last valid one of each type again to every page that takes over. */
    keep(command: Extract<StageCommand, { type: 'screen' | 'message' | 'announcement' | 'volume' }>) {
      if (isReady) tell('stage', command);
      kept.set(command.type, command);
    },
    /** Whether these are the window's own contents, and no guest's. */
    owns,
    /** The view that other pages are laid over; null: another program has destroyed the window. */
    view: () => (window.isDestroyed() ? null : window.contentView),
    /** Whether the sound of its page is off for a while, whatever its volume. */
    silence: (is: boolean) => void (window.isDestroyed() || window.webContents.setAudioMuted(is)),
    /** The page as it is on the screen, as PNG bytes. */
    screenshot: async () => new Uint8Array((await window.webContents.capturePage()).toPNG()),
    /** The same as JPEG, at most `width` px wide, and its size in px. */
    picture: (width: number) => pictureOf(window, width),
    /** Sets the listener, and tells it what has begun already: the window is hidden, the display is off, the page listens. */
    listen(next: ScreenListener) {
      listener = next;
      if (!isVisible) next.onVisible(false);
      if (!isDisplayOn()) next.onDisplay(false);
      if (isReady) next.onEvent({ type: 'ready' });
    },
    /** Monotonic time of the last sign of life, ms; null before the first. */
    lastHeartbeat: frames.lastHeard,
    silentMs: frames.silentMs,
    isDisplayOn,
    /** Sets whether the display is on, according to one source; it counts as on if all say so. */
    displayIs(isOn: boolean, by: DisplaySource) {
      const wasOn = isDisplayOn();
      if (isOn) offBy.delete(by);
      else offBy.add(by);
      if (isDisplayOn() === wasOn) return;
      expectFrames();
      listener?.onDisplay(!wasOn);
    },
  };
}

/** Its process died; it was not closed, and not destroyed by another program. */
const isDeath = (reason: string) => reason !== 'clean-exit' && reason !== 'closed';

/** Who says whether the display is on: the connectors, our own switch, the list of displays. */
type DisplaySource = 'connectors' | 'power' | 'list';

/** Without background throttling the page always counts as visible, so the window's state is used. */
function watchVisibility(window: BrowserWindow, visibleIs: (visible: boolean) => void): void {
  const tellVisible = () => visibleIs(window.isVisible() && !window.isMinimized());
  window.on('hide', () => visibleIs(false));
  window.on('minimize', () => visibleIs(false));
  window.on('show', tellVisible);
  window.on('restore', tellVisible);
}

/** The window's picture as JPEG, at most `width` px wide, and its size in px. */
async function pictureOf({ webContents }: BrowserWindow, width: number) {
  const whole = await webContents.capturePage();
  const image = whole.getSize().width > width ? whole.resize({ width, quality: 'good' }) : whole;
  return { jpeg: new Uint8Array(image.toJPEG(80)), ...image.getSize() };
}
