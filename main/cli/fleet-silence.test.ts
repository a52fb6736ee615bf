import { describe, expect, it } from 'vitest';
import type { Refusal } from '../fleet/link/commands';
import type { Addressee } from '../fleet/link/topics';
import { createFleetView } from './fleet-kiosks';
import type { CommandReplies } from './fleet-replies';
import { silenceHints } from './fleet-silence';
import { exampleState } from './testing/stand-in-kiosk';

const KIOSK = 'aaaa000000000001';
const OTHER = 'bbbb000000000002';
const UNTIL = '2026-11-22T10:05:00.000Z';
const OFFLINE =
  /: offline\. It obeys if it is back before 2026-11-22T10:05:00\.000Z \(--valid\)\. Check its power/;

interface Known {
  /** Whether each kiosk that the broker knows is online. */
  readonly online?: Readonly<Record<string, boolean>>;
  readonly expected?: readonly string[];
  readonly accepted?: readonly string[];
  readonly done?: readonly string[];
  readonly unread?: Readonly<Record<string, Refusal>>;
}

function hintsOf(known: Known, to: Addressee = 'all'): string[] {
  const { online = {}, expected = [KIOSK], accepted = [], done = [], unread = {} } = known;
  const view = createFleetView('endcap');
  for (const [kiosk, isOnline] of Object.entries(online)) {
    const state = JSON.stringify(exampleState(kiosk, { online: isOnline, groups: ['north'] }));
    view.take(`endcap/${kiosk}/state`, Buffer.from(state));
  }
  const audience: CommandReplies = {
    view,
    expected: new Set(expected),
    accepted: new Set(accepted),
    answers: new Map(done.map((kiosk) => [kiosk, 'done'])),
    unread: new Map(Object.entries(unread)),
    silent: () => expected.filter((kiosk) => !done.includes(kiosk)),
    answered: async () => {},
  };
  return silenceHints(audience, { to, until: UNTIL, publicKey: 'ed25519:operator' });
}

describe('a kiosk without an answer', () => {
  it.each<readonly [string, Known, RegExp]>([
    [
      'that refused a key meanwhile: the key that is to be added',
      { online: { [KIOSK]: true }, unread: { [KIOSK]: 'unknown-key' } },
      /: refused a command whose key is not in its fleet\.commandKeys\. If it was this one, add ed25519:operator there$/,
    ],
    [
      'that read nothing of it: why',
      { online: { [KIOSK]: true }, unread: { [KIOSK]: 'too-many' } },
      /: refused a command that it did not read \(too-many\)\. Send it again later$/,
    ],
    [
      'that has accepted it: to wait longer, or to send it again, even if it is offline meanwhile',
      { online: { [KIOSK]: false }, accepted: [KIOSK] },
      /: accepted, but not done yet\. Wait longer \(--timeout\)\. A restart may have lost it: .* send it again$/,
    ],
    ['that is offline: how long it has to come back', { online: { [KIOSK]: false } }, OFFLINE],
    ['that nobody has heard of: its name', {}, /: this broker has no state message of it\. Check its name/],
    [
      'that is online: the way there and back',
      { online: { [KIOSK]: true } },
      /: online, but it sent no answer/,
    ],
  ])('%s', (_what, known, hint) => {
    expect(hintsOf(known)).toEqual([expect.stringMatching(hint)]);
    expect(hintsOf(known)[0]).toMatch(new RegExp(`^${KIOSK}: `));
  });

  it('gets its hint even if it was offline, so that no answer was awaited', () => {
    const hints = hintsOf({
      online: { [KIOSK]: true, [OTHER]: false, cccc000000000003: true },
      done: [KIOSK, 'cccc000000000003'],
    });
    expect(hints).toEqual([expect.stringMatching(/^bbbb000000000002: offline/)]);
  });

  it('shares its line with those that are silent for the same reason', () => {
    const hints = hintsOf({
      expected: [KIOSK, OTHER, 'cccc000000000003'],
      online: { [KIOSK]: false, [OTHER]: true, cccc000000000003: false },
    });
    expect(hints).toEqual([
      expect.stringMatching(/^aaaa000000000001, cccc000000000003: offline/),
      expect.stringMatching(/^bbbb000000000002: online/),
    ]);
  });

  it('shares its line with many: the line names twenty', () => {
    const kiosks = Array.from({ length: 23 }, (_, index) => `aaaa0000000000${index + 10}`);
    expect(hintsOf({ expected: kiosks })[0]).toMatch(/^(aaaa\w{12}, ){19}aaaa\w{12} and 3 more: /);
  });
});

describe('a command that waits for no kiosk', () => {
  it.each<readonly [string, Known, RegExp]>([
    ['all are offline', { online: { [KIOSK]: false } }, OFFLINE],
    [
      'nobody is in the group',
      { online: { [KIOSK]: true } },
      /^none of the kiosks at this broker belongs to it/,
    ],
    [
      'the broker knows nobody',
      {},
      /^this broker knows no kiosk\. Check --broker and --prefix, and the broker's access rules for you$/,
    ],
  ])('gets a hint that %s', (_why, known, hint) => {
    const to = known.online?.[KIOSK] === true ? 'group:south' : 'group:north';
    expect(hintsOf({ ...known, expected: [] }, to)).toEqual([expect.stringMatching(hint)]);
  });
});

it('gives no hint if every kiosk has answered', () => {
  const everybody: CommandReplies = {
    view: createFleetView('endcap'),
    expected: new Set([KIOSK]),
    accepted: new Set<string>(),
    answers: new Map([[KIOSK, 'done' as const]]),
    unread: new Map(),
    silent: () => [],
    answered: async () => {},
  };
  expect(silenceHints(everybody, { to: 'all', until: UNTIL, publicKey: 'ed25519:operator' })).toEqual([]);
});
