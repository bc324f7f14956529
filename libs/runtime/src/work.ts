import { AsyncLocalStorage } from 'node:async_hooks';
import type { OpenSpan } from './tracing.js';

/** What a process is at work for: a request, wherever that came in, and the span of the trace that is open for it. */
export interface Work {
  readonly requestId: string | undefined;
  span: OpenSpan | undefined;
}

const works = new AsyncLocalStorage<Work>();

/** What the code that runs now works for; undefined for what no request asked for. */
export const currentWork = (): Work | undefined => works.getStore();

/** Runs as this work, with all that follows from it: promises, timers, and what these begin. */
export const atWork = <T>(work: Work, run: () => T): T => works.run(work, run);

/** A function that runs as the work that it was made in, whoever calls it: for what waits in a queue of our own. */
export const inThisWork = <Given extends unknown[], T>(run: (...given: Given) => T): ((...given: Given) => T) =>
  AsyncLocalStorage.bind(run);

/** What each log line says of the work that it is written in. */
export const workFields = (): object => {
  const work = works.getStore();
  if (work === undefined) return {};
  const { requestId, span } = work;
  return {
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(span?.recorded === true ? { trace_id: span.traceId } : {}),
  };
};
