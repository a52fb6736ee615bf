import { describe, expect, it } from 'vitest';
import type { HarmCause } from '../media/quarantine';
import { type DrawnOnStage, suspects } from './suspects';

const picture = { sha256: 'a', name: 'picture', guest: null };
const video = { sha256: 'b', name: 'video', guest: null };
const page = { sha256: 'c', name: 'page', guest: 'guest://1/' };
const other = { sha256: 'd', name: 'other page', guest: 'guest://2/' };

const front = (file: typeof picture | typeof page, raisedAt = 0) => ({
  files: [file],
  isReady: true,
  raisedAt,
});
const back = (file: typeof picture | typeof page, isReady: boolean) => ({ files: [file], isReady });
const named = (stage: DrawnOnStage, cause: HarmCause = 'hang') =>
  suspects(stage, 60_000, cause).map(({ name }) => name);

describe('a hang or a crash is attributed to', () => {
  it.each<readonly [string, DrawnOnStage, readonly string[]]>([
    ['nothing while the brand card shows', { front: null, back: null }, []],
    ['the picture on the screen', { front: front(picture), back: null }, ['picture']],
    ['what is shown, not what waits', { front: front(picture), back: back(video, true) }, ['picture']],
    ['nothing that was not shown, if it is no guest', { front: null, back: back(video, false) }, []],
    ['the page on the screen', { front: front(page), back: back(video, true) }, ['page']],
    ['the page behind a picture', { front: front(picture), back: back(page, false) }, ['page']],
    ['the page that is shown, of two', { front: front(page), back: back(other, true) }, ['page']],
    ['the page that loads, of two', { front: front(page), back: back(other, false) }, ['other page']],
    [
      'both, if both have just begun',
      { front: front(page, 59_000), back: back(other, false) },
      ['page', 'other page'],
    ],
  ])('%s', (_what, stage, expected) => {
    expect(named(stage)).toEqual(expected);
  });

  it.each<readonly [string, DrawnOnStage, readonly string[]]>([
    ['what is decoded behind a picture', { front: front(picture), back: back(video, false) }, ['video']],
    ['what is decoded behind the brand card', { front: null, back: back(video, false) }, ['video']],
    [
      'both, if both have begun',
      { front: front(picture, 59_000), back: back(video, false) },
      ['picture', 'video'],
    ],
    [
      'the picture in front of one that is ready',
      { front: front(picture), back: back(video, true) },
      ['picture'],
    ],
    [
      'the picture, if nothing is decoded yet',
      { front: front(picture), back: { files: [], isReady: false } },
      ['picture'],
    ],
    ['a page beside what is decoded', { front: front(page), back: back(video, false) }, ['page']],
  ])('%s, if the kiosk window died', (_what, stage, expected) => {
    expect(named(stage, 'kiosk-window')).toEqual(expected);
  });

  it('the banner of a card, not to the pictures beside it', () => {
    const card = { files: [picture, page], isReady: true, raisedAt: 0 };
    expect(named({ front: card, back: null })).toEqual(['page']);
  });
});
