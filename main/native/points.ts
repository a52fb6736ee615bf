import type { RevenueModel } from '../../shared/native';

/** How many events earn a payout, and which. */
const EARNED_BY = {
  CPA: { count: 1, event: 'conversion' },
  CPM: { count: 1000, event: 'impression' },
  CPC: { count: 1, event: 'click' },
} as const;

/** What the points of an ad are worth. For operators: never shown to shoppers. */
export type PointsValue =
  | {
      readonly kind: 'payout';
      readonly usd: number;
      readonly per: (typeof EARNED_BY)[keyof typeof EARNED_BY];
    }
  /** Zero points: only the provider's team can say. */
  | { readonly kind: 'ask-provider' }
  /** Points without a revenue model that says what they pay for. */
  | { readonly kind: 'unknown-model' };

const POINTS_PER_USD = 1000;

/** Null where the answer gave no points. One point is 0.001 USD per conversion, thousand impressions, or click. */
export function pointsValue(points: number | null, model: RevenueModel | null): PointsValue | null {
  if (points === null) return null;
  if (points === 0) return { kind: 'ask-provider' };
  if (model === null || model === 'other') return { kind: 'unknown-model' };
  // Divided, because 0.001 has no exact binary value.
  return { kind: 'payout', usd: points / POINTS_PER_USD, per: EARNED_BY[model] };
}
