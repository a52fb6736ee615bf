import { describe, expect, it } from 'vitest';
import { GuestPaints } from './guest-paints';

const URL = 'guest://page-1/';

describe('the report about a page in a guest', () => {
  it('reaches its layer', async () => {
    const paints = new GuestPaints();
    const paint = paints.watch(URL, () => {});
    paints.handleReport({ type: 'painted', size: null, url: 'guest://page-2/' });
    paints.handleReport({ type: 'painted', size: null, url: URL });
    await paint.painted;
    expect(paint.isBroken()).toBe(false);
  });

  it('gives the reason why the page will not be drawn', async () => {
    const paints = new GuestPaints();
    const paint = paints.watch(URL, () => {});
    paints.handleReport({ type: 'broken', url: URL, detail: 'its process ended' });
    await expect(paint.painted).rejects.toThrow('its process ended');
    expect(paint.isBroken()).toBe(true);
  });

  it('reports that a page failed while it was shown', async () => {
    const paints = new GuestPaints();
    let broken = 0;
    const paint = paints.watch(URL, () => {
      broken += 1;
    });
    paints.handleReport({ type: 'painted', size: null, url: URL });
    await paint.painted;
    expect(broken).toBe(0);
    paints.handleReport({ type: 'broken', url: URL, detail: 'crashed' });
    expect([paint.isBroken(), broken]).toEqual([true, 1]);
  });

  it('is ignored once the page is gone', () => {
    const paints = new GuestPaints();
    const paint = paints.watch(URL, () => {});
    paint.forget();
    paints.handleReport({ type: 'broken', url: URL, detail: 'crashed' });
    expect(paint.isBroken()).toBe(false);
  });
});
