import type { Facts } from './metric-facts';

/** One value of a metric: what a counter goes up by, what a histogram takes in, or how a gauge stands. */
export interface Sample<Label extends string> {
  readonly value: number;
  readonly labels: Readonly<Record<Label, string | number>>;
}

interface Metric<Label extends string> {
  /** As Prometheus knows it: a public interface, as are the labels. */
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
}

/** A metric that is told as things happen; `sample` makes a value of what is told. */
export interface CountedMetric<Label extends string, Told extends readonly unknown[]> extends Metric<Label> {
  readonly type: 'counter' | 'histogram';
  /** Upper bounds of a histogram, seconds. */
  readonly buckets?: readonly number[];
  /** Of these labels the first so many values are kept apart; later ones, and what is no code, are `other`. */
  readonly mostValues?: Partial<Readonly<Record<Label, number>>>;
  readonly sample: (...told: Told) => Sample<NoInfer<Label>>;
}

/** A metric that is read at each scrape; no sample: it has no value. */
export interface ReadMetric<Label extends string> extends Metric<Label> {
  readonly type: 'gauge' | 'counter';
  readonly read: (facts: Facts) => readonly Sample<NoInfer<Label>>[];
}

// Each sample has to have the labels that the metric names, or it does not compile.
export const counted = <const Label extends string, Told extends readonly unknown[]>(
  metric: CountedMetric<Label, Told>,
): CountedMetric<Label, Told> => metric;

export const read = <const Label extends string>(metric: ReadMetric<Label>): ReadMetric<Label> => metric;

/** The value of a metric without labels. */
export const plain = (value: number): Sample<never> => ({ value, labels: {} });

/** None where there is no value. */
export const plainOrNone = (value: number | null): readonly Sample<never>[] =>
  value === null ? [] : [plain(value)];
