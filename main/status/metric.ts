import type { Fact } from './facts';
import type { Status } from './status';

/**
 * One value of a metric: the increment of a counter, an observation of a histogram, or the value of a gauge.
 */
export interface Sample<Label extends string> {
  readonly value: number;
  readonly labels: Readonly<Record<Label, string | number>>;
}

interface Declaration<Label extends string> {
  /** For Prometheus: a public interface, as are the labels. */
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
}

/** A metric that facts of a kind are counted with: a counter, or with `buckets` a histogram. */
interface Counted<Label extends string, Kind extends Fact['kind']> extends Declaration<Label> {
  /** Upper bounds of a histogram, seconds. */
  readonly buckets?: readonly number[];
  /** Most distinct values of a label; further ones, and values that are no codes, become `other`. */
  readonly mostValues?: Partial<Readonly<Record<Label, number>>>;
  /** All values of each label, where they are known: the counter starts at 0 with each combination of them. */
  readonly values?: Readonly<Record<NoInfer<Label>, readonly string[]>>;
  readonly of: Kind;
  readonly samples: (fact: Extract<Fact, { kind: Kind }>) => readonly Sample<NoInfer<Label>>[];
}

/** A metric that is read from the status at each scrape; without a sample it has no value. */
interface Read<Label extends string> extends Declaration<Label> {
  readonly type: 'gauge' | 'counter';
  readonly read: (status: Status) => readonly Sample<NoInfer<Label>>[];
}

/** A counted metric of any kind of fact. */
export interface CountedMetric extends Omit<Counted<string, Fact['kind']>, 'samples'> {
  readonly type: 'counter' | 'histogram';
  readonly samples: (fact: never) => readonly Sample<string>[];
}
export type ReadMetric = Read<string>;
export type Metric = CountedMetric | ReadMetric;

// Each sample has to have the labels that the metric names, or it does not compile.
export const counted = <const Label extends string, Kind extends Fact['kind']>(
  metric: Counted<Label, Kind>,
): CountedMetric => ({ ...metric, type: metric.buckets === undefined ? 'counter' : 'histogram' });

export const read = <const Label extends string>(metric: Read<Label>): ReadMetric => metric;

/** A gauge without labels; null: it has no value. */
export const gauge = (metric: {
  readonly name: string;
  readonly help: string;
  readonly read: (status: Status) => number | null;
}): ReadMetric => ({
  ...metric,
  type: 'gauge',
  labels: [],
  read: (status) => plain(metric.read(status)),
});

/** The value of a metric without labels; none where there is no value. */
export const plain = (value: number | null): readonly Sample<never>[] =>
  value === null ? [] : [{ value, labels: {} }];

/** A value for each value of the metric's one label. */
export const by = <Label extends string>(
  label: Label,
  values: Readonly<Record<string, number>>,
): readonly Sample<Label>[] =>
  Object.entries(values).map(([name, value]) => ({
    value,
    labels: { [label]: name } as Record<Label, string>,
  }));
