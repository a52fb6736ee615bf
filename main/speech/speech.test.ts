import { describe, expect, it } from 'vitest';
import type { LinkFrame } from '../../shared/link';
import type { NativeCardContent } from '../../shared/native';
import type { StageCommand } from '../../shared/stage';
import { startSpeech } from './speech';

const card = (title: string): NativeCardContent => ({
  instance: title,
  picture: null,
  icon: null,
  title,
  description: null,
  rating: null,
  callToAction: null,
  contentInfo: null,
});
const page = (secondsLeft: number, state: 'open' | 'failed' = 'open'): LinkFrame => ({
  kind: 'page',
  url: 'https://shop.example/',
  state,
  secondsLeft,
  keyboard: null,
  language: 'en',
});

const base = { durationMs: 1_000, volume: 0, marks: [] };
/** The command to prepare a native ad, or (null) a picture. */
const prepared = (slot: number, title: string | null): StageCommand => ({
  type: 'prepare',
  slot,
  creative:
    title === null
      ? { kind: 'image', url: 'media://cache/a', ...base }
      : { kind: 'card', content: card(title), language: 'en', video: null, banner: null, ...base },
});

function world() {
  const said: string[] = [];
  let isPlugged = false;
  let tick = () => {};
  const speech = startSpeech({
    headphones: () => Promise.resolve(isPlugged),
    say: (text) => said.push(text),
    language: 'en',
    schedule(_ms, run) {
      tick = run;
      return () => {
        tick = () => {};
      };
    },
  });
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    speech,
    said,
    /** Nobody looks at the socket yet. */
    pullOut() {
      isPlugged = false;
    },
    async plug(into: boolean) {
      await settled();
      isPlugged = into;
      tick();
      await settled();
    },
    async show(slot: number, title: string | null) {
      speech.onCommand(prepared(slot, title));
      speech.onStage({ type: 'presented', slot });
      await settled();
    },
    async link(frame: LinkFrame | null) {
      speech.onLink(frame);
      await settled();
    },
  };
}

describe('speech', () => {
  it('is silent without headphones', async () => {
    const { said, show, link, plug } = world();
    await plug(false);
    await show(1, 'Volt');
    await link(page(60));
    expect(said).toEqual([]);
  });

  it('reads the screen out when headphones are plugged in, and stops when they are removed', async () => {
    const { said, show, plug } = world();
    await show(1, 'Volt');
    await plug(true);
    await plug(false);
    expect(said).toEqual(['Advertisement. Volt.', '']);
  });

  it('reads each card out when it appears, and stops for other content', async () => {
    const { said, show, plug } = world();
    await plug(true);
    await show(1, 'Volt');
    await show(2, null);
    await show(3, 'Kiosko');
    expect(said).toEqual(['', 'Advertisement. Volt.', '', 'Advertisement. Kiosko.']);
  });

  it('does not begin to read after the headphones were removed, even before the next regular look', async () => {
    const { said, show, plug, pullOut } = world();
    await plug(true);
    pullOut();
    await show(1, 'Volt');
    expect(said).toEqual(['', '']);
  });

  it('reads only the latest of texts that follow each other while it looks for headphones', async () => {
    const { said, show, plug } = world();
    await plug(true);
    void show(1, 'Volt');
    await show(2, 'Kiosko');
    void show(3, 'Volt');
    await show(4, null);
    expect(said).toEqual(['', 'Advertisement. Kiosko.', '']);
  });

  it('reads a card to its end although the next one fails meanwhile', async () => {
    const { speech, said, show, plug } = world();
    await plug(true);
    await show(1, 'Volt');
    speech.onCommand(prepared(2, 'Kiosko'));
    speech.onStage({ type: 'failed', slot: 2, code: 'late', detail: 'its banner has painted nothing' });
    expect(said).toEqual(['', 'Advertisement. Volt.']);
  });

  it('reads the linked page out once, warns before it closes, and is silent after the shopper went back', async () => {
    const { said, show, link, plug } = world();
    await plug(true);
    await show(1, 'Volt');
    for (const secondsLeft of [60, 59, 21, 20, 19]) await link(page(secondsLeft));
    await link(null);
    expect(said.slice(2)).toEqual([
      expect.stringMatching(/^You are visiting shop\.example\./),
      expect.stringMatching(/closes in 20 seconds/),
      '',
    ]);
  });

  it('says that a linked page cannot be shown', async () => {
    const { said, link, plug } = world();
    await plug(true);
    for (const state of ['open', 'failed'] as const) await link(page(60, state));
    expect(said.at(-1)).toBe(
      'This page cannot be shown right now. The button at the bottom of the screen leads back.',
    );
  });

  it('forgets a card whose window died or loaded again', async () => {
    const { speech, said, show, plug } = world();
    await plug(true);
    await show(1, 'Volt');
    speech.onStage({ type: 'ready' });
    await plug(false);
    await plug(true);
    expect(said).toEqual(['', 'Advertisement. Volt.', '', '', '']);
  });

  it('stops with the kiosk', async () => {
    const { speech, said, show, plug } = world();
    await plug(true);
    await show(1, 'Volt');
    speech.dispose();
    await plug(false);
    expect(said.at(-1)).toBe('');
    expect(said).toHaveLength(3);
  });
});
