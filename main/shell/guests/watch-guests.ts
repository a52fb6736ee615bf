import { constants as osConstants, setPriority } from 'node:os';
import type { WebContents } from 'electron';
import type { Log } from '../../../shared/log';
import type { GuestListener } from '../../beacons/js-guests';
import type { BannerListener } from '../../native/native-banners';
import { CLAIM_WITHIN_MS } from '../../native/tap-witness';
import type { Schedule } from '../../schedule';
import type { KioskScreen } from '../kiosk-window';
import type { Liveness } from '../liveness';
import { PageFrames } from '../page-frames';
import { frameProcesses, framesOf, wasKilledByMain } from '../page-processes';
import { evaluateIn, hasPainted, isBareGround } from './guest-paint';
import { VIEWABLE_EVENTS } from './mraid';
import type { Visit } from './partition-pool';

export interface WatchParts {
  readonly stage: Pick<KioskScreen, 'owns' | 'tell'>;
  /** Called when a page or banner hangs, or died without main killing it (rule 11). */
  readonly onHarm: (url: string, cause: 'hang' | 'guest') => void;
  readonly liveness: Pick<Liveness, 'register'>;
  readonly schedule: Schedule;
  readonly log: Log;
}

/** A guest that a layer of the stage holds. */
interface DrawnGuest {
  readonly url: string;
  readonly visit: Pick<Visit, 'kill'>;
}

const ASK_EVERY_MS = 1_000;
/** A page that is silent for this long hangs, ms. The first question may come 2 s into it, so at least 5 s remain. */
const HANGS_MS = 7_000;

/** A banner that is still loading this long after its document came is judged as it is, ms: a server may never answer. */
const MAX_LOADING_MS = 1_200;
/** A banner that has painted nothing this long after its load may wait to become viewable, ms. */
const DRAWS_BY_ITSELF_MS = 600;

/** A guest of a JavaScript beacon. */
export function watchBeacon(listener: GuestListener, contents: WebContents): void {
  // Endless loops of four scripts must not delay the kiosk page's frames (rule 17).
  contents.on('did-start-navigation', () => giveWay(contents.getOSProcessId()));
  // A frame of another site has a process of its own.
  contents.on('did-frame-navigate', () => new Set(frameProcesses(contents)).forEach(giveWay));
  contents.on('will-frame-navigate', ({ url, isMainFrame }) => {
    if (isMainFrame) listener.blocked(`it went to ${originOf(url)}`);
  });
  contents.setWindowOpenHandler(({ url }) => {
    listener.blocked(`it opened ${originOf(url)}`);
    return { action: 'deny' };
  });
}

/** Watches a banner, which takes taps. Call it before its page is loaded. */
export function watchBanner(
  { stage, schedule, log }: WatchParts,
  ownUrl: string,
  banner: BannerListener,
  contents: WebContents,
  measure: (word: string) => void,
): void {
  let usedUpAt = Number.NEGATIVE_INFINITY;
  /** A frame of another site was tapped, and leaves by that. */
  const tappedInFrame = () => {
    // All that it does within that time may be the result of one tap.
    if (performance.now() - usedUpAt < CLAIM_WITHIN_MS) return;
    usedUpAt = performance.now();
    banner.input('mouseDown');
    banner.input('mouseUp');
  };
  new PageFrames(contents, false, schedule, log).watchOpenings(tappedInFrame);
  banner.loads();
  let isPainted = false;
  // Many MRAID ads draw nothing until they are viewable, so a banner that has painted nothing is told that it is.
  contents.once('did-finish-load', () =>
    schedule(DRAWS_BY_ITSELF_MS, () => {
      if (!isPainted) notifyViewable(contents, true);
    }),
  );
  onceLoaded(contents, schedule, async () => {
    if (!(await hasPainted(contents, schedule, isBareGround))) return;
    isPainted = true;
    stage.tell('guest', { type: 'painted', url: ownUrl });
    banner.painted();
  });
  contents.on('input-event', (_event, { type }) => banner.input(type));
  // `lockDownContents` blocks it; `will-navigate` does not come for a blocked navigation.
  contents.on('will-frame-navigate', ({ url, isMainFrame, initiator }) => {
    if (!isMainFrame) return;
    // The sandbox of its document lets a frame do so only after a tap (`guest-page.ts`). Main sees a tap in the process of
    // the page, and that tap may be used up.
    if (initiator?.parent && initiator.processId !== contents.mainFrame.processId) tappedInFrame();
    banner.navigated(url);
  });
  contents.setWindowOpenHandler(({ url }) => {
    measure(url);
    banner.navigated(url);
    return { action: 'deny' };
  });
}

/** Calls once when a page has loaded, or has had `MAX_LOADING_MS` for it. */
function onceLoaded(contents: WebContents, schedule: Schedule, run: () => void): void {
  const loaded = Promise.withResolvers<void>();
  contents.once('did-finish-load', loaded.resolve);
  contents.once('did-navigate', () => schedule(MAX_LOADING_MS, loaded.resolve));
  void loaded.promise.then(run);
}

/** Reports to the stage when a page has painted or failed to load. */
export function watchPage(
  { stage, schedule }: WatchParts,
  url: string,
  scriptFailed: (detail: string) => void,
  painted: () => void,
  contents: WebContents,
): void {
  // Nothing may be added to its document, so errors are taken from the browser's console messages.
  contents.on('console-message', ({ level, message }) => {
    if (level === 'error' && isGuestError(message)) scriptFailed(message);
  });
  // A page takes no taps, so nobody could scroll it.
  contents.on('dom-ready', () => {
    contents.insertCSS('* { scrollbar-width: none !important }', { cssOrigin: 'user' }).catch(() => {});
  });
  contents.once('did-finish-load', async () => {
    if (!(await hasPainted(contents, schedule))) return;
    painted();
    stage.tell('guest', { type: 'painted', url });
  });
  contents.on('did-fail-load', (_event, _code, detail, _url, isMainFrame) => {
    if (isMainFrame) reportBroken(stage, url, `it could not be loaded: ${detail}`);
  });
}

/**
 * Reports a page or banner, which a layer of the stage holds, that hangs, dies or closes itself (rule 11). The last
 * frame of one that hangs may still be on the screen, so its thread is asked.
 */
export function watchDrawn(
  { stage, onHarm, liveness, log }: WatchParts,
  guest: DrawnGuest,
  contents: WebContents,
): void {
  const { url } = guest;
  contents.once('destroyed', () => reportBroken(stage, url, 'it is closed'));
  contents.on('render-process-gone', (_event, { reason }) => {
    if (reason !== 'clean-exit' && !wasKilledByMain(contents)) onHarm(url, 'guest');
  });
  contents.once('dom-ready', () => {
    const signs = liveness.register({
      name: 'guest',
      withinMs: HANGS_MS,
      ask: { everyMs: ASK_EVERY_MS, run: askFrames(contents, () => signs.heard()) },
      onSilence() {
        signs.end();
        log.error('a guest does not answer; it is closed', { url });
        onHarm(url, 'hang');
        endDrawn(stage, guest, 'it hung');
      },
    });
    contents.once('destroyed', signs.end);
    contents.once('render-process-gone', signs.end);
    // The page has just loaded, which counts as an answer.
    signs.heard();
  });
}

/** Returns what asks the threads of a page and its frames, once all have answered before; `heard`: all have. */
function askFrames(contents: WebContents, heard: () => void): () => void {
  /** Tokens of the frames that were asked and have not answered. */
  const asked = new Set<string>();
  const answered = (token: string) => {
    asked.delete(token);
    if (asked.size === 0) heard();
  };
  return () => {
    const frames = framesOf(contents);
    // A frame that went away meanwhile never answers.
    for (const token of asked) if (!frames.some(({ frameToken }) => frameToken === token)) answered(token);
    if (asked.size > 0) return;
    // The frames of a process share its thread.
    const each = [...new Map(frames.map((frame) => [frame.processId, frame])).values()];
    for (const { frameToken } of each) asked.add(frameToken);
    for (const frame of each) {
      const { frameToken } = frame;
      const done = () => answered(frameToken);
      frame.executeJavaScript('0').then(done, done);
    }
  };
}

/** Removes a guest from the stage and kills its processes, even if they hang. */
export function endDrawn(stage: WatchParts['stage'], { url, visit }: DrawnGuest, detail: string): void {
  reportBroken(stage, url, detail);
  visit.kill();
}

export const reportBroken = (stage: WatchParts['stage'], url: string, detail: string) =>
  stage.tell('guest', { type: 'broken', url, detail: detail.slice(0, 300) });

/**
 * Whether a line of a page's console reports an unhandled error or a violation of the page's policy. A page
 * that writes such a line itself harms only itself.
 */
const isGuestError = (line: string) => /^Uncaught |Content Security Policy/.test(line);

/** Tells a banner's MRAID container whether the banner is on the screen. */
export function notifyViewable(contents: WebContents, isViewable: boolean): void {
  if (contents.isDestroyed()) return;
  const event = isViewable ? VIEWABLE_EVENTS.shown : VIEWABLE_EVENTS.gone;
  evaluateIn(contents, `!!dispatchEvent(new Event('${event}'))`).catch(() => {});
}

function giveWay(pid: number): void {
  try {
    if (pid > 0) setPriority(pid, osConstants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended, or the system does not let us.
  }
}

/** The origin of an address, without path and query, which may hold secrets. */
function originOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null || parsed.origin === 'null' ? (parsed?.protocol ?? 'nowhere') : parsed.origin;
}
