import type { Moment } from '../../tools/fleet/relay';
import { seededRandom } from '../seeded-random';

/** Targets that are killed or cut. */
export const KINDS = ['kiosk', 'network', 'replica', 'shard'] as const;
export type Kind = (typeof KINDS)[number];

/** One kill or cut. */
export interface Disturbance {
  readonly kind: Kind;
  /** The kiosk that is disturbed, or whose network or servers are. */
  readonly kiosk: number;
  /** Index in the kiosk's shard. */
  readonly replica: number;
  /** The moment of the kiosk's request at which it happens; null: at once. */
  readonly moment: Moment | null;
  /** Time after the previous disturbance, ms. */
  readonly afterMs: number;
  /** Time until the target is started again, ms. */
  readonly downMs: number;
}

/** Upper bounds of the kinds: a uniform number in [0, 1) selects the first kind above it. */
const BELOW: Readonly<Record<Kind, number>> = { kiosk: 0.35, network: 0.65, replica: 0.87, shard: 1 };
const MOMENTS: readonly (Moment | null)[] = ['sending', 'working', 'answering', null];
const AFTER_MS = 1_500;
const DOWN_MS = 4_000;

/** The disturbances of a run; the same seed gives the same ones. */
export function disturbancesOf(
  seed: number,
  count: number,
  { kiosks, replicas }: { readonly kiosks: number; readonly replicas: number },
): Disturbance[] {
  const random = seededRandom(seed);
  const below = (most: number) => Math.floor(random() * most);
  return Array.from({ length: count }, () => ({
    kind: kindBelow(random()),
    kiosk: below(kiosks),
    replica: below(replicas),
    moment: MOMENTS[below(MOMENTS.length)] ?? null,
    afterMs: below(AFTER_MS),
    downMs: below(DOWN_MS),
  }));
}

const kindBelow = (share: number) => KINDS.find((kind) => share < BELOW[kind]) ?? 'kiosk';
