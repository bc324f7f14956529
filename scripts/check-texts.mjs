// npm run docs:check: checks spelling and style of public texts: README and the other pages, and every summary and
// description of the OpenAPI and AsyncAPI documents. Links, sources and tests that pages name must exist.
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { main, node24, repository, run, StepError } from './steps.mjs';

const sentenceWordsMax = 32;
const averageWordsMax = 18;
/** A decision is one page. */
const decisionLinesMax = 60;

/** Phrases that are hard to read, and their replacements. */
const phrases = [
  [/\b(?:is|are|was|were|be) (?:told|asked)\b/i, 'name the message: reports, returns, is requested'],
  [/\bunless told\b/i, 'by default'],
  [/\basked (?:for )?(?:again|once|twice)\b/i, 'requested again'],
  [/\bthat (?:is|are) none\b/i, 'invalid'],
  [/\bwhich is none\b/i, 'invalid'],
  [/\btaken aside\b/i, 'stored as a dead letter'],
  [/^(?:Shown|Given|Named|Stored|Counted) (?:is|are)\b/, 'subject first'],
  [/\bin silence\b/i, 'silently'],
  [/\bmade anew\b/i, 'rebuilt'],
  [/\banew\b/i, 'again'],
  [/\bin place of\b/i, 'instead of'],
  [/\bpassed over\b/i, 'skipped, ignored'],
  [/\bwhat (?:is|was) (?:asked|told|heard)\b/i, 'the request, the answer'],
  [/\bhad for\b/i, 'costs, available'],
  [/\bstands? (?:beside|in|for itself)\b/i, 'is next to, is in'],
  [/\bis away\b/i, 'does not answer, is unavailable'],
  [/\bso many\b/i, 'a number'],
  [/\bof (?:its|their) own accord\b/i, 'automatically'],
  [/\bnothing fits\b/i, 'nothing matches'],
  [/\bmore than these \d/i, 'the first 3'],
  [/\bpaid by unlock\b/i, 'covered by'],
  [/\bbegin of\b/i, 'start of'],
];

const wordsIn = (sentence) => sentence.match(/[\p{L}\p{N}][\p{L}\p{N}'’.,/_-]*/gu) ?? [];

/** The faults of one text, each a sentence. */
const faultsOf = (text) => {
  const sentences = text
    .split(/(?<=[.!?:;])\s+|\n{2,}/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
  const counts = sentences.map((sentence) => wordsIn(sentence).length);
  const faults = sentences.flatMap((sentence, index) => [
    ...(counts[index] > sentenceWordsMax ? [`${counts[index]} words (at most ${sentenceWordsMax}): ${sentence}`] : []),
    ...phrases.filter(([pattern]) => pattern.test(sentence)).map(([, use]) => `say "${use}": ${sentence}`),
  ]);
  const average = counts.reduce((sum, count) => sum + count, 0) / (counts.length || 1);
  if (counts.length > 3 && average > averageWordsMax) {
    faults.push(`${average.toFixed(1)} words a sentence on average (at most ${averageWordsMax})`);
  }
  return faults;
};

/** Prose of a page: no code or table rules, links as text. A table cell and a list item end a sentence. */
const proseOf = (markdown) =>
  markdown
    .replace(/```[\s\S]*?```/g, '\n\n')
    .replace(/^\s*\|?[\s:|-]+\|[\s:|-]*$/gm, '')
    .replace(/^#+ .*$/gm, '\n\n')
    .replace(/\|/g, '\n\n')
    .replace(/^\s*(?:[-*]|\d+\.)\s+/gm, '\n\n')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/`([^`\n]*)`/g, 'code')
    .replace(/([^\n])\n(?!\n)/g, '$1 ');

/** Every summary and description of a document, with its path. */
const textsIn = (value, place = '') => {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = `${place}/${key}`;
    if ((key === 'description' || key === 'summary') && typeof inner === 'string') return [[here, inner]];
    return textsIn(inner, here);
  });
};

const link = /\]\((?![a-z]+:)([^)#\s]+)/g;
const source =
  /`((?:services|libs|clients|deploy|scripts|test|k8s|examples)\/[\w./-]*(?:\/|\.(?:ts|mjs|py|sql|sh|yaml|conf)))`/g;

/** A source of the package whose README names it. */
const ownSource = /`((?:src|mappings|migrations)\/[\w./-]*(?:\/|\.(?:ts|mjs|sql|yaml)))`/g;

/** A test that a page names without its folder. */
const testName = /`([\w-]+(?:\.\w+)*\.spec\.ts)`/g;

/** The links and the paths of sources in a page, from the root of the checkout. */
const pathsIn = (file, markdown) => {
  const text = markdown.replace(/```[\s\S]*?```/g, '');
  const folder = dirname(file);
  const links = Array.from(text.matchAll(link), ([, target]) => join(folder, target));
  const isOfPackage = folder !== '.' && existsSync(join(repository, folder, 'package.json'));
  const own = isOfPackage ? Array.from(text.matchAll(ownSource), ([, path]) => join(folder, path)) : [];
  return [...links, ...own, ...Array.from(text.matchAll(source), ([, path]) => path)];
};

const pageFaults = (file, tests) => {
  const markdown = readFileSync(join(repository, file), 'utf8');
  const names = Array.from(markdown.matchAll(testName), ([, name]) => name);
  const missing = [
    ...pathsIn(file, markdown).filter((path) => !existsSync(join(repository, path))),
    ...names.filter((name) => !tests.has(name)),
  ];
  const lines = markdown.trimEnd().split('\n').length;
  const isLong = /^docs\/decisions\/\d/.test(file) && lines > decisionLinesMax;
  return [
    ...faultsOf(proseOf(markdown)),
    ...missing.map((path) => `there is no ${path}`),
    ...(isLong ? [`${lines} lines (at most ${decisionLinesMax})`] : []),
  ].map((fault) => `${file}: ${fault}`);
};

const documentFaults = (file) => {
  const seen = new Set();
  return textsIn(JSON.parse(readFileSync(join(repository, file), 'utf8'))).flatMap(([place, text]) => {
    if (seen.has(text)) return [];
    seen.add(text);
    return faultsOf(text).map((fault) => `${file}#${place}: ${fault}`);
  });
};

/** A number before a plural in a text of a client: with one of them, it is wrong. `counted` of the TypeScript client counts. */
const plural = /\{[^{}]*(?:_n|\.length|\bcount\([^{}]*\))\} [a-z]+s\b/;
/** A text for several, or the first of many. */
const isForMany = /=== 1 \?|The first |\} series\b/;

const countFaults = (file) =>
  readFileSync(join(repository, file), 'utf8')
    .split('\n')
    .flatMap((line, at) =>
      plural.test(line) && !isForMany.test(line) ? [`${file}:${at + 1}: use counted(): ${line.trim()}`] : [],
    );

/** The files of the checkout that match a pattern, also those that are not yet committed. */
const filesLike = async (pattern) => {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', pattern];
  const listed = await run('git', args, { what: `Listing ${pattern}` });
  return listed.split('\n').filter((file) => file !== '' && existsSync(join(repository, file)));
};

await main(async () => {
  const pages = (await filesLike('*.md')).filter((file) => file !== 'docs/glossary.md');
  const tests = new Set((await filesLike('*.spec.ts')).map((file) => basename(file)));
  const documents = ['docs/openapi.json', 'docs/asyncapi.json'];
  const faults = [...pages.flatMap((page) => pageFaults(page, tests)), ...documents.flatMap(documentFaults)];
  const sources = (await filesLike('clients/*.ts*')).filter((file) => !/\.spec\.ts$|\/generated\//.test(file));
  faults.push(...sources.flatMap(countFaults));
  for (const fault of faults) console.error(fault);
  const cspell = join(repository, 'node_modules', 'cspell', 'bin.mjs');
  await run(node24, [cspell, 'lint', '--no-progress', '--no-summary', ...pages, ...documents], {
    what: 'The spelling check',
    showOutput: true,
  });
  if (faults.length > 0) throw new StepError(`${faults.length} public texts are hard to read.`);
  console.log(`${pages.length} pages and ${documents.length} documents read well.`);
});
