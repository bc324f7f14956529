import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { connectObjectStore, type ObjectStore, slabsPrefix } from '@almanac/object-store';
import { eventually, tcpLink, type TcpLink, testS3, type TestS3 } from '@almanac/testing';
import { openUs } from '../testing/random-market.js';
import { type ComparedReads, type SlabProcess, startComparedReads } from './testing/compared-reads.js';
import { checkSame, makeSlab, newMarket, windowOf } from './testing/one-slab.js';

const user = { accessKeyId: 'timeseries', secretAccessKey: 'a secret of the tests' };
const region = 'us-east-1';
/** Nothing listens there. */
const closedPort = 1;

/** An object store with the rights of production, behind a link that can be broken. */
interface Store {
  readonly link: TcpLink;
  readonly root: ObjectStore;
  connect(): ObjectStore;
  goAway(): Promise<void>;
  /** It accepts connections and sends nothing. */
  stopAnswering(): Promise<void>;
  comeBack(): void;
  stop(): Promise<void>;
}

const silentServer = async (): Promise<{ readonly port: number; stop(): void }> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (server.address() as AddressInfo).port, stop };
};

const startStore = async (): Promise<Store> => {
  const s3: TestS3 = await testS3({ users: [user] });
  const root = connectObjectStore({ ...s3, endpoint: s3.url, region });
  await root.ensureBucket({ all: 'nobody', slabs: user.accessKeyId });
  const link = await tcpLink();
  link.leadTo(s3.port);
  const silent = await silentServer();
  return {
    link,
    root,
    connect: () =>
      connectObjectStore({ ...user, endpoint: `http://127.0.0.1:${link.port}`, region, bucket: s3.bucket }),
    goAway: () => {
      link.leadTo(closedPort);
      return link.cut(0);
    },
    stopAnswering: () => {
      link.leadTo(silent.port);
      return link.cut(0);
    },
    comeBack: () => link.leadTo(s3.port),
    stop: async () => {
      root.close();
      await link.close();
      silent.stop();
      await s3.stop();
    },
  };
};

const onlyName = async (root: ObjectStore): Promise<string> => {
  const names: string[] = [];
  for await (const { key } of root.list('')) names.push(key);
  assert.equal(names.length, 1, names.join());
  return names[0] ?? assert.fail();
};
const readObject = async (root: ObjectStore, name: string): Promise<Buffer> =>
  buffer((await root.read(name))?.body ?? assert.fail('the object is missing'));
const replace = (root: ObjectStore, name: string, bytes: Buffer): Promise<unknown> =>
  root.putStream(name, Readable.from([bytes]), { contentType: 'application/octet-stream' });
const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const made = (process_: SlabProcess): Promise<number> => process_.metric('almanac_slabs_made_total');
const fetches = (process_: SlabProcess, answer: string): Promise<number> =>
  process_.metric('almanac_slab_fetches_total', { answer });
const uploads = (process_: SlabProcess, outcome: string): Promise<number> =>
  process_.metric('almanac_slab_uploads_total', { outcome });

/** Its first read comes from the object store, and no query makes a slab. */
const checkFetches = async (process_: SlabProcess, ticker: string): Promise<void> => {
  await checkSame(process_, ticker);
  assert.deepEqual(await process_.counts(), { hit: 1, miss: 0 });
  assert.deepEqual([await made(process_), await fetches(process_, 'found')], [0, 1]);
};

let store: Store;
let tested: ComparedReads;
before(async () => {
  store = await startStore();
  const times = { pauseMs: 0, storePauseMs: 50, storeWaitMs: 20_000 };
  tested = await startComparedReads({ connectObjects: () => store.connect(), ...times });
});
after(async () => {
  await tested.stop();
  await store.stop();
});

describe('slabs in the object store', () => {
  const removeAll = async (): Promise<void> => {
    for await (const { key } of store.root.list('')) await store.root.delete(key);
  };
  const newSlab = async (): Promise<{ ticker: string; name: string; bytes: Buffer }> => {
    await removeAll();
    const ticker = await newMarket(tested);
    await makeSlab(tested, ticker);
    const name = await onlyName(store.root);
    return { ticker, name, bytes: await readObject(store.root, name) };
  };

  it('that one process made are read by the others without a query', async () => {
    const { ticker, name } = await newSlab();
    assert.ok(name.startsWith(slabsPrefix));
    const [stored, before_] = [await uploads(tested, 'stored'), await made(tested)];
    for (const process_ of [await tested.newProcess(), await tested.newProcess()]) await checkFetches(process_, ticker);
    assert.deepEqual([await uploads(tested, 'stored'), await made(tested)], [stored, before_]);
  });

  it('are found again by a process that lost its disk', async () => {
    const { ticker } = await newSlab();
    const lost = await tested.newProcess();
    await checkFetches(lost, ticker);
    for (const name of await readdir(lost.folder)) await rm(join(lost.folder, name));
    // A process that runs has its file open.
    await checkSame(lost, ticker);
    await checkFetches(await tested.newProcess(), ticker);
  });

  it('of another data version are not used', async () => {
    const { ticker, name, bytes } = await newSlab();
    const version = await tested.version(ticker);
    await tested.callers.store(ticker, [{ us: openUs + 500_000, seq: 1, bid: '0.1', ask: '0.9' }]);
    await tested.settle(ticker, version + 1);
    const process_ = await tested.newProcess();
    await makeSlab(process_, ticker);
    assert.deepEqual([await made(process_), await fetches(process_, 'found')], [1, 0]);
    await checkSame(process_, ticker);
    const names: string[] = [];
    for await (const { key } of store.root.list('')) names.push(key);
    assert.deepEqual([names.length, names.includes(name)], [2, true]);
    const [newer = assert.fail()] = names.filter((one) => one !== name);
    await replace(store.root, newer, bytes);
    const fooled = await tested.newProcess();
    await checkSame(fooled, ticker);
    assert.deepEqual([await fetches(fooled, 'corrupt'), (await fooled.counts()).hit], [1, 0]);
  });

  it('are fetched once for reads at once', async () => {
    const { ticker } = await newSlab();
    const process_ = await tested.newProcess();
    await Promise.all(Array.from({ length: 20 }, () => process_.read(windowOf(ticker))));
    assert.deepEqual([await made(process_), await fetches(process_, 'found')], [0, 1]);
    await checkSame(process_, ticker);
  });

  it('that are cut, corrupt or of something else are not used, and are replaced', async () => {
    const { ticker, name, bytes } = await newSlab();
    const places = [0, 1, 40, 5_000, bytes.length >> 1, bytes.length - 400, bytes.length - 33, bytes.length - 1];
    const flipped = places.map((at) => {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ 0xff;
      return copy;
    });
    const cut = [0, 1, 31, 500, bytes.length - 1].map((length) => bytes.subarray(0, length));
    for (const damaged of [...flipped, ...cut, Buffer.concat([bytes, Buffer.from('x')])]) {
      await replace(store.root, name, damaged);
      const process_ = await tested.newProcess();
      await checkSame(process_, ticker);
      assert.deepEqual([await fetches(process_, 'corrupt'), (await process_.counts()).hit], [1, 0]);
      await makeSlab(process_, ticker);
      assert.deepEqual([await made(process_), await uploads(process_, 'stored')], [1, 1]);
      assert.equal(digest(await readObject(store.root, name)), digest(bytes), 'it is replaced by the same bytes');
      const names = await readdir(process_.folder);
      assert.deepEqual([names.length, names.filter((one) => one.endsWith('.tmp')).length], [1, 0]);
    }
    const other = await newMarket(tested);
    await makeSlab(tested, other);
    for await (const { key } of store.root.list('')) {
      if (key !== name) await replace(store.root, key, bytes);
    }
    const process_ = await tested.newProcess();
    await checkSame(process_, other);
    assert.equal(await fetches(process_, 'corrupt'), 1);
  });

  it('of a market that is not over are not stored', async () => {
    await removeAll();
    const ticker = await newMarket(tested, (Date.now() + 3_600_000) * 1_000);
    const before_ = await made(tested);
    await makeSlab(tested, ticker);
    assert.equal(await made(tested), before_ + 1);
    for await (const { key } of store.root.list('')) assert.fail(key);
  });

  it('that are missing are asked for once before the reads, and no more after many of them', async () => {
    await removeAll();
    const process_ = await tested.newProcess();
    const tickers = await Promise.all(Array.from({ length: 24 }, () => newMarket(tested)));
    for (const ticker of tickers) await process_.read(windowOf(ticker));
    const requests = await fetches(process_, 'missing');
    assert.ok(requests > 10 && requests < tickers.length, `${requests} of ${tickers.length}`);
  });
});

describe('an object store of slabs that fails', () => {
  /** As long as processes wait in production. */
  const newProcess = () => tested.newProcess({ storePauseMs: 200, storeWaitMs: 500 });

  it('costs no read its answer, is left alone, and gets the slabs later', async () => {
    const [first, tickers] = [
      await newProcess(),
      await Promise.all(Array.from({ length: 8 }, () => newMarket(tested))),
    ];
    await store.goAway();
    for (const ticker of tickers) await checkSame(first, ticker);
    // The second read of each, whose slab is made from ClickHouse.
    for (const ticker of tickers) await first.read(windowOf(ticker));
    assert.ok((await fetches(first, 'failed')) >= 1);
    assert.ok((await fetches(first, 'skipped')) >= 1);
    store.comeBack();
    await eventually(async () => assert.equal(await uploads(first, 'stored'), tickers.length), { timeoutMs: 60_000 });
    // One that waits as long as a busy machine needs.
    const process_ = await tested.newProcess();
    for (const ticker of tickers) await checkSame(process_, ticker);
    assert.deepEqual(await process_.counts(), { hit: tickers.length, miss: 0 });
  });

  it('delays no read for long while it does not answer', async () => {
    const ticker = await newMarket(tested);
    await makeSlab(tested, ticker);
    const process_ = await newProcess();
    await store.stopAnswering();
    for (let read = 0; read < 20; read += 1) await checkSame(process_, ticker);
    // After a failure, the next reads do not ask it.
    const [failed, skipped] = [await fetches(process_, 'failed'), await fetches(process_, 'skipped')];
    assert.ok(failed >= 1 && failed < 15 && skipped >= 1, `${failed} requests for 20 reads, ${skipped} left out`);
    store.comeBack();
  });

  it('is not needed at the end of a process', async () => {
    const process_ = await newProcess();
    const ticker = await newMarket(tested);
    await store.goAway();
    for (let read = 0; read < 2; read += 1) await process_.read(windowOf(ticker));
    await eventually(async () => assert.equal(await made(process_), 1));
    await process_.slabs.stop();
    assert.equal(await uploads(process_, 'stored'), 0);
  });
});
