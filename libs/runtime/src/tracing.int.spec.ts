import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type TraceCollector, eventually, startTraceCollector } from '@almanac/testing';
import { type Started, startTestProcess } from './testing/test-start.js';

const trace = '0af7651916cd43dd8448eb211c80319c';
const client = 'b7ad6b7169203331';
const sampled = `00-${trace}-${client}-01`;

/** Prints the loaded modules of OpenTelemetry. */
const printLoadedModules = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      if (/@opentelemetry.(?!api)/.test(url)) process.stderr.write('loaded ' + url + '\\n');
      return next(url, context);
    },
  });
`)}`;

describe('the traces of a process', () => {
  let collector: TraceCollector;
  const started: Started[] = [];
  beforeEach(async () => {
    collector = await startTraceCollector();
  });
  afterEach(async () => {
    for (const { child, ended } of started.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
    await collector.stop();
  });
  const start = (variables: Readonly<Record<string, string>>, args: readonly string[] = []): Started => {
    const one = startTestProcess('test-traces.js', { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...variables }, args);
    started.push(one);
    return one;
  };
  /** Stops the process in order, which sends the remaining spans. */
  const end = async ({ child, ended, line }: Started): Promise<void> => {
    await line('"started"');
    child.kill('SIGTERM');
    assert.equal(await ended, 0);
  };
  const counted = async ({ line }: Started, outcome: string): Promise<number> => {
    const { health_port: port } = await line('"started"');
    const metrics = await (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text();
    return Number(new RegExp(`almanac_spans_total{outcome="${outcome}"} (\\d+)`).exec(metrics)?.[1] ?? 0);
  };

  it('nest below each other and below their client, and show only the kind of a failure', async () => {
    const one = start({ TIMES: '1', PARENTS: sampled, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b' });
    await end(one);
    const [childSpans, calls] = collector.spans;
    assert.ok(childSpans !== undefined && calls !== undefined && collector.spans.length === 2);
    assert.deepEqual([calls.traceId, calls.parentSpanId, calls.service], [trace, client, 'test']);
    assert.deepEqual([childSpans.traceId, childSpans.parentSpanId], [trace, calls.spanId]);
    assert.deepEqual([childSpans.status.code, childSpans.attributes], [2, { 'error.type': 'TypeError' }]);
    assert.equal(collector.headers[0]?.['x-key'], 'a b');
    const { trace_id: traceId, request_id: requestId } = await one.line('at work');
    assert.deepEqual([traceId, requestId], [trace, sampled]);
  });

  it('start a new trace when the client sends no valid one, and tolerate unknown flags', async () => {
    const bad = [
      '',
      'x',
      trace,
      sampled.toUpperCase(),
      `00-${'0'.repeat(32)}-${client}-01`,
      `00-${trace}-${'0'.repeat(16)}-01`,
      `ff-${trace}-${client}-01`,
      `${sampled}-more`,
    ];
    await end(start({ TIMES: '1', PARENTS: [...bad, `00-${trace}-${client}-ff`].join(',') }));
    const calls = collector.spans.filter(({ name }) => name === 'asked');
    assert.deepEqual(
      calls.map(({ parentSpanId }) => parentSpanId),
      [...bad.map(() => ''), client],
    );
    assert.equal(new Set(calls.map(({ traceId }) => traceId)).size, bad.length + 1);
  });

  for (const { sampler, share, sent } of [
    { sampler: 'parentbased_traceidratio', share: '0', sent: [client] },
    { sampler: 'traceidratio', share: '0', sent: [] },
    { sampler: 'always_off', share: '1', sent: [] },
    { sampler: 'parentbased_traceidratio', share: '1', sent: ['', client] },
  ]) {
    it(`of clients without a decision, with sampling and without, at ${share} of ${sampler}, are ${sent.length}`, async () => {
      const parents = ['', sampled, `00-${trace}-${client}-00`].join(',');
      const sampling = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: share };
      await end(start({ TIMES: '1', PARENTS: parents, ...sampling }));
      const calls = collector.spans.filter(({ name }) => name === 'asked');
      assert.deepEqual(
        calls.map(({ parentSpanId }) => parentSpanId),
        sent,
      );
    });
  }

  it('are dropped and counted when their collector is silent, and the process works and ends as usual', async () => {
    collector.unresponsive = true;
    const one = start({ TIMES: '10000' });
    const dropped = await counted(one, 'dropped');
    assert.ok(dropped > 0 && dropped < 20_000, String(dropped));
    await end(one);
  });

  it('that no collector accepts are logged once, and counted', async () => {
    const { url } = collector;
    await collector.stop();
    const one = start({ TIMES: '2', OTEL_EXPORTER_OTLP_ENDPOINT: url });
    await one.line('traces cannot be sent and are dropped');
    await eventually(async () => assert.equal(await counted(one, 'failed'), 4));
    await end(one);
    assert.equal(one.output().split('cannot be sent').length, 2);
  });

  it('load no OpenTelemetry module without a collector', async () => {
    for (const { endpoint, loads } of [
      { endpoint: '', loads: false },
      { endpoint: collector.url, loads: true },
    ]) {
      const one = start({ TIMES: '1', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, ['--import', printLoadedModules]);
      await end(one);
      assert.equal(one.errors().includes('loaded '), loads, one.errors());
    }
  });
});
