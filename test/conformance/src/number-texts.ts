/** Texts that are tried as values of parameters. */
export const long = 'x'.repeat(10_000);

export const notIntegers = [
  '',
  ' ',
  'x',
  '1.5',
  '1.',
  '.0',
  '1e2',
  '0x10',
  'NaN',
  'null',
  'true',
  '1,0',
  '+-1',
  '1__0',
  '٣',
  '３',
  '💥',
  '1\0',
  long,
];

/** Other spellings of an integer, with their value. */
export const spellings: readonly (readonly [string, number])[] = [
  ['1.0', 1],
  ['7.00', 7],
  ['+5', 5],
  [' 5 ', 5],
  ['1_0', 10],
  ['007', 7],
  ['-0', 0],
  ['9'.repeat(400), Infinity],
  [`-${'9'.repeat(400)}`, -Infinity],
  ['9'.repeat(10_000), Infinity],
];

export const notNumbers = [
  '',
  ' ',
  'x',
  '.',
  '1e',
  'e5',
  '0x1',
  '1,5',
  '--1',
  '1 5',
  'null',
  'true',
  '٣',
  '💥',
  '1\0',
  long,
];

export const notFinite = ['NaN', 'nan', 'inf', 'Infinity', '-Infinity', '+inf', '1e999', '-1e999', '9'.repeat(400)];
