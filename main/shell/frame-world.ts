import type { Debugger } from 'electron';
import { z } from 'zod';
import { beforeDeadline, startDeadline } from '../service/deadline';
import type { Schedule } from '../service/schedule';

/** A frame that does not answer by then hangs, ms. */
const ANSWER_MS = 1_000;

const Attached = z.object({ sessionId: z.string() });
const FrameTree = z.object({ frameTree: z.object({ frame: z.object({ id: z.string() }) }) });
const World = z.object({ executionContextId: z.number() });
const Evaluated = z.object({ result: z.object({ value: z.boolean() }) });

/**
 * Tells of frames of other sites that come and go, by their sessions of the DevTools protocol. Call it once
 * `forbidChoosers` has attached that.
 */
export function watchFrames(
  tools: Debugger,
  came: (session: string) => void,
  went: (session: string) => void,
): void {
  tools.on('message', (_event, method, params) => {
    const found = Attached.safeParse(params);
    if (!found.success) return;
    if (method === 'Target.attachedToTarget') came(found.data.sessionId);
    if (method === 'Target.detachedFromTarget') went(found.data.sessionId);
  });
}

/**
 * Whether this expression is true in a frame of another site, in a world of its own that the frame's scripts do not
 * reach. False for a frame that hangs or is gone.
 */
export async function isTrueIn(
  tools: Debugger,
  session: string,
  expression: string,
  schedule: Schedule,
): Promise<boolean> {
  return beforeDeadline(startDeadline(ANSWER_MS, schedule), () => evaluate(tools, session, expression)).catch(
    () => false,
  );
}

async function evaluate(tools: Debugger, session: string, expression: string): Promise<boolean> {
  const tree = FrameTree.parse(await tools.sendCommand('Page.getFrameTree', {}, session));
  const world = { frameId: tree.frameTree.frame.id, worldName: 'endcap' };
  const { executionContextId } = World.parse(
    await tools.sendCommand('Page.createIsolatedWorld', world, session),
  );
  const question = { expression, contextId: executionContextId, returnByValue: true };
  return Evaluated.parse(await tools.sendCommand('Runtime.evaluate', question, session)).result.value;
}
