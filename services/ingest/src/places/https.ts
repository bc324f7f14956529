import { ImportError } from '../errors.js';
import type { Http, Refusal, RequestHeaders, Target } from './http.js';
import type { PlaceObject } from './place.js';
import { remoteFacts } from './remote-file.js';
import { shownUrl } from './shown-url.js';

/** The object of an address. */
export async function* httpsObjects(address: string, http: Http): AsyncGenerator<PlaceObject, void, undefined> {
  const target = targetOf(address);
  const facts = await remoteFacts(http, target);
  yield { target, facts, size: facts.size, identity: facts.identity, isNamed: true };
}

const targetOf = (address: string): Target => {
  if (!URL.canParse(address)) throw new ImportError('An address that begins with http is not valid');
  const url = new URL(address);
  const name = shownUrl(url);
  const login = [url.username, url.password].map(decodeURIComponent).join(':');
  [url.username, url.password, url.hash] = ['', '', ''];
  const authorization = `Basic ${Buffer.from(login).toString('base64')}`;
  const signed = (_: URL, headers: RequestHeaders): Promise<RequestHeaders> =>
    Promise.resolve(login === ':' ? headers : { ...headers, authorization });
  return { name, url, signed, remedyOf };
};

const remedyOf = ({ status }: Refusal): string => {
  if (status === 401) return 'Name user and password in the address: https://user:password@host/path';
  if (status === 403) return 'It does not let you read this. The signature of a signed link may have expired';
  return status === 404 || status === 410 ? 'Check the address' : '';
};
