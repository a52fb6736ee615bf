import fc from 'fast-check';
import type { NativeCardContent } from '../../shared/native';
import type { Scene } from './scenes';

const WORDS = [
  'a',
  'of',
  'fresh',
  'weekend',
  'Kaffeespezialitäten',
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
  'WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW',
  'عروض',
  'الأسبوع',
  'מבצע',
  '新鮮な野菜と果物が毎日届きます',
  'Ελλάδα',
  '👩‍👩‍👧‍👦🎉',
  '50%',
  'https://example.com/a/very/long/path?with=query&and=more',
];

const text = (most: number) =>
  fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: most }).map((words) => words.join(' '));
const sometimes = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const size = fc.integer({ min: 20, max: 3_000 });
const IMAGES = ['kiosko', 'nordhain', 'papperi', 'basketry'] as const;
const image = fc.constantFrom(...IMAGES);

const content: fc.Arbitrary<NativeCardContent> = fc
  .record({
    instance: fc.constant('random/0'),
    picture: sometimes(
      fc.oneof(
        fc.record({ kind: fc.constant('html' as const), width: size, height: size }),
        fc.record({ kind: fc.constant('video' as const), width: size, height: size }),
        image.map((name) => ({
          kind: 'image' as const,
          url: `/creatives/native-${name}-banner.jpg`,
          width: null,
          height: null,
        })),
      ),
    ),
    icon: sometimes(image.map((name) => `/creatives/native-${name}-icon.png`)),
    title: sometimes(text(14)),
    description: sometimes(text(60)),
    rating: sometimes(fc.integer({ min: 0, max: 50 }).map((tenths) => tenths / 10)),
    callToAction: sometimes(
      fc.oneof(
        fc.constant({ kind: 'default' as const }),
        text(6).map((words) => ({ kind: 'text' as const, text: words })),
      ),
    ),
    contentInfo: sometimes(
      fc.record({ text: sometimes(text(12)), icon: fc.constant(null), tappable: fc.boolean() }),
    ),
  })
  .filter(({ picture, title, description }) => picture !== null || title !== null || description !== null);

/** The same seed gives the same cards, so that a failed case can be repeated. */
export function randomCards(count: number, seed: number): readonly Scene[] {
  return fc
    .sample(content, { numRuns: count, seed })
    .map((card, index) => ({ kind: 'card', content: card, language: index % 2 === 0 ? 'en' : 'de' }));
}
