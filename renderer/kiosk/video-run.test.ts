import { describe, expect, it, vi } from 'vitest';
import { VideoRun } from './video-run';

/** The part of a video element that a run uses. The test controls how it plays. */
class PretendVideo extends EventTarget {
  currentTime = 0;
  readonly duration = 10;
  readonly error = null;
  ended = false;
  dropped = 0;
  playing: Promise<void> = Promise.resolve();
  cancelled = 0;
  #waiting: Array<(now: number, frame: { presentedFrames: number }) => void> = [];

  play = () => this.playing;
  getVideoPlaybackQuality = () => ({ droppedVideoFrames: this.dropped });
  cancelVideoFrameCallback = () => {
    this.cancelled += 1;
  };
  asked = 0;
  requestVideoFrameCallback(run: (now: number, frame: { presentedFrames: number }) => void): number {
    this.#waiting.push(run);
    this.asked += 1;
    return this.asked;
  }
  /** Presents a frame. `presentedFrames`: the count so far, including it. */
  present(now: number, presentedFrames: number): void {
    for (const run of this.#waiting.splice(0)) run(now, { presentedFrames });
  }
}

function started(video = new PretendVideo()) {
  const onChange = vi.fn();
  return { video, onChange, run: new VideoRun(video as unknown as HTMLVideoElement, 1_000, onChange) };
}

describe('a run of a video', () => {
  it('has started once its position moves, not when play was requested', () => {
    const { video, run } = started();
    run.observe(1_010);
    expect(run.startMs).toBe(null);
    video.currentTime = 0.04;
    expect(run.startMs).toBe(null);
    run.observe(1_050);
    expect([run.startMs, run.positionMs]).toEqual([50, 40]);
  });

  it('of a single frame has started when it has ended', () => {
    const { video, run } = started();
    video.ended = true;
    run.observe(1_040);
    expect([run.startMs, run.hasEnded]).toEqual([40, true]);
  });

  it('stalls when its position stands still for three seconds', () => {
    const { video, run } = started();
    video.currentTime = 1;
    run.observe(2_000);
    video.present(2_000, 1);
    run.observe(4_900);
    expect(run.stillMs).toBe(2_900);
    expect(run.stallsAfter).toBe(5_000);
  });

  it('does not stall while its position moves, however long one picture of it lasts', () => {
    const { video, run } = started();
    video.present(2_000, 1);
    for (let now = 2_000; now <= 32_000; now += 500) {
      video.currentTime = now / 1_000;
      run.observe(now);
    }
    expect(run.stallsAfter).toBe(35_000);
  });

  it('does not stall at its end', () => {
    const { video, run } = started();
    video.ended = true;
    expect(run.stallsAfter).toBe(Number.POSITIVE_INFINITY);
  });

  it('counts frames, drops and waits only after it was raised', () => {
    const { video, run } = started();
    video.present(1_100, 1);
    run.observe(1_120);
    video.present(1_140, 2);
    video.dropped = 3;
    video.dispatchEvent(new Event('waiting'));
    run.shown(1_150);
    video.present(1_180, 3);
    video.dispatchEvent(new Event('timeupdate'));
    video.present(1_220, 4);
    video.dropped = 5;
    video.dispatchEvent(new Event('waiting'));
    expect(run.counts).toEqual({ presentedFrames: 3, droppedFrames: 2, stalls: 1 });
  });

  it('asks for a frame at each look until it is raised and near its end, else four times a second', () => {
    const { video, run } = started();
    const asks = () => {
      video.present(1_100, 1);
      const before = video.asked;
      run.observe(1_200);
      return video.asked - before;
    };
    expect(asks()).toBe(1);
    run.shown(1_150);
    video.currentTime = 5;
    video.present(1_160, 2);
    expect(asks()).toBe(0);
    video.dispatchEvent(new Event('timeupdate'));
    expect(video.asked).toBe(3);
    video.currentTime = 9.5;
    expect(asks()).toBe(1);
  });

  it('counts no wait at its end', () => {
    const { video, run } = started();
    run.shown(1_000);
    video.ended = true;
    video.dispatchEvent(new Event('waiting'));
    run.observe(9_000);
    expect(run.counts.stalls).toBe(0);
    expect(run.stoodStillMs).toBe(0);
  });

  it('counts the frame with which it was raised, even if no other follows', () => {
    const { run } = started();
    expect(run.counts.presentedFrames).toBe(0);
    run.shown(1_000);
    run.observe(4_000);
    expect(run.counts.presentedFrames).toBe(1);
  });

  it('counts stalls and their time once it is raised, except those of a quarter of a second', () => {
    const { video, run } = started();
    const moves = (now: number) => {
      run.observe(now - 10);
      video.currentTime += 0.01;
      run.observe(now);
    };
    moves(1_100);
    run.shown(2_000);
    run.observe(2_250);
    expect(run.stoodStillMs).toBe(0);
    moves(2_250);
    expect([run.stoodStillMs, run.counts.stalls]).toEqual([0, 0]);
    moves(3_250);
    run.observe(3_260);
    expect([run.stoodStillMs, run.counts.stalls]).toEqual([990, 1]);
    for (let now = 3_300; now <= 5_000; now += 100) moves(now);
    expect(run.stoodStillMs).toBe(990);
    // It ends during another standstill.
    run.observe(8_000);
    expect([run.stoodStillMs, run.counts.stalls]).toEqual([3_990, 2]);
  });

  it('that was not checked for a while stalled only as long as its position did not move', () => {
    const { video, run } = started();
    video.currentTime = 0.1;
    run.observe(1_100);
    run.shown(1_100);
    video.currentTime = 1.1;
    run.observe(2_100);
    expect([run.stoodStillMs, run.counts.stalls]).toEqual([0, 0]);
    video.currentTime = 1.6;
    run.observe(3_600);
    expect([run.stoodStillMs, run.counts.stalls]).toEqual([1_000, 1]);
  });

  it('that stops and continues between two checks stalled for that time', () => {
    const { video, run } = started();
    const look = (now: number, positionMs: number) => {
      video.currentTime = positionMs / 1_000;
      run.observe(now);
    };
    look(1_000, 0);
    run.shown(1_000);
    // It stands still from 1,350 to 1,850 ms.
    look(1_250, 250);
    look(1_500, 350);
    look(1_750, 350);
    look(2_000, 500);
    look(2_250, 750);
    expect([run.stoodStillMs, run.counts.stalls]).toEqual([500, 1]);
  });

  it('requests one frame at a time, which reports how many there were', () => {
    const { video, run } = started();
    run.observe(1_010);
    run.observe(1_020);
    expect(video.asked).toBe(1);
    run.shown(1_020);
    video.present(1_250, 8);
    expect(video.asked).toBe(1);
    expect(run.counts.presentedFrames).toBe(8);
  });

  it('checks its position on events of its element, without a frame of the page', () => {
    const { video, run } = started();
    video.currentTime = 0.25;
    video.dispatchEvent(new Event('timeupdate'));
    expect(run.positionMs).toBe(250);
  });

  it('reports its end and its errors', () => {
    const { video, onChange } = started();
    video.dispatchEvent(new Event('ended'));
    expect(onChange).toHaveBeenCalledTimes(1);
    video.dispatchEvent(new Event('error'));
    expect(onChange).toHaveBeenCalledTimes(2);
  });

  it('fails with an error of its element', () => {
    const { video, run } = started();
    expect(run.isBroken).toBe(false);
    video.dispatchEvent(new Event('error'));
    expect(run.isBroken).toBe(true);
  });

  it('fails if it may not play, but not if its own release cancelled that', async () => {
    const refused = new PretendVideo();
    refused.playing = Promise.reject(new DOMException('no decoder', 'NotSupportedError'));
    const released = new PretendVideo();
    released.playing = Promise.reject(new DOMException('released', 'AbortError'));
    const runs = [started(refused).run, started(released).run];
    await Promise.resolve();
    expect(runs.map((run) => run.isBroken)).toEqual([true, false]);
  });

  it('ignores events once it is closed, because the element has another creative', () => {
    const { video, run } = started();
    run.close();
    video.dispatchEvent(new Event('error'));
    expect([run.isBroken, video.cancelled]).toEqual([false, 1]);
  });
});
