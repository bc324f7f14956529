import assert from 'node:assert/strict';
import { type Fault, ValidationError } from '../fault.js';
import { type Given, type Raw, type Shapes, validator } from '../validate.js';

export const accepted = <S extends Shapes>(shapes: S, raw: Partial<Raw>): Given<S> =>
  validator(shapes)({ path: {}, query: '', body: undefined, ...raw }, { strict: false, accept: undefined }).given;

export const faultsOf = (shapes: Shapes, raw: Partial<Raw>): readonly Fault[] => {
  try {
    accepted(shapes, raw);
  } catch (error) {
    if (error instanceof ValidationError) return error.faults;
    throw error;
  }
  return assert.fail('it was accepted');
};

export const sent = (text: string | Uint8Array, contentType: string | undefined = 'application/json') => ({
  body: { bytes: typeof text === 'string' ? Buffer.from(text) : text, contentType },
});
