// npm run lint: rejects names with a word that the glossary replaces (docs/glossary.md).
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { main, repository, run } from './steps.mjs';

/** Each word with the term of the field. */
const replacements = new Map([
  ['asked', 'request, query, input'],
  ['told', 'reported, metadata'],
  ['kept', 'cache, stored'],
  ['heard', 'received, pending'],
  ['wish', 'preference, content negotiation'],
  ['wishes', 'preferences, content negotiation'],
  ['wished', 'preferred'],
  ['flight', 'single flight'],
  ['flights', 'single flight'],
  ['landing', 'completion'],
  ['seat', 'caller'],
  ['seats', 'callers'],
  ['departure', 'start'],
  ['beat', 'heartbeat'],
  ['room', 'storage capacity'],
  ['spoken', 'merged'],
  ['world', 'fixture'],
  ['stage', 'harness'],
  ['neighbour', 'stub'],
  ['neighbours', 'stubs'],
  ['havoc', 'fault injector'],
  ['deed', 'operation'],
  ['deeds', 'operations'],
  ['reckoning', 'invariants'],
  ['insist', 'retry'],
  ['patient', 'delivery queue, buffered'],
  ['aside', 'dead-lettered'],
]);
/** Names in which such a word has its usual meaning. */
const allowed = /in-?flight|single-?flight|^MARKETS_KEPT$/i;

const identifier = /[A-Za-z_$][\w$]*/g;
const wordsOf = (name) =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .map((word) => word.toLowerCase());

/** The faults of one name: [word, replacement]. */
const faultsOf = (name) =>
  allowed.test(name)
    ? []
    : wordsOf(name).flatMap((word) => (replacements.has(word) ? [[word, replacements.get(word)]] : []));

/** The code of a source without comments and string texts, but with the expressions inside templates. */
const codeOf = (text) => {
  let code = '';
  let at = 0;
  /** The number of open braces in each open template. */
  const templates = [];
  /** Leaves out what the pattern matches here. Text that only looks like its start counts as code. */
  const skip = (pattern) => {
    pattern.lastIndex = at;
    const isMatch = pattern.exec(text) !== null;
    code += isMatch ? ' ' : text[at];
    at = isMatch ? pattern.lastIndex : at + 1;
  };
  while (at < text.length) {
    const next = text.slice(at, at + 2);
    if (next === '//') skip(/\n|$/g);
    else if (next === '/*') skip(/\*\//g);
    else if (next[0] === "'") skip(/'(?:[^'\\\n]|\\.)*'/gy);
    else if (next[0] === '"') skip(/"(?:[^"\\\n]|\\.)*"/gy);
    else if (next[0] === '/' && /(?:^|[(,=:[!&|?{};>])\s*$/.test(code.slice(-80))) {
      skip(/\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\]|\\.)*\])+\/[a-z]*/gy);
    } else if (next[0] === '`' || (next[0] === '}' && templates.at(-1) === 0)) {
      if (next[0] === '}') templates.pop();
      skip(/[`}](?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/gy);
      if (text[at - 1] === '{') templates.push(0);
    } else {
      if (templates.length > 0 && next[0] === '{') templates.push(templates.pop() + 1);
      if (templates.length > 0 && next[0] === '}') templates.push(templates.pop() - 1);
      code += text[at];
      at += 1;
    }
  }
  return code;
};

const namesIn = (text) => codeOf(text).match(identifier) ?? [];

const checkFile = (file) => {
  const fromPath = file.split('/').flatMap((part) => faultsOf(basename(part).replace(/\.[a-z]+$/, '')));
  const seen = new Map(fromPath.map(([word, use]) => [`${file}: the path has "${word}"`, use]));
  for (const name of new Set(namesIn(readFileSync(join(repository, file), 'utf8')))) {
    for (const [word, use] of faultsOf(name)) seen.set(`${file}: ${name} has "${word}"`, use);
  }
  return [...seen].map(([fault, use]) => `${fault}; say: ${use}`);
};

await main(async () => {
  const listed = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.mjs'], {
    what: 'Listing the sources',
  });
  const files = listed.split('\n').filter((file) => file !== '' && !file.startsWith('scripts/check-'));
  const faults = files.flatMap(checkFile);
  for (const fault of faults) console.error(fault);
  if (faults.length === 0) console.log(`${files.length} files, no name that the glossary replaces.`);
  return faults.length === 0 ? 0 : 1;
});
