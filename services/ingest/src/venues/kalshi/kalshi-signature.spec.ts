import assert from 'node:assert/strict';
import { constants, generateKeyPairSync, verify } from 'node:crypto';
import { test } from 'node:test';
import { readPrivateKey, signedHeaders } from './kalshi-signature.js';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

test('the headers carry a signature of time, method and path that the public key verifies', () => {
  for (const text of [pem, pem.replaceAll('\n', String.raw`\n`)]) {
    const key = { id: 'key-1', privateKey: readPrivateKey(text) };
    const headers = signedHeaders(key, 'wss://host/trade-api/ws/v2?x=1', 1_776_490_453_460);
    const { 'KALSHI-ACCESS-SIGNATURE': signature = '', ...others } = headers;
    assert.deepStrictEqual(others, { 'KALSHI-ACCESS-KEY': 'key-1', 'KALSHI-ACCESS-TIMESTAMP': '1776490453460' });
    const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    const confirms = (message: string): boolean =>
      verify('sha256', Buffer.from(message), { key: publicKey, ...padding }, Buffer.from(signature, 'base64'));
    assert.ok(confirms('1776490453460GET/trade-api/ws/v2'));
    assert.ok(!confirms('1776490453461GET/trade-api/ws/v2'));
  }
});

test('an invalid key is refused without a part of it in the error', () => {
  const secret = pem.slice(0, 300);
  assert.throws(() => readPrivateKey(secret), { message: 'must be a private key in PEM format' });
});
