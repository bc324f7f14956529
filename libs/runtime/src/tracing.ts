import type { Logger } from './logger.js';
import { currentRequestContext, runInRequestContext } from './request-context.js';
import type { OpenSpan, SpanOptions, TraceHeaders, Tracer, TracingConfig } from './span.js';

let tracer: Tracer | undefined;

/**
 * Sends traces of this process to the configured collector until it is stopped. Without a collector, OpenTelemetry is
 * not loaded, and each possible span costs one comparison.
 */
export const startTracing = async (
  service: string,
  config: TracingConfig,
  log: Logger,
): Promise<Tracer | undefined> => {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  const { openTelemetry } = await import('./open-telemetry.js');
  tracer = openTelemetry({ service, endpoint, config, log });
  return tracer;
};

/** Whether this process sends traces. */
export const isTracing = (): boolean => tracer !== undefined;

/**
 * The span of received work, in the trace of its headers or a new one. Undefined without tracing. Then neither function
 * is called, since each request comes here.
 */
export const beginSpan = (headers: () => TraceHeaders, spanOptions: () => SpanOptions): OpenSpan | undefined =>
  tracer?.begin(spanOptions(), headers());

/**
 * Runs an outgoing call in its own span, but only within a recorded span. Background work, such as polling, would
 * create millions of traces with a single span.
 */
export const inSpan = async <T>(spanOptions: () => SpanOptions, call: (span?: OpenSpan) => Promise<T>): Promise<T> => {
  const work = currentRequestContext();
  if (tracer === undefined || work?.span?.recorded !== true) return call();
  const span = tracer.begin(spanOptions(), work.span);
  try {
    return await runInRequestContext({ requestId: work.requestId, span }, () => call(span));
  } catch (error) {
    span.fail(errorTypeOf(error));
    throw error;
  } finally {
    span.end();
  }
};

/** Begins the span of a call that ends elsewhere. Undefined where `inSpan` would create none. */
export const beginSpanOfCall = (spanOptions: () => SpanOptions): OpenSpan | undefined => {
  const span = currentRequestContext()?.span;
  return tracer === undefined || span?.recorded !== true ? undefined : tracer.begin(spanOptions(), span);
};

/** A small set of values without user input. Error messages may contain some. */
export const errorTypeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
};
