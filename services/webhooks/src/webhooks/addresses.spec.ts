import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { describe, it } from 'node:test';
import { addresses, isPublic, networksOf, RefusedAddressError } from './addresses.js';

const notPublic = [
  '127.0.0.1',
  '127.1.2.3',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '192.0.0.8',
  '169.254.169.254',
  '169.254.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.255',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '192.88.99.1',
  '::',
  '::1',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd00:ec2::254',
  'fec0::1',
  'ff02::1',
  '2001:db8::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:a9fe:a9fe',
  '::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b::8.8.8.8',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2001::1',
  '100::1',
  '4000::1',
  'nonsense',
  '',
];
const publicAddresses = ['8.8.8.8', '1.1.1.1', '100.63.255.255', '172.32.0.1', '2606:4700:4700::1111', '2a00:1450::1'];

const resolvesTo = (...found: string[]) => {
  const requested: string[] = [];
  const resolve = (hostname: string, answer: (error: null, list: LookupAddress[]) => void): void => {
    requested.push(hostname);
    answer(
      null,
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { requested, resolve };
};

const publicUrl = 'https://receiver.example/';
const lookedUp = (guard: ReturnType<typeof addresses>, all: boolean, url = publicUrl): Promise<unknown> =>
  new Promise((resolve, reject) => {
    guard.lookupOf(new URL(url))('receiver.example', { all }, (error, found) =>
      error ? reject(error) : resolve(found),
    );
  });

describe('the addresses of webhooks', () => {
  for (const address of notPublic) it(`${address || '(empty)'} is not public`, () => assert.ok(!isPublic(address)));
  for (const address of publicAddresses) it(`${address} is public`, () => assert.ok(isPublic(address)));

  it('are refused in a URL in any notation', () => {
    const guard = addresses([]);
    const refused = [
      'x',
      'http://receiver.example/',
      'ftp://receiver.example/',
      'https://u:p@receiver.example/',
      'https://u@x.example/',
      'https://127.1/',
      'https://0x7f.1/',
      'https://2130706433/',
      'https://017700000001/',
      'https://[::]/',
      'https://[::ffff:127.0.0.1]/',
      'https://[fd00:ec2::254]/',
      'https://[64:ff9b::a00:1]/',
      'https://０x7f.1/',
      'https://localhost/',
      'https://a.localhost./',
      'https://metadata.google.internal/',
      'https://printer.local/',
      'https://169.254.169.254/latest/meta-data/',
      'http://127.0.0.1/',
      'file:///etc/passwd',
      'https://',
      ' https://receiver.example/',
      'https://receiver.example/a b',
      'https://receiver.example/\n',
      'https://receiver.example/a\0b',
      'https://receiver.example/a%00b',
      'https://receiver.example:0/',
      'https://receiver.example:22/',
      'https://receiver.example:9092/',
      'https://8.8.8.8:6379/',
      'https://redis/',
      'https://kubernetes.default.svc/',
      'https://nas.lan/',
    ];
    for (const url of refused) assert.throws(() => guard.urlOf(url), RefusedAddressError, url);
    for (const url of [
      'https://receiver.example/a?b',
      'https://receiver.example:8443/',
      'https://8.8.8.8:8443/',
      'https://[2606:4700::1]/',
    ])
      assert.equal(guard.urlOf(url).href, url);
  });

  it('are looked up once for each connection, and answered only if all of them are public', async () => {
    for (const all of [true, false]) {
      for (const found of [['10.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['::ffff:10.0.0.1'], []])
        await assert.rejects(lookedUp(addresses([], resolvesTo(...found).resolve), all), RefusedAddressError);
      const { requested, resolve } = resolvesTo('8.8.8.8', '2606:4700::1');
      const found = await lookedUp(addresses([], resolve), all);
      assert.deepEqual(requested, ['receiver.example']);
      assert.deepEqual(
        found,
        all
          ? [
              { address: '8.8.8.8', family: 4 },
              { address: '2606:4700::1', family: 6 },
            ]
          : '8.8.8.8',
      );
    }
  });

  it('of an allowed network may have http, any port and a private name', async () => {
    const guard = addresses(networksOf('127.0.0.0/8, 192.168.1.7,fd00::/8'));
    for (const url of ['http://127.0.0.1:1/', 'https://192.168.1.7:5000/', 'http://[fd00::1]/', 'http://nas.lan:8123/'])
      assert.equal(guard.urlOf(url).href, url);
    for (const url of ['https://192.168.1.8/', 'http://169.254.169.254/', 'http://8.8.8.8/', 'https://8.8.8.8:22/'])
      assert.throws(() => guard.urlOf(url), RefusedAddressError, url);
    for (const [found, url, isAllowed] of [
      ['192.168.1.7', 'http://nas.lan:8123/', true],
      ['::ffff:192.168.1.7', 'https://nas.lan/', true],
      ['192.168.1.8', 'https://nas.lan/', false],
      ['8.8.8.8', 'https://nas.lan/', true],
      ['8.8.8.8', 'http://nas.lan/', false],
      ['8.8.8.8', 'https://nas.lan:22/', false],
    ] as const) {
      const answer = lookedUp(addresses(networksOf('192.168.1.7/32'), resolvesTo(found).resolve), true, url);
      await (isAllowed ? answer : assert.rejects(answer, RefusedAddressError, `${url} at ${found}`));
    }
  });

  it('of a new webhook are looked up. Without an answer, the deliveries find out', async () => {
    await assert.rejects(addresses([], resolvesTo('10.0.0.1').resolve).check(publicUrl), /WEBHOOK_ALLOWED_NETWORKS/);
    await addresses([], resolvesTo('8.8.8.8').resolve).check(publicUrl);
    await addresses([], (_, answer) => answer(new Error('EAI_AGAIN'), [])).check(publicUrl);
    await addresses([], () => {}).check(publicUrl);
    await assert.rejects(addresses([]).check('https://10.0.0.1/'), RefusedAddressError);
  });

  it('are networks or addresses in the configuration', () => {
    for (const text of ['', '192.168.0.0/33', 'nas.lan', '10.0.0.0/8,']) assert.throws(() => networksOf(text), text);
  });
});
