import { inspect } from 'node:util';
import { type ErrorCode, isRowsmithError, RowsmithError } from '../../src/index.js';
import { errorMessages } from '../../src/base/index.js';

const codes = Object.keys(errorMessages) as ErrorCode[];

test('every code has a unique message, a constant sentence', () => {
  expect(new Set(Object.values(errorMessages)).size).toBe(codes.length);
  for (const code of codes) {
    expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
    expect(errorMessages[code]).toMatch(/^[A-Z][^.]*\.$/);
    expect(new RowsmithError(code, { problem: 'something' }).message).toBe(errorMessages[code]);
  }
});

test('details are a frozen copy', () => {
  const given = { entity: 'Reading', key: 'a' };
  const error = new RowsmithError('ROW_EXISTS', given);
  given.key = 'b';
  expect(error.details).toEqual({ entity: 'Reading', key: 'a' });
  expect(Object.isFrozen(error.details)).toBe(true);
  expect(new RowsmithError('ROW_EXISTS').details).toEqual({});
});

test('RowsmithError is an Error with a cause', () => {
  const cause = new Error('disk');
  const error = new RowsmithError('STORAGE_FAILED', {}, { cause });
  expect(error).toBeInstanceOf(Error);
  expect([error.name, error.code, error.cause]).toEqual(['RowsmithError', 'STORAGE_FAILED', cause]);
  expect('cause' in new RowsmithError('STORAGE_FAILED')).toBe(false);
  expect(inspect(error)).toMatch(/\[cause\]: Error: disk/);
});

test('explain() returns code, message, details and all faults with their fixes', () => {
  const error = new RowsmithError('INVALID_DECLARATION', {
    table: 't',
    size: 12n,
    list: [1, { deep: 2n }],
    missing: undefined,
    faults: [
      { entity: 'Reading', property: 'at', problem: 'no kind', fix: 'name one' },
      { entity: 'Reading', problem: 'no key', fix: 'add one' },
    ],
  });
  expect(error.explain()).toBe(
    [
      '[INVALID_DECLARATION] The entity or message declarations are invalid.',
      '    table: t',
      '    size: 12n',
      '    list: [1,{"deep":"2n"}]',
      '    Reading.at: no kind',
      '        fix: name one',
      '    Reading: no key',
      '        fix: add one',
    ].join('\n'),
  );
});

test('the stack and console.log contain that text once, followed by the frames', () => {
  const error = new RowsmithError('INVALID_KEY', {
    entity: 'Reading',
    problem: 'first\n    at nowhere',
  });
  expect(error.stack).toMatch(
    /^RowsmithError: \[INVALID_KEY\] The values do not form a valid row key\.\n {4}entity: Reading\n/,
  );
  expect(error.stack).toMatch(/\n\s+at .*errors\.test/);
  expect(inspect(error).match(/entity: Reading/g)).toHaveLength(1);
  expect(Object.keys(error)).not.toContain('stack');
});

test('details that JSON cannot represent do not hide the error', () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const error = new RowsmithError('INVALID_ARGUMENT', {
    cycle,
    symbol: Symbol('s'),
    nothing: null,
    call: () => 1,
    nameless: Object.create(null) as unknown,
  });
  expect(error.explain()).toMatch(/symbol: Symbol\(s\)/);
  expect(error.explain()).toMatch(/nothing: null/);
});

test('JSON has code, message and details', () => {
  const error = new RowsmithError('INVALID_KEY', { entity: 'Reading', value: 5n });
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'RowsmithError',
    code: 'INVALID_KEY',
    message: errorMessages.INVALID_KEY,
    details: { entity: 'Reading', value: '5n' },
  });
  expect(Object.keys(error)).toEqual(['code', 'details']);
});

test('JSON leaves out undefined details', () => {
  // They were the text 'undefined'.
  const error = new RowsmithError('STORAGE_FAILED', { file: undefined, problem: 'full' });
  expect(error.toJSON().details).toEqual({ problem: 'full' });
  expect(JSON.stringify(error)).not.toContain('undefined');
});

test('a long detail is truncated in the text, but complete in the data', () => {
  const error = new RowsmithError('INVALID_KEY', { value: 'x'.repeat(5000) });
  expect(error.explain().length).toBeLessThan(700);
  expect(error.explain()).toMatch(/\.\.\. \(5000 characters\)/);
  expect(error.details.value).toHaveLength(5000);
});

test('isRowsmithError and instanceof recognise only errors of this library', () => {
  const error = new RowsmithError('EMPTY_ROW');
  expect([isRowsmithError(error), error instanceof RowsmithError]).toEqual([true, true]);
  class Special extends RowsmithError {}
  const special = new Special('EMPTY_ROW');
  expect([special instanceof Special, special instanceof RowsmithError]).toEqual([true, true]);
  expect(error instanceof Special).toBe(false);
  for (const other of [new Error('x'), undefined, null, 7, 'RowsmithError', {}, () => error]) {
    expect(isRowsmithError(other)).toBe(false);
    expect(other instanceof RowsmithError).toBe(false);
  }
  expect(RowsmithError.name).toBe('RowsmithError');
});
