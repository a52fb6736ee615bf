import { expect, it } from 'vitest';
import type { StageEvent } from '../../shared/stage';
import { sendHeartbeats } from './heartbeats';
import { PretendFrames } from './testing/pretend-frames';

it('one heartbeat comes after a night without frames, then one a second', () => {
  let now = 0;
  const events: StageEvent[] = [];
  const frames = new PretendFrames(() => now);
  sendHeartbeats(Object.assign(frames, { emit: (event: StageEvent) => void events.push(event) }));
  for (let second = 0; second < 12 * 3_600; second += 1) {
    now += 1_000;
    frames.runTimers();
  }
  expect(events).toEqual([]);
  frames.draw();
  expect(events).toEqual([{ type: 'heartbeat' }]);
  for (let second = 0; second < 3; second += 1) {
    now += 1_000;
    frames.draw();
  }
  expect(events).toHaveLength(4);
});
