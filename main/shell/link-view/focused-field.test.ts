import type { Debugger } from 'electron';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../shared/log';
import type { Schedule } from '../../schedule';
import { PageFrames } from '../page-frames';
import { findFocus, showFocus } from './focused-field';

/** What each frame answers; `HANGS`: nothing. */
type Answers = Readonly<Record<string, unknown>>;
/** The frames of each session, the outermost first; the session '' is the page's own. */
type Sessions = Readonly<Record<string, readonly string[]>>;

const OUTSIDE = { hasFocus: false, isInner: false, field: null };
const AROUND = { hasFocus: true, isInner: true, field: null };
const typing = (field: unknown) => ({ hasFocus: true, isInner: false, field });

const HANGS = Symbol('hangs');
const hang = () => new Promise<never>(() => {});

/** A page with these frames behind a fake DevTools protocol. `isOver`: deadlines are over almost at once. */
function pretendPage(sessions: Sessions, answers: Answers, isOver = false) {
  const asked: string[] = [];
  let tell: (method: string, sessionId: string) => void = () => {};
  const frames = Object.values(sessions).flat();
  const sendCommand = async (method: string, params: Record<string, unknown>, session = '') => {
    if (method === 'Page.getFrameTree') {
      const [id, ...inner] = sessions[session] ?? [];
      if (id === undefined) throw new Error('target closed');
      if (answers[id] === HANGS) return hang();
      return { frameTree: { frame: { id }, childFrames: inner.map((child) => ({ frame: { id: child } })) } };
    }
    if (method === 'Page.createIsolatedWorld')
      return { executionContextId: frames.indexOf(String(params.frameId)) };
    if (method !== 'Runtime.evaluate') return {};
    const frame = frames[Number(params.contextId)] ?? '';
    asked.push(frame);
    return answers[frame] === HANGS ? hang() : { result: { value: answers[frame] } };
  };
  const tools = {
    attach() {},
    sendCommand,
    on(_event: string, listener: (event: null, method: string, params: object) => void) {
      tell = (method, sessionId) => listener(null, method, { sessionId });
    },
  } as unknown as Debugger;
  const schedule: Schedule = (_ms, run) => {
    if (isOver) setTimeout(run, 10);
    return () => {};
  };
  const page = new PageFrames(contentsWith(tools), true, schedule, silentLog);
  const focus = { find: () => findFocus(page) };
  for (const session of Object.keys(sessions)) if (session !== '') tell('Target.attachedToTarget', session);
  return { focus, asked, leave: (session: string) => tell('Target.detachedFromTarget', session) };
}

/** Contents that are never destroyed. */
const contentsWith = (tools: Debugger) =>
  ({ debugger: tools, once() {} }) as unknown as ConstructorParameters<typeof PageFrames>[0];

describe('the focus of a foreign page', () => {
  it('is in the page itself, and then no frame is asked', async () => {
    const { focus, asked } = pretendPage({ '': ['page', 'inner'], ad: ['ad'] }, { page: typing('email') });
    expect(await focus.find()).toMatchObject({ session: undefined, frameId: 'page', field: 'email' });
    expect(asked).toEqual(['page']);
  });

  it('is in a frame of another site even while the page takes it for lost', async () => {
    const { focus } = pretendPage({ '': ['page'], pay: ['card'] }, { page: OUTSIDE, card: typing('number') });
    expect(await focus.find()).toMatchObject({ session: 'pay', frameId: 'card' });
  });

  it('is null while the page has no focus', async () => {
    const { focus, asked } = pretendPage({ '': ['page', 'inner'] }, { page: OUTSIDE, inner: typing('text') });
    expect(await focus.find()).toBeNull();
    expect(asked).toEqual(['page']);
  });

  it.each<readonly [string, Answers, object | null]>([
    ['of the same site', { inner: typing('text'), ad: OUTSIDE }, { session: undefined, frameId: 'inner' }],
    [
      'of another site',
      { inner: OUTSIDE, pay: AROUND, card: typing('number') },
      { session: 'pay', frameId: 'card' },
    ],
    ['in a frame that is gone', { inner: OUTSIDE }, null],
  ])('is in a frame %s', async (_which, answers, where) => {
    const sessions = { '': ['page', 'inner'], ad: ['ad'], pay: ['pay', 'card'] };
    const { focus } = pretendPage(sessions, { page: AROUND, ...answers });
    const found = await focus.find();
    if (where === null) expect(found).toBeNull();
    else expect(found).toMatchObject(where);
  });

  it('is not looked for in frames that have gone', async () => {
    const { focus, asked, leave } = pretendPage(
      { '': ['page'], ad: ['ad'] },
      { page: AROUND, ad: typing('text') },
    );
    leave('ad');
    expect(await focus.find()).toBeNull();
    expect(asked).toEqual(['page']);
  });

  it.each<readonly [string, unknown]>([
    ['something else', typing({ field: 'email' })],
    ['nothing', undefined],
  ])('is null if the page answers with %s', async (_what, page) => {
    expect(await pretendPage({ '': ['page'] }, { page }).focus.find()).toBeNull();
  });

  it('is found in a frame even if the page hangs, and is null if the frame hangs too', async () => {
    const sessions = { '': ['page'], pay: ['pay'] };
    const around = pretendPage(sessions, { page: HANGS, pay: typing('text') }, true);
    expect(await around.focus.find()).toMatchObject({ session: 'pay', field: 'text' });
    expect(await pretendPage(sessions, { page: HANGS, pay: HANGS }, true).focus.find()).toBeNull();
  });

  it('is found without waiting for a frame beside it that hangs', async () => {
    const sessions = { '': ['page'], ad: ['ad'], pay: ['pay', 'card'] };
    const answers = { page: AROUND, ad: HANGS, pay: AROUND, card: typing('number') };
    expect(await pretendPage(sessions, answers).focus.find()).toMatchObject({ frameId: 'card' });
  });

  it('is found in a frame that a closed shadow tree of the page hides', async () => {
    const sessions = { '': ['page'], pay: ['pay'] };
    const hidden = pretendPage(sessions, { page: typing(null), pay: typing('number') });
    expect(await hidden.focus.find()).toMatchObject({ session: 'pay', field: 'number' });
    const nowhere = pretendPage(sessions, { page: typing(null), pay: OUTSIDE });
    expect(await nowhere.focus.find()).toMatchObject({ frameId: 'page', field: null });
  });

  it('is searched in twenty frames at most', async () => {
    const inner = Array.from({ length: 50 }, (_, index) => `inner-${index}`);
    const answers = Object.fromEntries([['page', AROUND], ...inner.map((frame) => [frame, OUTSIDE])]);
    const { focus, asked } = pretendPage({ '': ['page', ...inner] }, answers);
    expect(await focus.find()).toBeNull();
    expect(asked).toHaveLength(21);
  });

  it('is null for a page that is gone, and causes no exception', async () => {
    const gone = {
      attach() {},
      on() {},
      sendCommand: () => {
        throw new TypeError('Object has been destroyed');
      },
    } as unknown as Debugger;
    const page = new PageFrames(contentsWith(gone), true, () => () => {}, silentLog);
    expect(await findFocus(page)).toBeNull();
    await showFocus(page, { session: undefined, frameId: 'page' });
  });
});
