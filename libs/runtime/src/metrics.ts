import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * What the libraries of this process measure: a process has one set of it, whatever was started in it. What a service
 * measures itself is in its `health.metrics`; `/metrics` shows both.
 */
export const processMetrics = new Registry();

/** In seconds: from an answer out of memory to the longest that a caller waits. */
const secondsBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** What is kept per value of a label, made when the value is first met: prom-client would look it up at each call. */
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

/** Counts in `register`, by these labels. */
export const counter = <Label extends string>(
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
  register: Registry = processMetrics,
): Counter<Label> => new Counter({ name, help, labelNames: [...labelNames], registers: [register] });

/** A histogram of seconds. */
export const histogram = <Label extends string>(
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
  register: Registry = processMetrics,
): Histogram<Label> =>
  new Histogram({ name, help, labelNames: [...labelNames], buckets: secondsBuckets, registers: [register] });

export const gauge = (name: string, help: string, register: Registry = processMetrics): Gauge =>
  new Gauge({ name, help, registers: [register] });

/** A gauge that is read when it is asked for. */
export const readGauge = (name: string, help: string, read: () => number, register: Registry = processMetrics): Gauge =>
  new Gauge({
    name,
    help,
    registers: [register],
    collect() {
      this.set(read());
    },
  });

/** Since a reading of `performance.now()`. */
export const secondsSince = (beganAt: number): number => (performance.now() - beganAt) / 1_000;
