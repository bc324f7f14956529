/** W3C Trace Context, as HTTP and NATS headers carry it. */
export interface TraceHeaders {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

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

/** Follows OpenTelemetry's semantic conventions. Contains no client input, so no secret of a client. */
export interface SpanOptions {
  readonly kind: 'server' | 'client' | 'producer' | 'consumer';
  readonly name: string;
  readonly attributes: SpanAttributes;
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
