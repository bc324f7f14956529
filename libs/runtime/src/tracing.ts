import type { Logger } from './logger.js';
import { currentRequestContext, runInRequestContext } from './request-context.js';
import type { OpenSpan, SpanOptions, TraceHeaders, Tracer, TracingConfig } from './span.js';

let tracer: Tracer | undefined;

/**
 * Sends traces of this process to the collector that is configured, until it is stopped. Without one, nothing of
 * OpenTelemetry is loaded, and each place that would begin a span has one comparison to do.
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

/**
 * Begins the span of work that came from outside, as a child of what its headers name, else of nothing. Undefined where
 * this process makes no traces.
 */
export const beginSpan = (headers: TraceHeaders, spanOptions: () => SpanOptions): OpenSpan | undefined =>
  tracer?.begin(spanOptions(), headers);

/**
 * Makes a call to elsewhere in a span of its own. Only inside of work that has one: what a process does for itself, such
 * as looking for what is due, would be millions of traces of a single step.
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

/** Begins the span of a call whose end is told by somebody else; undefined where `inSpan` would make none. */
export const beginSpanOfCall = (spanOptions: () => SpanOptions): OpenSpan | undefined => {
  const span = currentRequestContext()?.span;
  return tracer === undefined || span?.recorded !== true ? undefined : tracer.begin(spanOptions(), span);
};

/** Few different texts, and none that holds what somebody wrote: messages of errors may. */
export const errorTypeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
};
