import type { RevenueModel } from '../../shared/native';

/** What earns a payout. */
const EARNED_BY = { CPA: 'conversion', CPM: '1000 impressions', CPC: 'click' };

const POINTS_PER_USD = 1000;

/**
 * What the points of an ad are worth, in words; null where the answer gave none. One point is 0.001 USD per conversion,
 * thousand impressions, or click; of zero points only the provider's team can say it. For operators: never shown to
 * shoppers.
 */
export function payoutWords(points: number | null, model: RevenueModel | null): string | null {
  if (points === null) return null;
  if (points === 0) return "0 points: ask the provider's team";
  if (model === null || model === 'other') return 'points without a revenue model this kiosk knows';
  // Divided, because 0.001 has no exact binary value.
  return `${points / POINTS_PER_USD} USD per ${EARNED_BY[model]}`;
}
