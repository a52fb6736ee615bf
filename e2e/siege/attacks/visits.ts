import { nativeAd } from '../../native-zone';
import { solidImage } from '../../solid-image';
import { xdotool } from '../../xdotool';
import type { Attack } from '../attack';
import { CARD } from '../colours';

/** How long an answer is delayed, ms: longer than the visit that requested it. */
const LATE_MS = 2_000;
const VISIT_MS = 700;

/** Pages that a tap opens (rule 17). */
export const VISITS: readonly Attack[] = [
  {
    name: 'a late answer that sets a cookie after the visit is over',
    row: 7,
    // Native ads are asked for at least once a minute, and at once after a click.
    seconds: 80,
    oddPictures: true,
    begin({ service, file, once, every, judge }) {
      const { origin } = service;
      const told = new Set<string>();
      service.answerAt(`/hostile/${once}-`, ({ path, headers }, response) => {
        if (headers.cookie !== undefined) told.add('a visit carries the cookie of an earlier one');
        if (headers.authorization !== undefined) told.add('a visit carries the password of an earlier one');
        if (path.endsWith('-late')) {
          const timer = setTimeout(() => {
            response.writeHead(204, { 'set-cookie': 'shopper=1; Path=/; Max-Age=99999' }).end();
          }, LATE_MS);
          response.once('close', () => clearTimeout(timer));
          return;
        }
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end(
          `<!doctype html><title>shop</title><script>fetch('/hostile/${once}-late', { keepalive: true }); setTimeout(() => close(), ${VISIT_MS})</script>`,
        );
      });
      const url = file(`${once}-card.png`, solidImage(CARD), 'image/png');
      service.demo.setNativeAds(
        Array.from({ length: 20 }, (_, number) =>
          nativeAd(service, once, {
            link: `${origin}/hostile/${once}-visit?n=${number}`,
            assets: [{ type: 'banner', data: { w: 1280, h: 720, url } }],
          }),
        ),
      );
      every(1_500, () => void xdotool('mousemove', 640, 360, 'click', 1));
      judge(() => [...told]);
    },
  },
];
