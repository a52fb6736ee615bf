import { beforeEach, describe, expect, it } from 'vitest';
import { createDiskErrors, type DiskErrors } from './disk-errors';

describe('a disk error', () => {
  let time: number;
  let errors: DiskErrors;
  beforeEach(() => {
    time = 0;
    errors = createDiskErrors({ monotonic: () => time });
  });
  const fail = () => errors.failed('disk-full', 'no space left on device');

  it('is null before the first failure', () => {
    expect([errors.current(), errors.pauseMs()]).toEqual([null, 0]);
  });

  it('pauses for ten seconds, twice as long after each further error, at most a quarter of an hour', () => {
    const pauses = Array.from({ length: 9 }, () => {
      fail();
      return errors.pauseMs() / 1000;
    });
    expect(pauses).toEqual([10, 20, 40, 80, 160, 320, 640, 900, 900]);
  });

  it('lasts, after its pause, until something was written', () => {
    fail();
    time = 10_000;
    expect(errors.pauseMs()).toBe(0);
    expect(errors.current()).toMatchObject({ code: 'disk-full' });
    errors.over();
    expect(errors.current()).toBeNull();
    fail();
    expect(errors.pauseMs()).toBe(10_000);
  });

  it('allows a try at once if its cause may be fixed, and keeps its count', () => {
    expect(fail()).toBe(1);
    errors.tryAgain();
    expect(errors.pauseMs()).toBe(0);
    expect(fail()).toBe(2);
    expect(errors.pauseMs()).toBe(20_000);
  });
});
