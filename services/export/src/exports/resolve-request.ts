import type { RpcClient } from '@almanac/bus';
import type { RpcContext } from '@almanac/bus/server';
import {
  asOfField,
  catalogRpc,
  type commerceRpc,
  DomainError,
  type ExportQuery,
  type exportRpc,
  missingRowsOf,
  notFound,
  readTimeOf,
} from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import type { z } from 'zod';
import { checkEngineFormat } from '../engine-formats/engine-format.js';
import { type Dataset, loadDataset } from '../datasets/datasets.js';
import { type Target, targetOf, targetOfQuery } from '../files/target.js';

/** A request after its target was checked, before its target is looked up in the archive. */
export interface ExportRequest {
  readonly target: Target;
  readonly streams: ExportQuery['streams'];
  readonly format: ExportQuery['format'];
  readonly numbers: ExportQuery['numbers'];
  /** Absent if formulas stay as they are, also for other formats. */
  readonly csv_formulas?: 'escape';
  /** Absent for the archive as it is. */
  readonly as_of?: number;
  /** Each day with rows becomes an export of its own. */
  readonly split: boolean;
  /** The dataset that the request makes again. It has the other options. */
  readonly dataset?: Dataset;
}

type Resolved = z.output<typeof catalogRpc.exportTarget.output>;
export type RequestPart = Resolved['parts'][number];

/** What a request exports and what must be paid for. */
export interface ResolvedRequest {
  /** Of the only file. A split request has one for each part: see `queryOfPart`. */
  readonly exportQuery: ExportQuery;
  readonly tickers: readonly string[];
  readonly parts: readonly RequestPart[];
  readonly claim: z.input<typeof commerceRpc.quote.input>;
  readonly remarks: readonly string[];
}

/** An RPC and an event must hold them, and each is looked up. A day of the busiest series has some hundred. */
const eventsMax = 10_000;

type RequestInput = z.output<typeof exportRpc.quote.input>;

/** Throws for a target that is missing, ambiguous or not valid, and `dataset_not_found`. */
export const requestOf = async (store: EventStore, input: RequestInput): Promise<ExportRequest> => {
  if (!input.dataset) return newRequestOf(input);
  const { event, ticker, series, day, events, tickers, from, to } = input;
  if ([event, ticker, series, day, events, tickers, from, to].some(Boolean)) {
    throw new DomainError('ambiguous_target', 'The request has a dataset and another target. Send the dataset alone.');
  }
  const request = requestOfDataset(await loadDataset(store, input.dataset));
  // Whoever reads as of a time must not learn that a later file exists.
  if (input.as_of !== undefined && (request.as_of ?? Infinity) > input.as_of) {
    throw notFound('dataset_not_found', input.dataset);
  }
  return request;
};

const requestOfDataset = (dataset: Dataset): ExportRequest => {
  const { query } = dataset.manifest;
  const { streams, format, numbers } = query;
  const options = optionsOf(query);
  return { target: targetOfQuery(query), streams, format, numbers, split: false, ...options, dataset };
};

const newRequestOf = (input: RequestInput): ExportRequest => {
  const target = targetOf(input);
  const split = input.split === 'day';
  if (split && target.series === null) {
    throw new DomainError('missing_target', 'split can be day only for a series with day, or with from and to.');
  }
  const { format, numbers } = input;
  const csv_formulas = format === 'csv' && input.csv_formulas === 'escape' ? ('escape' as const) : undefined;
  const streams = [...new Set(input.streams)];
  const { as_of } = asOfField(readTimeOf(input.as_of).asOfUs);
  checkEngineFormat({ format, streams }, target);
  return {
    target,
    streams,
    format,
    numbers,
    split,
    ...optionsOf({ csv_formulas, ...(as_of !== undefined && { as_of }) }),
  };
};

/** Finds the target in the archive. Throws what the catalog service throws, and `invalid_input` for too many events. */
export const resolveRequest = async (
  rpc: RpcClient,
  { target, streams, format, numbers, split, ...given }: ExportRequest,
  context: RpcContext,
): Promise<ResolvedRequest> => {
  const { from, to, events: eventList, tickers: tickerList } = target;
  const options = optionsOf(given);
  const { as_of } = options;
  const resolved = await rpc.call(catalogRpc.exportTarget, {
    input: { ...target, streams, as_of },
    context: context.forwardedContext,
  });
  if (resolved.as_of !== as_of) {
    throw new DomainError('unavailable', 'The catalogue cannot answer as of a time yet. Try again in a few minutes.');
  }
  const { event, ticker, series, day, events, tickers, parts } = resolved;
  const several = from !== undefined || eventList !== undefined || tickerList !== undefined;
  if (several && events.length > eventsMax) {
    throw new DomainError(
      'invalid_input',
      `The request has ${events.length} events. At most ${eventsMax} are possible. Choose fewer days.`,
    );
  }
  const exportQuery: ExportQuery = {
    event,
    ticker,
    series,
    day,
    streams,
    format,
    numbers,
    ...options,
    ...(from === undefined || to === undefined ? {} : { from, to }),
    ...(eventList === undefined ? {} : { events: eventList }),
    ...(tickerList === undefined ? {} : { tickers: tickerList }),
  };
  const claimed = split ? parts.filter(({ has_rows }) => has_rows) : parts;
  const claim = {
    events: split ? [...new Set(claimed.flatMap((part) => part.events))] : events,
    day_pack: target.series !== null,
    l2: streams.includes('l2'),
    // A market without an event is covered by a plan only.
    plan_only: tickerList !== undefined && parts.some((part) => part.events.length === 0),
    parts: several || split ? claimed.map((part) => ({ events: part.events })) : [],
    split,
  };
  return { exportQuery, tickers, parts, claim, remarks: emptyDays(parts, streams) };
};

/** The options that only some queries have, so that other files keep their keys. */
const optionsOf = ({
  csv_formulas,
  as_of,
}: Pick<ExportQuery, 'csv_formulas' | 'as_of'>): { csv_formulas?: 'escape'; as_of?: number } => ({
  ...(csv_formulas === undefined ? {} : { csv_formulas }),
  ...(as_of === undefined ? {} : { as_of }),
});

/** The query of one part as an export of its own. */
export const queryOfPart = (whole: ExportQuery, part: RequestPart): ExportQuery => {
  const { streams, format, numbers } = whole;
  const options = { streams, format, numbers, ...optionsOf(whole) };
  const none = { event: null, ticker: null, series: null, day: null };
  if (part.day !== null) return { ...none, series: whole.series, day: part.day, ...options };
  const { tickers, ticker } = whole;
  if (tickers !== undefined) return { ...none, event: part.event, tickers: part.tickers, ...options };
  return { ...none, event: part.event, ticker, ...options };
};

const emptyDays = (parts: readonly RequestPart[], streams: ExportQuery['streams']): string[] => {
  const days = parts.filter(({ has_rows }) => !has_rows).map(({ day }) => day);
  if (days.length === 0) return [];
  return [
    `The archive has no ${missingRowsOf(streams)} on ${days.length} of ${parts.length} days: ${days.join(', ')}.`,
  ];
};
