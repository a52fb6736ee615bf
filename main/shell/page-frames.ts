import type { Debugger, WebContents } from 'electron';
import { z } from 'zod';
import type { Log } from '../../shared/log';
import { plain } from '../../shared/plain';
import { beforeDeadline, startDeadline } from '../deadline';
import type { Schedule } from '../schedule';

/** A frame that has not answered after this time hangs or is gone, ms. */
const ANSWER_MS = 1_000;

/** Short compared with the minute of idle time, ms. */
const LOOK_MS = 400;

/** A frame of another site may have any number of frames in its own process; at most this many are asked. */
const MAX_FRAMES = 20;
/**
 * Runs in the isolated world of a frame. Returns whether a press began or ended in its document since the last look; one
 * before the first look is known by Chromium's user activation. Events that scripts make do not count.
 */
const WAS_PRESSED = `(() => {
  if (globalThis.wasPressed === undefined) {
    wasPressed = navigator.userActivation.isActive;
    for (const type of ['pointerdown', 'pointerup'])
      addEventListener(type, ({ isTrusted }) => { wasPressed ||= isTrusted; }, { capture: true, passive: true });
  }
  const answer = wasPressed;
  wasPressed = false;
  return answer;
})()`;

/** Not workers: they have no choosers, and attaching to one never completes. */
const FRAMES = [{ type: 'iframe' }];

export interface PageFrame {
  /** DevTools protocol session of a frame from another site than the page; undefined: the page's own session. */
  readonly session: string | undefined;
  readonly frameId: string;
}

const Attached = z.object({ sessionId: plain.text });
const OpenedByTap = z.object({ userGesture: z.literal(true) });
const Tree = z.object({
  frame: z.object({ id: plain.text }),
  get childFrames() {
    return z.array(Tree).optional();
  },
});
type Tree = z.infer<typeof Tree>;
const World = z.object({ executionContextId: plain.number });
const Evaluated = z.object({ result: z.object({ value: z.unknown() }) });

/**
 * A foreign page and its frames over Chromium's DevTools protocol. It keeps the page, and every frame in it, from
 * opening the system's file chooser, which would show the kiosk's disk to a shopper (rule 21): no preference forbids
 * it. Create it before the first page is loaded.
 */
export class PageFrames {
  readonly tools: Debugger;
  /** Sessions of the frames of other sites, which have processes of their own. */
  readonly sessions = new Set<string>();

  /**
   * @param contents those of the page
   * @param keepsFocus lets the page keep the focus while keys outside it are pressed. Otherwise each key would take
   * the focus away and give it back, on which some fields close or select all their text.
   */
  constructor(
    contents: Pick<WebContents, 'debugger' | 'once'>,
    private readonly keepsFocus: boolean,
    private readonly schedule: Schedule,
    private readonly log: Log,
  ) {
    const tools = contents.debugger;
    this.tools = tools;
    // Otherwise Electron 42 often crashes, in main, after a page has closed itself.
    contents.once('destroyed', () => {
      if (tools.isAttached()) tools.detach();
    });
    try {
      tools.attach('1.3');
    } catch (error) {
      this.#logError(error);
      return;
    }
    tools.on('message', (_event, method, params) => {
      const found = Attached.safeParse(params);
      if (!found.success) return;
      const { sessionId } = found.data;
      if (method === 'Target.detachedFromTarget') this.sessions.delete(sessionId);
      if (method !== 'Target.attachedToTarget') return;
      this.sessions.add(sessionId);
      void this.#restrict(sessionId);
    });
    void this.#restrict();
  }

  /** The frames of a session, parents before children; none if it hangs or is gone. */
  of(session: string | undefined): Promise<readonly PageFrame[]> {
    const read = async () => {
      const answer = await this.tools.sendCommand('Page.getFrameTree', {}, session);
      const { frameTree } = z.object({ frameTree: Tree }).parse(answer);
      return idsIn(frameTree).map((frameId) => ({ session, frameId }));
    };
    return beforeDeadline(startDeadline(ANSWER_MS, this.schedule), read).catch(() => []);
  }

  /**
   * Evaluates an expression in an isolated world of a frame, which the frame's scripts cannot reach. Resolves to
   * undefined if the frame hangs or is gone.
   */
  ask({ session, frameId }: PageFrame, expression: string): Promise<unknown> {
    const evaluate = async () => {
      const isolated = { frameId, worldName: 'endcap' };
      const world = await this.tools.sendCommand('Page.createIsolatedWorld', isolated, session);
      const contextId = World.parse(world).executionContextId;
      const question = { expression, contextId, returnByValue: true };
      return Evaluated.parse(await this.tools.sendCommand('Runtime.evaluate', question, session)).result
        .value;
    };
    return beforeDeadline(startDeadline(ANSWER_MS, this.schedule), evaluate).catch(() => undefined);
  }

  /**
   * Reports that a frame of another site opens a window because it was tapped, which is no input event of the page. It
   * does so before Electron asks whether the window may be opened, and once for each tap: opening a window uses up
   * Chromium's user activation.
   */
  watchOpenings(onOpening: () => void): void {
    this.tools.on('message', (_event, method, params, session) => {
      if (method === 'Page.windowOpen' && session && OpenedByTap.safeParse(params).success) onOpening();
    });
  }

  /**
   * Reports presses in frames of other sites, which are no input events of the page: it asks each such frame, as long as
   * the page exists.
   */
  watchPresses(contents: WebContents, onPress: () => void): void {
    const lookAt = async (frame: PageFrame) => {
      if ((await this.ask(frame, WAS_PRESSED)) === true) onPress();
    };
    const look = async () => {
      for (const session of [...this.sessions]) {
        const frames = await this.of(session);
        await Promise.all(frames.slice(0, MAX_FRAMES).map(lookAt));
      }
      lookLater();
    };
    const lookLater = () => {
      if (!contents.isDestroyed()) this.schedule(LOOK_MS, () => void look());
    };
    lookLater();
  }

  /** Never rejects. */
  async #restrict(session?: string): Promise<void> {
    const send = (method: string, params: object) => this.tools.sendCommand(method, params, session);
    try {
      // In parallel: a busy page answers late, but each command takes effect at once.
      await Promise.all([
        send('Page.enable', {}),
        send('Page.setInterceptFileChooserDialog', { enabled: true, cancel: true }),
        // Frames of other sites do not wait for the debugger, because then they would never show their page. A tap is
        // handled by the same thread after these commands.
        send('Target.setAutoAttach', {
          autoAttach: true,
          waitForDebuggerOnStart: false,
          flatten: true,
          filter: FRAMES,
        }),
        this.keepsFocus && send('Emulation.setFocusEmulationEnabled', { enabled: true }),
      ]);
    } catch (error) {
      this.#logError(error);
    }
  }

  #logError(error: unknown): void {
    // The page or the frame closed before it answered.
    if (error instanceof Error && /target closed|destroyed/.test(error.message)) return;
    this.log.warn('the file choosers of a page could not be disabled', { error });
  }
}

const idsIn = ({ frame, childFrames = [] }: Tree): string[] => [frame.id, ...childFrames.flatMap(idsIn)];
