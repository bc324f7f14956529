import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { describe, it } from 'node:test';
import { addresses, isPublic, RefusedAddressError } from './addresses.js';

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

const lookedUp = (guard: ReturnType<typeof addresses>, all: boolean): Promise<unknown> =>
  new Promise((resolve, reject) => {
    guard.lookup('receiver.example', { all }, (error, found) => (error ? reject(error) : resolve(found)));
  });

describe('the addresses of webhooks', () => {
  for (const address of notPublic) it(`${address || '(empty)'} is not public`, () => assert.ok(!isPublic(address)));
  for (const address of publicAddresses) it(`${address} is public`, () => assert.ok(isPublic(address)));

  it('are refused in a URL in any notation', () => {
    const guard = addresses(false);
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
    ];
    for (const url of refused) assert.throws(() => guard.urlOf(url), RefusedAddressError, url);
    for (const url of ['https://receiver.example/a?b', 'https://8.8.8.8:8443/', 'https://[2606:4700::1]/'])
      assert.equal(guard.urlOf(url).href, url);
  });

  it('are looked up once for each connection, and answered only if all of them are public', async () => {
    for (const all of [true, false]) {
      for (const found of [['10.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['::ffff:10.0.0.1'], []])
        await assert.rejects(lookedUp(addresses(false, resolvesTo(...found).resolve), all), RefusedAddressError);
      const { requested, resolve } = resolvesTo('8.8.8.8', '2606:4700::1');
      const found = await lookedUp(addresses(false, resolve), all);
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

  it('of this machine are allowed in development only', async () => {
    const guard = addresses(true);
    for (const url of ['http://127.0.0.1:1/', 'http://localhost/', 'http://[::1]/', 'https://localhost/'])
      assert.equal(guard.urlOf(url).href, url);
    for (const url of ['http://receiver.example/', 'https://10.0.0.1/', 'http://169.254.169.254/'])
      assert.throws(() => guard.urlOf(url), RefusedAddressError, url);
    assert.ok(await lookedUp(addresses(true, resolvesTo('127.0.0.1').resolve), true));
    await assert.rejects(lookedUp(addresses(true, resolvesTo('192.168.0.1').resolve), true), RefusedAddressError);
  });
});
