import type { Fault, RouteGroup } from '../../../main/demo-service/faults';
import { solidImage } from '../../solid-image';
import type { Attack, AttackContext } from '../attack';
import { COLOURS } from '../colours';
import { adAt } from '../good-ads';

type Switch = (field: AttackContext) => Fault;

/** The fault switches of the demo service, one of each kind. */
const SWITCHES: Readonly<Record<Fault['kind'], Switch>> = {
  delay: ({ random }) => ({ kind: 'delay', delayMs: Math.floor(random() * 5_000) }),
  status: ({ pick }) => ({
    kind: 'status',
    status: pick([204, 206, 304, 400, 401, 403, 404, 418, 429, 500, 502, 503, 599]),
    body: pick(['', '{"code":13,"message":"down"}', '<html>down</html>', '\u0000']),
    contentType: pick(['application/json', 'text/html', 'application/xml', 'x']),
    ...pick([{}, { retryAfter: 2 }, { retryAfter: 'Thu, 01 Jan 1970 00:00:00 GMT' }, { retryAfter: '-1' }]),
  }),
  hang: () => ({ kind: 'hang' }),
  truncate: ({ random, pick }) => ({
    kind: 'truncate',
    afterBytes: Math.floor(random() * 2_000),
    wellFormed: pick([true, false]),
  }),
  garbage: () => ({ kind: 'garbage' }),
  html: () => ({ kind: 'html' }),
  reset: () => ({ kind: 'reset' }),
  'content-type': ({ pick }) => ({
    kind: 'content-type',
    contentType: pick(['text/html', 'image/png', 'x', 'application/xml; charset=utf-7', 'multipart/mixed']),
  }),
  oversize: () => ({ kind: 'oversize', bytes: 60_000_000 }),
  drip: ({ pick }) => ({ kind: 'drip', bytesPerSecond: pick([10, 1_000, 20_000]) }),
};
const KINDS = Object.keys(SWITCHES) as Fault['kind'][];
const GROUPS: readonly RouteGroup[] = ['token', 'inventory', 'ads', 'native', 'media', 'collector'];

export const SWITCH_ATTACKS: readonly Attack[] = [
  ...KINDS.map(
    (kind): Attack => ({
      name: `the fault switch \`${kind}\``,
      seconds: 8,
      begin(field) {
        const { service, pick, random, serve, file, once } = field;
        const media = file(`${once}.png`, solidImage(COLOURS.hostile), 'image/png');
        serve([adAt(service.origin, `${once}-new`, media, 'image/png')]);
        // Always the playlist, and a random part of the other groups.
        const groups = GROUPS.filter((group) => group === 'ads' || random() < 0.4);
        service.demo.setFaults(
          Object.fromEntries(groups.map((group) => [group, SWITCHES[kind](field)])) as Record<string, Fault>,
        );
        if (pick([true, false])) service.demo.revokeTokens();
      },
    }),
  ),
  {
    name: 'answers without a `Date`, or with an `Age` of a week',
    seconds: 6,
    begin({ service, pick }) {
      service.demo.setFaults(pick([{ dateless: true }, { ageSeconds: 604_800 }]));
    },
  },
];
