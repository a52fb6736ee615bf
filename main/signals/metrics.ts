import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Facts } from './metric-facts';
import type { CountedMetric, ReadMetric } from './metric-kinds';
import { COUNTED, type Counting, READ } from './metric-list';

/** The player's counters, for `GET /metrics`. */
export interface Metrics {
  readonly counting: Counting;
  readonly registry: Registry;
  /** Adds the metrics that are read at each scrape, from these facts. To be called once. */
  readFrom(facts: Facts): void;
}

/** Fresh metrics in a registry of their own, as `COUNTED` and `READ` declare them. Every label has a bounded set of values. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const methods = Object.entries(COUNTED).map(([name, metric]) => [name, countedIn(registry, metric)]);
  return {
    registry,
    counting: Object.fromEntries(methods) as Counting,
    readFrom(facts) {
      for (const metric of Object.values(READ)) readIn(registry, metric, facts);
    },
  };
}

/** Registers a metric; answers what takes in what it is told. */
function countedIn<Told extends readonly never[]>(
  registry: Registry,
  metric: CountedMetric<string, Told>,
): (...told: Told) => void {
  const { type, name, help, labelNames, buckets = [], mostValues = {}, sample } = metric;
  const base = { name, help, labelNames: [...labelNames], registers: [registry] };
  const bounded = Object.entries(mostValues).map(([label, most = 0]) => [label, boundedBy(most)] as const);
  const labelsOf = (labels: Readonly<Record<string, string | number>>) => {
    const kept = { ...labels };
    for (const [label, keep] of bounded) kept[label] = keep(`${labels[label]}`);
    return kept;
  };
  if (type === 'histogram') {
    const histogram = new Histogram({ ...base, buckets: [...buckets] });
    return (...told) => {
      const { labels, value } = sample(...told);
      histogram.observe(labelsOf(labels), value);
    };
  }
  const counter = new Counter(base);
  return (...told) => {
    const { labels, value } = sample(...told);
    counter.inc(labelsOf(labels), value);
  };
}

function readIn(registry: Registry, metric: ReadMetric<string>, facts: Facts): void {
  const { type, name, help, labelNames } = metric;
  const base = { name, help, labelNames: [...labelNames], registers: [registry] };
  if (type === 'gauge') {
    new Gauge({
      ...base,
      collect() {
        this.reset();
        // Without labels a reset leaves a zero behind.
        if (labelNames.length === 0) this.remove();
        for (const { labels, value } of metric.read(facts)) this.set(labels, value);
      },
    });
    return;
  }
  new Counter({
    ...base,
    collect() {
      this.reset();
      for (const { labels, value } of metric.read(facts)) this.inc(labels, value);
    },
  });
}

/** Keeps the first `most` distinct codes apart. */
function boundedBy(most: number): (code: string) => string {
  const codes = new Set<string>();
  return (code) => {
    if (codes.has(code)) return code;
    if (codes.size >= most || !/^[A-Za-z0-9_-]{1,40}$/.test(code)) return 'other';
    codes.add(code);
    return code;
  };
}
