import type { Registry } from 'prom-client';

export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * Our own counters and gauges, and the `_sum` and `_count` of our histograms, without the metrics of Node. Buckets only of
 * histograms without labels: those of each route would make an answer a hundred times as long.
 */
export const readSamples = async (registry: Registry): Promise<MetricSample[]> => {
  const metrics = await registry.getMetricsAsJSON();
  return metrics
    .filter(({ name }) => name.startsWith('almanac_'))
    .flatMap((metric) => {
      const values: readonly { value: number; labels: Partial<Record<string, unknown>>; metricName?: string }[] =
        metric.values;
      return values
        .filter(({ metricName, labels }) => metricName?.endsWith('_bucket') !== true || isBucketAlone(labels))
        .map(({ value, labels, metricName = metric.name }) => ({ name: metricName, labels: texts(labels), value }));
    });
};

const isBucketAlone = (labels: object): boolean => Object.keys(labels).every((name) => name === 'le');

const texts = (labels: Partial<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));

/** The sum over all samples of a metric with these labels. Undefined if there is none. */
export const sumOfSamples = (
  samples: readonly MetricSample[],
  name: string,
  labels: MetricSample['labels'] = {},
): number | undefined => {
  const labelEntries = Object.entries(labels);
  const found = samples.filter(
    (sample) => sample.name === name && labelEntries.every(([label, value]) => sample.labels[label] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
};
