import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { tcpRequest } from './tcp-request.js';
import { PortTakenError } from './errors.js';
import { startNats, type NatsUser } from './nats.js';
import { startRedis } from './redis.js';

describe('local servers', () => {
  let dir = '';
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-servers-'));
  });
  after(async () => rm(dir, { recursive: true, force: true }));

  it('report a taken port in one sentence', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const address = blocker.address();
    assert.ok(address !== null && typeof address === 'object');
    const { port } = address;
    const sentence = (server: string): object => ({
      name: PortTakenError.name,
      message: `Port ${port} on 127.0.0.1 is already taken by another program, so ${server} cannot listen there.`,
    });
    await assert.rejects(startNats({ dir: join(dir, 'n'), port }), sentence('nats-server'));
    await assert.rejects(startRedis({ dir: join(dir, 'r'), port }), sentence('redis-server'));
    blocker.close();
  });

  it('Redis requires a login, enforces its permissions and writes nothing to disk', async () => {
    const folder = join(dir, 'redis');
    const users = [{ user: 'one', password: 'a-password_1', rules: ['~a', '+set', '+ping', '+info'] }];
    const redis = await startRedis({ dir: folder, users });
    assert.match(await tcpRequest(redis.port, 'PING\r\n', '\r\n'), /^-NOAUTH/);
    assert.match(await tcpRequest(redis.port, 'AUTH default a-password_1\r\n', '\r\n'), /^-WRONGPASS/);
    const reply = await tcpRequest(redis.port, 'AUTH one a-password_1\r\nSET a 1\r\nSET b 1\r\nPING\r\n', '+PONG');
    assert.match(reply, /^\+OK\r\n\+OK\r\n-NOPERM/);
    await redis.stop();
    await assert.rejects(stat(join(folder, 'dump.rdb')), { code: 'ENOENT' });
  });

  it('Redis refuses a password that would need quoting in its configuration', async () => {
    const users = [{ user: 'one', password: 'a b\nport 1', rules: ['+@all'] }];
    await assert.rejects(startRedis({ dir: join(dir, 'r2'), users }), /letters, digits/);
  });

  it('two NATS servers never share a folder', { timeout: 120_000 }, async () => {
    const folder = join(dir, 'shared');
    const nats = await startNats({ dir: folder });
    await assert.rejects(startNats({ dir: folder, stillUsedTimeoutMs: 100 }), /Another nats-server .* still uses/);
    await nats.stop();
  });
});

describe('a NATS user', () => {
  const users: NatsUser[] = [
    { user: 'one', password: 'p"1', publish: ['a.one'], subscribe: ['b.>'] },
    { user: 'mute', password: 'p2', publish: [], subscribe: [] },
    { user: 'replier', password: 'p3', publish: [], subscribe: ['a.one'], allowResponses: true },
  ];
  let dir = '';
  let nats: Awaited<ReturnType<typeof startNats>>;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-nats-'));
    nats = await startNats({ dir, users });
  });
  after(async () => {
    await nats.stop();
    await rm(dir, { recursive: true, force: true });
  });

  /** Speaks the Redis protocol directly. A PING follows the commands, so the answer ends in PONG or in an error. */
  const runCommands = async (user: string, password: string, commands: string): Promise<string> => {
    return tcpRequest(nats.port, `${login(user, password)}${commands}PING\r\n`, 'PONG\r\n');
  };

  it('cannot connect without its password', async () => {
    await assert.rejects(runCommands('one', 'wrong', ''));
  });

  it('may use its own subjects and no others', async () => {
    assert.doesNotMatch(await runCommands('one', 'p"1', 'PUB a.one 0\r\n\r\nSUB b.c 1\r\n'), /-ERR/);
    assert.match(
      await runCommands('one', 'p"1', 'PUB a.two 0\r\n\r\n'),
      /Permissions Violation for Publish to "a.two"/,
    );
    assert.match(await runCommands('one', 'p"1', 'SUB > 1\r\n'), /Permissions Violation for Subscription to ">"/);
  });

  it('may do nothing when its lists are empty', async () => {
    assert.match(await runCommands('mute', 'p2', 'PUB a.one 0\r\n\r\n'), /Permissions Violation for Publish/);
    assert.match(await runCommands('mute', 'p2', 'SUB b.c 1\r\n'), /Permissions Violation for Subscription/);
  });

  it('that may reply does so once, on the reply subject of the request', async () => {
    const replier = connect({ host: '127.0.0.1', port: nats.port });
    replier.setEncoding('utf8');
    let received = '';
    replier.on('data', (chunk: string) => {
      received += chunk;
      // The second answer exceeds the permission.
      if (/MSG a\.one 1 b\.reply 0\r\n/.test(chunk)) replier.write('PUB b.reply 3\r\nyes\r\n'.repeat(2));
    });
    replier.write(`${login('replier', 'p3')}SUB a.one 1\r\nPING\r\n`);
    while (!received.includes('PONG')) await once(replier, 'data');
    const answer = await tcpRequest(
      nats.port,
      `${login('one', 'p"1')}SUB b.reply 1\r\nPUB a.one b.reply 0\r\n\r\n`,
      'yes',
    );
    assert.match(answer, /MSG b\.reply 1 3\r\nyes/);
    while (!received.includes('-ERR')) await once(replier, 'data');
    assert.match(received, /Permissions Violation for Publish to "b\.reply"/);
    replier.destroy();
  });

  it('that may reply cannot publish to a subject that no request named', async () => {
    assert.match(await runCommands('replier', 'p3', 'PUB b.reply 0\r\n\r\n'), /Permissions Violation for Publish/);
  });
});

const login = (user: string, pass: string): string =>
  `CONNECT ${JSON.stringify({ user, pass, verbose: false, pedantic: false, headers: true })}\r\n`;
