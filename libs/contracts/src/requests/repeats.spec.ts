import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { allContracts } from '../service-contracts.js';
import { callersOf, type Contract } from './rpc.js';

const nameOf = ({ service, method }: Contract): string => `${service}.${method}`;
const commands = allContracts.filter(({ kind }) => kind === 'command');
const namesOf = (those: readonly Contract[]): string[] => those.map(nameOf);

describe('the contract of a request that changes something', () => {
  it('says whether a request that may be lost is sent again', () => {
    const undecided = commands.filter(({ repeats }) => repeats === undefined);
    assert.deepEqual(
      namesOf(undecided),
      [],
      'state `repeats`, as docs/decisions/155-every-change-is-sent-again.md says',
    );
  });

  it('of the gateway allows it, so that the loss of a server is no 503', () => {
    const lost = commands.filter((one) => callersOf(one).includes('gateway') && typeof one.repeats === 'object');
    assert.deepEqual(namesOf(lost), []);
  });

  it('has a field for the key, if it is sent again with a key', () => {
    const keyless = commands.filter(
      ({ repeats, input }) =>
        repeats === 'with key' &&
        !(input instanceof z.ZodObject && ('idempotency_key' in input.shape || 'request_key' in input.shape)),
    );
    assert.deepEqual(namesOf(keyless), []);
  });
});
