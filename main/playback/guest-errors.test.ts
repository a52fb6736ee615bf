import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Play } from '../../shared/play';
import { createGuestErrors } from './slot-ad';

describe('errors of a guest', () => {
  it('are reported unchanged, each once', () => {
    const errors = createGuestErrors();
    for (const detail of ['Uncaught Error: a', "the page's policy: img-src", 'Uncaught Error: a'])
      errors.add(detail);
    expect(errors.all).toEqual(['Uncaught Error: a', "the page's policy: img-src"]);
  });

  it('contain no key of a signed address', () => {
    const errors = createGuestErrors();
    errors.add("Loading 'https://u:p@cdn.example/a.png?sig=SECRET' violates what #it may");
    expect(errors.all).toEqual(["Loading 'https://cdn.example/a.png?…' violates what #it may"]);
  });

  it('always fit into a play, whatever a page reports', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 400 }), { maxLength: 20 }), (details) => {
        const errors = createGuestErrors();
        for (const detail of details) errors.add(detail);
        const stored = Play.shape.guestErrors.safeParse(errors.all);
        expect(stored.success).toBe(true);
        expect(new Set(errors.all).size).toBe(errors.all.length);
        for (const error of errors.all) expect(error.isWellFormed()).toBe(true);
      }),
    );
  });
});
