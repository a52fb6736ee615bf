import type { ServerResponse } from 'node:http';
import type { Attack, AttackContext } from '../attack';
import { adAt } from '../good-ads';
import { wrapperAd } from './wrappers';

/** Sends the same bytes repeatedly until the client disconnects or, with a `field`, until the attack is over. */
function sendForEver(
  response: ServerResponse,
  everyMs: number,
  bytes: Buffer,
  field: AttackContext | null,
): void {
  const timer = setInterval(() => response.write(bytes), everyMs);
  response.once('close', () => clearInterval(timer));
  field?.atEnd(() => void response.socket?.destroy());
}

/** Connections that are kept open, kept slow, or redirected (rules 1 and 31). */
export const CONNECTIONS: readonly Attack[] = [
  {
    name: 'wrapper answers other than 2xx whose body never ends',
    row: 10,
    seconds: 10,
    begin(field) {
      field.service.answerAt('/hostile/wrapper', (_request, response) => {
        response.writeHead(field.pick([404, 403, 500, 301]), { 'content-type': 'text/xml' });
        sendForEver(response, 100, Buffer.alloc(1_000, 0x20), null);
      });
      field.serve(
        Array.from({ length: 30 }, (_, number) =>
          wrapperAd(field, number, `${field.service.origin}/hostile/wrapper?n=${number}`),
        ),
      );
    },
  },
  {
    name: 'wrappers that go in circles, or on and on',
    seconds: 6,
    begin(field) {
      const { origin } = field.service;
      field.service.answerAt('/hostile/wrapper', ({ query }, response) => {
        const next = field.pick([`${Number(query.get('n')) + 1}`, '0']);
        response.writeHead(200, { 'content-type': 'text/xml' });
        response.end(
          `<VAST version="4.2">${`<Ad id="w"><Wrapper><VASTAdTagURI><![CDATA[${origin}/hostile/wrapper?n=${next}]]></VASTAdTagURI></Wrapper></Ad>`.repeat(20)}</VAST>`,
        );
      });
      field.serve(
        [1, 2, 3].map((number) => wrapperAd(field, number, `${origin}/hostile/wrapper?n=${number}`)),
      );
    },
  },
  {
    name: 'media so slow that they never end, from two hosts',
    row: 11,
    seconds: 40,
    begin(field) {
      const { origin, otherOrigin } = field.service;
      field.service.answerAt('/hostile/slow', (_request, response) => {
        response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 600_000_000 });
        sendForEver(response, 500, Buffer.alloc(300, 1), field);
      });
      field.serve(
        [origin, otherOrigin, origin, otherOrigin].map((host, number) =>
          adAt(
            origin,
            `${field.once}-slow-${number}`,
            `${host}/hostile/slow-${field.once}-${number}.mp4`,
            'video/mp4',
          ),
        ),
      );
    },
  },
  {
    name: 'redirects in circles, to nowhere and to files',
    seconds: 6,
    begin(field) {
      const { origin } = field.service;
      field.service.answer(({ path }, response) => {
        const isHostile = path.startsWith('/hostile/') || field.random() < 0.2;
        if (!isHostile) return false;
        const location = field.pick([
          `${origin}/hostile/again`,
          'file:///etc/passwd',
          'endcap://records/',
          'http://169.254.169.254/latest/meta-data',
          `//${'a.'.repeat(5_000)}example`,
          'javascript:1',
          '\u00ff',
        ]);
        response.writeHead(field.pick([301, 302, 307, 308]), { location });
        response.end();
        return true;
      });
      field.serve([adAt(origin, `${field.once}-moved`, `${origin}/hostile/moved.png`, 'image/png')]);
    },
  },
  {
    name: 'answers that are no HTTP, end in the middle, or say too much in their headers',
    seconds: 8,
    begin(field) {
      field.service.answer((_request, response) => {
        if (field.random() < 0.3) return false;
        const { socket } = response;
        field.pick([
          () => void socket?.end('HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nx'),
          () => void socket?.end(`HTTP/1.1 200 OK\r\n${'X-Long: y\r\n'.repeat(20_000)}\r\n`),
          () => void socket?.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n'),
          () => void socket?.end('\0\0\0\0\0\0'),
          () => void socket?.end('HTTP/1.1 999 \r\n\r\n'),
          () =>
            void socket?.end(
              'HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: 900\r\n\r\n<VAST',
            ),
          () =>
            void socket?.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(50), () => socket.resetAndDestroy()),
        ])();
        return true;
      });
    },
  },
  {
    name: 'nothing but refused connections',
    seconds: 6,
    begin({ service }) {
      service.refuse();
    },
  },
];
