/** Writes column maps. */
import { isDate, isMap, type FaultTexts } from '../../../base/index.js';
import { CodecError, DateMap, indexPath, within } from '../../../data/cell/index.js';
import { encodeQualifier, type MapColumn } from '../qualifier.js';
import { encodeAt, nextMillisecond, type WriteValue, wrongFormError } from './write-value.js';

/** The writer of a column map. A `null` entry deletes one, unless the whole map is replaced. */
export function mapWriter(column: MapColumn): WriteValue {
  const { family, codec } = column;
  return (value, timestamp, replace, out) => {
    if (!isMap(value)) throw wrongFormError('a Map from qualifier to value');
    assertDistinct(value);
    if (replace) out.push({ kind: 'deleteFromFamily', family });
    for (const [key, entry] of value) {
      const qualifier = encodeQualifier(column, key);
      if (entry !== undefined && entry !== null) {
        if (column.aggregate) throw within(notIncremented(), keyPath(key));
        const cell = encodeAt(codec, entry, keyPath(key));
        out.push({ kind: 'setCell', family, qualifier, timestamp, value: cell });
      } else if (!replace) {
        const end = nextMillisecond(timestamp);
        out.push({ kind: 'deleteFromColumn', family, qualifier, end });
      }
    }
  };
}

/** The path of an entry in errors: a time is shown as in JSON. */
export function keyPath(key: unknown): string {
  if (isDate(key)) return indexPath(key.toISOString());
  return indexPath(key);
}

/** A plain Map compares Dates by identity: of two equal ones, only one value would be stored. */
function assertDistinct(map: ReadonlyMap<unknown, unknown>): void {
  if (map instanceof DateMap) return;
  const times = new Set<number>();
  for (const key of map.keys()) {
    if (!isDate(key)) continue;
    if (times.has(key.getTime()) && !Number.isNaN(key.getTime()))
      throw new CodecError(faults.duplicateEntry(key.toISOString()));
    times.add(key.getTime());
  }
}

function notIncremented(): CodecError {
  return new CodecError(faults.aggregateEntries);
}

const faults = {
  duplicateEntry: (time: string) => ({
    problem: `there are two entries at ${time}`,
    fix: 'give each entry another time; a DateMap compares Dates by their time',
  }),
  aggregateEntries: {
    problem: 'entries of an aggregate family are counters, which are changed by increments',
    fix: 'call incrementEntry(key, property, entry, amount); null deletes an entry',
  },
} satisfies FaultTexts;
