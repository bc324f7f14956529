import { AsyncLocalStorage } from 'node:async_hooks';
import type { OpenSpan } from './span.js';

/** The request that a process works for, wherever it arrived, and its open span. */
export interface RequestContext {
  readonly requestId: string | undefined;
  span: OpenSpan | undefined;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** The context of the running code. Undefined outside of a request. */
export const currentRequestContext = (): RequestContext | undefined => storage.getStore();

/** Runs code in this context, including its promises and timers. */
export const runInRequestContext = <T>(context: RequestContext, run: () => T): T => storage.run(context, run);

export const requestLogFields = (): object => {
  const context = storage.getStore();
  if (context === undefined) return {};
  const { requestId, span } = context;
  return {
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(span?.recorded === true ? { trace_id: span.traceId } : {}),
  };
};
