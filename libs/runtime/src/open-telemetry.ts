import { randomUUID } from 'node:crypto';
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import {
  type ExportResult,
  ExportResultCode,
  parseKeyPairsIntoRecord,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from './logger.js';
import { counter } from './metrics.js';
import type { OpenSpan, SpanOptions, TraceHeaders, Tracer, TracingConfig } from './span.js';
import { withTimeout } from './with-timeout.js';

/** Maximum queued spans of about 1 KB each. Further ones are dropped, so that tracing never blocks a request. */
const queueMax = 4_096;
const batchMax = 512;
const sendEveryMs = 1_000;
/** For one batch with all its attempts. */
const sendMsMax = 5_000;
/** A stopping process has 10 s for everything. */
const stopMsMax = 2_000;
const attributeLengthMax = 256;

export interface OpenTelemetryOptions {
  readonly service: string;
  /** The base URL of OTLP over HTTP, such as `http://collector:4318`. */
  readonly endpoint: string;
  readonly config: TracingConfig;
  readonly log: Logger;
}

/** Tracing with the OpenTelemetry SDK. Loaded only if a collector is configured. */
export const openTelemetry = ({ service, endpoint, config, log }: OpenTelemetryOptions): Tracer => {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: parseKeyPairsIntoRecord(config.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMillis: sendMsMax,
  });
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.namespace': 'almanac',
        'service.name': service,
        'service.instance.id': randomUUID(),
      }),
    ),
    sampler: samplerOf(config),
    spanLimits: { attributeValueLengthLimit: attributeLengthMax },
    spanProcessors: [boundedQueue(exporter, log)],
  });
  const otelTracer = provider.getTracer('almanac');
  return {
    begin: ({ kind, name, attributes }, parent) =>
      openSpan(otelTracer.startSpan(name, { kind: kinds[kind], attributes }, contextOf(parent))),
    // The exporter already counts and logs spans that cannot be sent.
    stop: () =>
      withTimeout(
        stopMsMax,
        provider.shutdown().catch(() => undefined),
        () => undefined,
      ),
  };
};

const kinds: Readonly<Record<SpanOptions['kind'], SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** The six samplers of the standard. The configuration accepts no other. */
const samplerOf = ({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: TracingConfig): Sampler => {
  const plain = name.replace(/^parentbased_/, '');
  const root =
    plain === 'always_off'
      ? new AlwaysOffSampler()
      : plain === 'traceidratio'
        ? new TraceIdRatioBasedSampler(share)
        : new AlwaysOnSampler();
  return plain === name ? root : new ParentBasedSampler({ root });
};

const w3c = new W3CTraceContextPropagator();

/** OpenTelemetry's context of each of our spans. */
const contexts = new WeakMap<OpenSpan, Context>();

/** An invalid `traceparent` is ignored: the span starts a new trace. */
const contextOf = (parent: OpenSpan | TraceHeaders): Context => {
  if ('traceId' in parent) return contexts.get(parent) ?? ROOT_CONTEXT;
  return w3c.extract(ROOT_CONTEXT, parent, defaultTextMapGetter);
};

const openSpan = (span: Span): OpenSpan => {
  const context = trace.setSpan(ROOT_CONTEXT, span);
  const headers: TraceHeaders = {};
  w3c.inject(context, headers, defaultTextMapSetter);
  const open: OpenSpan = {
    traceId: span.spanContext().traceId,
    recorded: span.isRecording(),
    headers,
    set: (attributes) => void span.setAttributes(attributes),
    fail: (errorType) => {
      span.setAttribute('error.type', errorType);
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
    end: () => span.end(),
  };
  contexts.set(open, context);
  return open;
};

const spans = () =>
  counter(
    'almanac_spans_total',
    'spans of traces by outcome: sent, dropped because the queue was full, failed because the collector refused them or did not answer',
    ['outcome'],
  );

/** Limits the SDK's queue from outside, so that dropped spans are counted. */
const boundedQueue = (exporter: SpanExporter, log: Logger): SpanProcessor => {
  const spanCounter = spans();
  let queued = 0;
  let unreachable = false;
  const reportResult = (count: number, { code, error }: ExportResult): void => {
    const isSent = code === ExportResultCode.SUCCESS;
    spanCounter.inc({ outcome: isSent ? 'sent' : 'failed' }, count);
    // Only the message, because the error may contain the collector's answer.
    if (!isSent && !unreachable) log.warn({ reason: error?.message }, 'traces cannot be sent and are dropped');
    if (isSent && unreachable) log.info('traces are sent again');
    unreachable = !isSent;
  };
  const reportingExporter: SpanExporter = {
    export: (batch: ReadableSpan[], done) => {
      queued -= batch.length;
      exporter.export(batch, (result) => {
        reportResult(batch.length, result);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
  const batches = new BatchSpanProcessor({
    exporter: reportingExporter,
    maxQueueSize: queueMax,
    maxExportBatchSize: batchMax,
    scheduledDelayMillis: sendEveryMs,
    exportTimeoutMillis: sendMsMax * 2,
  });
  return {
    onStart: (span, parent) => batches.onStart(span, parent),
    onEnd: (span) => {
      if (queued >= queueMax) return spanCounter.inc({ outcome: 'dropped' });
      queued += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
};
