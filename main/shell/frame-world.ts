import type { Debugger } from 'electron';
import { z } from 'zod';
import type { Schedule } from '../schedule';
import { beforeDeadline, startDeadline } from '../service/deadline';

/** A frame that has not answered after this time hangs or is gone, ms. */
const ANSWER_MS = 1_000;

/** A frame of a foreign page. */
export interface PageFrame {
  /** DevTools protocol session of a frame from another site than the page; undefined: the page's own session. */
  readonly session: string | undefined;
  readonly frameId: string;
}

const Attached = z.object({ sessionId: z.string() });
const Tree = z.object({
  frame: z.object({ id: z.string() }),
  get childFrames() {
    return z.array(Tree).optional();
  },
});
type Tree = z.infer<typeof Tree>;
const World = z.object({ executionContextId: z.number() });
const Evaluated = z.object({ result: z.object({ value: z.unknown() }) });

/**
 * Reports frames of other sites that are added and removed, by their DevTools protocol sessions. Call it once that
 * protocol is attached (`forbidChoosers`).
 */
export function watchFrames(
  tools: Debugger,
  came: (session: string) => void,
  went: (session: string) => void = () => {},
): void {
  tools.on('message', (_event, method, params) => {
    const found = Attached.safeParse(params);
    if (!found.success) return;
    if (method === 'Target.attachedToTarget') came(found.data.sessionId);
    if (method === 'Target.detachedFromTarget') went(found.data.sessionId);
  });
}

/** The frames of a session, parents before children; none if it hangs or is gone. */
export function framesOf(
  tools: Debugger,
  session: string | undefined,
  schedule: Schedule,
): Promise<readonly PageFrame[]> {
  const read = async () => {
    const answer = await tools.sendCommand('Page.getFrameTree', {}, session);
    const { frameTree } = z.object({ frameTree: Tree }).parse(answer);
    return idsIn(frameTree).map((frameId) => ({ session, frameId }));
  };
  return beforeDeadline(startDeadline(ANSWER_MS, schedule), read).catch(() => []);
}

const idsIn = ({ frame, childFrames = [] }: Tree): string[] => [frame.id, ...childFrames.flatMap(idsIn)];

/**
 * Evaluates an expression in an isolated world of a frame, which the frame's scripts cannot reach. Resolves to
 * undefined if the frame hangs or is gone.
 */
export function askFrame(
  tools: Debugger,
  { session, frameId }: PageFrame,
  expression: string,
  schedule: Schedule,
): Promise<unknown> {
  const ask = async () => {
    const world = await tools.sendCommand(
      'Page.createIsolatedWorld',
      { frameId, worldName: 'endcap' },
      session,
    );
    const contextId = World.parse(world).executionContextId;
    const question = { expression, contextId, returnByValue: true };
    return Evaluated.parse(await tools.sendCommand('Runtime.evaluate', question, session)).result.value;
  };
  return beforeDeadline(startDeadline(ANSWER_MS, schedule), ask).catch(() => undefined);
}
