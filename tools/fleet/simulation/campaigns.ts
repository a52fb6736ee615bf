import type { FrequencyCap } from '../../../shared/ad';

/** An ad that simulated kiosks play. */
export interface SimulatedAd {
  readonly flightId: string;
  readonly campaignId: string;
  readonly sourceId: string;
  readonly durationMs: number;
  readonly caps: readonly FrequencyCap[];
}

const cap = (window: string, limit: number): FrequencyCap => ({
  window: `FREQUENCY_CAP_WINDOW_${window}`,
  limit,
});

/** The ads of the simulation: every kind of cap, and one ad without any, so that no slot stays empty. */
export const ADS: readonly SimulatedAd[] = [
  ad('coffee-launch', 'coffee', 'ad-server', 10_000, [cap('MINUTE', 1), cap('HOUR', 40)]),
  ad('coffee-weekend', 'coffee', 'ad-server', 10_000, [cap('THIRTY_MINUTES', 12)]),
  ad('oat-milk', 'dairy', 'ssp', 15_000, [cap('DAY', 600)]),
  ad('yoghurt', 'dairy', 'ssp', 5_000, [cap('HOUR', 25), cap('WEEK', 400)]),
  ad('new-store', 'retailer', 'cms', 10_000, [cap('FLIGHT', 300)]),
  ad('bakery', 'retailer', 'cms', 10_000, []),
];

function ad(
  flightId: string,
  campaignId: string,
  sourceId: string,
  durationMs: number,
  caps: readonly FrequencyCap[],
): SimulatedAd {
  return { flightId, campaignId, sourceId, durationMs, caps };
}
