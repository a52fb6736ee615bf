import type { Attack } from '../attack';
import type { HeardRequest } from '../hostile-service';

const FAR = 'Fri, 12 Sep 275760 23:59:59 GMT';
const ODD_DATES = [
  FAR,
  'Thu, 01 Jan 1970 00:00:00 GMT',
  'Fri, 31 Dec 9999 23:59:59 GMT',
  'Tue, 20 Apr -271821 00:00:00 GMT',
  'Sat, 31 Feb 2026 25:61:61 GMT',
  '1e400',
  '',
  `${'9'.repeat(8_000)}`,
];
const isAds = ({ path }: HeardRequest) => path === '/v1alpha2/ads';
const DAY_SECONDS = 86_400;

/** Wrong times that a service may send (rule 10). */
export const CLOCKS: readonly Attack[] = [
  {
    name: 'a `Date` at the end of the calendar',
    row: 1,
    seconds: 8,
    begin({ service }) {
      service.change((request, answer) =>
        isAds(request) ? { ...answer, headers: { ...answer.headers, date: FAR } } : answer,
      );
    },
  },
  {
    name: '`Date` and `Age` headers that make no sense',
    row: 1,
    seconds: 10,
    begin({ service, pick }) {
      service.change((_request, answer) => ({
        ...answer,
        headers: {
          ...answer.headers,
          date: pick(ODD_DATES),
          age: pick(['-1', '1e308', '99999999999999999999', 'x', '0']),
        },
      }));
    },
  },
  {
    name: 'a `Date` one day ahead and back, every six seconds',
    row: 6,
    seconds: 60,
    begin({ service, every }) {
      let ahead = false;
      every(6_000, () => {
        ahead = !ahead;
        service.demo.setFaults({ clockOffsetSeconds: ahead ? DAY_SECONDS : 0 });
      });
    },
  },
  {
    name: 'a `Date` one day ahead for so long that it is believed, and back',
    row: 6,
    seconds: 150,
    begin({ service, every }) {
      let ahead = true;
      service.demo.setFaults({ clockOffsetSeconds: DAY_SECONDS });
      every(75_000, () => {
        ahead = !ahead;
        service.demo.setFaults({ clockOffsetSeconds: ahead ? DAY_SECONDS : 0 });
      });
    },
  },
];
