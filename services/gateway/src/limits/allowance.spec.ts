import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Allowance } from './allowance.js';

describe('an allowance', () => {
  const limit = 600;
  const made = (gateways: number): Allowance =>
    new Allowance('someone', limit, {
      gateways: () => gateways,
      peerUpdatesSinceMs: () => 0,
      isLocal: () => false,
      nowMs: () => performance.now(),
    });
  const remaining = (allowance: Allowance): unknown => {
    const headers: (string | number)[] = [];
    allowance.appendHeaders(headers);
    return headers[headers.indexOf('RateLimit-Remaining') + 1];
  };
  const lease = (free: number) => ({ tokens: 10, free, resetMs: 60_000, pauseMs: 60_000, holders: 1, epoch: 'e' });

  it('deducts a request and a part of the reserve for each other gateway, whose report may be on its way', () => {
    // The reserve of 600 is 12.
    for (const [gateways, deducted] of [
      [1, 0],
      [2, 1 + 6],
      [5, 4 + 10],
    ] as const) {
      const allowance = made(gateways);
      allowance.grant(lease(590), performance.now());
      assert.equal(remaining(allowance), 600 - deducted);
    }
  });

  it('shows what another gateway left, even when its report arrives before the answer to an own lease', async () => {
    const allowance = made(1);
    allowance.grant(lease(590), performance.now());
    allowance.applyPeerUsage(580);
    assert.equal(remaining(allowance), 590);
    let answer = (): void => undefined;
    allowance.leaseRequest = new Promise((done) => (answer = done));
    const requestedMs = performance.now();
    // Redis granted this lease first and left 570. The report of the other gateway, which left 560, arrived sooner.
    allowance.applyPeerUsage(560);
    allowance.grant(lease(570), requestedMs);
    answer();
    await allowance.leaseRequest;
    assert.equal(remaining(allowance), 570);
    allowance.leaseRequest = undefined;
    allowance.grant(lease(595), performance.now());
    assert.equal(remaining(allowance), 605, 'usage received before the request shows nothing about later');
  });
});
