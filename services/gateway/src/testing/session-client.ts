import assert from 'node:assert/strict';
import { z } from 'zod';
import type { TestKey } from './keys-stub.js';
import type { TestSystem } from './gateway.js';

/** What `/auth/session` answers. */
export const openedSession = z.strictObject({
  csrf_token: z.string().min(20),
  expires_ts: z.number(),
  key_id: z.string(),
  plan: z.string(),
  as_of: z.number().nullable(),
});

interface Opened {
  readonly cookie: string;
  readonly csrf_token: string;
}

/** The headers that a page of this gateway sends. */
export const fromPage = (
  { cookie, csrf_token }: Opened,
  { url }: { readonly url: string },
): Record<string, string> => ({
  cookie,
  origin: url,
  'sec-fetch-site': 'same-origin',
  'x-csrf-token': csrf_token,
  'content-type': 'application/json',
});

interface Init {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const answer = z.looseObject({ code: z.string().optional(), of: z.string().optional() });

/** Opens sessions at a gateway and calls with them. `systemOf` is called when a test runs. */
export const sessionClient = (systemOf: () => TestSystem) => {
  const atSession = (method: string, headers: Readonly<Record<string, string>>, body?: string): Promise<Response> =>
    fetch(`${systemOf().url}/auth/session`, { method, headers, ...(body === undefined ? {} : { body }) });
  return {
    atSession,
    login: async (key: TestKey, headers: Readonly<Record<string, string>> = {}) => {
      const response = await atSession('POST', { authorization: `Bearer ${key.text}`, ...headers });
      assert.equal(response.status, 200);
      const [cookie = ''] = response.headers.getSetCookie();
      const { csrf_token, expires_ts } = openedSession.parse(await response.json());
      const [value = '', ...attributes] = cookie.split('; ');
      return { cookie: value, attributes, csrf_token, expires_ts, response };
    },
    statusOf: async (path: string, init: Init) => {
      const response = await systemOf().request(path, undefined, init);
      return { status: response.status, ...answer.parse(await response.json()) };
    },
  };
};
