import type { DemoAdInput } from '../../../main/demo-service/demo-ad';
import { solidImage } from '../../solid-image';
import type { Attack, AttackContext } from '../attack';
import { COLOURS, css } from '../colours';
import { adAt } from '../good-ads';

/** Serves an ad that can be shown, with these impression URLs; its beacons go to `/hostile/seen`. */
function seenAd(field: AttackContext, impressions: readonly string[]): DemoAdInput {
  const { service, file, once } = field;
  const media = file(`${once}-seen.png`, solidImage(COLOURS.hostile), 'image/png');
  service.answerAt('/hostile/seen', (_request, response) => void response.writeHead(204).end());
  return { ...adAt(service.origin, `${once}-seen`, media, 'image/png'), impressions: [...impressions] };
}

const seen = ({ service }: AttackContext) =>
  service.heard().filter(({ path }) => path.startsWith('/hostile/seen'));
/** Whether the ad was on the display long enough to be confirmed. */
const wasShown = ({ service, once }: AttackContext) =>
  service
    .heard()
    .some(({ path, query }) => path === '/collect/complete' && query.get('ad') === `${once}-seen`);

/** Ads with too many or too large beacons (rules 15 and 20). */
export const MANY_BEACONS: readonly Attack[] = [
  {
    name: '1,500 impression URLs in an ad',
    row: 14,
    seconds: 25,
    begin(field) {
      const url = `${field.service.origin}/hostile/seen?n=`;
      field.serve([
        seenAd(
          field,
          Array.from({ length: 1_500 }, (_, number) => `${url}${number}`),
        ),
      ]);
      field.judge(() =>
        wasShown(field) && seen(field).length === 0 ? ['all impressions of a shown ad were lost'] : [],
      );
    },
  },
  {
    name: 'hundreds of impression URLs of 32 KB in an ad',
    row: 14,
    seconds: 20,
    begin(field) {
      const url = `${field.service.origin}/hostile/seen?x=${'y'.repeat(32_000)}&n=`;
      field.serve([
        seenAd(
          field,
          // More beacons than one play may send, or more than an ad may have.
          Array.from({ length: field.pick([250, 900]) }, (_, number) => `${url}${number}`),
        ),
      ]);
    },
  },
  {
    name: 'macros named like what every object has',
    row: 19,
    seconds: 10,
    begin(field) {
      const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'CONSTRUCTOR'];
      field.serve([
        seenAd(
          field,
          names.map((name) => `${field.service.origin}/hostile/seen?name=${name}&value=[${name}]`),
        ),
      ]);
      field.judge(() => {
        const odd = seen(field).find(({ target }) =>
          /function|native|object/i.test(decodeURIComponent(target)),
        );
        if (odd)
          return [`a beacon carries what no macro is: ${decodeURIComponent(odd.target).slice(0, 120)}`];
        return [];
      });
    },
  },
  {
    name: 'addresses that are none, and words that no terminal should see',
    seconds: 8,
    begin(field) {
      const { origin } = field.service;
      const odd = [
        'http://',
        'http://[',
        'ftp://x/',
        'data:,x',
        'javascript:alert(1)',
        `${origin}/%00%0d%0aSet-Cookie:x`,
        `${origin}/\u001b]0;owned\u0007`,
        `http://${'a'.repeat(70_000)}/`,
        `${origin}/${'\u{1F4A9}'.repeat(3_000)}`,
      ];
      field.serve([
        seenAd(field, odd),
        ...odd.map((url, number) => adAt(origin, `${field.once}-\u001b[2J-${number}`, url, 'image/png')),
        {
          ...adAt(origin, '', `${origin}/media/red.png`, 'image/png'),
          id: `${css('red')}<script>${'x'.repeat(50_000)}`,
        },
      ]);
    },
  },
];
