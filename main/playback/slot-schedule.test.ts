import { describe, expect, it } from 'vitest';
import type { SlotAd, SlotAds } from './slot-ad';
import { createSlotSchedule } from './slot-schedule';

/** An ad of which only the name matters. */
const named = (adId: string): SlotAd => ({ facts: { adId } }) as SlotAd;
const always = (adId: string): SlotAds => ({ choose: () => named(adId) });
const never: SlotAds = { choose: () => null };

function programme(overrides: Partial<Parameters<typeof createSlotSchedule>[0]> = {}) {
  const made = createSlotSchedule({
    service: always('service'),
    native: always('native'),
    house: always('house'),
    everySlots: 3,
    inSession: () => false,
    somebodyThere: () => true,
    ...overrides,
  });
  return {
    next: () => made.choose(0)?.facts.adId ?? null,
    /** Plays this many slots of the service. */
    pass(slots: number) {
      for (let slot = 0; slot < slots; slot += 1) made.reserved({ delivery: 'offline' });
    },
    native: () => made.reserved({ delivery: 'native' }),
  };
}

describe('the schedule of slots', () => {
  it('has a native ad after the set number of slots of the service, and counts again from it', () => {
    const kiosk = programme();
    expect(kiosk.next()).toBe('service');
    kiosk.pass(2);
    expect(kiosk.next()).toBe('service');
    kiosk.pass(1);
    expect(kiosk.next()).toBe('native');
    kiosk.native();
    kiosk.pass(2);
    expect(kiosk.next()).toBe('service');
    kiosk.pass(1);
    expect(kiosk.next()).toBe('native');
  });

  it('continues with the service if there is no native ad (rule 19)', () => {
    const kiosk = programme({ native: never });
    kiosk.pass(10);
    expect(kiosk.next()).toBe('service');
  });

  it('has no native ad while a sensor reports no shopper (rule 19)', () => {
    let there = false;
    const kiosk = programme({ somebodyThere: () => there });
    kiosk.pass(10);
    expect(kiosk.next()).toBe('service');
    there = true;
    expect(kiosk.next()).toBe('native');
  });

  it('has native ads at once for a shopper at the screen, even if no sensor reports one', () => {
    expect(programme({ inSession: () => true, somebodyThere: () => false }).next()).toBe('native');
  });

  it('falls back to house creatives if no ad may play, then to the brand card (rule 12)', () => {
    expect(programme({ service: never, native: null }).next()).toBe('house');
    expect(programme({ service: never, native: null, house: null }).next()).toBeNull();
  });
});
