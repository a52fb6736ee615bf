import { describe, expect, it } from 'vitest';
import { examplePlay } from '../../renderer/records/testing/example-play';
import type { DrawnFile, HarmCause } from '../media/quarantine';
import { createHarmTracker } from './harm-tracker';
import type { DrawnOnStage } from './suspects';

const picture: DrawnFile = { sha256: 'a', name: 'picture', guest: null };
const page: DrawnFile = { sha256: 'b', name: 'page', guest: 'guest://1/' };
const shows = (file: DrawnFile | null, behind: DrawnFile | null = null): DrawnOnStage => ({
  front: file && { files: [file], isReady: true, raisedAt: 0 },
  back: behind && { files: [behind], isReady: true },
});

/**
 * @param strangers whether scripts or link pages are alive
 * @param waiting guests that no element has attached yet
 */
function world(stage: DrawnOnStage, strangers = false, waiting: readonly string[] = []) {
  let areThere = strangers;
  const strikes: Array<readonly [string, HarmCause]> = [];
  const ended: string[] = [];
  const seen = new Set<string>();
  const whole: string[] = [];
  const blame = createHarmTracker({
    drawnOnStage: () => stage,
    quarantine: {
      strike(files, cause) {
        const isFirst = files.some(({ sha256 }) => !seen.has(sha256));
        for (const { name, sha256 } of files) {
          strikes.push([name, cause]);
          seen.add(sha256);
        }
        return isFirst;
      },
      shownWhole: (files) => void whole.push(...files.map(({ name }) => `quarantine: ${name}`)),
    },
    media: { shownWhole: (files) => void whole.push(...files.map(({ sha256 }) => `strikes: ${sha256}`)) },
    endGuests: (urls) => void ended.push(...urls),
    endScriptsAndLink() {
      const were = areThere;
      areThere = false;
      if (were) ended.push('strangers');
      return were;
    },
    isWaiting: (guest) => waiting.includes(guest),
    lastFrame: () => 60_000,
    clock: { monotonic: () => 60_000 },
  });
  return { blame, strikes, ended, whole };
}

describe('harm is attributed to a creative', () => {
  it('a page gets a strike at once, and does not count against the driver', () => {
    const { blame, strikes, ended } = world(shows(page));
    expect(blame.harmed('graphics', false)).toBe(false);
    expect([strikes, ended]).toEqual([[['page', 'graphics']], ['guest://1/']]);
  });

  it.each(['graphics', 'hang'] as const)(
    'a running script or link page gets the strike (%s), and no picture or driver',
    (cause) => {
      for (const stage of [shows(picture), shows(null)]) {
        const { blame, strikes, ended } = world(stage, true);
        expect(blame.harmed(cause, false)).toBe(false);
        expect([strikes, ended]).toEqual([[], ['strangers']]);
        // They are closed, so the next time something else is the cause.
        expect(blame.harmed(cause, false)).toBe(true);
      }
    },
  );

  it('a running script does not excuse a picture that ends the process of the window', () => {
    const { blame, strikes, ended } = world(shows(picture), true);
    blame.harmed('kiosk-window', false);
    expect([strikes, ended]).toEqual([[['picture', 'kiosk-window']], []]);
  });

  it('a visible page gets the strike even if a script runs', () => {
    const { blame, strikes } = world(shows(page), true);
    expect(blame.harmed('graphics', false)).toBe(false);
    expect(strikes).toEqual([['page', 'graphics']]);
  });

  it('a page that was raised just before gets the strike with one that loads, wherever the clock is set', () => {
    const loading = { ...page, name: 'other page', guest: 'guest://2/' };
    const { blame, strikes } = world({
      front: { files: [page], isReady: true, raisedAt: 59_000 },
      back: { files: [loading], isReady: false },
    });
    blame.harmed('hang', false);
    expect(strikes.map(([name]) => name)).toEqual(['page', 'other page']);
  });

  it('a page behind a picture gets the strike, and the picture stays', () => {
    const { blame, strikes, ended } = world(shows(picture, page));
    blame.harmed('hang', false);
    expect([strikes, ended]).toEqual([[['page', 'hang']], ['guest://1/']]);
  });

  it('a page or banner that still waits to be loaded gets no strike, and what is drawn before it does', () => {
    const { blame, strikes, ended } = world(shows(picture, page), false, ['guest://1/']);
    blame.harmed('hang', false);
    expect([strikes, ended]).toEqual([[['picture', 'hang']], []]);
    const other = { ...page, name: 'other page', guest: 'guest://2/' };
    const both = world(shows(other, page), false, ['guest://1/']);
    both.blame.harmed('hang', false);
    expect([both.strikes, both.ended]).toEqual([[['other page', 'hang']], ['guest://2/']]);
  });

  it('a card that still waits for its banner gets no strike if the window dies', () => {
    const icon = { ...picture, name: 'icon' };
    const stage = { ...shows(picture), back: { files: [icon, page], isReady: false } };
    const { blame, strikes } = world(stage, false, ['guest://1/']);
    blame.harmed('kiosk-window', false);
    expect(strikes).toEqual([['picture', 'kiosk-window']]);
  });

  it('the driver may be to blame once for each picture, and if nothing is drawn', () => {
    const { blame } = world(shows(picture));
    expect([blame.harmed('graphics', false), blame.harmed('graphics', false)]).toEqual([true, false]);
    expect(world(shows(null)).blame.harmed('graphics', false)).toBe(true);
  });

  it('the driver is to blame if the graphics process crashes again at once without guests', () => {
    const { blame, strikes } = world(shows(page, { ...page, name: 'other page', guest: 'guest://2/' }));
    expect([1, 2, 3].map(() => blame.harmed('graphics', true))).toEqual([false, false, true]);
    expect(strikes.map(([name]) => name)).toEqual(['page', 'other page']);
    const { blame: ofPicture, strikes: none } = world(shows(picture));
    expect([ofPicture.harmed('graphics', true), none]).toEqual([true, []]);
  });

  it('a guest that crashes gets a strike itself while it is drawn, and none afterwards', () => {
    const { blame, strikes } = world(shows(picture, page));
    blame.guestHarmed('guest://1/', 'guest');
    blame.guestHarmed('guest://7/', 'guest');
    expect(strikes).toEqual([['page', 'guest']]);
  });

  it.each([
    ['completed', ['quarantine: picture', 'strikes: a']],
    ['interrupted', []],
    ['failed', []],
  ] as const)('a showing that ends as %s clears what its files were struck for: %j', (outcome, cleared) => {
    const { blame, whole } = world(shows(picture));
    blame.tell({ kind: 'settled', play: examplePlay({ outcome }), drawn: [picture] });
    expect(whole).toEqual(cleared);
  });

  it('an error that ends main leaves a strike for the creative on the screen', () => {
    const { blame, strikes } = world(shows(picture));
    blame.mainEnds();
    expect(strikes).toEqual([['picture', 'main']]);
  });
});
