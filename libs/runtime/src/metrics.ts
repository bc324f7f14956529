import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * Metrics of the libraries in this process, one registry per process. A service's own metrics are in
 * `health.metrics`; `/metrics` shows both.
 */
export const processMetrics = new Registry();

/** In seconds, from an answer in memory to the longest timeout of a caller. */
const secondsBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Caches one object per label value: prom-client would look it up on each call. */
export const perValue = <Value, Child>(childOf: (value: Value) => Child): ((value: Value) => Child) => {
  const children = new Map<Value, Child>();
  return (value) => {
    const existing = children.get(value);
    if (existing !== undefined) return existing;
    const child = childOf(value);
    children.set(value, child);
    return child;
  };
};

export const counter = <Label extends string>(
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
  register: Registry = processMetrics,
): Counter<Label> => new Counter({ name, help, labelNames: [...labelNames], registers: [register] });

export const histogram = <Label extends string>(
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
  register: Registry = processMetrics,
): Histogram<Label> =>
  new Histogram({ name, help, labelNames: [...labelNames], buckets: secondsBuckets, registers: [register] });

export const gauge = (name: string, help: string, register: Registry = processMetrics): Gauge =>
  new Gauge({ name, help, registers: [register] });

/** A gauge that reads its value at each scrape. */
export const readGauge = (name: string, help: string, read: () => number, register: Registry = processMetrics): Gauge =>
  new Gauge({
    name,
    help,
    registers: [register],
    collect() {
      this.set(read());
    },
  });

/** Seconds since a value of `performance.now()`. */
export const secondsSince = (beganAt: number): number => (performance.now() - beganAt) / 1_000;
