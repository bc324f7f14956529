import type { ShownCall } from '../archive/shown-call.js';

type Given = readonly (readonly [string, string | number | boolean])[];

const given = ({ params }: ShownCall): Given =>
  Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));

/** JSON text is also a valid literal of Python and TypeScript, but for `true` and `false`. */
const literal = (value: string | number | boolean): string => JSON.stringify(value);
const pythonLiteral = (value: string | number | boolean): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : literal(value);

/** In single quotes nothing has a meaning for the shell, but the quote itself. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export const curlOf = (call: ShownCall, origin: string): string => {
  const query = new URLSearchParams(given(call).map(([name, value]) => [name, String(value)])).toString();
  const url = `${origin}/api/v1${call.path}${query === '' ? '' : `?${query}`}`;
  return `curl -H "Authorization: Bearer $ALMANAC_API_KEY" ${shellQuoted(url)}`;
};

const withFrame = new Set(['candles', 'snapshots', 'trades', 'list', 'markets']);

export const pythonOf = (call: ShownCall, origin: string): string => {
  const args = [...call.args.map(literal), ...given(call).map(([name, value]) => `${name}=${pythonLiteral(value)}`)];
  const answer = `client.${call.resource}.${call.method}(${args.join(', ')})`;
  // A list without a limit can have millions of rows.
  const isList = call.method === 'list' || call.resource === 'events';
  const shown = withFrame.has(call.method) && !isList ? `${answer}.to_df()` : answer;
  return [
    'import almanac',
    '',
    `client = almanac.Almanac(base_url=${literal(origin)})  # the key is read from ALMANAC_API_KEY`,
    isList && call.method !== 'get' ? `print(${shown}.first_page())` : `print(${shown})`,
  ].join('\n');
};

/** Calls of the TypeScript client that answer once. The others are read page by page. */
const single = new Set(['get', 'book', 'coverage', 'preview', 'quote']);

export const typescriptOf = (call: ShownCall, origin: string): string => {
  const params = given(call).map(([name, value]) => `${name}: ${literal(value)}`);
  const args = [...call.args.map(literal), ...(params.length === 0 ? [] : [`{ ${params.join(', ')} }`])];
  const answer = `almanac.${call.resource}.${call.method}(${args.join(', ')})`;
  return [
    "import { Almanac } from '@almanac/client/node';",
    '',
    `const almanac = new Almanac({ baseUrl: ${literal(origin)} }); // the key is read from ALMANAC_API_KEY`,
    `console.log(await ${answer}${single.has(call.method) ? '' : '.firstPage()'});`,
  ].join('\n');
};

export const languages = ['curl', 'Python', 'TypeScript'] as const;
export const codeOf = { curl: curlOf, Python: pythonOf, TypeScript: typescriptOf } as const;
