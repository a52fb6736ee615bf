import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Play } from '../../shared/play';
import { expect } from '../expect';
import { folder, service, test } from '../kiosk-test';
import { signalsCaller } from '../signals-caller';
import { kioskSettings } from '../two-creatives';
import { acceleratedPlaylist } from './accelerated-playlist';
import { startVictim, type Victim } from './victim';

// A kill during a write leaves a torn record at the end of the database's log. Chromium would append after
// it, and delete the whole database at the next start but one.
test('a database log torn by a kill costs no play of the starts before and after', async () => {
  // Four starts of a kiosk, each of which may take a minute.
  test.setTimeout(360_000);
  const playlist = acceleratedPlaylist(service);
  const seen = new Map<string, Play>();
  let victim: Victim | null = null;
  try {
    for (let life = 0; life < 4; life += 1) {
      playlist.serve(life);
      const before = playlist.impressions().length;
      const running = startVictim(folder, kioskSettings(service));
      victim = running;
      await expect.poll(() => playlist.impressions().length).toBeGreaterThan(before + 2);
      const plays = await signalsCaller(folder).plays<Play>();
      const known = new Set(plays.map(({ id }) => id));
      expect([...seen.values()].filter(({ id }) => !known.has(id))).toEqual([]);
      for (const play of plays) seen.set(play.id, play);
      await running.killTree();
      expect(running.output()).not.toContain('Corruption');
      if (life > 0) expect(running.output()).toContain('the torn end of a database log was cut off');
      tearLog(join(folder, 'IndexedDB'));
    }
  } finally {
    await victim?.killTree();
  }
});

/** Appends the beginning of a record to the newest log, as a kill during a write does. */
function tearLog(directory: string): void {
  const database = readdirSync(directory).find((name) => name.endsWith('.leveldb')) ?? '';
  const log = readdirSync(join(directory, database))
    .filter((name) => name.endsWith('.log'))
    .sort()
    .at(-1);
  // A checksum, a length of a thousand bytes, the type of a full record, and a tenth of its content.
  const begun = Buffer.concat([Buffer.from([1, 2, 3, 4, 0xe8, 0x03, 1]), Buffer.alloc(100, 7)]);
  appendFileSync(join(directory, database, log ?? ''), begun);
}
