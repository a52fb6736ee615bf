import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Fact } from './facts';
import type { CountedMetric, Metric, ReadMetric } from './metric';
import { METRICS } from './metric-list';
import type { Status } from './status';

/** The kiosk in numbers, for `GET /metrics`. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Fresh metrics in a registry of their own. Every label has a bounded set of values. */
export function createMetrics(metrics: readonly Metric[] = METRICS) {
  const registry = new Registry();
  const counting = new Map<string, Array<(fact: never) => void>>();
  const reading: Array<(status: Status) => void> = [];
  for (const metric of metrics) {
    if ('read' in metric) reading.push(readIn(registry, metric));
    else counting.set(metric.of, [...(counting.get(metric.of) ?? []), countedIn(registry, metric)]);
  }
  return {
    /** Counts a fact with the metrics that are declared for it. */
    count(fact: Fact): void {
      for (const count of counting.get(fact.kind) ?? []) count(fact as never);
    },
    /** Prometheus' text format: the counted metrics, and those read from `status`. */
    scrape(status: Status): Promise<string> {
      for (const read of reading) read(status);
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

const optionsOf = ({ name, help, labels }: Metric, registry: Registry) => ({
  name,
  help,
  labelNames: labels,
  registers: [registry],
});

/** Registers a metric; returns the function that counts a fact. */
function countedIn(registry: Registry, declared: CountedMetric): (fact: never) => void {
  const { buckets, mostValues = {}, values, samples } = declared;
  const options = optionsOf(declared, registry);
  const bounded = Object.entries(mostValues).map(([label, most = 0]) => [label, boundedBy(most)] as const);
  const metric = buckets ? new Histogram({ ...options, buckets: [...buckets] }) : new Counter(options);
  // Without a 0 first, Prometheus sees no increase when a series begins with its first event.
  if (values && metric instanceof Counter) for (const labels of combinationsOf(values)) metric.inc(labels, 0);
  return (fact) => {
    for (const { labels, value } of samples(fact)) {
      const kept = { ...labels };
      for (const [label, keep] of bounded) kept[label] = keep(`${labels[label]}`);
      if (metric instanceof Counter) metric.inc(kept, value);
      else metric.observe(kept, value);
    }
  };
}

/** Each combination of a value of each label. */
function combinationsOf(values: Readonly<Record<string, readonly string[]>>) {
  return Object.entries(values).reduce<Record<string, string>[]>(
    (all, [label, each]) => all.flatMap((labels) => each.map((value) => ({ ...labels, [label]: value }))),
    [{}],
  );
}

/** Registers a metric; returns the function that reads its values from a status. */
function readIn(registry: Registry, declared: ReadMetric): (status: Status) => void {
  const options = optionsOf(declared, registry);
  const metric = declared.type === 'gauge' ? new Gauge(options) : new Counter(options);
  return (status) => {
    metric.reset();
    // Without labels a reset leaves a zero behind.
    if (declared.labels.length === 0) metric.remove();
    for (const { labels, value } of declared.read(status)) metric.inc(labels, value);
  };
}

/** Lets the first `most` distinct codes through; further ones become `other`. */
function boundedBy(most: number): (code: string) => string {
  const codes = new Set<string>();
  return (code) => {
    if (codes.has(code)) return code;
    if (codes.size >= most || !/^[A-Za-z0-9_-]{1,40}$/.test(code)) return 'other';
    codes.add(code);
    return code;
  };
}
