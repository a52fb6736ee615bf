import type { Attack, AttackContext } from '../attack';
import { adAt } from '../good-ads';

/** An ad whose media are in another document (a wrapper). */
export const wrapperAd = (field: AttackContext, number: number, wrapper: string) => ({
  ...adAt(field.service.origin, `${field.once}-wrapper-${number}`, '', 'image/png'),
  media: [],
  wrapper,
});

const vast = (inside: string) => `<VAST version="4.2">${inside}</VAST>`;

/** Small documents that lead to many requests, or to nothing (rule 31). */
export const WRAPPERS: readonly Attack[] = [
  {
    name: 'wrappers whose URLs multiply',
    seconds: 15,
    begin(field) {
      const { origin } = field.service;
      const urls = '<Impression>http://t.example/i</Impression>'.repeat(field.pick([300, 1_990]));
      const wrapper = (to: string) =>
        `<Ad><Wrapper allowMultipleAds="true"><VASTAdTagURI>${to}</VASTAdTagURI>${urls}</Wrapper></Ad>`;
      field.service.answerAt('/hostile/multiply', ({ query }, response) => {
        const level = Number(query.get('n'));
        const next = (leaf: number) => wrapper(`${origin}/hostile/multiply?n=${level + 1}&amp;leaf=${leaf}`);
        response.writeHead(200, { 'content-type': 'text/xml' });
        if (level < 4) response.end(vast(next(0)));
        else if (level === 4)
          response.end(vast(Array.from({ length: 15 }, (_, leaf) => next(leaf)).join('')));
        else response.end(vast('<Ad><InLine><Impression>u</Impression></InLine></Ad>'.repeat(200)));
      });
      field.serve([1, 2, 3].map((number) => wrapperAd(field, number, `${origin}/hostile/multiply?n=1`)));
    },
  },
  {
    name: 'wrappers that never answer',
    seconds: 30,
    begin(field) {
      const { origin } = field.service;
      field.service.answerAt('/hostile/silent', (_request, response) =>
        field.atEnd(() => void response.socket?.destroy()),
      );
      field.serve(
        Array.from({ length: 100 }, (_, number) =>
          wrapperAd(field, number, `${origin}/hostile/silent?n=${number}`),
        ),
      );
    },
  },
];
