import { randomUUID } from 'node:crypto';
import { countPlay, noPlays } from '../../main/decisions/flight-counters';
import { type Play, UNSEEN } from '../../shared/play';
import type { RecordsInput } from '../../shared/records';
import type { Kiosk } from '../kiosk';
import type { MainAsking } from '../records-port';

/** Reservations of one batch. */
export const AT_ONCE = 20;

/** Reservations as the player makes them, in batches, one more than asked for; in books of their own. */
export function reservations(count: number): Array<Array<RecordsInput<'reservePlay'>>> {
  const at = Date.now();
  let counters = noPlays('flight');
  const one = (index: number): RecordsInput<'reservePlay'> => {
    counters = countPlay(counters, at + index * 10_000);
    const play: Play = {
      id: randomUUID(),
      environment: 'bench',
      at: at + index * 10_000,
      adId: `ad-${index % 20}`,
      requestId: 'request-5d1c0c52-5bb4-4d2b-a7e2-9a15c3b0f6d1',
      flightId: 'flight',
      campaignId: 'campaign',
      source: 'SOURCE_TYPE_CMS',
      sourceId: 'cms',
      mediaUrl: `https://media.example/creative-${index % 20}.mp4`,
      delivery: 'offline',
      durationMs: 10_000,
      ...UNSEEN,
    };
    return {
      play,
      flight: counters,
      recency: { key: `cms|flight|${play.mediaUrl}`, sequence: index, at: play.at, adId: play.adId },
      sourceMix: { credits: [{ sourceId: 'cms', credit: 0 }] },
    };
  };
  return Array.from({ length: count / AT_ONCE + 1 }, (_, batch) =>
    Array.from({ length: AT_ONCE }, (_, index) => one(batch * AT_ONCE + index)),
  );
}

/** Round trips from main to the acknowledged transaction and back, one after the other, ms. */
export function reserve(kiosk: Kiosk, inputs: ReadonlyArray<RecordsInput<'reservePlay'>>): Promise<number[]> {
  return kiosk.app.evaluate(async (_electron, asked) => {
    const ask = (globalThis as MainAsking).askRecords;
    const took: number[] = [];
    for (const input of asked) {
      const started = performance.now();
      const answer = await ask?.('reservePlay', input);
      took.push(performance.now() - started);
      if (!answer?.ok) throw new Error(`a reservation was refused: ${JSON.stringify(answer)}`);
      // As apart as slots are from each other: nothing of the last one is still under way.
      await new Promise((resume) => setTimeout(resume, 5));
    }
    return took;
  }, inputs);
}
