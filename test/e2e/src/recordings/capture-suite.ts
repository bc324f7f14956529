import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { marketDetailResponse, previewResponse, snapshotsResponse } from '@almanac/contracts';
import { type RecordedMessage, ReplayVenue } from '@almanac/ingest/testing';
import { eventually } from '@almanac/testing';
import type { ApiClient } from '../api.js';
import type { SystemHarness } from '../harness.js';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const ticker = 'KXTEST15M-99JAN010015-15';

/** Orders come and go at prices of both sides, so that each message changes the book. */
const messages = Array.from({ length: 1_200 }, (_, at): RecordedMessage => {
  const side = at % 2 === 0 ? 'yes' : 'no';
  const price = `0.${String(3000 + ((at * 7) % 1000)).padStart(4, '0')}`;
  return {
    type: 'orderbook_delta',
    msg: { market_ticker: ticker, side, price_dollars: price, delta_fp: `${at + 1}.50` },
  };
});

/** Tests of a capture as an operator runs it, and of the import of its recording. */
export const describeCapture = (system: () => SystemHarness): void => {
  describe('npm run capture against a venue that drops the connection', () => {
    let running: SystemHarness;
    let api: ApiClient;
    let venue: ReplayVenue;
    let capture: ChildProcess;
    let output = '';

    before(async () => {
      running = system();
      api = await running.client('full_book');
      const drops = new Map([100, 400, 700].map((at) => [at, 5]));
      venue = await ReplayVenue.start(messages, { drops, lost: new Set(), repeated: new Set() });
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const program = join(repository, 'services/ingest/dist/capture-main.js');
      capture = spawn(process.execPath, [program, 'kalshi', '--series', 'KXTEST15M', '--sample', 'every-change'], {
        cwd: repository,
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          ...process.env,
          ALMANAC_HOME: running.home,
          KALSHI_KEY_ID: 'key-1',
          KALSHI_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
          KALSHI_WS_URL: venue.url('ws', '/trade-api/ws/v2'),
          KALSHI_REST_URL: venue.url('http', '/trade-api/v2'),
        },
      });
      capture.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
      await venue.play();
    });
    after(async () => {
      capture.kill('SIGKILL');
      venue.close();
    });

    it('shows the latest book of the venue while it runs', async () => {
      const last = venue.sent.get(venue.sent.size);
      await eventually(
        async () => {
          const { snapshots } = await api.json(
            snapshotsResponse,
            `/markets/${ticker}/snapshots?include_book=true&limit=5000&step_ms=0`,
          );
          const row = snapshots.at(-1);
          const text = (levels: readonly (readonly number[])[] | null | undefined): string =>
            `[${(levels ?? []).map(([price, size]) => `(${price},${size})`).join(',')}]`;
          assert.deepEqual(
            { yes: text(row?.orderbook_yes), no: text(row?.orderbook_no) },
            { yes: last?.yes, no: last?.no },
            output,
          );
        },
        { timeoutMs: 120_000 },
      );
      const { market } = await api.json(marketDetailResponse, `/markets/${ticker}`);
      assert.deepEqual([market.capture, market.series], ['l2', 'KXTEST15M']);
    });

    it('shows each drop as a gap in the preview, without a row inside', async () => {
      const gaps = await eventually(
        async () => {
          const found = await api.json(previewResponse, `/markets/${ticker}/preview`);
          const lost = (found.coverage?.gaps ?? []).filter(
            ({ reason }) => reason === 'the connection to the venue was lost',
          );
          assert.ok(!found.pending && lost.length === 3, JSON.stringify(found.coverage));
          return lost;
        },
        { timeoutMs: 120_000 },
      );
      const { snapshots } = await api.json(snapshotsResponse, `/markets/${ticker}/snapshots?limit=5000&step_ms=0`);
      for (const { start_ts: start, end_ts: end } of gaps) {
        assert.ok(start !== null && end !== null && start < end);
        assert.deepEqual(
          snapshots.filter(({ ts }) => ts !== null && ts > start && ts < end),
          [],
        );
      }
    });

    it('ends cleanly at SIGTERM, and an import of its recording stores nothing new', async () => {
      const path = `/markets/${ticker}/snapshots?include_book=true&limit=5000&step_ms=0`;
      const ended = once(capture, 'exit');
      capture.kill('SIGTERM');
      await ended;
      assert.equal(capture.exitCode, 0, output);
      const stored = await api.json(snapshotsResponse, path);
      const captures = join(running.home, 'captures');
      const [folder = '', ...others] = readdirSync(captures);
      assert.deepEqual(others, []);
      const imported = await running.import(join(captures, folder), '--sample', 'every-change');
      assert.equal(imported.code, 0, imported.output);
      assert.match(imported.output, new RegExp(`stored ${stored.count.toLocaleString('en-US')}\\b`));
      const { snapshots } = await api.json(snapshotsResponse, path);
      assert.deepEqual(snapshots, stored.snapshots);
    });
  });
};
