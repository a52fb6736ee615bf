import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFairLine } from './fair-line';

const owner = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz');

it('loses no accepted item, keeps the order of each owner, and serves no owner twice while another waits', () => {
  fc.assert(
    fc.property(fc.array(fc.option(owner), { maxLength: 60, size: 'max' }), (steps) => {
      const line = createFairLine<string>({ ofOne: 5, ofAll: 8 });
      const inside: string[] = [];
      const sinceTurn = new Map<string, Set<string>>();
      for (const [number, who] of steps.entries()) {
        if (who === null) {
          const got = line.next();
          if (inside.length === 0) {
            expect(got).toBeUndefined();
            continue;
          }
          const [of = '', at] = got?.split(' ') ?? [];
          expect(inside.find((item) => item.startsWith(of))).toBe(`${of} ${at}`);
          inside.splice(inside.indexOf(`${of} ${at}`), 1);
          const waiting = new Set(inside.map((item) => item.split(' ')[0] ?? ''));
          // While an owner waits, each other owner goes at most once between two of its turns.
          for (const one of waiting) {
            if (one === of) continue;
            const gone = sinceTurn.get(one) ?? new Set();
            expect(gone).not.toContain(of);
            sinceTurn.set(one, gone.add(of));
          }
          sinceTurn.delete(of);
          continue;
        }
        const own = inside.filter((item) => item.startsWith(who)).length;
        const owners = new Set(inside.map((item) => item.split(' ')[0]));
        const mayJoin = own < 5 && inside.length < 16 && (inside.length < 8 || own < 8 / (owners.size + 1));
        if (own === 0) sinceTurn.delete(who);
        expect(line.join(who, `${who} ${number}`)).toBe(mayJoin);
        if (mayJoin) inside.push(`${who} ${number}`);
      }
    }),
  );
});
