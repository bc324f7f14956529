import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProbability, readDecimal, integerDigitCount, withoutFloatNoise } from './decimal.js';
import { kalshiTickerTime, tickerTime } from './ticker-time.js';
import { isOfOtherUnit, readDuration, readSpan, readTime } from './time.js';
import { localToUtcMs } from './zone.js';

test('a decimal keeps every digit in its shortest form', () => {
  const cases: readonly [string, string | null][] = [
    ['65541.895', '65541.895'],
    ['0.50', '0.5'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['007.10', '7.1'],
    ['-0.0', '0'],
    ['+3', '3'],
    ['-1.25', '-1.25'],
    ['1e-3', '0.001'],
    ['1.5E2', '150'],
    ['0.1234567890123456789012345', '0.1234567890123456789012345'],
    ['100', '100'],
    ['', null],
    ['.', null],
    ['abc', null],
    ['1,5', null],
    ['0x10', null],
    ['NaN', null],
    ['Infinity', null],
    ['1e999', null],
  ];
  for (const [text, expected] of cases) assert.equal(readDecimal(text), expected, text);
});

test('a decimal is rounded by its digits', () => {
  assert.equal(readDecimal('65573.369999', { decimals: 2 }), '65573.37');
  assert.equal(readDecimal('68576.729999', { decimals: 2 }), '68576.73');
  assert.equal(readDecimal('68564.539999', { decimals: 2 }), '68564.54');
  assert.equal(readDecimal('1.005', { decimals: 2 }), '1.01', 'a binary float would give 1');
  assert.equal(readDecimal('99.999', { decimals: 2 }), '100');
  assert.equal(readDecimal('0.004', { decimals: 2 }), '0');
  assert.equal(readDecimal('0.0004', { decimals: 2 }), '0');
  assert.equal(readDecimal('0.005', { decimals: 2 }), '0.01');
  assert.equal(readDecimal('0.5', { decimals: 0 }), '1');
  assert.equal(readDecimal('81.8797', { decimals: 4 }), '81.8797');
});

test('float noise is removed only where the intended number is certain', () => {
  const cases: readonly [string, string][] = [
    ['65573.369999', '65573.37'],
    ['-65573.369999', '-65573.37'],
    ['1905.339999', '1905.34'],
    ['67000.099999', '67000.1'],
    ['65573.12349999', '65573.1235'],
  ];
  for (const [withNoise, meant] of cases) assert.equal(withoutFloatNoise(withNoise), meant, withNoise);
  const unchanged = [
    '1.3691',
    '3.125',
    '1.369999',
    '81.8797',
    '0.009999',
    '0.000001',
    '65499.99',
    '65499.9999',
    '65499.999999',
    '99999',
  ];
  for (const exact of [...unchanged, '65573.370001', '65573.369998', '65573.123459999', '12345.678912'])
    assert.equal(withoutFloatNoise(exact), exact);
});

test('cents become dollars without a binary float', () => {
  const dollars = (cents: string) => readDecimal(cents, { pointLeft: 2 });
  assert.deepEqual(['86', '0', '100', '7', '0.9'].map(dollars), ['0.86', '0', '1', '0.07', '0.009']);
});

test('a YES price lies between 0 and 1', () => {
  assert.deepEqual(['0', '0.5', '1', '1.01', '-0.1', '2'].map(isProbability), [true, true, true, false, false, false]);
  assert.deepEqual(['-12.5', '0.1', '123'].map(integerDigitCount), [2, 1, 3]);
});

test('times of every unit become exact microseconds', () => {
  assert.equal(readTime('1771993365.058297', 's'), 1_771_993_365_058_297);
  assert.equal(readTime('1771993366.816375', 's'), 1_771_993_366_816_375);
  assert.equal(readTime('1771993365', 's'), 1_771_993_365_000_000);
  assert.equal(readTime('1771993365058.297', 'ms'), 1_771_993_365_058_297);
  assert.equal(readTime('1771993365058297', 'us'), 1_771_993_365_058_297);
  assert.equal(readTime('1771993365058297999', 'ns'), 1_771_993_365_058_297);
  assert.equal(readTime('2026-02-25T04:22:45.058297Z', 'iso'), 1_771_993_365_058_297);
  assert.equal(readTime('2026-02-25T05:22:45.058297+01:00', 'iso'), 1_771_993_365_058_297);
  assert.equal(readTime('2026-02-24 23:22:45.058297-05', 'iso'), 1_771_993_365_058_297);
  assert.equal(readTime('2026-02-25T04:22:45.058297', 'iso', 'UTC'), 1_771_993_365_058_297);
  assert.equal(readTime('2026-02-24T23:22:45.058297', 'iso', 'America/New_York'), 1_771_993_365_058_297);
});

test('a truncated time, another unit and an invalid date are refused', () => {
  const iso = ['2026-04-03T22:15:13.4879+', '2026-04-03T22:15:13.487+0', '2026-04-03T22:15:13.48+00', '2026-04-03T22:'];
  for (const text of iso) assert.equal(readTime(text, 'iso', 'UTC'), null, text);
  for (const text of ['2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-01T24:00:00Z', 'yesterday', ''])
    assert.equal(readTime(text, 'iso', 'UTC'), null, text);
  for (const zone of ['+24:00', '-99:00', '+05:60', '+0575'])
    assert.equal(readTime(`2026-01-01T00:00:00${zone}`, 'iso'), null, `${zone} is no zone`);
  assert.equal(readTime('2026-04-03T22:15:13', 'iso'), null, 'a clock without a zone is no instant');
  assert.equal(readTime('1771993365058', 's'), null, 'milliseconds taken for seconds lie beyond 2100');
  assert.equal(readTime('1771993365', 'ms'), null, 'seconds taken for milliseconds lie in 1970');
  assert.equal(readTime('1771993365058297', 'ns'), null, 'microseconds taken for nanoseconds lie in 1970');
  for (const [text, unit] of [
    ['1771993365', 'ms'],
    ['1771993365058', 's'],
    ['1771993365', 'iso'],
    ['2026-02-25T04:22:45Z', 's'],
  ] as const)
    assert.equal(isOfOtherUnit(text, unit), true, `${text} is no time in ${unit}`);
  for (const text of ['0', '0.0', '00', 'soon', '-5']) assert.equal(isOfOtherUnit(text, 's'), false, text);
  for (const text of ['-5', '1e9', '12:00', '99999999999999999999']) assert.equal(readTime(text, 's'), null, text);
});

test('durations are read exactly', () => {
  assert.equal(readSpan('435.081651', 's'), 435_081_651);
  assert.deepEqual(['15m', '1h', '30s', '1d', '15', 'm', '1.5h'].map(readDuration), [
    900_000_000,
    3_600_000_000,
    30_000_000,
    86_400_000_000,
    null,
    null,
    null,
  ]);
});

test('a ticker is read on the US Eastern clock, before and after a change of it', () => {
  const close = (ticker: string) => {
    const us = tickerTime(ticker, new RegExp(kalshiTickerTime), 'America/New_York');
    return us === null ? null : new Date(us / 1000).toISOString();
  };
  assert.equal(close('KXBTC15M-26FEB242330-30'), '2026-02-25T04:30:00.000Z');
  assert.equal(close('KXBTC15M-26APR041230-30'), '2026-04-04T16:30:00.000Z');
  assert.equal(close('KXBTC15M-26MAR080145-45'), '2026-03-08T06:45:00.000Z', 'the last quarter of winter');
  assert.equal(close('KXBTC15M-26MAR080300-00'), '2026-03-08T07:00:00.000Z', 'the first of summer');
  assert.equal(close('KXBTC15M-26MAR080230-30'), '2026-03-08T07:30:00.000Z', 'a time that no clock showed');
  assert.equal(close('KXBTC15M-26NOV010045-45'), '2026-11-01T04:45:00.000Z');
  assert.equal(close('KXBTC15M-26NOV010130-30'), '2026-11-01T05:30:00.000Z', 'shown twice: the first');
  assert.equal(close('KXBTC15M-26NOV010200-00'), '2026-11-01T07:00:00.000Z');
  assert.equal(close('KXBTC15M-26FEB302330-30'), null, 'February has no 30th');
  assert.equal(close('KXBTC15M-26FEX242330-30'), null);
  assert.equal(close('KXCPICOREYOY-25AUG-T3.3'), null);
});

test('a zone half an hour off is exact too', () => {
  assert.equal(localToUtcMs(Date.UTC(2026, 0, 1, 5, 30), 'Asia/Kolkata'), Date.UTC(2026, 0, 1));
});
