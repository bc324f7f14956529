import type { Logger } from './logger.js';
import { runInRequestContext, currentRequestContext } from './request-context.js';

/** W3C Trace Context, as HTTP and NATS headers carry it. */
export interface TraceHeaders {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Follows OpenTelemetry's semantic conventions. Contains no client input, so no secret of a client. */
export interface SpanOptions {
  readonly kind: 'server' | 'client' | 'producer' | 'consumer';
  readonly name: string;
  readonly attributes: SpanAttributes;
}

export interface OpenSpan {
  readonly traceId: string;
  /** False if the sampler dropped the trace. Its calls then create no spans. */
  readonly recorded: boolean;
  /** Headers that make a span of another process a child of this one. */
  readonly headers: TraceHeaders;
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed. The text is a code or the name of an error, never its message. */
  fail(errorType: string): void;
  end(): void;
}

export interface Tracer {
  begin(spanOptions: SpanOptions, parent: OpenSpan | TraceHeaders): OpenSpan;
  /** Sends the queued spans, for at most 2 s. */
  stop(): Promise<void>;
}

export interface TracingConfig {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_HEADERS?: string | undefined;
  readonly OTEL_TRACES_SAMPLER: string;
  readonly OTEL_TRACES_SAMPLER_ARG: number;
}

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

/** The span of received work, in the trace of its headers or a new one. Undefined without tracing. */
export const beginSpan = (headers: TraceHeaders, spanOptions: () => SpanOptions): OpenSpan | undefined =>
  tracer?.begin(spanOptions(), headers);

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
