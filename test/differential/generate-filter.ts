/** Random trees of every filter. */
import type { Filter, Micros } from '../../src/store/index.js';
import type { Draw } from './draw.js';

const text = (value: string): Uint8Array => new Uint8Array(Buffer.from(value, 'latin1'));

/**
 * Filters inside each other at most `depth` deep. Its bytes stay far below the 20,480 that a filter
 * may have as a message: the Engine interface has no such limit.
 */
export function randomFilter(draw: Draw, depth: number): Filter {
  const { next } = draw;
  const inner = (): Filter => randomFilter(draw, depth - 1);
  const kind = next(depth > 0 ? 36 : 25);
  switch (kind) {
    case 0:
    case 1:
      return {
        kind: 'familyRegex',
        pattern: draw.pick([
          ...draw.names,
          ...draw.names,
          '.*',
          '[a-c].*',
          'Z|s',
          'x.*',
          'b-\\d',
          '',
          draw.rare() ? 'a:b' : 'missing',
        ]),
      };
    case 2:
    case 3:
      return { kind: 'qualifierRegex', pattern: randomPattern(draw) };
    case 4:
      return { kind: 'valueRegex', pattern: randomPattern(draw) };
    case 5:
      return { kind: 'rowKeyRegex', pattern: randomPattern(draw) };
    case 6:
    case 7:
      return { kind: 'cellsPerColumn', count: draw.rare() ? draw.pick([0, -1]) : 1 + next(3) };
    case 8:
      return { kind: 'cellsPerRow', count: draw.rare() ? draw.pick([0, -1]) : 1 + next(4) };
    case 9:
      return { kind: 'cellsPerRowOffset', count: draw.rare() ? -1 : next(4) };
    case 10:
      return { kind: 'timestampRange', ...timeBounds(draw) };
    case 11:
      return { kind: 'stripValue' };
    case 12:
      return next(3) === 0 ? { kind: 'blockAll' } : { kind: 'passAll' };
    case 13:
      return next(2) === 0 ? { kind: 'sink' } : { kind: 'passAll' };
    case 14:
      return next(2) === 0
        ? { kind: 'rowSample', probability: draw.pick([0.3, 0.7, 0.3, 0.7, 0, 1]) }
        : { kind: 'passAll' };
    case 15:
    case 16:
    case 17:
      return {
        kind: 'columnRange',
        family: draw.family(),
        ...bounds(
          draw,
          () => draw.qualifier().slice(0, 40),
          (qualifier, inclusive) => ({ qualifier, inclusive }),
        ),
      };
    case 18:
    case 19:
      return {
        kind: 'valueRange',
        ...bounds(
          draw,
          () => draw.value().slice(0, 1000),
          (value, inclusive) => ({ value, inclusive }),
        ),
      };
    case 20:
      return next(2) === 0
        ? { kind: 'valueBitmask', mask: new Uint8Array(draw.pick([0, 1, 8, 20])).fill(next(4)) }
        : { kind: 'passAll' };
    case 21:
      return { kind: 'label', label: draw.rare() ? 'Bad' : draw.pick(['one', 'two-2']) };
    case 22:
      return { kind: 'families', families: draw.some(3, () => draw.family()) };
    case 23:
      return {
        kind: 'columns',
        columns: draw.some(3, () => ({
          family: draw.family(),
          qualifiers: next(3) === 0 ? 'all' : draw.some(3, () => draw.qualifier().slice(0, 40)),
        })),
      };
    case 24:
      return { kind: 'valueEquals', value: draw.value().slice(0, 1000) };
    case 25:
    case 26:
    case 27:
      return {
        kind: 'condition',
        predicate: inner(),
        ...(next(4) > 0 ? { onTrue: inner() } : {}),
        ...(next(4) > 0 ? { onFalse: inner() } : {}),
      };
    case 28:
    case 29:
    case 30:
      return { kind: 'interleave', filters: several(draw, inner) };
    default:
      return { kind: 'chain', filters: several(draw, inner) };
  }
}

/** Two or three; now and then one, which stands for itself, or none, which is refused. */
function several(draw: Draw, inner: () => Filter): Filter[] {
  return draw.rare() ? draw.some(1, inner) : [inner(), inner(), ...draw.some(1, inner)];
}

/** As deep as filters may be, or a level or two more. */
export function deepFilter(draw: Draw): Filter {
  let filter: Filter = draw.pick<Filter>([
    { kind: 'label', label: 'deep' },
    { kind: 'cellsPerColumn', count: 1 },
  ]);
  for (let level = draw.pick([18, 19, 20]); level > 0; level--)
    filter = { kind: draw.pick(['chain', 'interleave']), filters: [filter, { kind: 'blockAll' }] };
  return { kind: 'interleave', filters: [filter, { kind: 'passAll' }] };
}

function timeBounds(draw: Draw): { start?: Micros; end?: Micros } {
  return {
    ...(draw.next(2) === 0 ? { start: draw.cellTime() } : {}),
    ...(draw.next(2) === 0 ? { end: draw.cellTime() } : {}),
  };
}

/** Two ends, mostly in their order, now and then the same. */
function bounds<B>(
  draw: Draw,
  make: () => Uint8Array,
  end: (bytes: Uint8Array, inclusive: boolean) => B,
): { start?: B; end?: B } {
  const one = make();
  const two = [one, draw.next(6) === 0 ? one : make()];
  if (!draw.rare()) two.sort(Buffer.compare);
  return {
    ...(draw.next(3) > 0 ? { start: end(two[0], draw.next(2) === 0) } : {}),
    ...(draw.next(3) > 0 ? { end: end(two[1], draw.next(2) === 0) } : {}),
  };
}

/** Patterns that JavaScript and RE2 read alike, for the reference engine. */
function randomPattern(draw: Draw): Uint8Array {
  return text(
    draw.pick([
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
      draw.rare() ? '[' : '',
    ]),
  );
}
