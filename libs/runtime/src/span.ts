/** W3C Trace Context, as HTTP and NATS headers carry it. */
export interface TraceHeaders {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A step of a trace that is under way. */
export interface OpenSpan {
  readonly traceId: string;
  /** False where the sampler left the trace out: then calls made in it are not looked at either. */
  readonly recorded: boolean;
  /** What makes another process' span a child of this one. */
  readonly headers: TraceHeaders;
  set(attributes: SpanAttributes): void;
  /** Marks it as failed; the text is a code or the name of an error, never its message. */
  fail(errorType: string): void;
  end(): void;
}

/** Named by OpenTelemetry's semantic conventions. What a client wrote stands in none, so neither does a secret of its. */
export interface SpanOptions {
  readonly kind: 'server' | 'client' | 'producer' | 'consumer';
  readonly name: string;
  readonly attributes: SpanAttributes;
}

export interface Tracer {
  begin(spanOptions: SpanOptions, parent: OpenSpan | TraceHeaders): OpenSpan;
  /** Sends what is left, for 2 s at most. */
  stop(): Promise<void>;
}

/** The `OTEL_…` part of `processVariables`. */
export interface TracingConfig {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_HEADERS?: string | undefined;
  readonly OTEL_TRACES_SAMPLER: string;
  readonly OTEL_TRACES_SAMPLER_ARG: number;
}
