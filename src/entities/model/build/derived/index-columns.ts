/** The columns that an index names: in its key, and covered. */
import type { EntityModel, ColumnModel, SegmentModel } from '../../model.js';
import {
  nearestName,
  quotedName,
  quotedList,
  type FaultText,
  type FaultTexts,
} from '../../../../base/index.js';
import type { SegmentType, SegmentKind } from '../../../../data/key/index.js';
import type { IndexDeclaration } from '../../declaration/derived/indexes.js';
import { duplicates } from '../shared/build-context.js';

export type ReportProblem = (fault: FaultText) => void;

export function columnOf(
  model: EntityModel,
  property: string,
  report: ReportProblem,
): ColumnModel | undefined {
  const column = model.columns.find((each) => each.property === property);
  if (column === undefined) {
    const known = [...model.key.names, ...model.columns.map((each) => each.property)];
    const nearest = nearestName(property, known);
    report(faults.unknownProperty(property, nearest, known));
    return undefined;
  }
  if (column.kind === 'column' || column.kind === 'packed') return column;
  const reasons = {
    columnMap: 'a column map has many values',
    versions: 'it has many versions',
    counter: 'a counter is changed without being read',
  };
  report(faults.unfitProperty(property, reasons[column.kind]));
  return undefined;
}

const impliedTypes: Readonly<Record<string, SegmentType>> = {
  string: { kind: 'string' },
  bytes: { kind: 'bytes' },
  bool: { kind: 'bool' },
  int32: { kind: 'int', width: 10 },
  uint32: { kind: 'uint', width: 10 },
  int64: { kind: 'bigint', width: 19 },
  double: { kind: 'float' },
  float: { kind: 'float' },
  timestamp: { kind: 'timestamp' },
  date: { kind: 'string' },
};

/** The segment type that holds the values of a column; undefined if there is none. */
export function impliedType(column: ColumnModel): SegmentType | undefined {
  if (column.kind !== 'column') return undefined;
  return impliedTypes[column.codec.kind as SegmentKind];
}

export function coveredColumns(
  model: EntityModel,
  { covered }: IndexDeclaration,
  segments: readonly SegmentModel[] | undefined,
  report: ReportProblem,
): readonly ColumnModel[] | undefined {
  for (const name of duplicates(covered)) report(faults.includedTwice(name));
  const columns = covered.map((property) => {
    const inKey =
      segments?.some((each) => each.property === property) === true ||
      model.key.names.includes(property);
    if (!inKey) return columnOf(model, property, report);
    report(faults.includedKey(property));
    return undefined;
  });
  return columns.includes(undefined) ? undefined : (columns as readonly ColumnModel[]);
}

const faults = {
  unknownProperty: (property: string, nearest: undefined | string, known: readonly string[]) => ({
    problem: `names ${quotedName(property)}, which is not a property of the entity`,
    fix: nearest === undefined ? `use some of ${quotedList(known)}` : `did you mean '${nearest}'?`,
  }),
  unfitProperty: (property: string, reason: string) => ({
    problem: `names '${property}', which cannot be found by an index: ${reason}`,
    fix: 'index a segment or a plain column',
  }),
  includedTwice: (name: string) => ({ problem: `includes '${name}' twice`, fix: 'name it once' }),
  includedKey: (property: string) => ({
    problem: `includes '${property}', which is in the key of its entries`,
    fix: 'leave it out of including()',
  }),
} satisfies FaultTexts;
