/** What a write changes in the bucket that its row adds to: the content of a mark. */
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';
import { type RollupModel, rollupFamilies } from '../../../model/index.js';
import { inputPlanOf } from '../input/input-plan.js';
import { type CellInput, isOrderable, type RowReading } from '../input/reading.js';
import { isOrder } from '../input/row-token.js';

/** What a row added to a cell of its bucket, and what it adds from now on. */
export interface CellChange {
  readonly family: string;
  readonly qualifier: string;
  readonly was: CellInput;
  readonly is: CellInput;
}

/** The change of one row in one bucket. */
export interface BucketChange {
  /** The key of the row, one character per byte. */
  readonly row: string;
  /** Greater than the order of all earlier writes of the row. */
  readonly order: number;
  /** The time of the row in milliseconds. */
  readonly time: number;
  readonly cells: readonly CellChange[];
}

type Stored = readonly [string, string, string | null, string | null];

const text = new TextDecoder();
const { sum, min, max, first, last } = rollupFamilies;
const valueFamilies: readonly string[] = [sum, min, max, first, last];
const bytesFamilies: readonly string[] = [first, last];

/** The cells that a write changes; a row that is not there has no reading. */
export function cellChanges(
  rollup: RollupModel,
  before: RowReading | undefined,
  after: RowReading | undefined,
): readonly CellChange[] {
  const { ofCell } = inputPlanOf(rollup);
  const changes: CellChange[] = [];
  rollup.cells.forEach(({ kind, family, qualifier }, i) => {
    const was = inputOf(kind, before, ofCell[i]);
    const is = inputOf(kind, after, ofCell[i]);
    if (!isSame(was, is)) changes.push({ family, qualifier: text.decode(qualifier), was, is });
  });
  return changes;
}

function inputOf(kind: string, reading: RowReading | undefined, at: number): CellInput {
  if (reading === undefined) return undefined;
  if (at < 0) return 1;
  const input = reading.inputs[at];
  return kind === 'count' && input !== undefined ? 1 : input;
}

function isSame(a: CellInput, b: CellInput): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  // A number is equal to the bigint of the same integer: neither is less.
  return a === b || (a !== undefined && b !== undefined && a <= b && a >= b);
}

/** Whether what a cell holds may be a value that is gone. */
export function removesExtreme({ family, was, is }: CellChange): boolean {
  if (was === undefined) return false;
  switch (family) {
    case rollupFamilies.min:
      return is === undefined || is > was;
    case rollupFamilies.max:
      return is === undefined || is < was;
    case rollupFamilies.first:
    case rollupFamilies.last:
      return is === undefined;
    default:
      return false;
  }
}

/** The value of a mark: JSON. Integers are decimal text, bytes and keys base64url. */
export function encodeChange({ row, order, time, cells }: BucketChange): Uint8Array {
  const stored = cells.map(({ family, qualifier, was, is }): Stored => {
    return [family, qualifier, inputText(was), inputText(is)];
  });
  const key = Buffer.from(row, 'latin1').toString('base64url');
  return Buffer.from(JSON.stringify({ row: key, order, time, cells: stored }));
}

/** Throws CORRUPT_DATA for what is no mark, or changes cells that the rollup cannot have. */
export function decodeChange({ rows }: RollupModel, value: Uint8Array): BucketChange {
  try {
    const { row, order, time, cells } = JSON.parse(text.decode(value)) as {
      readonly row: string;
      readonly order: number;
      readonly time: number;
      readonly cells: readonly Stored[];
    };
    const isKnown = cells.every(
      ([family]) => valueFamilies.includes(family) && rows.table.families.has(family),
    );
    const isTimed = Number.isSafeInteger(time) && (!hasTimes(cells) || isOrderable(time));
    if (row === '' || !isOrder(order) || !isKnown || !isTimed) throw new SyntaxError();
    return {
      row: Buffer.from(row, 'base64url').toString('latin1'),
      order,
      time,
      cells: cells.map(([family, qualifier, was, is]) => ({
        family,
        qualifier,
        was: inputFrom(family, was),
        is: inputFrom(family, is),
      })),
    };
  } catch (cause) {
    throw new RowsmithError('CORRUPT_DATA', faults.damagedMark, { cause });
  }
}

/** Whether the time of the row becomes the timestamp of a cell. */
function hasTimes(cells: readonly Stored[]): boolean {
  return cells.some(([family]) => bytesFamilies.includes(family));
}

function inputText(input: CellInput): string | null {
  if (input === undefined) return null;
  return input instanceof Uint8Array ? Buffer.from(input).toString('base64url') : String(input);
}

function inputFrom(family: string, stored: string | null): CellInput {
  if (stored === null) return undefined;
  return bytesFamilies.includes(family) ? Buffer.from(stored, 'base64url') : BigInt(stored);
}

const faults = {
  damagedMark: {
    problem: 'a mark in a bucket of a rollup is damaged',
    fix: 'rebuild the rollup: db.derived.rollups.rebuild(Entity, name)',
    shell: { fix: 'run rowsmith derived repair on the entity' },
  },
} satisfies FaultTexts;
