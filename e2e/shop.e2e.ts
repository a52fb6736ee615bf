import { type WatchedServer, watchedServer } from '../main/egress/testing/watched-servers';
import { expect } from './expect';
import type { Kiosk } from './kiosk';
import { keep, launch, service, shareWorld, test } from './kiosk-test';
import { enterLink, leaveLink, pressAt, serveLinkingAd } from './link-visit';
import { repeating } from './repeating';
import { expectMorePlays } from './two-creatives';
import { xdotool } from './xdotool';

// The other side of the lock-down: a shop's own pages work for a shopper, and the next shopper finds nothing
// of the visit. Mouse and keyboard input comes through the display.

let shop: WatchedServer;
let kiosk: Kiosk;
/** Requests to the shop, as `METHOD path body`, with their cookies. */
const heard: Array<{ readonly what: string; readonly cookie: string }> = [];

const WHOLE = 'position:fixed;inset:0;width:100%;height:100%;border:0;font-size:60px';
const html = (body: string) => `<!doctype html><title>shop</title><body style="margin:0">${body}
<script>
  // After a second frame: presses before the first are lost, and a window that is not on top yet draws none.
  addEventListener('load', () => requestAnimationFrame(() => requestAnimationFrame(() =>
    setTimeout(() => fetch('/told?' + location.pathname), 200))));
</script>`;
const PAGES: Readonly<Record<string, string>> = {
  '/': html(`<form method="post" action="/sign-in">
    <input name="user" onfocus="fetch('/told?field')" style="${WHOLE};bottom:50%;height:50%">
    <input name="password" type="password" style="${WHOLE};top:50%;height:40%">
    <button style="${WHOLE};top:90%;height:10%">sign in</button></form>`),
  // Runs the shop's own script, with its cookie and its stored data.
  '/account': html(`<form method="post" action="/basket" target="_blank">
    <input type="hidden" name="sku" value="4711"><button style="${WHOLE}">into the basket</button></form>
    <script>localStorage.visits = Number(localStorage.visits ?? 0) + 1;
    fetch('/api?visits=' + localStorage.visits)</script>`),
  '/basket': html(
    `<button style="${WHOLE}" onclick="open('/pay', 'pay', 'width=400,height=300')">pay</button>`,
  ),
  // The bank is another site, in another process.
  '/pay': html(`<script>
    document.write('<iframe src="http://localhost:' + location.port + '/bank" style="${WHOLE}"></iframe>');
  </script>`),
  '/bank': html(`<form method="post" target="_top"><button style="${WHOLE}">yes</button></form>
    <script>document.forms[0].action = 'http://127.0.0.1:' + location.port + '/paid'</script>`),
  '/paid': html('<h1>thank you</h1>'),
};

shareWorld(async () => {
  shop = keep(
    await watchedServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const path = request.url ?? '/';
      heard.push({ what: `${request.method} ${path} ${body}`.trim(), cookie: request.headers.cookie ?? '' });
      if (path === '/sign-in')
        response.writeHead(303, { location: '/account', 'set-cookie': 'who=anna; HttpOnly' }).end();
      else response.writeHead(200, { 'content-type': 'text/html' }).end(PAGES[path] ?? '');
    }),
  );
  kiosk = await launch(serveLinkingAd(service, shop));
});

const times = (what: string) => heard.filter((each) => each.what === what).length;
/** Waits until the page at this path is loaded and can be pressed. */
const shown = (path: string) =>
  expect.poll(() => times(`GET /told?${path}`), { message: `${path} is there` }).toBe(1);

/** Presses this point until the shop has received the report, exactly once. */
const pressUntil = (told: string, x: number, y: number) => {
  // Longer than a press takes on a machine that stands still: a second press would be a second report.
  const pressed = repeating(
    () => times(told) === 0 && pressAt(x, y),
    () => times(told),
    14_000,
  );
  return expect.poll(pressed, { timeout: 80_000 }).toBe(1);
};

/** Taps the ad until its shop was visited `visits` times. */
const enter = (visits: number) => enterLink(kiosk, () => times('GET /told?/') === visits);

test('a shopper signs in, orders and pays in a shop, and the next shopper finds no trace', async () => {
  test.slow();
  await enter(1);
  await pressUntil('GET /told?field', 640, 250);
  xdotool('type', 'anna');
  xdotool('key', 'Tab');
  xdotool('type', 'pass1');
  xdotool('key', 'Return');
  await shown('/account');
  expect(times('POST /sign-in user=anna&password=pass1')).toBe(1);
  await expect.poll(() => heard.find(({ what }) => what === 'GET /api?visits=1')?.cookie).toBe('who=anna');

  // A form that targets a new window arrives complete, in the same place.
  await pressUntil('POST /basket sku=4711', 640, 400);
  await shown('/basket');
  expect(heard.find(({ what }) => what === 'POST /basket sku=4711')?.cookie).toBe('who=anna');
  await pressUntil('GET /pay', 640, 400);
  await shown('/pay');
  await shown('/bank');
  // The form is in a frame, which may not receive presses at first, so a lost press is repeated.
  await pressUntil('POST /paid', 640, 400);
  await shown('/paid');
  await leaveLink(kiosk);

  await enter(2);
  expect(heard.findLast(({ what }) => what === 'GET /told?/')?.cookie).toBe('');
  await leaveLink(kiosk);
  await expectMorePlays(kiosk, 2);
});
