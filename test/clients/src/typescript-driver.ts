import { readFileSync } from 'node:fs';
import { Almanac, AlmanacError, type Pages } from '@almanac/client/node';
import type { ClientDriver, DrivenCall } from './client-driver.js';

const reference = readFileSync(new URL('../../../clients/typescript/REFERENCE.md', import.meta.url), 'utf8');
/** They return a stream, or write a folder, and have tests of their own. */
const notDriven = ['exports.stream', 'sync'];
const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The ids that each call of the client takes first, and whether parameters follow. */
export const calls: Readonly<Record<string, readonly [ids: readonly string[], takesParameters: boolean]>> =
  Object.fromEntries(
    [...reference.matchAll(/^### `([\w.]+)\(([^)]*)\)`$/gm)]
      .map(([, name = '', given = '']) => ({ call: snake(name), given: given === '' ? [] : given.split(', ') }))
      .filter(({ call }) => !notDriven.includes(call))
      .map(({ call, given }) => {
        const ids = given.filter((one) => !/^(params|body)\??$/.test(one));
        return [call, [ids, ids.length < given.length]];
      }),
  );

const camel = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const withCamelNames = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name === 'as_of' ? name : camel(name), value]));

export const typescriptDriver: ClientDriver = {
  run: async (driven) => {
    try {
      const result = await resultOf(driven);
      return { result: JSON.parse(JSON.stringify(result)) as unknown };
    } catch (error) {
      if (!(error instanceof AlmanacError)) throw error;
      return { error: JSON.parse(JSON.stringify(error)) as Record<string, unknown> };
    }
  },
};

const resultOf = async (driven: DrivenCall): Promise<unknown> => {
  const almanac = new Almanac(withCamelNames(driven.client));
  const returned = callOf(almanac, driven, withCamelNames(driven.options));
  return isPages(returned) ? taken(returned, driven) : returned;
};

/** What the method of a call returns. */
export const callOf = (
  almanac: Almanac,
  { call, args }: Pick<DrivenCall, 'call' | 'args'>,
  options: Readonly<Record<string, unknown>>,
): unknown => {
  const [ids, takesParameters] = calls[call] ?? unknownCall(call);
  const parameters = Object.fromEntries(Object.entries(args).filter(([name]) => !ids.includes(name)));
  const positional = ids.map((name) => args[name]);
  const [resource = '', method] = call.split('.');
  const owner = (almanac as unknown as Record<string, unknown>)[camel(resource)];
  const called = method === undefined ? owner : (owner as Record<string, unknown>)[camel(method)];
  const given = [...positional, ...(takesParameters ? [parameters] : []), options];
  return (called as (...given: unknown[]) => unknown)(...given);
};

const unknownCall = (call: string): never => {
  throw new Error(`No call is named ${call}.`);
};

export const isPages = (value: unknown): value is Pages<unknown, unknown> =>
  typeof value === 'object' && value !== null && 'firstPage' in value;

const taken = async (
  list: Pages<unknown, unknown>,
  { take, max }: Pick<DrivenCall, 'take' | 'max'>,
): Promise<unknown> => {
  if (take === 'first_page') return list.firstPage();
  if (take === 'items') return list.toArray(max === undefined ? {} : { max });
  const pages: unknown[] = [];
  for await (const page of list.pages()) pages.push(page);
  return pages;
};
