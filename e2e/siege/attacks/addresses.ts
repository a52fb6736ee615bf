import { networkInterfaces } from 'node:os';
import { watchedServer } from '../../../main/egress/testing/watched-servers';
import type { Attack } from '../attack';
import { css } from '../colours';
import { adAt } from '../good-ads';
import { wrapperAd } from './wrappers';

/** The machine's own addresses of every kind, as URLs write them, and other spellings of loopback. */
function ownAddresses(): string[] {
  const own = Object.values(networkInterfaces())
    .flat()
    .flatMap((each) => {
      if (each === undefined) return [];
      const { address, family } = each;
      if (family === 'IPv4') return [address, `[::ffff:${address}]`, `[64:ff9b::${address}]`];
      return [`[${address}]`];
    });
  return [...own, 'localhost', '2130706433', '0x7f.1', '0', '[::]', '127.1', 'x.localhost', 'localhost.'];
}

/** Attacks on the store's own network (rule 22). */
export const ADDRESSES: readonly Attack[] = [
  {
    name: "ads that name the machine's own addresses",
    row: 5,
    seconds: 10,
    async begin(field) {
      const { service, serve, file, once, atEnd, judge } = field;
      // Stands for a device of the store: nothing that an ad names may connect to it.
      const device = await watchedServer();
      atEnd(async () => device[Symbol.asyncDispose]());
      const urls = ownAddresses().map((host) => `http://${host}:${device.port}/${once}`);
      const { origin } = service;
      const page = `<!doctype html><html style="background:${css('hostile')}"><body>${urls.map((url) => `<img src="${url}"><iframe src="${url}"></iframe>`).join('')}<script>for (const url of ${JSON.stringify(urls)}) { try { fetch(url, { mode: 'no-cors' }); new WebSocket(url.replace('http', 'ws')); navigator.sendBeacon(url); } catch {} }</script></body></html>`;
      service.answerAt('/hostile/to', ({ query }, response) => {
        response.writeHead(302, { location: urls[Number(query.get('n'))] ?? origin }).end();
      });
      const redirects = urls.map((_, number) => `${origin}/hostile/to?n=${number}`);
      serve([
        {
          ...adAt(origin, `${once}-beacons`, `${origin}/media/red.png`, 'image/png'),
          impressions: [...urls, ...redirects],
        },
        adAt(origin, `${once}-page`, file(`${once}.html`, page, 'text/html'), 'text/html', 2),
        ...[...urls, ...redirects].map((url, number) =>
          adAt(origin, `${once}-media-${number}`, url, 'image/png'),
        ),
        ...urls.map((url, number) => wrapperAd(field, number, url)),
      ]);
      judge(() =>
        [...new Set(device.reachedAt)].map((address) => `an ad reached a device of the store at ${address}`),
      );
    },
  },
];
