import type { Debugger, WebContents } from 'electron';
import { z } from 'zod';
import { beforeDeadline, startDeadline } from '../service/deadline';
import type { Schedule } from '../service/schedule';

/** Short against the minute of idle time, ms. */
const LOOK_MS = 400;
const ANSWER_MS = 1_000;

const Attached = z.object({ sessionId: z.string() });
const FrameTree = z.object({ frameTree: z.object({ frame: z.object({ id: z.string() }) }) });
const World = z.object({ executionContextId: z.number() });
const Evaluated = z.object({ result: z.object({ value: z.boolean() }) });

/**
 * Tells of taps in frames of other sites, which are no input events of the page: each such frame is asked whether
 * somebody has just used it, in a world of its own that the frame's scripts do not reach. A second tap within the
 * five seconds for which Chromium counts a frame as used is not told. Call it once `forbidChoosers` has attached
 * the DevTools protocol; a page without such frames is never asked.
 */
export function watchFrameTaps(contents: WebContents, schedule: Schedule, onTap: () => void): void {
  const { debugger: tools } = contents;
  /** Whether each frame was in use when last asked, by session. */
  const frames = new Map<string, boolean>();
  let cancel = (): void => {};
  const look = async () => {
    for (const [session, before] of [...frames]) {
      const isUsed = await beforeDeadline(startDeadline(ANSWER_MS, schedule), () =>
        isInUse(tools, session),
      ).catch(() => false); // It hangs.
      if (!frames.has(session)) continue; // It went meanwhile.
      frames.set(session, isUsed);
      if (isUsed && !before) onTap();
    }
    again();
  };
  const again = () => {
    cancel();
    if (frames.size > 0 && !contents.isDestroyed()) cancel = schedule(LOOK_MS, () => void look());
  };
  tools.on('message', (_event, method, params) => {
    const found = Attached.safeParse(params);
    if (!found.success) return;
    const { sessionId } = found.data;
    if (method === 'Target.detachedFromTarget') frames.delete(sessionId);
    if (method !== 'Target.attachedToTarget') return;
    const isFirst = frames.size === 0;
    frames.set(sessionId, false);
    if (isFirst) again();
  });
  contents.once('destroyed', () => cancel());
}

/** False for a frame that is gone. */
async function isInUse(tools: Debugger, session: string): Promise<boolean> {
  try {
    const tree = FrameTree.parse(await tools.sendCommand('Page.getFrameTree', {}, session));
    const world = { frameId: tree.frameTree.frame.id, worldName: 'endcap' };
    const { executionContextId } = World.parse(
      await tools.sendCommand('Page.createIsolatedWorld', world, session),
    );
    const question = {
      expression: 'navigator.userActivation.isActive',
      contextId: executionContextId,
      returnByValue: true,
    };
    return Evaluated.parse(await tools.sendCommand('Runtime.evaluate', question, session)).result.value;
  } catch {
    return false;
  }
}
