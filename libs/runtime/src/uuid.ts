import { createHash } from 'node:crypto';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether a text is a UUID in lower case. */
export const isUuid = (text: string): boolean => uuid.test(text);

/** Our own namespace, so that names of other systems give other ids. */
const nameSpace = Buffer.from('6f3c1e0a5d2b4c7f9a8e41b7d05c93e2', 'hex');

/** The UUID version 5 of a name: the same name always has the same id. */
export const uuidV5 = (name: string): string => {
  const bytes = createHash('sha1').update(nameSpace).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

/** The id of an export in a request with several exports. The first has the id of the group. */
export const partExportId = (account: string, group: string, part: number): string =>
  part === 0 ? group : uuidV5(`${account}\n${group} part ${part}`);

/** The id of the next export under an Idempotency-Key, when the export with this id no longer counts. */
export const exportIdAfter = (account: string, id: string): string => uuidV5(`${account}\nafter ${id}`);

/** An Idempotency-Key that reads like the names above. */
const likeOwnName = /^(?:[0-9a-f-]{36} part \d+|after [0-9a-f-]{36})$/;

/**
 * The id of the first export under an Idempotency-Key. It is never that of a part or of a next export, whatever the client
 * has chosen: no header has a line feed.
 */
export const exportIdOfKey = (account: string, key: string): string =>
  uuidV5(`${account}\n${likeOwnName.test(key) ? '\n' : ''}${key}`);
