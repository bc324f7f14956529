import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

/** The JSON of OTLP over HTTP, as far as tests read it: opentelemetry-proto's trace.proto in proto3 JSON. */
const value = z
  .object({ stringValue: z.string(), intValue: z.coerce.number(), boolValue: z.boolean(), doubleValue: z.number() })
  .partial()
  .transform((one) => Object.values(one)[0]);
const attributes = z
  .array(z.object({ key: z.string(), value }))
  .default([])
  .transform((list) => Object.fromEntries(list.map((one) => [one.key, one.value])));
const nanos = z.string().regex(/^\d+$/).transform(BigInt);
const span = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().default(''),
  name: z.string(),
  kind: z.int(),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  attributes,
  status: z.object({ code: z.int().default(0) }).default({ code: 0 }),
});
const batch = z.object({
  resourceSpans: z.array(
    z.object({ resource: z.object({ attributes }), scopeSpans: z.array(z.object({ spans: z.array(span) })) }),
  ),
});

export type ReceivedSpan = z.output<typeof span> & { readonly service: unknown };

export interface TraceCollector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly headers: readonly Readonly<Record<string, unknown>>[];
  /** If set, batches are received and never answered. */
  unresponsive: boolean;
  stop(): Promise<void>;
}

/** A fake trace collector. It accepts OTLP over HTTP as JSON and rejects anything else. */
export const startTraceCollector = async (): Promise<TraceCollector> => {
  const spans: ReceivedSpan[] = [];
  const headers: Readonly<Record<string, unknown>>[] = [];
  const receive = (body: unknown): void => {
    for (const { resource, scopeSpans } of batch.parse(body).resourceSpans) {
      const service = resource.attributes['service.name'];
      spans.push(...scopeSpans.flatMap((scope) => scope.spans.map((one) => ({ ...one, service }))));
    }
  };
  const server = createServer((request, response) => {
    headers.push(request.headers);
    if (collector.unresponsive) return;
    if (request.method !== 'POST' || request.url !== '/v1/traces') {
      response.writeHead(404).end();
      return;
    }
    json(request).then(
      (body) => {
        receive(body);
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
      },
      () => response.writeHead(400).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const collector: TraceCollector = {
    url: `http://127.0.0.1:${port}`,
    spans,
    headers,
    unresponsive: false,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return collector;
};
