import { assertNever } from '../../shared/assert-never';
import type { RevenueModel } from '../../shared/native';

/** What the points of an ad are worth. For operators: never shown to shoppers (rule 18). */
export type PointsValue =
  | {
      readonly kind: 'payout';
      readonly usd: number;
      /** How many events earn it, and which. */
      readonly per: { readonly count: number; readonly event: 'conversion' | 'impression' | 'click' };
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
  const payout = (count: number, event: 'conversion' | 'impression' | 'click'): PointsValue => ({
    kind: 'payout',
    // Divided, because 0.001 has no exact binary value.
    usd: points / POINTS_PER_USD,
    per: { count, event },
  });
  switch (model) {
    case 'CPA':
      return payout(1, 'conversion');
    case 'CPM':
      return payout(1000, 'impression');
    case 'CPC':
      return payout(1, 'click');
    case 'other':
    case null:
      return { kind: 'unknown-model' };
    default:
      return assertNever(model);
  }
}
