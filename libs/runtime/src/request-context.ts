import { AsyncLocalStorage } from 'node:async_hooks';
import type { OpenSpan } from './span.js';

/** What a process is at work for: a request, wherever that came in, and the span of the trace that is open for it. */
export interface RequestContext {
  readonly requestId: string | undefined;
  span: OpenSpan | undefined;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** What the code that runs now works for; undefined for what no request asked for. */
export const currentRequestContext = (): RequestContext | undefined => storage.getStore();

/** Runs as this work, with all that follows from it: promises, timers, and what these begin. */
export const runInRequestContext = <T>(context: RequestContext, run: () => T): T => storage.run(context, run);

/** A function that runs as the work that it was made in, whoever calls it: for what waits in a queue of our own. */
export const bindRequestContext = <Given extends unknown[], T>(run: (...args: Given) => T): ((...args: Given) => T) =>
  AsyncLocalStorage.bind(run);

/** What each log line says of the work that it is written in. */
export const requestLogFields = (): object => {
  const context = storage.getStore();
  if (context === undefined) return {};
  const { requestId, span } = context;
  return {
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(span?.recorded === true ? { trace_id: span.traceId } : {}),
  };
};
