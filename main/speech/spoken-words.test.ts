import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NativeCardContent } from '../../shared/native';
import { spokenCard, spokenLink, spokenWarning } from './spoken-words';

const CARD: NativeCardContent = {
  instance: 'a/0',
  picture: null,
  icon: null,
  title: 'Kiosko Cold Brew',
  description: 'Twenty hours slow-steeped.',
  rating: 4.5,
  callToAction: { kind: 'text', text: 'See the flavours' },
  contentInfo: null,
};

describe('the text that is read out', () => {
  it('has the text, stars and button of an ad', () => {
    expect(spokenCard(CARD, 'en')).toBe(
      'Advertisement. Kiosko Cold Brew. Button near the bottom of the screen: See the flavours. Twenty hours slow-steeped. 4.5 out of 5 stars.',
    );
  });

  it('uses the language of the kiosk', () => {
    expect(spokenCard({ ...CARD, callToAction: { kind: 'default' } }, 'de-AT')).toBe(
      'Anzeige. Kiosko Cold Brew. Taste unten auf dem Bildschirm: Mehr erfahren. Twenty hours slow-steeped. 4,5 von 5 Sternen.',
    );
  });

  it('has the rating that the screen shows', () => {
    const rated = { ...CARD, rating: 4.333, callToAction: null };
    expect(spokenCard(rated, 'en')).toMatch(/ 4\.3 out of 5 stars/);
    expect(spokenCard(rated, 'de')).toMatch(/ 4,3 von 5 Sternen/);
  });

  it('has the button also after a title that is as long as a whole text', () => {
    const text = spokenCard({ ...CARD, title: 'word '.repeat(200) }, 'en');
    expect(text.indexOf('Button')).toBeGreaterThan(200);
    expect(text.indexOf('Button')).toBeLessThan(260);
  });

  it('omits missing parts of an ad', () => {
    const bare = { ...CARD, description: null, rating: null, callToAction: null };
    expect(spokenCard(bare, 'en')).toBe('Advertisement. Kiosko Cold Brew.');
  });

  it.each([
    ['at a space', `${'word '.repeat(200)}`, /word…$/, 480],
    ['at a sentence mark', `${'あ'.repeat(400)}。${'い'.repeat(400)}`, /あ。…$/, 420],
    ['anywhere in a text that has neither near the limit', `Neu ${'あ'.repeat(800)}`, /あ…$/, 490],
  ])('cuts a long text %s', (_where, description, end, least) => {
    const text = spokenCard({ ...CARD, description, rating: null, callToAction: null }, 'en');
    expect(text).toMatch(end);
    expect(text.length).toBeGreaterThan(least);
  });

  it('has the host of a page and how to go back', () => {
    expect(spokenLink({ kind: 'page', url: 'https://kiosko.example/a?b' }, 'en')).toBe(
      'You are visiting kiosko.example. The button at the bottom of the screen leads back.',
    );
    expect(spokenLink({ kind: 'code', url: 'tel:1' }, 'de')).toBe(
      'Auf dem Bildschirm steht ein Code für Ihr Handy. Die Taste unten auf dem Bildschirm führt zurück.',
    );
  });

  it('explains how to stay before the page closes', () => {
    expect(spokenWarning(20, 'en')).toMatch(/closes in 20 seconds.*More time/);
    expect(spokenWarning(20, 'de')).toMatch(/schließt in 20 Sekunden.*Mehr Zeit/);
  });

  it('is bounded and has no control characters, for any ad', () => {
    const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 700 }), fc.constant(null));
    fc.assert(
      fc.property(anyText, anyText, anyText, (title, description, label) => {
        const callToAction = label === null ? null : ({ kind: 'text', text: label } as const);
        const text = spokenCard({ ...CARD, title, description, callToAction }, 'en');
        expect(text.length).toBeLessThan(900);
        expect(text).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});
