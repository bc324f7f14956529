import type { DeadLettersOfConsumer, StreamsStatus } from '@almanac/contracts';

/**
 * The reports of all services as one. The stream of dead letters and its counts are in several reports, so that they are
 * known although a service is silent. Only the service of a consumer knows its newest dead letter.
 */
export const mergedStreams = (reports: readonly StreamsStatus[]): StreamsStatus => {
  const streams = new Map(reports.flatMap((report) => report.streams.map((one) => [one.stream, one] as const)));
  const letters = new Map<string, DeadLettersOfConsumer>();
  for (const one of reports.flatMap((report) => report.dead_letters)) {
    const other = letters.get(one.consumer);
    const count = Math.max(one.count, other?.count ?? 0);
    letters.set(one.consumer, { ...one, count, newest: one.newest ?? other?.newest ?? null });
  }
  return {
    streams: [...streams.values()].toSorted((a, b) => a.stream.localeCompare(b.stream)),
    consumers: reports
      .flatMap((report) => report.consumers)
      .toSorted((a, b) => b.waiting - a.waiting || a.consumer.localeCompare(b.consumer)),
    dead_letters: [...letters.values()].toSorted((a, b) => b.count - a.count || a.consumer.localeCompare(b.consumer)),
    unreadable: reports.reduce<StreamsStatus['unreadable']>(
      (most, { unreadable }) => (unreadable.count > most.count ? unreadable : most),
      { count: 0, examples: [] },
    ),
  };
};
