/** What fromJSON accepts and rejects. */
import { type JsonOf, open, type OpenDatabase, RowsmithError } from '../../../../src/index.js';
import fc from '../../../support/fast-check.js';
import { All, Everything, Inner, instances } from '../../../tools/transfer/everything.js';
import { Sample, key, keyJson, throughText, attempt } from './json-samples.js';

let db: OpenDatabase<typeof Everything | typeof Sample>;
const samples = () => db.repository(Sample);
const everything = () => db.repository(Everything);
beforeAll(async () => {
  db = await open('memory:', { entities: [Everything, Sample] });
});
afterAll(() => db.close());

describe('fromJSON', () => {
  test.each<[name: string, value: unknown, code: string, property: string, fix: RegExp]>([
    ['text', '{}', 'INVALID_ARGUMENT', 'value', /JSON.parse/],
    ['null', null, 'INVALID_ARGUMENT', 'value', /JSON.parse/],
    ['an array', [], 'INVALID_ARGUMENT', 'value', /JSON.parse/],
    ['nothing', {}, 'INVALID_KEY', 'id', /./],
    ['without a segment', { id: 'a' }, 'INVALID_KEY', 'at', /./],
    ['a segment of null', { ...keyJson, id: null }, 'INVALID_KEY', 'id', /./],
    ['a misspelt name', { ...keyJson, valeu: 1 }, 'INVALID_ARGUMENT', 'valeu', /'value'/],
    ['a method', { ...keyJson, toJSON: 1 }, 'INVALID_ARGUMENT', 'toJSON', /./],
    ['a prototype', JSON.parse('{"__proto__":{}}'), 'INVALID_ARGUMENT', '__proto__', /./],
    ['timestamps of an export', { ...keyJson, '@at': 5 }, 'INVALID_ARGUMENT', '@at', /importRows/],
    ['a number as int64', { ...keyJson, big: 5 }, 'INVALID_VALUE', 'big', /toJSON/],
    ['a rounded int64', { ...keyJson, big: 2 ** 60 }, 'INVALID_VALUE', 'big', /quotes/],
    ['too large an int64', { ...keyJson, big: `${2n ** 63n}` }, 'INVALID_VALUE', 'big', /./],
    ['digits as int32', { ...keyJson, small: '5' }, 'INVALID_VALUE', 'small', /toJSON/],
    ['a fraction as int32', { ...keyJson, small: 1.5 }, 'INVALID_VALUE', 'small', /./],
    ['text as bool', { ...keyJson, on: 'true' }, 'INVALID_VALUE', 'on', /toJSON/],
    ['digits as double', { ...keyJson, value: '1.5' }, 'INVALID_VALUE', 'value', /toJSON/],
    ['a day', { ...keyJson, at: '2026-11-22' }, 'INVALID_VALUE', 'at', /toJSON/],
    [
      'microseconds',
      { ...keyJson, at: '2026-11-22T10:00:00.000001Z' },
      'INVALID_VALUE',
      'at',
      /toJSON/,
    ],
    ['no base64', { ...keyJson, raw: 'é' }, 'INVALID_VALUE', 'raw', /base64/],
    ['other base64', { ...keyJson, raw: 'AB==' }, 'INVALID_VALUE', 'raw', /toJSON/],
    ['a number as a date', { ...keyJson, seen: 5 }, 'INVALID_VALUE', 'seen', /./],
    [
      'a time without a zone',
      { ...keyJson, at: '2026-11-22T10:00:00' },
      'INVALID_VALUE',
      'at',
      /./,
    ],
    ['a list as a map', { ...keyJson, scores: [['a', '1']] }, 'INVALID_VALUE', 'scores', /./],
    ['a wrong entry', { ...keyJson, scores: { a: 1 } }, 'INVALID_VALUE', 'scores["a"]', /./],
    ['a null entry', { ...keyJson, scores: { a: null } }, 'INVALID_VALUE', 'scores["a"]', /./],
    ['no versions', { ...keyJson, history: {} }, 'INVALID_VALUE', 'history', /"at"/],
    ['a version as a number', { ...keyJson, history: [1] }, 'INVALID_VALUE', 'history[0]', /./],
    [
      'a version without time',
      { ...keyJson, history: [{ value: 1 }] },
      'INVALID_VALUE',
      'history[0]',
      /./,
    ],
    [
      'a version with more',
      { ...keyJson, history: [{ at: keyJson.at, value: 1, v: 1 }] },
      'INVALID_VALUE',
      'history[0]',
      /leave/,
    ],
  ])('%s is rejected', (_name, value, code, property, fix) => {
    const error = attempt(() => samples().fromJSON(value));
    expect(error).toBeInstanceOf(RowsmithError);
    const { details } = error as RowsmithError;
    expect({ code: (error as RowsmithError).code, ...details }).toMatchObject({
      code,
      entity: 'Sample',
      property,
      fix: expect.stringMatching(fix) as string,
    });
  });

  test('what is absent is undefined, though the class assigns a value', () => {
    expect(samples().fromJSON(keyJson).value).toBeUndefined();
    expect(samples().fromJSON({ ...keyJson, value: null, name: null }).value).toBeUndefined();
    expect(new Sample().value).toBe(5);
  });

  test('messages are of their classes, and wrong fields are named', () => {
    const json = throughText(fc.sample(instances, { numRuns: 1, seed: 2 })[0]) as object;
    const value = { ...json, all: { inner: { value: 'NaN' }, byNumber: [[5, 'x']] } };
    const { all } = everything().fromJSON(value);
    expect(all).toBeInstanceOf(All);
    expect(all?.inner).toBeInstanceOf(Inner);
    expect(all?.byNumber).toEqual(new Map([[5, 'x']]));
    const wrong = (fields: object): unknown =>
      (attempt(() => everything().fromJSON({ ...json, all: fields })) as RowsmithError).details
        .property;
    expect(wrong({ inner: { value: '5' } })).toBe('all.inner.value');
    expect(wrong({ list: ['1', 2] })).toBe('all.list[1]');
    expect(wrong({ int32: '5' })).toBe('all.int32');
    expect(wrong({ int33: 5 })).toBe('all.int33');
    expect(wrong({ byNumber: [['5', 'x']] })).toBe('all.byNumber[0]');
    expect(wrong({ left: 'a', right: 1 })).toMatch(/^all/);
  });
});

test('the type of the JSON', () => {
  const json: JsonOf<Sample> = samples().toJSON(samples().create({ ...key }));
  const id: string = json.id;
  const time: string = json.at;
  const value: number | 'NaN' | 'Infinity' | '-Infinity' | '-0' | undefined = json.value;
  const big: string | undefined = json.big;
  const scores: { readonly [qualifier: string]: string } | undefined = json.scores;
  const raw: string | undefined = json.raw;
  const name: string | null | undefined = json.name;
  // @ts-expect-error a bigint is text
  const wrong: bigint | undefined = json.big;
  expect([id, time, value, big, scores, raw, name, wrong]).toBeDefined();
  const selected = samples().toJSON({ ...key, big: 1n });
  const text: string = selected.big;
  expect(text).toBe('1');
  expect(() => samples().toJSON({ ...key, bgi: 1n })).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ property: 'bgi' }) }),
  );
});
