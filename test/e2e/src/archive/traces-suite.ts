import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { storeArchive } from '@almanac/operator';
import { eventually, type ReceivedSpan, type TraceCollector } from '@almanac/testing';
import type { ApiClient } from '../api.js';
import { createExport, endedExport, readyExport } from '../exports.js';
import type { SystemHarness } from '../harness.js';

const event = 'TRACED';
const ticker = `${event}-1`;
const openS = 1_771_992_900;
const rowsN = 200;
const client = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' };

/** An expected span: its service, its name, and the spans below it. */
interface Step {
  readonly in: string;
  readonly name: string;
  readonly below?: readonly Step[];
}

/** Tests of one trace over all services, which send their spans to the collector and log at the level debug. */
export const tracesSuite = (system: () => SystemHarness, collector: () => TraceCollector): void => {
  describe('a request traced through all services', () => {
    let running: SystemHarness;
    let api: ApiClient;

    before(async () => {
      running = system();
      api = await running.client('internal');
      const times = { open_us: openS * 1e6, close_us: (openS + rowsN) * 1e6 };
      await storeArchive(running.system, {
        facts: [{ kind: 'market', ticker, event_ticker: event, series: 'S', result: 'yes', ...times }],
        rows: Array.from({ length: rowsN }, (_, n) => ({
          ticker,
          series: 'S',
          second: openS + n,
          bidCents: 40,
          askCents: 60,
          coinPrice: n,
          sizes: null,
        })),
      });
    });

    /** Fails unless the spans contain this step below the given one, and its own steps below it. */
    const assertSteps = (steps: readonly Step[], parent: Pick<ReceivedSpan, 'traceId' | 'spanId'>): void => {
      for (const step of steps) {
        const below = collector().spans.filter(
          (span) => span.traceId === parent.traceId && span.parentSpanId === parent.spanId,
        );
        // Several, because the publish of a waiting export has the same name as that of its file.
        const found = below.filter((span) => span.service === step.in && span.name === step.name);
        const seen = below.map((span) => `${String(span.service)}: ${span.name}`).join(', ');
        const [last] = found.toSorted((a, b) => Number(a.startTimeUnixNano - b.startTimeUnixNano)).slice(-1);
        assert.ok(last !== undefined, `no ${step.in}: ${step.name} among ${seen}`);
        assert.ok(last.endTimeUnixNano >= last.startTimeUnixNano);
        assertSteps(step.below ?? [], last);
      }
    };
    const spanOf = (requestId: string): ReceivedSpan =>
      collector().spans.find((span) => span.attributes['almanac.request_id'] === requestId) ??
      assert.fail(`no span of ${requestId}`);
    const linesOf = async (service: string, requestId: string): Promise<Record<string, unknown>[]> => {
      const log = await readFile(join(running.home, 'logs', `${service}.log`), 'utf8');
      const lines = log.split('\n').filter((line) => line.includes(`"request_id":"${requestId}"`));
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    };

    it('is one trace below its client, from HTTP through a call to ClickHouse', async () => {
      const headers = { 'x-request-id': 'traced-read', traceparent: `00-${client.trace}-${client.span}-01` };
      const { status } = await api.send(`/markets/${ticker}/snapshots`, { headers });
      assert.equal(status, 200);
      const route = '/api/v1/markets/:ticker/snapshots';
      const query: Step = { in: 'timeseries', name: 'SELECT snapshots' };
      const answer: Step = { in: 'timeseries', name: 'timeseries/snapshots', below: [query] };
      const call: Step = { in: 'gateway', name: 'timeseries/snapshots', below: [answer] };
      const request: Step = { in: 'gateway', name: `GET ${route}`, below: [call] };
      await eventually(() => assertSteps([request], { traceId: client.trace, spanId: client.span }));
      const { kind, attributes, status: outcome } = spanOf('traced-read');
      assert.deepEqual([kind, outcome.code], [2, 0]);
      assert.deepEqual(attributes, {
        'http.request.method': 'GET',
        'http.route': route,
        'http.response.status_code': 200,
        'url.scheme': 'http',
        'almanac.request_id': 'traced-read',
      });
    });

    it('starts its own trace when its client sends none, or an invalid one', async () => {
      const bad = `00-${'0'.repeat(32)}-${client.span}-01`;
      for (const [id, headers] of Object.entries({ 'traced-none': {}, 'traced-bad': { traceparent: bad } })) {
        await api.send(`/markets/${ticker}`, { headers: { 'x-request-id': id, ...headers } });
        await eventually(() => assert.equal(spanOf(id).parentSpanId, ''));
      }
      assert.notEqual(spanOf('traced-none').traceId, spanOf('traced-bad').traceId);
    });

    it('has one trace and one id in all logs, from the export request to its file', async () => {
      const requestId = 'traced-export';
      const { id } = await createExport(api, { event }, { 'x-request-id': requestId });
      await endedExport(api, id);
      const worker: Step = {
        in: 'export',
        name: 'process export-workers',
        below: [
          { in: 'export', name: 'SELECT markets snapshots' },
          { in: 'export', name: 'S3/PutObject' },
          {
            in: 'export',
            name: 'publish EVT_FILE',
            below: [
              {
                in: 'export',
                name: 'process export-completions',
                below: [{ in: 'export', name: 'publish EVT_EXPORT' }],
              },
            ],
          },
        ],
      };
      const expectedStep: Step = {
        in: 'export',
        name: 'process export-files',
        below: [{ in: 'export', name: 'publish EVT_FILE', below: [worker] }],
      };
      const create: Step = {
        in: 'export',
        name: 'export/create',
        below: [
          { in: 'export', name: 'commerce/reserve', below: [{ in: 'commerce', name: 'commerce/reserve' }] },
          { in: 'export', name: 'publish EVT_EXPORT', below: [expectedStep] },
        ],
      };
      await eventually(() =>
        assertSteps([{ in: 'gateway', name: 'export/create', below: [create] }], spanOf(requestId)),
      );
      const { traceId } = spanOf(requestId);
      await eventually(async () => {
        for (const [service, text] of [
          ['gateway', 'a request was answered'],
          ['commerce', 'a call was answered'],
          ['export', 'a call was answered'],
          ['export', 'a file is ready'],
        ] as const) {
          const found = (await linesOf(service, requestId)).find(({ msg }) => msg === text);
          assert.equal(found?.['trace_id'], traceId, `${service}: ${text}`);
        }
      });
    });

    it('shows how long the object store took with a file', async () => {
      const { id } = await readyExport(api, { ticker });
      const { status } = await api.send(`/exports/${id}/file`, { headers: { 'x-request-id': 'traced-file' } });
      assert.equal(status, 200);
      const link: Step = { in: 'gateway', name: 'export/link', below: [{ in: 'export', name: 'export/link' }] };
      await eventually(() => assertSteps([link, { in: 'gateway', name: 'S3/GetObject' }], spanOf('traced-file')));
    });

    it('sends its collector nothing that a client wrote, except its request id', async () => {
      const secret = 'sk-person@example.com';
      const headers = { 'x-request-id': 'traced-secret', authorization: `Bearer ${secret}` };
      const { status } = await api.send(`/markets/${secret}/snapshots?start_ts=${secret}`, { headers });
      assert.equal(status, 401);
      await eventually(() => assert.equal(spanOf('traced-secret').attributes['http.response.status_code'], 401));
      const output = JSON.stringify(collector().spans, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      );
      for (const word of [secret, api.key, ticker]) assert.ok(!output.includes(word), word);
    });
  });
};
