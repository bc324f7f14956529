import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { acceptsProblem } from './problem-details.js';
import { type Unknown, unknownPart } from '../validation/unknown.js';

export interface Form<Id extends string = string> {
  readonly id: Id;
  readonly mediaType: string;
  /** Whether it is text, which compresses well. Other forms are compressed internally. */
  readonly isText: boolean;
}

/** Alternative names of media types that were standardised late. Answers have the form's own name. */
const otherNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['application/x-ndjson', ['application/ndjson', 'application/jsonl']],
  ['application/vnd.apache.parquet', ['application/x-parquet', 'application/parquet']],
]);

/** Content codings of answers, the cheapest first. */
const encodings = ['zstd', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

interface NegotiationInput {
  readonly headers: Pick<IncomingHttpHeaders, 'accept' | 'accept-encoding'>;
}

const textsMax = 500;
const textLengthMax = 512;

/** Clients send the same few header values, so the parsed result is memoized. */
const memoize = <Meaning>(read: (text: string) => Meaning): ((text: string) => Meaning) => {
  const memo = new LRUCache<string, { readonly meaning: Meaning }>({ max: textsMax });
  return (text) => {
    if (text.length > textLengthMax) return read(text);
    const before = memo.get(text);
    if (before !== undefined) return before.meaning;
    const meaning = read(text);
    memo.set(text, { meaning });
    return meaning;
  };
};

/** Missing in the library's types: which coding to take if the client has no preference. */
interface PreferenceNegotiator {
  encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined;
}

const readEncoding = memoize((text) => {
  const negotiator: PreferenceNegotiator = new Negotiator({ headers: { 'accept-encoding': text } });
  const chosen = negotiator.encoding([...encodings, 'identity'], { preferred: encodings });
  return encodings.find((encoding) => encoding === chosen);
});

/** The coding for `Accept-Encoding`. Undefined if it names none of ours. */
export const negotiateEncoding = ({ headers }: NegotiationInput): Encoding | undefined => {
  const text = headers['accept-encoding'];
  return text === undefined ? undefined : readEncoding(text);
};

/** The form for `Accept`: the default one without a preference, or if none matches, which is `unknown`. */
export interface Negotiated<Id extends string> {
  readonly form: Form<Id>;
  readonly unknown: Unknown | undefined;
}

export const negotiateForm = <Id extends string>(
  forms: readonly [Form<Id>, ...Form<Id>[]],
): ((request: NegotiationInput) => Negotiated<Id>) => {
  const usual = { form: forms[0], unknown: undefined };
  // If a client ranks several equally, the first wins. Every form's own name comes before the aliases.
  const byName = new Map([
    ...forms.map((form) => [form.mediaType, form] as const),
    ...forms.flatMap((form) => mediaTypeAliases(form).map((name) => [name, form] as const)),
  ]);
  const names = [...byName.keys()];
  const known = forms.map(({ mediaType }) => mediaType);
  const read = memoize((text) => {
    const chosen = new Negotiator({ headers: { accept: text } }).mediaType(names);
    const form = chosen === undefined ? undefined : byName.get(chosen);
    if (form !== undefined) return { form, unknown: undefined };
    return acceptsProblem(text) ? usual : { ...usual, unknown: unknownTypes(text, known) };
  });
  return ({ headers: { accept } }) => (accept === undefined || accept === '*/*' ? usual : read(accept));
};

const unknownTypes = (text: string, known: readonly string[]): Unknown =>
  unknownPart('media_type', { loc: ['header', 'accept'], input: text.split(/[;,]/, 1).join(''), known });

const mediaTypeAliases = ({ mediaType, isText }: Form): string[] => {
  const aliases = otherNames.get(mediaType) ?? [];
  // Our texts are UTF-8, so a client may name that charset.
  return isText ? [...aliases, ...[mediaType, ...aliases].map((name) => `${name};charset=utf-8`)] : [...aliases];
};
