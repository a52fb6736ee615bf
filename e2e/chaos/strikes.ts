import type { Moment } from '../../tools/fleet/relay';
import { seededRandom } from '../seeded-random';

/** What is killed or cut. */
export const KINDS = ['kiosk', 'network', 'replica', 'shard'] as const;
export type Kind = (typeof KINDS)[number];

/** Something that goes wrong with the fleet. */
export interface Strike {
  readonly kind: Kind;
  /** It is about this kiosk, its network, or servers that hold its rows. */
  readonly kiosk: number;
  /** Of the kiosk's shard. */
  readonly replica: number;
  /** Where one of the kiosk's requests is; null: wherever it is. */
  readonly moment: Moment | null;
  /** From the strike before, ms. */
  readonly afterMs: number;
  /** Until what was struck is started again, ms. */
  readonly downMs: number;
}

/** A kind comes where a uniform number in [0, 1) is below its own, and not below the one before. */
const BELOW: Readonly<Record<Kind, number>> = { kiosk: 0.35, network: 0.65, replica: 0.87, shard: 1 };
const MOMENTS: readonly (Moment | null)[] = ['sending', 'working', 'answering', null];
const AFTER_MS = 1_500;
const DOWN_MS = 4_000;

/** The strikes of a run; the same seed gives the same ones. */
export function strikesOf(
  seed: number,
  count: number,
  { kiosks, replicas }: { readonly kiosks: number; readonly replicas: number },
): Strike[] {
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
