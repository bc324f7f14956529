import { S3Error } from './errors.js';
import { actions as knownActions } from './operations.js';

interface Statement {
  readonly principals: ReadonlySet<string>;
  readonly actions: ReadonlySet<string>;
  readonly resources: readonly string[];
}
export type S3Policy = readonly Statement[];

/** Parses a bucket policy of `Allow` for named principals. Everything else is refused: ignoring it would be unsafe. */
export const parsePolicy = (text: string, bucket: string): S3Policy => {
  try {
    const { Version, Statement, ...more } = record(JSON.parse(text));
    if (Version !== '2012-10-17' || !Array.isArray(Statement)) throw new TypeError('its version or statements');
    nothingIn(more);
    return Statement.map((one) => statement(one, bucket));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new S3Error('MalformedPolicy', `This server cannot keep the policy: ${why}`, { cause: error });
  }
};

const statement = (value: unknown, bucket: string): Statement => {
  const { Sid: _name, Effect, Principal, Action, Resource, ...more } = record(value);
  nothingIn(more);
  if (Effect !== 'Allow') throw new TypeError('an effect that is not Allow');
  const { AWS, ...others } = record(Principal);
  nothingIn(others);
  const [principals, actions, resources] = [texts(AWS), texts(Action), texts(Resource)];
  if (principals.includes('*')) throw new TypeError('everybody as a principal');
  const unknown = actions.find((action) => !knownActions.has(action));
  if (unknown !== undefined) throw new TypeError(`the action ${unknown}`);
  const foreign = resources.find((resource) => resource !== arnOf(bucket) && !isPrefixIn(bucket, resource));
  if (foreign !== undefined) throw new TypeError(`the resource ${foreign}`);
  return { principals: new Set(principals), actions: new Set(actions), resources };
};

const arnOf = (bucket: string): string => `arn:aws:s3:::${bucket}`;
/** Whether it is all keys of the bucket that begin with a text. */
const isPrefixIn = (bucket: string, resource: string): boolean =>
  resource.startsWith(`${arnOf(bucket)}/`) && /^[^*?]*\*$/.test(resource);

export interface PolicyRequest {
  readonly accessKeyId: string;
  /** Undefined cannot be allowed by any policy. */
  readonly action: string | undefined;
  readonly bucket: string;
  /** Empty for the bucket itself. */
  readonly key: string;
}

export const allows = (policy: S3Policy, { accessKeyId, action, bucket, key }: PolicyRequest): boolean => {
  const requested = key === '' ? arnOf(bucket) : `${arnOf(bucket)}/${key}`;
  const covers = (resource: string): boolean =>
    resource.endsWith('*') ? key !== '' && requested.startsWith(resource.slice(0, -1)) : resource === requested;
  return policy.some(
    ({ principals, actions, resources }) =>
      action !== undefined && principals.has(accessKeyId) && actions.has(action) && resources.some(covers),
  );
};

const record = (value: unknown): Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) throw new TypeError('something that is no object');
  return Object.fromEntries(Object.entries(value));
};

const texts = (value: unknown): string[] => {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.map((one) => {
    if (typeof one !== 'string') throw new TypeError('something that is no text');
    return one;
  });
};

const nothingIn = (rest: object): void => {
  const [name] = Object.keys(rest);
  if (name !== undefined) throw new TypeError(name);
};
