/** The generator of random filters of all kinds. */
import type { Filter, Micros } from '../../src/data/store/index.js';
import type { ValueGenerator } from './value-generator.js';

const text = (value: string): Uint8Array => new Uint8Array(Buffer.from(value, 'latin1'));

/**
 * A filter nested at most `depth` deep. As a message it is far smaller than the limit of 20,480
 * bytes, because the Engine interface has no such limit.
 */
export function randomFilter(values: ValueGenerator, depth: number): Filter {
  const { next } = values;
  const inner = (): Filter => randomFilter(values, depth - 1);
  const kind = next(depth > 0 ? 36 : 25);
  switch (kind) {
    case 0:
    case 1:
      return {
        kind: 'familyRegex',
        pattern: values.pick([
          ...values.familyNames,
          ...values.familyNames,
          '.*',
          '[a-c].*',
          'Z|s',
          'x.*',
          'b-\\d',
          '',
          values.rarely() ? 'a:b' : 'missing',
        ]),
      };
    case 2:
    case 3:
      return { kind: 'qualifierRegex', pattern: randomPattern(values) };
    case 4:
      return { kind: 'valueRegex', pattern: randomPattern(values) };
    case 5:
      return { kind: 'rowKeyRegex', pattern: randomPattern(values) };
    case 6:
    case 7:
      return {
        kind: 'cellsPerColumn',
        count: values.rarely() ? values.pick([0, -1]) : 1 + next(3),
      };
    case 8:
      return { kind: 'cellsPerRow', count: values.rarely() ? values.pick([0, -1]) : 1 + next(4) };
    case 9:
      return { kind: 'cellsPerRowOffset', count: values.rarely() ? -1 : next(4) };
    case 10:
      return { kind: 'timestampRange', ...timeBounds(values) };
    case 11:
      return { kind: 'stripValue' };
    case 12:
      return values.oneIn(3) ? { kind: 'blockAll' } : { kind: 'passAll' };
    case 13:
      return values.oneIn(2) ? { kind: 'sink' } : { kind: 'passAll' };
    case 14:
      return values.oneIn(2)
        ? { kind: 'rowSample', probability: values.pick([0.3, 0.7, 0.3, 0.7, 0, 1]) }
        : { kind: 'passAll' };
    case 15:
    case 16:
    case 17:
      return {
        kind: 'columnRange',
        family: values.family(),
        ...bounds(
          values,
          () => values.qualifier().slice(0, 40),
          (qualifier, inclusive) => ({ qualifier, inclusive }),
        ),
      };
    case 18:
    case 19:
      return {
        kind: 'valueRange',
        ...bounds(
          values,
          () => values.value().slice(0, 1000),
          (value, inclusive) => ({ value, inclusive }),
        ),
      };
    case 20:
      return values.oneIn(2)
        ? { kind: 'valueBitmask', mask: new Uint8Array(values.pick([0, 1, 8, 20])).fill(next(4)) }
        : { kind: 'passAll' };
    case 21:
      return { kind: 'label', label: values.rarely() ? 'Bad' : values.pick(['one', 'two-2']) };
    case 22:
      return { kind: 'families', families: values.list(3, () => values.family()) };
    case 23:
      return {
        kind: 'columns',
        columns: values.list(3, () => ({
          family: values.family(),
          qualifiers: values.oneIn(3)
            ? 'all'
            : values.list(3, () => values.qualifier().slice(0, 40)),
        })),
      };
    case 24:
      return { kind: 'valueEquals', value: values.value().slice(0, 1000) };
    case 25:
    case 26:
    case 27:
      return {
        kind: 'condition',
        predicate: inner(),
        onTrue: values.exceptOneIn(4, inner),
        onFalse: values.exceptOneIn(4, inner),
      };
    case 28:
    case 29:
    case 30:
      return { kind: 'interleave', filters: several(values, inner) };
    default:
      return { kind: 'chain', filters: several(values, inner) };
  }
}

/**
 * Two or three filters; rarely one, which is equivalent to that filter, or none, which is an error.
 */
function several(values: ValueGenerator, inner: () => Filter): Filter[] {
  if (values.rarely()) return values.list(1, inner);
  return [inner(), inner(), ...values.list(1, inner)];
}

/** A filter at the maximum depth, or one or two levels deeper. */
export function deepFilter(values: ValueGenerator): Filter {
  let filter: Filter = values.pick<Filter>([
    { kind: 'label', label: 'deep' },
    { kind: 'cellsPerColumn', count: 1 },
  ]);
  for (let level = values.pick([18, 19, 20]); level > 0; level--)
    filter = {
      kind: values.pick(['chain', 'interleave']),
      filters: [filter, { kind: 'blockAll' }],
    };
  return { kind: 'interleave', filters: [filter, { kind: 'passAll' }] };
}

function timeBounds(values: ValueGenerator): { start?: Micros; end?: Micros } {
  return {
    start: values.inOneOf(2, () => values.timestamp()),
    end: values.inOneOf(2, () => values.timestamp()),
  };
}

/** Two bounds, usually in order, sometimes equal. */
function bounds<B>(
  values: ValueGenerator,
  element: () => Uint8Array,
  bound: (bytes: Uint8Array, inclusive: boolean) => B,
): { start?: B; end?: B } {
  const first = element();
  const both = [first, values.oneIn(6) ? first : element()];
  if (!values.rarely()) both.sort(Buffer.compare);
  return {
    start: values.exceptOneIn(3, () => bound(both[0], values.oneIn(2))),
    end: values.exceptOneIn(3, () => bound(both[1], values.oneIn(2))),
  };
}

/** Patterns with the same meaning in JavaScript, which the reference engine uses, and RE2. */
function randomPattern(values: ValueGenerator): Uint8Array {
  return text(
    values.pick([
      'a',
      'q',
      'a\\C*',
      '.*',
      '.+',
      '\\C*',
      '[a-c]+',
      '(a|q)\\C*',
      '\\x00.*',
      '[^a]\\C*',
      'q?',
      '\\xff+',
      '\xff',
      'a\\C?|b',
      '(?:a|q){1,2}',
      '\\x00{8}',
      '[^q:]*',
      '\\d*',
      '\\W+',
      '^q$',
      values.rarely() ? '[' : '',
    ]),
  );
}
