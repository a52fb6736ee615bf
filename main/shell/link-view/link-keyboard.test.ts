import type { WebContents } from 'electron';
import { expect, it } from 'vitest';
import type { KeyboardField } from '../../../shared/link';
import type { PageFrames } from '../page-frames';
import { LinkKeyboard } from './link-keyboard';

/** What the page and the frame of another site in it say about the focus; undefined: they do not answer. */
type Answer = Readonly<Record<'page' | 'bank', unknown>>;

const BUSY: Answer = { page: undefined, bank: undefined };
const inPage = (field: KeyboardField | null): Answer => ({
  page: { hasFocus: true, isInner: false, field },
  bank: { hasFocus: false, isInner: false, field: null },
});
const inBank = (field: KeyboardField | null): Answer => ({
  page: { hasFocus: true, isInner: true, field: null },
  bank: { hasFocus: true, isInner: false, field },
});

/** A page that gives these answers about its focus, one to each look, and the last one from then on. */
function keyboardOn(...answers: readonly Answer[]) {
  let looks = -1;
  const typedInto: unknown[] = [];
  const frames = {
    sessions: new Set(['bank']),
    async of(session: string | undefined) {
      if (session === undefined) looks += 1;
      return [{ session, frameId: session ?? 'page' }];
    },
    ask: async ({ frameId }: { frameId: 'page' | 'bank' }) =>
      answers[Math.min(looks, answers.length - 1)]?.[frameId],
    tools: {
      sendCommand: async (_method: string, _key: object, session?: string) => typedInto.push(session),
    },
  } as unknown as PageFrames;
  const shown: (KeyboardField | null)[] = [];
  const due: (() => void)[] = [];
  const keyboard = new LinkKeyboard({
    onField: (field) => shown.push(field),
    schedule(_ms, run) {
      due.push(run);
      return () => due.splice(due.indexOf(run) >>> 0, 1);
    },
  });
  const contents = { on() {}, once() {} } as unknown as WebContents;
  keyboard.watch(contents, frames);
  keyboard.touched(contents, 'touchEnd');
  const look = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      for (const run of due.splice(0)) run();
      await new Promise(setImmediate);
    }
  };
  return { keyboard, shown, typedInto, look };
}

it('stays while a page is too busy to say where its focus is', async () => {
  const { shown, look } = keyboardOn(inPage('text'), BUSY, BUSY, inPage('text'), BUSY, inPage('text'));
  await look(12);
  expect(shown).toEqual(['text']);
});

it('closes once a page has not answered for three looks in a row, or the field has lost the focus', async () => {
  const silent = keyboardOn(inPage('text'), BUSY);
  await silent.look(3);
  expect(silent.shown).toEqual(['text']);
  await silent.look(1);
  expect(silent.shown).toEqual(['text', null]);

  const left = keyboardOn(inPage('text'), inPage(null));
  await left.look(2);
  expect(left.shown).toEqual(['text', null]);
});

it('types into the frame that last had the focus while a page is busy', async () => {
  const { keyboard, typedInto, look } = keyboardOn(inBank('text'), BUSY);
  await look(1);
  keyboard.press({ kind: 'text', text: 'a' });
  await look(1);
  expect(typedInto).toEqual(['bank', 'bank']);
});
