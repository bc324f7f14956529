import type { CommandContext, CommandSpec, Result } from '../command.js';
import { factsOf, tableOf } from '../output/table.js';
import { bytes, count, counted } from '../output/values.js';
import { tableStyle } from './reads.js';

const dataset: CommandSpec = {
  name: 'dataset',
  summary: 'Show what a file contains, and how to cite it',
  details: ['export --dataset ID makes its file again.'],
  args: [{ name: 'ID' }],
  options: {
    metadata: {
      value: 'STANDARD',
      summary: 'Print its metadata in this standard, as JSON',
      choices: ['croissant', 'datacite'],
    },
  },
  examples: [
    'almanac-data dataset DATASET --json',
    'almanac-data dataset DATASET --metadata croissant > croissant.json',
  ],
  run: async (context): Promise<Result> => {
    const [id = ''] = context.args;
    const standard = context.options.text('metadata') as 'croissant' | 'datacite' | undefined;
    if (standard !== undefined) return metadataOf(context, id, standard);
    const found = await context.almanac.datasets.get(id);
    const facts: (readonly [string, unknown])[] = [
      ['dataset', found.dataset_id],
      ['SHA-256', found.sha256],
      ['format', found.format],
      ['size', bytes(found.bytes)],
      ['rows', `${count(found.row_count)} of ${counted(found.markets, 'market')}`],
      ['gaps', count(found.manifest.gaps_n)],
      ['cite as', found.citation.text],
    ];
    const lines = [...factsOf(facts, tableStyle(context, '').paint), '', ...found.citation.bibtex.split('\n')];
    return { json: context.answers(/\/datasets\/[^/]+$/), items: [found], lines };
  },
};

const metadataOf = async (context: CommandContext, id: string, standard: 'croissant' | 'datacite'): Promise<Result> => {
  const metadata = await context.almanac.datasets.metadata(id, standard);
  const lines = JSON.stringify(metadata, null, 2).split('\n');
  return { json: context.answers(/\/datasets\/[^/]+$/), items: [metadata], lines };
};

const formats: CommandSpec = {
  name: 'exports formats',
  summary: 'List the formats of files, and what opens them',
  args: [],
  options: {},
  examples: ['almanac-data exports formats'],
  run: async (context): Promise<Result> => {
    const answer = await context.almanac.exports.formats();
    const items = [...answer.formats, ...answer.engine_formats];
    const lines = tableOf(
      items,
      [
        { title: 'ID', value: ({ id }) => id },
        { title: 'LABEL', value: ({ label }) => label },
        { title: 'OPENS IN', value: ({ opens_in }) => opens_in, isFlexible: true },
      ],
      tableStyle(context, 'There are no formats.'),
    );
    return { json: context.answers(/\/exports\/formats$/), items, lines };
  },
};

export const datasetCommands: readonly CommandSpec[] = [dataset, formats];
