import { expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { anAd } from '../decisions/testing/ads-for-tests';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { BooksMirror } from './books-mirror';
import { createStoredPlaylist } from './stored-playlist';

it('is stored whole after an answer that may not be stored, even if it is the one before again', async () => {
  const calls: string[] = [];
  const failing = new Set(['b']);
  const { clock } = handTurnedTime();
  const name = (playlist: { readonly etag: string | null }) => playlist.etag ?? '';
  const playlist = createStoredPlaylist(
    {
      files: { writePlaylist: async () => {} } as never,
      environment: 'store',
      clock,
      pause: async () => {},
      log: silentLog,
    },
    new BooksMirror(clock),
    {
      async storePlaylist(next) {
        calls.push(`store ${name(next)}`);
        if (failing.has(name(next))) throw new Error('no answer');
      },
      renewPlaylist: async () => void calls.push('renew'),
    },
  );
  const answer = (id: string) => ({
    ads: [anAd({}, `https://media.test/${id}`, id)],
    receivedAt: clock.now(),
    etag: id,
    lastModified: null,
  });
  await playlist.storePlaylist(answer('a'));
  await playlist.storePlaylist(answer('a'));
  await expect(playlist.storePlaylist(answer('b'))).rejects.toThrow('no answer');
  await playlist.storePlaylist(answer('a'));
  expect(calls).toEqual(['store a', 'renew', 'store b', 'store a']);
});
