// Preloaded by a test. Removes what Node 18 does not have, so that a client that uses it fails. Newer methods of arrays are not
// among them, because Node itself uses them: `lib` in tsconfig.json leaves them out.
const absent: [object, readonly string[]][] = [
  [globalThis, ['crypto', 'navigator', 'WebSocket', 'EventSource']],
  [AbortSignal, ['any']],
  [Promise, ['withResolvers', 'try']],
  [Array, ['fromAsync']],
  [Uint8Array.prototype, ['toHex', 'toBase64']],
  [Object, ['groupBy']],
  [URL, ['canParse', 'parse']],
  [ReadableStream, ['from']],
  [process, ['getBuiltinModule']],
];
for (const [owner, names] of absent) for (const name of names) Reflect.deleteProperty(owner, name);
