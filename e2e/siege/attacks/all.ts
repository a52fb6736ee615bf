import type { Attack } from '../attack';
import { ADDRESSES } from './addresses';
import { CLOCKS } from './clocks';
import { CONNECTIONS } from './connections';
import { ENCODINGS } from './encodings';
import { GUESTS } from './guests';
import { LONG_READINGS } from './long-readings';
import { MANY_BEACONS } from './many-beacons';
import { PAGE_ATTACKS } from './pages';
import { SWITCH_ATTACKS } from './switches';
import { VISITS } from './visits';
import { WRAPPERS } from './wrappers';

/** Every attack of the siege. To add one, add it to its list. */
export const ATTACKS: readonly Attack[] = [
  ...CLOCKS,
  ...ENCODINGS,
  ...LONG_READINGS,
  ...WRAPPERS,
  ...PAGE_ATTACKS,
  ...CONNECTIONS,
  ...ADDRESSES,
  ...MANY_BEACONS,
  ...GUESTS,
  ...VISITS,
  ...SWITCH_ATTACKS,
];
