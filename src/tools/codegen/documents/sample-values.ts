/**
 * Sample values of segments, for keys in documents: the same in every run, and valid in any format.
 */
import type { SegmentType } from '../../../data/key/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { digitsOf } from '../segment-digits.js';

/** The first or the second sample. */
type Which = 0 | 1;

const timestamps = ['2026-11-20T10:30:00.000Z', '2026-11-20T11:45:00.000Z'] as const;
const domains = ['maps.example.com', 'www.example.com'] as const;

/** Values of all segments. The two samples differ where the declared limits allow it. */
export function sampleValues(model: EntityModel, which: Which): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    model.segments.map(({ property, type }) => [property, sampleValue(property, type, which)]),
  );
}

function sampleValue(property: string, type: SegmentType, which: Which): unknown {
  const number = Math.min(42 + which, type.max ?? Infinity, 10 ** digitsOf(type) - 1);
  switch (type.kind) {
    case 'string':
      return sampleText(property, which).slice(-(type.maxLength ?? 20));
    case 'int':
    case 'uint':
    case 'reversedId':
      return number;
    case 'bigint':
      return BigInt(number);
    case 'micros':
      return BigInt(Date.parse(timestamps[which])) * 1000n;
    case 'float':
      return 1.5 + which;
    case 'decimal':
      return sampleDecimal(type, which);
    case 'bool':
      return which === 0;
    case 'enum': {
      const { values = [] } = type;
      return values[Math.min(which, values.length - 1)];
    }
    case 'timestamp':
    case 'isoDate':
      return new Date(timestamps[which]);
    case 'uuid':
      return `550e8400-e29b-41d4-a716-44665544000${which}`;
    case 'ulid':
      return `01ARZ3NDEKTSV4RRFFQ69G5FA${which}`;
    case 'bytes':
      return Uint8Array.of(0, 255, 16 + which).slice(0, type.maxLength ?? 3);
    case 'domain':
      return domains[which];
  }
}

/** Letters and digits only, which no format escapes or rejects. */
function sampleText(property: string, which: Which): string {
  return `${property.replace(/[^a-zA-Z0-9]/g, '').toLowerCase()}${which + 1}`;
}

function sampleDecimal({ scale = 0, width }: SegmentType, which: Which): string {
  if (scale === 0 || scale === width) return '0';
  return `${which + 1}.${'5'.repeat(scale)}`;
}
